"""What a checkpoint is asked, from the files of a benchmark; texts live in memory only."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gate.errors import JudgingError, UsageError
from gate.evidence.files import Files
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.tables import MISSING, Source
from gate.evidence.readers.parsing.text import opened_text
from gate.evidence.readers.parsing.wording import listing, malformed, shown
from gate.evidence.rows import Kind
from gate.judge.behaviors import read_behaviors

DIRECT = "DirectRequest"
BETWEEN = "\n\n---\n\n"
"""What HarmBench puts between a context and its behavior."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("prompt_id", "id"),
    "prompt": ("prompt",),
    "prompt_label": ("prompt_label", "label"),
    "prompt_type": ("prompt_type", "type"),
}
"""What a row of prompts says, to the columns that may say it; XSTest's own are among them."""

HERE = Files(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One prompt."""

    id: str
    """`behavior_id` or `prompt_id`."""
    prompt: str = field(repr=False)
    method: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One suite to generate."""

    name: str
    kind: Kind
    cases: Sequence[Case] = field(repr=False)
    """In the order of the files; a behavior's test cases follow each other."""

    @property
    def methods(self) -> list[str]:
        """The attack methods, in order."""
        return list(dict.fromkeys(case.method for case in self.cases))


def direct_requests(path: str) -> list[Case]:
    """Make HarmBench's DirectRequest of its behaviors CSV: a context stands before its behavior.

    Raises:
        JudgingError: If it cannot be read, or is not HarmBench's.
    """
    return [
        Case(
            id=name,
            method=DIRECT,
            prompt=f"{each.context}{BETWEEN}{each.text}" if each.context else each.text,
        )
        for name, each in read_behaviors(Path(path)).items()
    ]


def test_cases(path: str, method: str) -> list[Case]:
    """Read HarmBench's test_cases.json: an object of behaviors, each a list of prompts.

    Raises:
        EvidenceError: If it cannot be read, or holds anything else.
    """
    found: dict[str, list[Case]] = {}
    with opened_text(HERE, path, "utf-8") as text:
        try:
            for behavior, several in Document(text).members():
                place = f"behavior {shown(behavior)}"
                if behavior in found:
                    raise malformed(path, place, "is there twice")
                found[behavior] = list(_prompts(path, place, behavior, several, method))
        except MalformedError as error:
            raise error.of(path) from None
    return [case for cases in found.values() for case in cases]


def _prompts(path: str, place: str, behavior: str, several: Any, method: str) -> Iterator[Case]:
    if not isinstance(several, list) or not several:
        raise malformed(path, place, "no list of test cases, or an empty one")
    for prompt in several:
        if isinstance(prompt, list):
            raise malformed(path, place, "a test case with an image; only text can be generated")
        if not isinstance(prompt, str):
            raise malformed(path, place, f"a test case is {shown(prompt)}, not text")
        yield Case(id=behavior, method=method, prompt=prompt)


def prompts(path: str) -> list[Case]:
    """Read prompts of an over-refusal suite: XSTest's CSV, or JSON Lines with its columns.

    Raises:
        EvidenceError: If it cannot be read, or a column is missing.
        UsageError: If an id is there twice.
    """
    wanted = {name for names in COLUMNS.values() for name in names}
    found = []
    for batch in Source(HERE, path, "utf-8", wanted).batches():
        there = {
            what: next((name for name in names if name in batch.names), None)
            for what, names in COLUMNS.items()
        }
        for what in ("id", "prompt"):
            if there[what] is None:
                names = " or ".join(f"`{name}`" for name in COLUMNS[what])
                have = f"there are {listing(batch.names)}"
                raise malformed(path, batch.where(0), f"no column {names}; {have}")
        columns = {what: batch.column(name) for what, name in there.items() if name is not None}
        for i in range(batch.size):
            cells = {what: column[i] for what, column in columns.items()}
            found.append(_prompt(path, batch.where(i), cells))
    twice = [name for name, count in Counter(case.id for case in found).items() if count > 1]
    if twice:
        raise UsageError(
            f"{path}: {len(twice)} ids are there twice: {listing(twice)}",
            next_step="Name a file in which every prompt has an id of its own.",
        )
    return found


def _prompt(path: str, place: str, cells: Mapping[str, Any]) -> Case:
    known = {what: cell for what, cell in cells.items() if cell not in (None, MISSING, "")}
    name, prompt = known.pop("id", None), known.pop("prompt", None)
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(prompt, str):
        raise malformed(path, place, "the id or the prompt is missing")
    return Case(id=str(name), prompt=prompt, columns={what: str(of) for what, of in known.items()})


def collect(name: str, behaviors: str | None, files: Sequence[tuple[str, str]]) -> Asked | None:
    """Collect what is asked of one attack suite.

    Args:
        name: The suite.
        behaviors: HarmBench's CSV, to make DirectRequest of.
        files: Pairs of a method and its test_cases.json.

    Raises:
        UsageError: If a method is there twice.
        JudgingError: If a file holds no test case.
    """
    methods = [DIRECT] * (behaviors is not None) + [method for method, _ in files]
    if len(set(methods)) < len(methods):
        raise UsageError(
            "one method was given twice",
            next_step=f"Give each method once; --behaviors makes {DIRECT}.",
        )
    cases = direct_requests(behaviors) if behaviors is not None else []
    for method, path in files:
        found = test_cases(path, method)
        if not found:
            raise JudgingError(f"{path}: no test cases", next_step="Name a test_cases.json.")
        cases += found
    return Asked(name=name, kind=Kind.ATTACK, cases=cases) if cases else None

"""The completions of a suite, one by one; their texts stay in memory."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.harmbench import STANDARD_TOKENS
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.harmbench_labels import ERROR
from gate.evidence.readers.parsing.text import opened_text
from gate.evidence.readers.parsing.wording import listing, malformed, misdeclared, shown, sort_of
from gate.evidence.rows import Kind
from gate.judge.control import storable
from gate.judge.records import read_rows
from gate.judge.rubrics_records import read_dialogues
from gate.judge.values import Completion, Message
from gate.reasons import Reason


def read_completions(files: Files, suite: Suite, name: str) -> Iterator[Completion]:
    """Yield what awaits a judge, in file order.

    Raises:
        EvidenceError: If a file is missing, does not hold completions, or holds one twice.
    """
    for completion in _read(files, suite, name):
        yield _encodable(completion)


def _read(files: Files, suite: Suite, name: str) -> Iterator[Completion]:
    seen: set[tuple[str, str, int, str | None]] = set()
    for method, path in completion_files(files, suite, name).items():
        for one in _of_file(files, path, suite, method):
            which = (one.id, one.method, one.test_case, one.columns.get("turn"))
            if which in seen:
                raise EvidenceError(
                    Reason.E_DUPLICATE,
                    f"{path}: {shown(one.id)} has two completions, and nothing tells them apart",
                    next_step="Leave one of them out; test cases of a behavior stand in one list.",
                )
            seen.add(which)
            yield one


def _of_file(files: Files, path: str, suite: Suite, method: str) -> Iterator[Completion]:
    if suite.suite_kind is Kind.ATTACK:
        return _attacks(files, path, method)
    if suite.suite_kind is Kind.RUBRIC:
        return read_dialogues(files, path, suite)
    return read_rows(files, path, suite)


def _encodable(completion: Completion) -> Completion:
    """Replace lone surrogates, which neither an engine nor a file can be given.

    Raises:
        EvidenceError: If the id holds one: two ids could become one.
    """
    if storable(completion.id) != completion.id:
        what = f"the id {shown(completion.id)} holds half a character (a lone surrogate)"
        raise EvidenceError(Reason.E_FORMAT, what)
    columns = completion.columns.items()
    return replace(
        completion,
        text=storable(completion.text),
        prompt=None if completion.prompt is None else storable(completion.prompt),
        dialogue=tuple(Message(turn.role, storable(turn.text)) for turn in completion.dialogue),
        columns={name: storable(cell) if cell else cell for name, cell in columns},
    )


def completion_files(files: Files, suite: Suite, name: str) -> Mapping[str, str]:
    """Return the completions files by method (an empty text in other kinds).

    Raises:
        EvidenceError: If run.yaml does not say where they are, or they are not there.
    """
    declared = suite.completions
    if isinstance(declared, dict):
        return declared
    attack = suite.suite_kind is Kind.ATTACK
    tree = declared or (suite.path if isinstance(suite.path, str) else None)
    if tree is None or (declared is None and suite.reader != "harmbench"):
        raise misdeclared(name, "completions", "missing: where are the completions?")
    if attack and files.sort(tree) == "folder":
        return _tree(files, suite, tree, name)
    if declared is None:
        raise misdeclared(name, "completions", "missing: where are the completions?")
    if not attack:
        return {"": declared}
    if len(suite.methods or ()) != 1:
        what = "completions in one file have one method: name it, and only it"
        raise misdeclared(name, "methods", what)
    return {(suite.methods or [""])[0]: declared}


def _tree(files: Files, suite: Suite, base: str, name: str) -> dict[str, str]:
    """Find each method's completions in a HarmBench tree."""
    if not suite.methods or not suite.model:
        key = "model" if suite.methods else "methods"
        raise misdeclared(name, key, f"missing: {base} is a HarmBench tree")
    length = suite.generation.max_new_tokens or STANDARD_TOKENS
    tokens = "" if length == STANDARD_TOKENS else f"{length}_tokens/"
    found = {}
    for method in suite.methods:
        folder = f"{base.rstrip('/')}/{method}"
        declared = suite.experiments.get(method)
        experiments = [declared] if declared else files.names(folder)
        paths = [f"{folder}/{e}/completions/{tokens}{suite.model}.json" for e in experiments]
        there = [path for path in paths if files.exists(path)]
        if len(there) != 1:
            what = f"{method} has its completions in {listing(there) or 'none'} of {folder}/*"
            raise misdeclared(name, "experiments", f"{what}: declare which")
        found[method] = there[0]
    return found


def _attacks(files: Files, path: str, method: str) -> Iterator[Completion]:
    with opened_text(files, path, "utf-8") as text:
        try:
            document = Document(text)
            if document.opening() != "{":
                raise malformed(path, "line 1", "expected an object of behaviors")
            for behavior, several in document.members():
                if not isinstance(several, list):
                    what = f"{sort_of(several)}, where a list of completions was expected"
                    raise malformed(path, f"behavior {shown(behavior)}", what)
                for case, one in enumerate(several):
                    yield Completion(
                        id=behavior,
                        method=method,
                        test_case=case,
                        text=_generation(path, behavior, case, one),
                    )
        except MalformedError as error:
            raise error.of(path) from None


def _generation(path: str, behavior: str, case: int, completion: Any) -> str:
    place = f"behavior {shown(behavior)}, completion {case}"
    if not isinstance(completion, dict) or "generation" not in completion:
        raise malformed(path, place, "no `generation`; is this a test_cases.json?")
    generation = completion["generation"]
    if generation is None:
        return ERROR
    if not isinstance(generation, str):
        raise malformed(path, place, f"`generation` is {shown(type(generation).__name__)}")
    return generation


def failed(text: str) -> bool:
    """Tell whether a completion stands for one that could not be had."""
    return text == ERROR

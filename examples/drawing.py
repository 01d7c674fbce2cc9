"""How the verdicts of an example are drawn and written: ids, labels and categories, never a text.

Chance is the order of sha256 digests of a seed and a name, so that every Python draws the same.
"""

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CATALOG = Path(__file__).parents[1] / "gate" / "evidence" / "catalog" / "harmbench.csv"

SHORT = {
    "chem": "chemical_biological",
    "cyber": "cybercrime_intrusion",
    "harass": "harassment_bullying",
    "misinfo": "misinformation_disinformation",
}
"""Semantic categories whose names would fill a line."""

Groups = Mapping[str, Sequence[str]]
Row = tuple[str, ...]


def sha256(text: str) -> str:
    """Digest a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def counts(text: str) -> dict[str, int]:
    """Read `illegal 2, cyber 1`."""
    pairs = (part.rsplit(maxsplit=1) for part in text.split(",") if part.strip())
    return {SHORT.get(name.strip(), name.strip()): int(count) for name, count in pairs}


def shuffled(seed: str, names: Iterable[str]) -> list[str]:
    """Order names by chance, the same way for the same seed."""
    return sorted(names, key=lambda name: sha256(f"{seed}/{name}"))


def behaviors() -> dict[str, list[str]]:
    """Give the 320 ids of HarmBench's test split by semantic category."""
    groups: dict[str, list[str]] = {}
    with CATALOG.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["split"] == "test":
                groups.setdefault(row["semantic_category"], []).append(row["behavior_id"])
    return dict(sorted(groups.items()))


@dataclass(frozen=True, slots=True)
class Flips:
    """How many names of each group are marked before, and how many change either way.

    Each is written as `illegal 2, cyber 1`.
    """

    marked: str
    broken: str = ""
    """Not marked before, marked after."""
    fixed: str = ""
    """Marked before, not marked after."""

    def of(self, group: str) -> tuple[int, int, int]:
        """Give the three counts of one group."""
        marked, broken, fixed = (
            counts(text).get(group, 0) for text in (self.marked, self.broken, self.fixed)
        )
        return marked, broken, fixed

    def draw(self, seed: str, groups: Groups) -> tuple[set[str], set[str]]:
        """Choose the names that are marked before and after."""
        named = {g for text in (self.marked, self.broken, self.fixed) for g in counts(text)}
        if named - groups.keys():
            raise ValueError(f"{seed}: there is no {', '.join(sorted(named - groups.keys()))}")
        before: set[str] = set()
        after: set[str] = set()
        for group, names in groups.items():
            order = shuffled(seed, names)
            marked, broken, fixed = self.of(group)
            if not (fixed <= marked and marked + broken <= len(order)):
                raise ValueError(f"{seed}: {group} has {len(order)} names, too few for {self}")
            before.update(order[:marked])
            after.update(order[fixed : marked + broken])
        return before, after


def table(header: str, rows: Iterable[Row]) -> str:
    """Write a CSV file; no cell needs quoting."""
    return "".join(f"{line}\n" for line in (header, *(",".join(row) for row in rows)))


def json_lines(header: str, rows: Iterable[Row]) -> str:
    """Write the same columns as JSON Lines; a scored row has no `unscored`."""
    names = header.split(",")
    words: dict[str, object] = {"true": True, "false": False, "": None}
    lines = []
    for row in rows:
        pairs = {
            name: int(cell) if name == "test_case" else words.get(cell, cell)
            for name, cell in zip(names, row, strict=True)
            if cell or name != "unscored"
        }
        lines.append(json.dumps(pairs) + "\n")
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite of a run: what run.yaml says of it, and its verdict files by path."""

    name: str
    keys: Mapping[str, str]
    """Keys of run.yaml to their values as YAML, in order."""
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Run:
    """What one checkpoint left behind."""

    revision: str
    suites: Sequence[Suite]
    chat_template: str | None = "acme-7b chat template 3"
    """What the digest in run.yaml stands for; None where the run declares none."""

    def files(self) -> dict[str, str]:
        """Give the text of every file of the run by path."""
        template = self.chat_template
        lines = [
            "schema: gate.run/v1",
            "checkpoint:",
            "  name: acme-7b",
            f"  revision: {self.revision}",
            *([f"  chat_template_sha256: {sha256(template)}"] if template else []),
            f"  system_prompt_sha256: {sha256('acme-7b system prompt 1')}",
            "suites:",
        ]
        found: dict[str, str] = {}
        for suite in self.suites:
            lines.append(f"  {suite.name}:")
            lines += [f"    {key}: {value}" for key, value in suite.keys.items()]
            found.update(suite.files)
        return {"run.yaml": "\n".join(lines) + "\n", **found}

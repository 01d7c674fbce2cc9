"""Labels: rendered in one way, matched exactly, never guessed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gate.evidence.readers.parsing.wording import misdeclared, near, shown
from gate.evidence.rows import REASONS, UNSCORED, VALUES, Kind

Cell = object
"""What one cell holds: text, a number, true, false, null; or something that has no place there."""

Verdict = tuple[int, str | None]
"""A value and, where it is `UNSCORED`, the reason."""

UNPARSED: Verdict = (UNSCORED, "unparsed")
"""What null stands for where nothing else is declared."""

GOLD = ("safe", "unsafe")
"""The labels that prompts and records carry themselves."""

ABSENT = frozenset({"", "null", "none", "nan", "-1", "$error$", "error", *REASONS})
"""Labels that say there is no verdict; no manifest may call one a verdict."""

CONSTANT_LIKE = re.compile(r"null|true|false|nan|-?infinity|[-+]?[\d.]+(e[-+]?\d+)?")


def fold(text: str) -> str:
    """Return what matching looks at: no spaces around, no difference of case."""
    return text.strip().casefold()


def token(cell: Cell, typed: bool) -> str | None:
    """Return the text by which a label map knows a cell; None for what is no label.

    JSON true is `true`, 1 is `1`, null is `null`. Text is itself; only where the file has
    types and the text looks like one of those does it keep its quotes: `"1"`, `"true"`.
    """
    if isinstance(cell, str):
        text = fold(cell)
        return f'"{text}"' if typed and CONSTANT_LIKE.fullmatch(text) else text
    if isinstance(cell, Unscored):
        return cell.token
    if cell is None:
        return "null"
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell) if isinstance(cell, (int, float)) else None


@dataclass(frozen=True, slots=True)
class Unscored:
    """A cell that a reader puts where it sees that there is no verdict."""

    reason: str

    @property
    def token(self) -> str:
        """What no cell of a file can be."""
        return f" {self.reason}"


class Labels:
    """What the labels of one suite mean.

    Args:
        kind: The kind of suite.
        declared: The file's label to ours, to a reason, or to null for unparsed.
        suite: The suite's name, for messages.
    """

    def __init__(self, kind: Kind, declared: Mapping[str, str | None], suite: str) -> None:
        self._values = {word: value for value, word in enumerate(VALUES[kind])}
        self._known: dict[str, str] = {}
        self.declared = tuple(map(fold, declared))
        """The file's labels, as they are matched."""
        allowed = {*self._values, *REASONS, *(() if kind is Kind.ATTACK else GOLD)}
        for label, ours in declared.items():
            word = "unparsed" if ours is None else ours
            if word not in allowed:
                what = f"{shown(word)} is not a label of {kind} suites{near(word, allowed)}"
                raise misdeclared(suite, f"labels.{label[:40]}", what)
            if word in self._values and fold(label).strip('"') in ABSENT:
                what = (
                    f"{shown(label)} says that there is no verdict, so it cannot mean {word}; "
                    "only the policy may count what is unscored (`count_as`)"
                )
                raise misdeclared(suite, "labels", what)
            if self._known.setdefault(fold(label), word) != word:
                raise misdeclared(suite, f"labels.{label[:40]}", "declared twice, differently")

    def verdict(self, label: str) -> Verdict | None:
        """Return what a token means as a verdict; None if that is not declared."""
        word = label[1:] if label.startswith(" ") else self._known.get(label)
        if word is None:
            return UNPARSED if label in ("null", "") else None
        if word in self._values:
            return self._values[word], None
        return (UNSCORED, word) if word in REASONS else None

    def gold(self, label: str) -> str | None:
        """Return what a token means as the label of a prompt or record."""
        word = label if label in GOLD else self._known.get(label)
        return word if word in GOLD else None

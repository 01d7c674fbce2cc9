"""Collect what a reader finds, and make `Rows` of it: the last step of every reader."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from operator import itemgetter

from gate.errors import EvidenceError
from gate.evidence.catalog import harmbench
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.labels import Verdict
from gate.evidence.readers.parsing.wording import listing, malformed, shown
from gate.evidence.rows import Kind, Rows
from gate.reasons import Reason

MAX_ID = 500
MAX_CATEGORY = 200
"""Longer cells are taken for text, which has no place in evidence."""

PART = 1 << 15
"""How many are looked at together."""

INTERNED = 1 << 17
"""How many texts are kept to share their memory; more distinct ones do not repeat much."""

Where = Callable[[int], str]


class Gather:
    """The columns of one suite, growing.

    Args:
        suite: What run.yaml says of it.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._ids: list[str] = []
        self._methods: list[str] = []
        self._cases = array("i")
        self._values = array("b")
        self._reasons: list[str | None] = []
        self._columns: dict[str, list[str | None]] = {}
        self._notes: list[str] = []
        self._known: dict[str, str] = {}

    def extend(
        self,
        ids: Sequence[str],
        verdicts: Sequence[Verdict],
        *,
        methods: Sequence[str] | None = None,
        cases: Sequence[int] | None = None,
        columns: Mapping[str, Sequence[str | None]] | None = None,
    ) -> None:
        """Add rows; all sequences have one length."""
        before = len(self._ids)
        self._ids += ids
        self._methods += methods or [""] * len(ids)
        self._cases.extend(cases or [0] * len(ids))
        self._values.extend(map(itemgetter(0), verdicts))
        self._reasons += map(itemgetter(1), verdicts)
        for name, cells in (columns or {}).items():
            if name not in self._columns:
                self._columns[name] = [None] * before
            self._columns[name] += cells
        for cells in self._columns.values():
            cells += [None] * (len(self._ids) - len(cells))

    def note(self, sentence: str) -> None:
        """Remember something for the report."""
        if sentence not in self._notes:
            self._notes.append(sentence)

    def file_ended(self, path: str, before: int, ignored: Mapping[str, int] | None = None) -> None:
        """Note what was ignored in a file; refuse one that had no rows.

        Raises:
            EvidenceError: With `E_EMPTY`.
        """
        if len(self) == before:
            raise EvidenceError(Reason.E_EMPTY, f"{path}: holds no rows")
        for what, count in (ignored or {}).items():
            if count:
                self.note(f"{path}: ignored {what}: {count}.")

    def __len__(self) -> int:
        """The number of rows so far."""
        return len(self._ids)

    def names(self, path: str, texts: Sequence[str], where: Where, most: int = MAX_ID) -> list[str]:
        """Check ids or names, and share the memory of equal ones.

        Raises:
            EvidenceError: If one is empty, too long, or no Unicode text.
        """
        found: list[str] = []
        for first in range(0, len(texts), PART):
            part = texts[first : first + PART]
            self._check_names(path, part, first, where, most)
            found += map(self._known.get, part, part)
        return found

    def _check_names(
        self, path: str, texts: Sequence[str], first: int, where: Where, most: int
    ) -> None:
        known = self._known
        for text in (text for text in dict.fromkeys(texts) if text not in known):
            if problem := wrong_name(text, most):
                raise malformed(path, where(first + texts.index(text)), problem)
            if len(known) < INTERNED:
                known[text] = text

    def rows(self) -> Rows:
        """Strip the prefix, keep the methods declared, add categories.

        Raises:
            EvidenceError: If nothing is left.
        """
        self._strip_prefix()
        if self._suite.suite_kind is Kind.ATTACK:
            self._keep_methods()
            self._add_categories()
        if not self._ids:
            raise EvidenceError(Reason.E_EMPTY, "the suite has no rows of the methods it declares")
        filled = {name: cells for name, cells in self._columns.items() if set(cells) != {None}}
        return Rows(
            ids=self._ids,
            methods=self._methods,
            test_cases=self._cases,
            values=self._values,
            reasons=self._reasons,
            columns=filled,
            notes=tuple(self._notes),
        )

    def _strip_prefix(self) -> None:
        prefix = self._suite.id_prefix
        if not prefix:
            return
        if prefix in self._ids:
            raise EvidenceError(Reason.E_FORMAT, f"the id {shown(prefix)} is nothing but id_prefix")
        count = sum(name.startswith(prefix) for name in self._ids)
        self._ids = [name.removeprefix(prefix) for name in self._ids]
        self.note(f"Stripped {shown(prefix)} from {count} of {len(self)} ids.")

    def _keep_methods(self) -> None:
        others = set(self._methods).difference(self._suite.methods or self._methods)
        if not others:
            return
        keep = [method not in others for method in self._methods]
        self._ids = list(compress(self._ids, keep))
        self._methods = list(compress(self._methods, keep))
        self._cases = array("i", compress(self._cases, keep))
        self._values = array("b", compress(self._values, keep))
        self._reasons = list(compress(self._reasons, keep))
        self._columns = {name: list(compress(col, keep)) for name, col in self._columns.items()}
        count = f"{keep.count(False)} of {len(keep)}"
        self.note(f"Ignored rows of methods not listed in run.yaml: {listing(others)} ({count}).")

    def _add_categories(self) -> None:
        catalog = harmbench()
        if catalog.keys().isdisjoint(self._ids):
            return
        entries = [catalog.get(name) for name in self._ids]
        for column in ("semantic_category", "functional_category"):
            given = self._columns.get(column) or [None] * len(self)
            self._columns[column] = [
                cell if cell is not None or entry is None else getattr(entry, column)
                for cell, entry in zip(given, entries, strict=True)
            ]


def wrong_name(text: str, most: int) -> str | None:
    """Say what makes a text unfit as an id or a name; None where nothing does."""
    if not text.strip():
        return "an empty id or name"
    if len(text) > most:
        return f"{shown(text)} is {len(text)} characters long: a text, where a name was expected"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return f"{shown(text)} is not Unicode text (half a surrogate pair)"
    return None

"""Rows of any table, by the columns and labels that run.yaml declares."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gate.errors import EvidenceError
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.gather import MAX_CATEGORY, Gather
from gate.evidence.readers.parsing.labels import Cell, Labels, Verdict, fold, token
from gate.evidence.readers.parsing.schema import CATEGORIES, GOLD, ID, VERDICT, count, known
from gate.evidence.readers.parsing.tables import MISSING, Batch, Source
from gate.evidence.readers.parsing.wording import listing, malformed, misdeclared, near, shown
from gate.evidence.rows import Kind
from gate.reasons import Reason

T = TypeVar("T")

ROW_NUMBER = "#row"
"""Declared as a column, the number of the row, counted from 0."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each of our columns comes from."""

    suite: str
    kind: Kind
    columns: Mapping[str, str]
    """Ours to the file's."""
    constants: Mapping[str, str]
    labels: Labels
    optional: Collection[str] = ()
    """Those of ours that a file may do without."""

    @property
    def wanted(self) -> frozenset[str]:
        """The columns of the file that are read."""
        return frozenset(self.columns.values())


def make_plan(
    suite: Suite,
    name: str,
    columns: Mapping[str, str],
    labels: Mapping[str, str | None],
    optional: Collection[str] = (),
) -> Plan:
    """Combine what a reader expects with what run.yaml declares; the latter wins.

    Raises:
        EvidenceError: If run.yaml declares too little, too much, or what does not exist.
    """
    kind = suite.suite_kind
    for key in ("columns", "constants"):
        for column in getattr(suite, key):
            if column not in known(kind):
                what = f"not a column of {kind} suites{near(column, known(kind))}"
                raise misdeclared(name, f"{key}.{column[:40]}", what)
    constants = _constants(suite, name)
    verdict = VERDICT[kind]
    if suite.label_column and verdict in suite.columns:
        raise misdeclared(name, "label_column", f"columns.{verdict} says the same")
    chosen = {verdict: suite.label_column} if suite.label_column else {}
    both = {**columns, **chosen, **suite.columns}
    columns = {ours: theirs for ours, theirs in both.items() if ours not in constants}
    _complete(suite, name, columns, constants)
    own = {fold(label): word for label, word in labels.items()}
    for label, word in suite.labels.items():
        if own.get(fold(label), word) != word:
            what = f"{shown(label)} means {own[fold(label)]} here, and cannot be declared otherwise"
            raise misdeclared(name, "labels", what)
    meaning = Labels(kind, {**labels, **suite.labels}, name)
    optional = {*optional} - {*suite.columns}
    return Plan(name, kind, columns, constants, meaning, optional)


def _constants(suite: Suite, name: str) -> dict[str, str]:
    kind = suite.suite_kind
    for column in suite.constants:
        if column in (ID[kind], VERDICT[kind]):
            raise misdeclared(name, f"constants.{column}", "cannot be the same in every row")
        if column in suite.columns:
            raise misdeclared(name, f"constants.{column}", "columns declares it too")
    methods = suite.methods or ()
    only = {"method": methods[0]} if len(methods) == 1 and "method" not in suite.columns else {}
    return {**only, **suite.constants}


def _complete(
    suite: Suite, name: str, columns: Mapping[str, str], constants: Mapping[str, str]
) -> None:
    kind = suite.suite_kind
    required = {ID[kind], VERDICT[kind], GOLD.get(kind, "method")}
    for column in sorted(required - {*columns} - {*constants}):
        raise misdeclared(name, f"columns.{column}", "missing: which column of the file is it?")


def add_rows(plan: Plan, source: Source, batch: Batch, gather: Gather) -> None:
    """Add the rows of a batch.

    Raises:
        EvidenceError: Naming the row whose id, label or other cell cannot be used.
    """
    for ours, theirs in plan.columns.items():
        if theirs != ROW_NUMBER and theirs not in batch.names and ours not in plan.optional:
            have = f"there are {listing(batch.names)}{near(theirs, batch.names)}"
            raise malformed(source.path, "header", f"no column {shown(theirs)} for {ours}; {have}")
    reader = _Reader(plan, source, batch, gather)
    kind = plan.kind
    gather.extend(
        reader.names(ID[kind]),
        reader.verdicts(),
        methods=reader.names("method") if kind is Kind.ATTACK else None,
        cases=reader.counts("test_case") if "test_case" in plan.columns else None,
        columns=reader.columns(),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the columns of one batch."""

    plan: Plan
    source: Source
    batch: Batch
    gather: Gather

    def names(self, ours: str) -> list[str]:
        if ours in self.plan.constants:
            return [self.plan.constants[ours]] * self.batch.size
        if self.plan.columns[ours] == ROW_NUMBER:
            first = len(self.gather)
            return [str(first + i) for i in range(self.batch.size)]
        texts = [self._name(ours, i, cell) for i, cell in enumerate(self._cells(ours))]
        return self.gather.names(self.source.path, texts, self.batch.where)

    def verdicts(self) -> list[Verdict]:
        return self._labels(VERDICT[self.plan.kind], self.plan.labels.verdict)

    def counts(self, ours: str) -> list[int]:
        numbers = []
        for i, cell in enumerate(self._cells(ours)):
            number = count(cell)
            if number is None:
                raise self._wrong(ours, i, cell, "a whole number from 0 on")
            numbers.append(number)
        return numbers

    def columns(self) -> dict[str, Sequence[str | None]]:
        gold = GOLD.get(self.plan.kind)
        found: dict[str, Sequence[str | None]] = {
            ours: [constant] * self.batch.size
            for ours, constant in self.plan.constants.items()
            if ours == gold or ours in CATEGORIES[self.plan.kind]
        }
        for ours in CATEGORIES[self.plan.kind]:
            if self.plan.columns.get(ours) in self.batch.names:
                found[ours] = self._categories(ours)
        if gold and gold not in found:
            found[gold] = self._labels(gold, self.plan.labels.gold)
        return found

    def _cells(self, ours: str) -> Sequence[Cell]:
        return self.batch.column(self.plan.columns[ours])

    def _name(self, ours: str, i: int, cell: Cell) -> str:
        if isinstance(cell, str):
            return cell
        if isinstance(cell, int) and not isinstance(cell, bool):
            return str(cell)
        raise self._wrong(ours, i, cell, "a name or a whole number")

    def _categories(self, ours: str) -> list[str | None]:
        blank = (None, MISSING, "")
        texts = [
            None if cell in blank else self._name(ours, i, cell)
            for i, cell in enumerate(self._cells(ours))
        ]
        self.gather.names(
            self.source.path,
            ["-" if text is None else text for text in texts],
            self.batch.where,
            MAX_CATEGORY,
        )
        return texts

    def _labels(self, ours: str, meaning: Callable[[str], T | None]) -> list[T]:
        seen: dict[tuple[type, Cell], T] = {}
        found = []
        for i, cell in enumerate(self._cells(ours)):
            if isinstance(cell, (list, dict)):
                raise self._wrong(ours, i, cell, "a label")
            key = (type(cell), cell)  # 1, 1.0 and true are equal, and different labels
            if key not in seen:
                seen[key] = self._label(ours, i, cell, meaning)
            found.append(seen[key])
        return found

    def _label(self, ours: str, i: int, cell: Cell, meaning: Callable[[str], T | None]) -> T:
        label = token(cell, self.batch.typed)
        if label is None:
            raise self._wrong(ours, i, cell, "a label")
        found = meaning(label)
        if found is not None:
            return found
        place = f"{self.source.path}: {self.batch.where(i)}: {self.plan.columns[ours]}"
        declared = self.plan.labels.declared
        raise EvidenceError(
            Reason.E_LABEL,
            f"{place} is {label_shown(cell, label)}, which is none of the labels"
            f" {listing(declared, 8)}{near(label, declared)}",
            next_step="Correct the row, or declare the label under `labels` in run.yaml,"
            " with what it means or with a reason such as `judge_refused`.",
        )

    def _wrong(self, ours: str, i: int, cell: Cell, expected: str) -> EvidenceError:
        found = "missing" if cell is MISSING else shown(cell)
        what = f"{self.plan.columns[ours]} is {found}, expected {expected}"
        return malformed(self.source.path, self.batch.where(i), what)


def label_shown(cell: Cell, label: str) -> str:
    """Return a label for a message; text that looks like a number says that it is text."""
    return f"the text {shown(cell)}" if label.startswith('"') else shown(cell)

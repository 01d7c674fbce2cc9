"""Native rows: their types, their words, and the one verdict or reason that each has."""

from collections.abc import Collection, Mapping, Sequence
from types import NoneType
from typing import Any, cast

from gate.errors import EvidenceError
from gate.evidence.readers.parsing.gather import MAX_CATEGORY, Gather
from gate.evidence.readers.parsing.labels import GOLD as GOLD_LABELS
from gate.evidence.readers.parsing.labels import Cell, Verdict, fold
from gate.evidence.readers.parsing.schema import (
    CATEGORIES,
    GOLD,
    ID,
    UNSCORED_COLUMN,
    VERDICT,
    count,
    in_range,
    native,
    required,
)
from gate.evidence.readers.parsing.tables import MISSING, Batch, Source
from gate.evidence.readers.parsing.wording import closest, listing, malformed, near, shown
from gate.evidence.rows import REASONS, UNSCORED, VALUES, Kind
from gate.reasons import Reason

Label = str | bool | None
"""What the column of verdicts may hold."""

FLAGS: Mapping[str, bool | None] = {"true": True, "false": False, "": None}
"""The verdicts of an attack suite, where a file has only words."""

FLAG_WANTED = "true, false or null"
FLAG_TYPES: frozenset[type] = frozenset({bool, NoneType})
TEXT_TYPES: frozenset[type] = frozenset({str, NoneType, type(MISSING)})


class NativeRows:
    """Adds the rows of one native file.

    Args:
        kind: The kind of suite.
        source: The file, for messages.
        gather: Where the rows go.
    """

    def __init__(self, kind: Kind, source: Source, gather: Gather) -> None:
        self._kind = kind
        self._source = source
        self._gather = gather
        self._columns: dict[str, str] = {}  # and where each was first seen

    def add(self, batch: Batch) -> None:
        """Add a batch.

        Raises:
            EvidenceError: Naming the row, and what was expected of it.
        """
        self._check_columns(batch)
        kind = self._kind
        columns: dict[str, Sequence[str | None]] = {
            name: self._categories(batch, name) for name in CATEGORIES[kind] if name in batch.names
        }
        if kind in GOLD:
            columns[GOLD[kind]] = self._gold(batch, GOLD[kind])
        self._gather.extend(
            self._names(batch, ID[kind]),
            self._verdicts(batch),
            methods=self._names(batch, "method") if kind is Kind.ATTACK else None,
            cases=self._counts(batch) if "test_case" in batch.names else None,
            columns=columns,
        )

    def ended(self) -> None:
        """Note which columns were ignored.

        Raises:
            EvidenceError: If one looks like a column of ours that the file does not have.
        """
        path = self._source.path
        unused = [name for name in native(self._kind) if name not in self._columns]
        others = self._columns.keys() - native(self._kind)
        for name in sorted(others):
            if meant := closest(name, unused):
                what = f"unknown column {shown(name)}: did you mean `{meant}`?"
                raise malformed(path, self._columns[name], what)
        if others:
            self._gather.note(f"{path}: ignored columns that are not ours: {listing(others)}.")

    def _check_columns(self, batch: Batch) -> None:
        for name in {*batch.names}.difference(self._columns):
            self._columns[name] = batch.where(0)
        for name in required(self._kind):
            if name not in batch.names:
                others = {*batch.names}.difference(native(self._kind))
                have = f"there are {listing(batch.names)}{near(name, others)}"
                raise malformed(self._source.path, batch.where(0), f"no column `{name}`; {have}")

    def _names(self, batch: Batch, name: str) -> list[str]:
        texts = self._texts(batch, name)
        if not batch.checked and None in texts:
            raise self._wrong(batch, name, texts.index(None), "text")
        return self._gather.names(self._source.path, cast(list[str], texts), batch.where)

    def _categories(self, batch: Batch, name: str) -> Sequence[str | None]:
        texts = self._texts(batch, name)
        if not any(texts):
            return [None] * batch.size
        distinct = [text for text in dict.fromkeys(texts) if text]
        self._gather.names(
            self._source.path,
            distinct,
            lambda i: batch.where(texts.index(distinct[i])),
            MAX_CATEGORY,
        )
        return texts

    def _gold(self, batch: Batch, name: str) -> list[str | None]:
        texts = self._texts(batch, name)
        meaning = {text: fold(text or "") for text in dict.fromkeys(texts)}
        for text, word in meaning.items():
            if word not in GOLD_LABELS:
                raise self._wrong_label(batch, name, texts.index(text), GOLD_LABELS)
        return [meaning[text] for text in texts]

    def _counts(self, batch: Batch) -> Sequence[int]:
        cells = cast(Sequence[Any], batch.column("test_case"))
        if batch.checked or (set(map(type, cells)) == {int} and in_range(cells)):
            return cells
        if batch.typed:
            return [self._count(batch, i, cell) for i, cell in enumerate(cells)]
        first = dict.fromkeys(cells)  # in row order, so that the first bad row is named
        numbers = {cell: self._count(batch, cells.index(cell), cell) for cell in first}
        return list(map(numbers.__getitem__, cells))

    def _count(self, batch: Batch, i: int, cell: Cell) -> int:
        number = 0 if cell in (None, MISSING, "") else count(cell)
        if number is None:
            raise self._wrong(batch, "test_case", i, "a whole number from 0 on")
        return number

    def _texts(self, batch: Batch, name: str) -> Sequence[str | None]:
        """Return the cells of a text column; what is absent, or empty in CSV, is None."""
        cells = cast(Sequence[Any], batch.column(name))
        if batch.checked:
            return cells
        if not batch.typed:
            return [cell or None for cell in cells] if "" in cells else cells
        types = self._check_types(batch, name, cells, TEXT_TYPES, "text")
        if type(MISSING) not in types:
            return cells
        if name in required(self._kind):
            raise self._wrong(batch, name, cells.index(MISSING), "text")
        return [None if cell is MISSING else cell for cell in cells]

    def _flags(self, batch: Batch, name: str) -> Sequence[bool | None]:
        """Return the verdicts of an attack suite."""
        cells = cast(Sequence[Any], batch.column(name))
        if batch.typed:
            if not batch.checked:
                self._check_types(batch, name, cells, FLAG_TYPES, FLAG_WANTED, Reason.E_LABEL)
            return cells
        words = {cell: fold(cell) for cell in dict.fromkeys(cells)}
        for cell, word in words.items():
            if word not in FLAGS:
                raise self._wrong(batch, name, cells.index(cell), FLAG_WANTED, Reason.E_LABEL)
        meaning = {cell: FLAGS[word] for cell, word in words.items()}
        return list(map(meaning.__getitem__, cells))

    def _check_types(
        self,
        batch: Batch,
        name: str,
        cells: Sequence[Cell],
        types: Collection[type],
        expected: str,
        reason: Reason = Reason.E_FORMAT,
    ) -> set[type]:
        found = set(map(type, cells))
        if found.difference(types):
            i = next(i for i, cell in enumerate(cells) if type(cell) not in types)
            raise self._wrong(batch, name, i, expected, reason)
        return found

    def _verdicts(self, batch: Batch) -> list[Verdict]:
        name = VERDICT[self._kind]
        labels: Sequence[Label] = (
            self._flags(batch, name) if self._kind is Kind.ATTACK else self._texts(batch, name)
        )
        if UNSCORED_COLUMN not in batch.names:
            alone = {
                label: self._verdict(batch, labels.index(label), label, None)
                for label in dict.fromkeys(labels)
            }
            return list(map(alone.__getitem__, labels))
        pairs = list(zip(labels, self._texts(batch, UNSCORED_COLUMN), strict=True))
        first = dict.fromkeys(pairs)
        both = {pair: self._verdict(batch, pairs.index(pair), *pair) for pair in first}
        return list(map(both.__getitem__, pairs))

    def _verdict(self, batch: Batch, i: int, label: Label, reason: str | None) -> Verdict:
        """Return what one verdict and one reason mean together."""
        name = VERDICT[self._kind]
        if reason is not None and fold(reason) not in REASONS:
            raise self._wrong_label(batch, UNSCORED_COLUMN, i, REASONS)
        if label is None:
            return UNSCORED, fold(reason) if reason else "unparsed"
        if reason is not None:
            what = f"a verdict in `{name}`, and {shown(reason)} in `{UNSCORED_COLUMN}`"
            raise malformed(self._source.path, batch.where(i), f"{what}: only one can be")
        if isinstance(label, bool):
            return int(label), None
        words = VALUES[self._kind]
        if fold(label) not in words:
            raise self._wrong_label(batch, name, i, words)
        return words.index(fold(label)), None

    def _wrong(
        self, batch: Batch, name: str, i: int, expected: str, reason: Reason = Reason.E_FORMAT
    ) -> EvidenceError:
        cell = batch.column(name)[i]
        found = "missing" if cell is MISSING else shown(cell)
        what = f"`{name}` is {found}, expected {expected}"
        return EvidenceError(reason, f"{self._source.path}: {batch.where(i)}: {what}")

    def _wrong_label(
        self, batch: Batch, name: str, i: int, expected: Sequence[str]
    ) -> EvidenceError:
        cell = batch.column(name)[i]
        close = near(cell, expected) if isinstance(cell, str) else ""
        return self._wrong(batch, name, i, ", ".join(expected) + close, Reason.E_LABEL)

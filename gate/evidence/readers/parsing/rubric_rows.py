"""Rubric rows: what each item says, and the verdict that follows from the items."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gate.errors import EvidenceError
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.gather import MAX_CATEGORY, MAX_ID, wrong_name
from gate.evidence.readers.parsing.labels import Cell, fold, token
from gate.evidence.readers.parsing.schema import CATEGORIES, ID, UNSCORED_COLUMN, count
from gate.evidence.readers.parsing.tables import MISSING, Batch, Source
from gate.evidence.readers.parsing.wording import malformed, misdeclared, near, shown
from gate.evidence.rows import REASONS, USEFULNESS, Kind
from gate.reasons import Reason

FLAGS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
"""What the answer to an item may be, where run.yaml declares nothing else."""

OWN = ("prompt_id", "turn", "items", "usefulness", "unsafe", UNSCORED_COLUMN)
PARTS = ("id", "triggered", "exempted")
ITEM = tuple(f"item.{part}" for part in PARTS)
"""How run.yaml names the parts of an item in `columns`."""


@dataclass(frozen=True, slots=True)
class Item:
    """One safety item of a rubric, as it was answered."""

    triggered: bool | None
    """None where the judge did not say."""
    exempted: bool

    @property
    def unsafe(self) -> bool | None:
        """Whether it makes the answer unsafe; None where that is not known."""
        if self.triggered is None:
            return None if not self.exempted else False
        return self.triggered and not self.exempted


_ANSWERS = {(hit, free): Item(hit, free) for hit in (True, False) for free in (True, False)}
_wrong_name = lru_cache(1 << 16)(wrong_name)
"""Items and labels have few names, each of which is looked at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One judged turn of one prompt."""

    prompt: str
    number: int | None
    """Which turn it is; None where the row is about the whole conversation."""
    items: Mapping[str, Item]
    usefulness: int | None
    reason: str | None
    """Why there is no verdict; None where there may be one."""
    columns: Mapping[str, str]
    where: str

    @property
    def unsafe(self) -> bool | None:
        """Whether the turn is unsafe, from its items alone; None where that is not known."""
        said = [item.unsafe for item in self.items.values()]
        if self.reason is not None or not said:
            return None
        if any(said):
            return True
        return None if None in said else False


@dataclass(frozen=True, slots=True)
class Form:
    """Which columns of a file are which of ours, and what its words mean."""

    columns: Mapping[str, str]
    flags: Mapping[str, bool | None]
    constants: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def native(cls) -> "Form":
        """Take the names and the words that are our own."""
        names = (*OWN, *CATEGORIES[Kind.RUBRIC])
        return cls({name: name for name in names} | dict(zip(ITEM, PARTS, strict=True)), FLAGS)

    @classmethod
    def declared(cls, suite: Suite, name: str) -> "Form":
        """Take what run.yaml declares.

        Raises:
            EvidenceError: If it names a column or a meaning that there is not.
        """
        known = (*OWN, *CATEGORIES[Kind.RUBRIC], *ITEM)
        for ours in (*suite.columns, *suite.constants):
            if ours not in known:
                what = f"a rubric suite has no column {shown(ours)}{near(ours, known)}"
                raise misdeclared(name, "columns", what)
        for needed in (ID[Kind.RUBRIC], "items"):
            if needed not in suite.columns:
                raise misdeclared(name, f"columns.{needed}", "missing: where does it stand?")
        flags = dict(FLAGS)
        for label, meaning in suite.labels.items():
            word = "null" if meaning is None else meaning
            if word not in ("triggered", "clear", "null"):
                what = f"{shown(word)} is not triggered, clear or null"
                raise misdeclared(name, f"labels.{label[:40]}", what)
            flags[fold(label)] = {"triggered": True, "clear": False, "null": None}[word]
        parts = dict(zip(ITEM, PARTS, strict=True))
        return cls({**parts, **suite.columns}, flags, suite.constants)


def turns(form: Form, source: Source, batch: Batch) -> Iterator[Turn]:
    """Read the rows of a batch.

    Raises:
        EvidenceError: Naming the row, and what was expected of it.
    """
    for ours in (ID[Kind.RUBRIC], "items"):
        if form.columns[ours] not in batch.names:
            what = f"no column `{form.columns[ours]}`{near(form.columns[ours], batch.names)}"
            raise malformed(source.path, batch.where(0), what)
    cells = {
        ours: batch.column(theirs)
        for ours, theirs in form.columns.items()
        if theirs in batch.names and ours not in ITEM
    }
    for at in range(batch.size):
        row = {ours: column[at] for ours, column in cells.items() if column[at] is not MISSING}
        yield Row(form, source.path, batch.where(at), batch.typed).turn(row)


@dataclass(frozen=True, slots=True)
class Row:
    """Reads one row; knows where it stands, for messages."""

    form: Form
    path: str
    where: str
    typed: bool

    def turn(self, row: Mapping[str, Cell]) -> Turn:
        """Read its cells."""
        reason = self._reason(row.get(UNSCORED_COLUMN))
        items = self._items(row.get("items"))
        if reason is not None and items:
            raise self._wrong("items and a reason for having none: only one can be")
        columns = {
            name: self._text(name, cell, MAX_CATEGORY)
            for name in CATEGORIES[Kind.RUBRIC]
            if (cell := self.form.constants.get(name, row.get(name))) not in (None, "")
        }
        turn = Turn(
            prompt=self._text("prompt_id", row.get("prompt_id"), MAX_ID),
            number=self._count(row.get("turn")),
            items=items,
            usefulness=self._usefulness(row.get("usefulness")),
            reason=reason if reason or items else "unparsed",
            columns=columns,
            where=f"{self.path}: {self.where}",
        )
        self._agrees(turn, row.get("unsafe"))
        return turn

    def _agrees(self, turn: Turn, cell: Cell) -> None:
        """Refuse a supplied flag that says otherwise than the items."""
        supplied = None if cell is None or cell == "" else self._flag("unsafe", cell)
        if supplied is not None and turn.unsafe is not None and supplied is not turn.unsafe:
            said = "unsafe" if turn.unsafe else "safe"
            what = f"`unsafe` is {str(supplied).lower()}, and by its items the answer is {said}"
            raise EvidenceError(Reason.E_RUBRIC, f"{turn.where}: {what}")

    def _items(self, cell: Cell) -> Mapping[str, Item]:
        if cell is None or cell == "":
            return {}
        if isinstance(cell, str):
            cell = self._parsed(cell)
        found: dict[str, Item] = {}
        for name, item in self._pairs(cell):
            if name in found:
                raise self._wrong(f"item {shown(name)} is there twice")
            found[name] = item
        return found

    def _pairs(self, cell: Cell) -> Iterator[tuple[str, Item]]:
        """Read a list of items, or an object from item to answer."""
        if isinstance(cell, dict):
            for name, answer in cell.items():
                parts = answer if isinstance(answer, dict) else {}
                triggered = parts.get(self.form.columns["item.triggered"], answer)
                yield self._item(name, triggered, parts)
            return
        if not isinstance(cell, list | tuple):
            raise self._wrong(f"`items` is {shown(cell)}, expected a list of items")
        for entry in cell:
            if not isinstance(entry, dict):
                raise self._wrong(f"an item is {shown(entry)}, expected an object")
            name = entry.get(self.form.columns["item.id"])
            yield self._item(name, entry.get(self.form.columns["item.triggered"]), entry)

    def _item(self, name: Cell, triggered: Cell, parts: Mapping[str, Cell]) -> tuple[str, Item]:
        exempted = parts.get(self.form.columns["item.exempted"])
        if type(triggered) is bool and type(exempted) is bool:  # as nearly every item is
            return self._text("item.id", name, MAX_ID), _ANSWERS[triggered, exempted]
        return self._text("item.id", name, MAX_ID), Item(
            self._flag("item.triggered", triggered),
            bool(self._flag("item.exempted", exempted)),
        )

    def _parsed(self, text: str) -> Cell:
        """Read the JSON that a CSV cell holds."""
        try:
            parsed: Cell = json.loads(text)
        except ValueError:
            raise self._wrong(f"`items` is {shown(text)}, expected JSON") from None
        return parsed

    def _flag(self, name: str, cell: Cell) -> bool | None:
        word = token(cell, self.typed)
        if word is None or word not in self.form.flags:
            known = ", ".join(self.form.flags)
            what = f"`{name}` is {shown(cell)}, expected one of {known}"
            raise EvidenceError(Reason.E_LABEL, f"{self.path}: {self.where}: {what}")
        return self.form.flags[word]

    def _usefulness(self, cell: Cell) -> int | None:
        if cell is None or cell == "":
            return None
        number = count(_whole(cell))
        if number is None or number not in USEFULNESS:
            raise self._wrong(f"`usefulness` is {shown(cell)}, expected 0, 1, 2, 3 or null")
        return number

    def _reason(self, cell: Cell) -> str | None:
        if cell is None or cell == "":
            return None
        if not isinstance(cell, str) or fold(cell) not in REASONS:
            known = ", ".join(REASONS)
            what = f"`{UNSCORED_COLUMN}` is {shown(cell)}, expected one of {known}"
            raise EvidenceError(Reason.E_LABEL, f"{self.path}: {self.where}: {what}")
        return fold(cell)

    def _count(self, cell: Cell) -> int | None:
        if cell is None or cell == "":
            return None
        number = count(_whole(cell))
        if number is None:
            raise self._wrong(f"`turn` is {shown(cell)}, expected a whole number from 0 on")
        return number

    def _text(self, name: str, cell: Cell, most: int) -> str:
        cell = _whole(cell)
        text = str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
        if not isinstance(text, str):
            raise self._wrong(f"`{name}` is {shown(cell)}, expected text")
        if problem := _wrong_name(text, most):
            raise self._wrong(f"`{name}`: {problem}")
        return text

    def _wrong(self, what: str) -> EvidenceError:
        return malformed(self.path, self.where, what)


def _whole(cell: Cell) -> Cell:
    """Read 2.0 as 2: a Parquet column of whole numbers with a null in it is often one of floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def conflicting(first: Turn, second: Turn) -> bool:
    """Tell whether two rows of one turn say different things."""
    said: Sequence[object] = (first.items, first.usefulness, first.reason)
    return said != (second.items, second.usefulness, second.reason)

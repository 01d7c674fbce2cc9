"""The start of a file: enough to tell what it is, never more than that is kept."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.labels import token
from gate.evidence.readers.parsing.tables import FORMS, MISSING, Batch, Source
from gate.evidence.readers.parsing.text import opened_text
from gate.reasons import Reason

MEMBERS = 20
"""How many members of a JSON object are looked at."""

ROWS = 200
"""How many rows are looked at."""

MOST_LABELS = 20
"""A column with more distinct values holds no labels."""

LONGEST_LABEL = 40
"""Longer values are text, which is never shown."""


@dataclass(frozen=True, slots=True)
class Peek:
    """What the start of a file shows."""

    path: str
    """As the user wrote it."""
    members: Mapping[str, Any]
    """The first members, where the file is one JSON object that is no row."""
    columns: tuple[str, ...] = ()
    """The columns, where the file has rows."""
    rows: tuple[Mapping[str, object], ...] = ()
    """The first rows."""
    typed: bool = True
    """Whether the file tells text from numbers, true, false and null."""

    def cells(self, column: str) -> list[object]:
        """Return what the first rows have in a column."""
        return [row[column] for row in self.rows if column in row]

    def labels(self, column: str) -> set[str]:
        """Return the labels of the first rows, as label maps write them, without the empty ones."""
        return {token(cell, self.typed) or "text" for cell in self.cells(column)} - {"null", ""}


class _Everything(Container[str]):
    """Every column is wanted."""

    def __contains__(self, name: object) -> bool:
        return True


def readable(path: str) -> bool:
    """Tell whether a name is that of a file that could hold verdicts."""
    return Source(Files(""), path).form in FORMS


def peek(path: str, encoding: str) -> Peek:
    """Look at the start of a file.

    Raises:
        EvidenceError: If it cannot be read, or is in no form that verdicts come in.
    """
    files = Files("")
    if Source(files, path).form == "json":
        members = _members(files, path, encoding)
        if members:
            return Peek(path, members)
    batch = next(_batches(files, path, encoding), None)
    if batch is None:
        raise EvidenceError(Reason.E_EMPTY, f"{path}: holds no rows")
    # Records have no order of columns, so that of a set would differ from run to run.
    columns = batch.names if isinstance(batch.names, list) else sorted(batch.names)
    return Peek(path, {}, tuple(columns), tuple(_rows(batch)), batch.typed)


def _members(files: Files, path: str, encoding: str) -> dict[str, Any]:
    """Return the first members of an object; none where its values show that it is a row."""
    with opened_text(files, path, encoding) as text:
        document = Document(text)
        try:
            if document.opening() != "{":
                return {}
            found: dict[str, Any] = {}
            for key, value in islice(document.members(), MEMBERS):
                if not isinstance(value, list | dict):
                    return {}
                found[key] = value
        except MalformedError as error:
            raise error.of(path) from None
    return found


def _batches(files: Files, path: str, encoding: str) -> Iterator[Batch]:
    source = Source(files, path, encoding, wanted=_Everything())  # type: ignore[arg-type] # only `in`
    return source.batches()


def _rows(batch: Batch) -> Iterator[Mapping[str, object]]:
    cells = {name: batch.column(name) for name in batch.names}
    for at in range(min(batch.size, ROWS)):
        row = {name: column[at] for name, column in cells.items()}
        yield {name: cell for name, cell in row.items() if cell is not MISSING}


def labels(path: str, column: str, encoding: str) -> list[str] | None:
    """List the distinct labels of a whole column, as label maps write them.

    Returns:
        The labels in order, or None where the column holds too many, or text.
    """
    found: set[str] = set()
    source = Source(Files(""), path, encoding, wanted=(column,))
    for batch in source.batches():
        cells = batch.column(column) if column in batch.names else ()
        tokens = {token(cell, batch.typed) for cell in cells if cell is not MISSING}
        found |= {one if one is not None else "x" * (LONGEST_LABEL + 1) for one in tokens}
        if len(found) > MOST_LABELS or any(len(one) > LONGEST_LABEL for one in found):
            return None
    return sorted(found)

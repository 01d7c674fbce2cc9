"""Files of rows in any form, as batches of columns."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from gate.evidence.files import Files
from gate.evidence.readers.parsing.document import Document, MalformedError, unique
from gate.evidence.readers.parsing.labels import Cell
from gate.evidence.readers.parsing.text import MAX_TEXT, opened_text, too_long
from gate.evidence.readers.parsing.wording import malformed, shown

ROWS = 512
"""How many rows make a batch."""

MISSING = ...
"""The cell of a JSON record that does not have the key."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of one file, by column."""

    size: int
    names: Collection[str]
    """The columns that are there."""
    column: Callable[[str], Sequence[Cell]]
    """Returns the cells of a column, one a row."""
    where: Callable[[int], str]
    """Says where a row stands in the file, as `line 12`."""
    typed: bool = True
    """Whether the file tells text from numbers, true, false and null."""
    checked: bool = False
    """Whether every cell is known to have the type of its native column."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file of rows."""

    files: Files
    path: str
    encoding: str = "utf-8"
    wanted: Collection[str] = ()
    """The columns that will be asked for; some forms can leave out the others."""
    ignored: Counter[str] = field(default_factory=Counter)
    """What was ignored: a phrase, and how often."""

    @property
    def form(self) -> str:
        """The form of the file by its name: `csv`, `jsonl`…; `.gz` and `.zst` do not count."""
        suffixes = PurePosixPath(self.path.partition("?")[0]).suffixes
        return next((s[1:].lower() for s in suffixes[::-1] if s.lower() not in PACKED), "")

    def batches(self) -> Iterator[Batch]:
        """Yield the rows.

        Raises:
            EvidenceError: If the file cannot be read, or does not have the form of its name.
        """
        read = FORMS.get(self.form)
        if read is None:
            expected = ", ".join(f".{form}" for form in FORMS)
            raise malformed(self.path, "file name", f"unknown form; expected one of {expected}")
        return read(self)


PACKED = (".gz", ".gzip", ".zst", ".zstd")


def read_csv(source: Source, delimiter: str = ",") -> Iterator[Batch]:
    """Yield the rows of a CSV file; its first row names the columns and counts as row 1."""
    csv.field_size_limit(MAX_TEXT)  # for the whole process, and the same each time
    with opened_text(source.files, source.path, source.encoding) as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = distinct(source, next(reader, []))
            if not any(header):
                raise malformed(source.path, "header", "the first row is blank")
            first = 2
            while rows := list(islice(reader, ROWS)):
                yield from _csv_batch(source, header, rows, first)
                first += len(rows)
        except csv.Error as error:
            raise malformed(source.path, f"line {reader.line_num}", f"not CSV: {error}") from error


def _csv_batch(
    source: Source, header: list[str], rows: list[list[str]], first: int
) -> Iterator[Batch]:
    numbers: Sequence[int] = range(first, first + len(rows))
    try:
        cells = list(zip(*rows, strict=True))
    except ValueError:  # the rows differ in length
        cells = []
    if len(cells) != len(header) or "" in cells[0]:
        numbers, rows = _filled(source, header, rows, numbers)
        cells = list(zip(*rows, strict=True))
    if rows:
        columns = dict(zip(header, cells, strict=True))
        yield Batch(len(rows), header, columns.__getitem__, numbered("row", numbers), typed=False)


def _filled(
    source: Source, header: list[str], rows: list[list[str]], numbers: Sequence[int]
) -> tuple[list[int], list[list[str]]]:
    """Return the rows that are not blank, with their numbers; all must be as long as the header."""
    filled = [(n, row) for n, row in zip(numbers, rows, strict=True) if any(row)]
    source.ignored["blank rows"] += len(rows) - len(filled)
    for n, row in filled:
        if len(row) != len(header):
            what = f"{len(row)} fields, where the header has {len(header)}"
            raise malformed(source.path, f"row {n}", what)
    return [n for n, _ in filled], [row for _, row in filled]


def read_tsv(source: Source) -> Iterator[Batch]:
    """Yield the rows of a tab-separated file."""
    return read_csv(source, delimiter="\t")


def read_json(source: Source) -> Iterator[Batch]:
    """Yield the records of a JSON array; or of JSON lines that have this name."""
    with opened_text(source.files, source.path, source.encoding) as text:
        document = Document(text)
        try:
            if document.opening() == "{":
                yield from read_jsonl(source)
                return
            for first, records in chunks(document.elements()):
                numbers = range(first + 1, first + len(records) + 1)
                yield record_batch(source, records, numbered("record", numbers))
        except MalformedError as error:
            raise error.of(source.path) from None


def read_jsonl(source: Source) -> Iterator[Batch]:
    """Yield the records of JSON lines; blank lines do not count."""
    with opened_text(source.files, source.path, source.encoding) as text:
        lines = enumerate(iter(lambda: text.readline(MAX_TEXT), ""), 1)
        for _, chunk in chunks((n, line) for n, line in lines if not line.isspace()):
            numbers = [n for n, _ in chunk]
            records = [load(source.path, f"line {n}", line) for n, line in chunk]
            yield record_batch(source, records, numbered("line", numbers))


def load(path: str, place: str, line: str) -> Any:
    """Parse one line of JSON; a key that is there twice is an error."""
    if len(line) >= MAX_TEXT:
        raise too_long(path, "line")
    try:
        return json.loads(line, object_pairs_hook=unique)
    except RecursionError:
        raise malformed(path, place, "nested too deeply") from None
    except json.JSONDecodeError as error:
        what = f"not one JSON object: {error.msg} (column {error.colno})"
        raise malformed(path, place, what) from None
    except ValueError as error:
        raise malformed(path, place, str(error)) from None


def read_parquet(source: Source) -> Iterator[Batch]:
    """Yield the rows of a Parquet file; only the columns wanted are decoded."""
    from gate.evidence.readers.parsing.parquet import column_batches

    first = 1
    for names, columns, size in column_batches(source.files, source.path, source.wanted):
        distinct(source, names)
        numbers = range(first, first + size)
        yield Batch(size, names, columns.__getitem__, numbered("row", numbers))
        first += size


FORMS: dict[str, Callable[[Source], Iterator[Batch]]] = {
    "jsonl": read_jsonl,
    "ndjson": read_jsonl,
    "json": read_json,
    "csv": read_csv,
    "tsv": read_tsv,
    "parquet": read_parquet,
}
"""How to read a file, by the end of its name."""


def numbered(unit: str, numbers: Sequence[int]) -> Callable[[int], str]:
    """Return what names a row of a batch by its number in the file."""
    return lambda i: f"{unit} {numbers[i]}"


def chunks(rows: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Yield rows in lists, each with the number of rows before it."""
    remaining = iter(rows)
    first = 0
    while chunk := list(islice(remaining, ROWS)):
        yield first, chunk
        first += len(chunk)


def record_batch(source: Source, records: list[Any], where: Callable[[int], str]) -> Batch:
    """Return a batch of JSON objects."""
    for i, record in enumerate(records):
        if not isinstance(record, dict):
            what = f"{shown(record)}, where an object was expected"
            raise malformed(source.path, where(i), what)
    names = set().union(*records)
    return Batch(len(records), names, lambda name: [r.get(name, MISSING) for r in records], where)


def distinct(source: Source, header: list[str]) -> list[str]:
    """Return the column names; the same name twice is an error, unless it is empty."""
    for name, count in Counter(header).items():
        if count > 1 and name.strip():
            raise malformed(source.path, "header", f"the column {shown(name)} is there twice")
    return header

"""Our own JSON lines at full speed: typed rows, a block at a time."""

from collections.abc import Collection, Iterator, Sequence
from operator import attrgetter
from typing import Annotated, Any

import msgspec

from gate.evidence.readers.parsing.blocks import lines
from gate.evidence.readers.parsing.schema import MAX_COUNT, VERDICT, native, required
from gate.evidence.readers.parsing.tables import Batch, Source, load, numbered, record_batch
from gate.evidence.readers.parsing.text import opened
from gate.evidence.rows import Kind

MAX_COLUMNS = 100
"""A file with more columns is read line by line."""

Decoder = msgspec.json.Decoder[Any]


def typed_batches(source: Source, kind: Kind) -> Iterator[Batch]:
    """Yield the rows of JSON lines with our own columns.

    A block in which anything is unusual is parsed again, line by line and without types, so
    that what is wrong can be said of the row. That also shows which other columns there are:
    from then on they are expected, and skipped if they are not ours.
    """
    columns = list(required(kind))
    decoder = _decoder(kind, columns)
    first = 1
    with opened(source.files, source.path) as stream:
        for block in lines(stream, source.path):
            if first == 1:
                columns += _others(block, columns)
                decoder = _decoder(kind, columns)
            count = block.count(b"\n") + (not block.endswith(b"\n"))
            numbers = range(first, first + count)
            first += count
            batch = _typed_batch(decoder, kind, columns, block, numbers)
            if batch is None:
                batch = _careful_batch(source, block, numbers)
                new = set(filter(is_plain, batch.names)).difference(columns)
                if new and len(columns) < MAX_COLUMNS:
                    columns += sorted(new)
                    decoder = _decoder(kind, columns)
            if batch.size:
                yield batch


def _others(block: bytes, columns: Collection[str]) -> list[str]:
    """Look at the first row for columns besides these; whatever is odd is left to be found."""
    try:
        row = msgspec.json.decode(block.partition(b"\n")[0], type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return []
    return sorted(filter(is_plain, row.keys() - columns))[:MAX_COLUMNS]


def _typed_batch(
    decoder: Decoder, kind: Kind, columns: Collection[str], block: bytes, numbers: Sequence[int]
) -> Batch | None:
    try:
        rows = decoder.decode_lines(block)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    # A key counts once a row; more, and some row has it twice, or has it as a value.
    keys = (f'"{column}"'.encode() for column in required(kind))
    if any(block.count(key) != len(numbers) for key in keys) or len(rows) != len(numbers):
        return None

    def column(name: str) -> list[Any]:
        return list(map(attrgetter(name), rows))

    return Batch(len(rows), tuple(columns), column, numbered("line", numbers), checked=True)


def _careful_batch(source: Source, block: bytes, numbers: Sequence[int]) -> Batch:
    filled = [
        (n, line) for n, line in zip(numbers, block.split(b"\n"), strict=False) if line.strip()
    ]
    records = [load(source.path, f"line {n}", line.decode()) for n, line in filled]
    return record_batch(source, records, numbered("line", [n for n, _ in filled]))


def _decoder(kind: Kind, columns: Sequence[str]) -> Decoder:
    """Return what parses rows that have our columns, in our types, and no unknown ones."""
    ours = native(kind)
    # Fields without a default must come first; `columns` begins with those.
    fields = [
        (name, *_type(kind, name))
        if name in ours
        else (f"_{i}", msgspec.Raw, msgspec.field(name=name, default=msgspec.Raw(b"")))
        for i, name in enumerate(columns)
    ]
    row = msgspec.defstruct("Row", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(row)


def is_plain(name: str) -> bool:
    """Tell whether a key stands in JSON as it is; others cannot be fields."""
    return name.isprintable() and '"' not in name and "\\" not in name


def _type(kind: Kind, name: str) -> tuple[Any, ...]:
    if name == "test_case":
        return Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)], 0
    if name == VERDICT[kind]:
        return ((bool if kind is Kind.ATTACK else str) | None,)
    return (str,) if name in required(kind) else (str | None, None)

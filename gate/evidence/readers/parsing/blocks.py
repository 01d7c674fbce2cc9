"""Cut large files where a line or a member ends, to parse them block by block at full speed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.evidence.readers.parsing.text import BOM, MAX_TEXT, too_long
from gate.evidence.streams import Stream

SIZE = 4 << 20

HEAD = re.compile(rb'\s*\{(\s*)"')


class LayoutError(Exception):
    """The file is not laid out as it seemed; it must be read as one document."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file sets one member of its object apart from the next."""

    separator: bytes
    """What stands there, and nowhere else, up to the quote that opens the next key."""
    kept: int
    """How much of it belongs to the member before: everything up to the comma."""

    @classmethod
    def of(cls, block: bytes) -> "Layout":
        """See it from the first block.

        With indentation it is a line break and the indentation of a key: a line break cannot
        stand inside a JSON string. Without, it is the end of a list of objects.

        Raises:
            LayoutError: If the block does not begin with the first member of an object.
        """
        head = HEAD.match(block)
        if not head:
            raise LayoutError
        _, line_break, indentation = head[1].rpartition(b"\n")
        if line_break:
            return cls(line_break + indentation + b'"', 0)
        return cls(b'}], "' if b'}], "' in block else b'}],"', len(b"}],"))


def lines(stream: Stream, path: str) -> Iterator[bytes]:
    """Yield blocks of whole lines."""
    rest: list[bytes] = []
    block = stream.read(SIZE).removeprefix(BOM)
    while block:
        end = block.rfind(b"\n") + 1
        if end:
            yield checked(b"".join((*rest, block[:end])))
            rest = []
        rest.append(block[end:])
        if sum(map(len, rest)) > MAX_TEXT:
            raise too_long(path, "line")
        block = stream.read(SIZE)
    if any(rest):
        yield checked(b"".join(rest))


def members(stream: Stream) -> Iterator[bytes]:
    """Yield the object that a file holds as smaller objects.

    If a separator is found where there is none, then some block is not an object: blocks that
    all are, one after another, have exactly the members of the whole.

    Raises:
        LayoutError: If the file is not laid out as a library would write it.
    """
    block = stream.read(SIZE).removeprefix(BOM)
    layout = Layout.of(block)
    rest = [block[block.index(b"{") + 1 :]]
    while block := stream.read(SIZE):
        cut = block.rfind(layout.separator) + layout.kept
        tail = block[max(0, cut - 64) : cut].rstrip()
        if not tail:  # no separator, or one whose comma stands in the block before
            rest.append(block)
        elif not tail.endswith(b","):
            raise LayoutError
        else:
            comma = cut - min(cut, 64) + len(tail) - 1
            yield _object(rest, memoryview(block)[:comma])
            rest = [block[cut:]]
        if sum(map(len, rest)) > MAX_TEXT:
            raise LayoutError
    *before, last = rest
    last = last.rstrip()
    if not last.endswith(b"}"):
        raise LayoutError
    yield _object(before, memoryview(last)[:-1])


def _object(parts: list[bytes], last: memoryview) -> bytes:
    return checked(b"".join((b"{", *parts, last, b"}")))


def checked(block: bytes) -> bytes:
    """Return a block of UTF-8; what a parser would skip must be text all the same.

    Raises:
        UnicodeDecodeError: If it is something else.
    """
    if not block.isascii():
        block.decode()
    return block

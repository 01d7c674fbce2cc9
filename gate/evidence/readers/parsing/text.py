"""Text on its way in."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.streams import Stream, unreadable
from gate.reasons import Reason

BOM = codecs.BOM_UTF8

MAX_TEXT = 64 << 20
"""The most characters that one line, field or value may have."""


@contextmanager
def opened(files: Files, path: str) -> Iterator[Stream]:
    """Open a file of UTF-8 text as bytes; wrong bytes are errors that name it."""
    with decoding(path, "utf-8"), files.open(path) as stream:
        yield stream


@contextmanager
def opened_text(files: Files, path: str, encoding: str) -> Iterator[TextIOWrapper]:
    """Open a file as text, without a byte order mark; wrong bytes are errors that name it."""
    codec = lookup(path, encoding)
    with decoding(path, encoding), files.open(path) as stream:
        yield TextIOWrapper(stream, encoding=codec, newline="")


def lookup(path: str, encoding: str) -> str:
    """Return the codec of a declared encoding."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    # Codecs such as rot13 or zlib turn text into text, or bytes into bytes.
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise EvidenceError(Reason.E_MANIFEST, f"{path}: unknown encoding {encoding[:40]!r}")
    return "utf-8-sig" if found.name == "utf-8" else found.name


@contextmanager
def decoding(path: str, encoding: str) -> Iterator[None]:
    """Turn bytes that are no text into an error that names the file."""
    try:
        yield
    except UnicodeError as error:
        raise EvidenceError(
            Reason.E_UNREADABLE,
            f"{path}: the bytes are not {encoding} text",
            next_step="Declare the right `encoding` in run.yaml, or write the file as UTF-8.",
        ) from error


def too_long(path: str, what: str) -> EvidenceError:
    """Return the error for a line or field that is too long to be one."""
    return unreadable(path, f"holds a {what} of more than {MAX_TEXT >> 20} MiB")


def is_utf8(path: str, encoding: str) -> bool:
    """Tell whether an encoding is UTF-8, by whatever name."""
    return lookup(path, encoding) == "utf-8-sig"

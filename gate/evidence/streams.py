"""Bytes on their way in: hashed as stored, decompressed, and kept within bounds."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable
from threading import Thread
from typing import IO, Protocol

import zstandard

from gate.errors import EvidenceError
from gate.reasons import Reason

BLOCK = 1 << 20
"""How many bytes are read at once, and from how many on hashing gets a thread of its own."""

PEEK = 1 << 16
"""How many are read to see what a file is."""

FREE_BYTES = 256 << 20
MAX_RATIO = 400
"""A compressed file may give 256 MiB, and beyond that at most 400 times its stored size.

Verdicts compress 5 to 150 times; what goes far beyond is a decompression bomb or a mistake.
"""

# A frame of 2 KiB can hold 512 run-length blocks of 128 KiB each: at most 64 MiB a step.
ZSTD_STEP = 2 << 10
SKIPPABLE_FRAME = b"\x2a\x4d\x18"


class Readable(Protocol):
    """What the streams below need of the one beneath them."""

    def read(self, size: int, /) -> bytes:
        """Return what comes next, up to `size` bytes; none at the end."""


class Hashed:
    """A stored file, hashed while it is read.

    Args:
        source: The open file.
        done: Told the sha256 and the size, once the end is reached.
    """

    def __init__(self, source: IO[bytes], done: Callable[[str, int], None]) -> None:
        self.count = 0
        """How many bytes were read."""
        self._source = source
        self._done = done
        self._sha256 = hashlib.sha256()
        self._thread: Thread | None = None
        self._ahead = self.head = self._take(PEEK)

    def read(self, size: int, /) -> bytes:
        """Return what comes next, up to `size` bytes; none at the end."""
        if not self._ahead:
            return self._take(size)
        block, self._ahead = self._ahead[:size], self._ahead[size:]
        return block

    def close(self) -> None:
        """Close the file."""
        self._join()
        self._source.close()

    def _take(self, size: int) -> bytes:
        block = self._source.read(size)
        self._join()
        if not block:
            self._done(self._sha256.hexdigest(), self.count)
        elif len(block) < BLOCK:
            self._sha256.update(block)
        else:  # hashing lets go of the interpreter lock: the parser works meanwhile
            self._thread = Thread(target=self._sha256.update, args=(block,))
            self._thread.start()
        self.count += len(block)
        return block

    def _join(self) -> None:
        if self._thread:
            self._thread.join()
            self._thread = None


class Gzip:
    """The content of gzip members, one after another.

    Args:
        stored: The compressed bytes.
    """

    def __init__(self, stored: Hashed) -> None:
        self._file = gzip.GzipFile(fileobj=Buffered(stored), mode="rb")

    def read(self, size: int, /) -> bytes:
        """Return what comes next, up to `size` bytes; none at the end."""
        return self._file.read(size)


class Buffered(io.RawIOBase):
    """Serves small reads from large ones.

    Args:
        stored: The compressed bytes.
    """

    def __init__(self, stored: Hashed) -> None:
        super().__init__()
        self._stored = stored
        self._block = memoryview(b"")

    def read(self, size: int = BLOCK, /) -> bytes:
        """Return what comes next, up to `size` bytes; none at the end."""
        if not self._block:
            self._block = memoryview(self._stored.read(BLOCK))
        block, self._block = self._block[:size], self._block[size:]
        return bytes(block)


class Zstd:
    """The content of zstd frames, one after another.

    The library's own stream reader takes a truncated frame for the end of the file.

    Args:
        stored: The compressed bytes.
    """

    def __init__(self, stored: Hashed) -> None:
        self._input = Buffered(stored)
        self._library = zstandard.ZstdDecompressor()
        self._frame = self._library.decompressobj()
        self._inside = False
        self._ahead = b""

    def read(self, size: int, /) -> bytes:
        """Return what comes next, up to `size` bytes; none at the end."""
        parts = [self._ahead]
        ready = len(self._ahead)
        while ready < size and (step := self._step()) is not None:
            parts.append(step)
            ready += len(step)
        content = b"".join(parts)
        self._ahead = content[size:]
        return content[:size]

    def _step(self) -> bytes | None:
        stored = self._frame.unused_data if self._frame.eof else b""
        stored = stored or self._input.read(ZSTD_STEP)
        if self._frame.eof:
            self._frame = self._library.decompressobj()
            self._inside = False
        if not stored:
            if self._inside:
                raise EOFError
            return None
        self._inside = True
        return self._frame.decompress(stored)


def compression(head: bytes) -> type[Gzip] | type[Zstd] | None:
    """Return what undoes the compression that the first bytes of a file announce."""
    if head.startswith(b"\x1f\x8b"):
        return Gzip
    skippable = head[1:4] == SKIPPABLE_FRAME and 0x50 <= head[0] <= 0x5F
    return Zstd if skippable or head.startswith(b"\x28\xb5\x2f\xfd") else None


class Stream(io.RawIOBase):
    """The content of one file; whatever goes wrong is an `EvidenceError` that names it.

    Args:
        path: The file, as messages name it.
        stored: Its bytes as stored.
    """

    def __init__(self, path: str, stored: Hashed) -> None:
        super().__init__()
        self.stored = stored
        self.name = path
        opener = compression(stored.head)
        self.compressed = opener is not None
        self._inner: Readable = opener(stored) if opener else stored
        self._count = 0
        self._ahead = self._take(PEEK)
        if not self._ahead:
            raise unreadable(path, "is empty")

    def read(self, size: int = -1, /) -> bytes:
        """Return what is there next, up to `size` bytes."""
        if size < 0:
            return self.readall()
        if self._ahead:
            block, self._ahead = self._ahead[:size], self._ahead[size:]
            return block
        return self._take(size)

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override] # only ever that
        """Fill the buffer as far as one read goes."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def readable(self) -> bool:
        """Say yes."""
        return True

    def close(self) -> None:
        """Close the file beneath."""
        self.stored.close()
        super().close()

    def _take(self, size: int) -> bytes:
        try:
            block = self._inner.read(size)
        except EOFError:
            raise unreadable(self.name, "is truncated: its compressed data ends early") from None
        except (zlib.error, gzip.BadGzipFile, zstandard.ZstdError):
            raise unreadable(self.name, "holds damaged compressed data") from None
        except OSError as error:
            raise unreadable(self.name, why(error)) from error
        self._count += len(block)
        if self._count > FREE_BYTES + MAX_RATIO * self.stored.count:
            raise unreadable(self.name, f"expands to more than {MAX_RATIO} times its size")
        return block


def why(error: Exception) -> str:
    """Say in a few words why a file cannot be read, without any path of this machine."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, PermissionError):
        return "may not be read (permission denied)"
    detail = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read ({detail or type(error).__name__})"


def unreadable(path: str, what: str) -> EvidenceError:
    """Return the error that says so of a file."""
    return EvidenceError(Reason.E_UNREADABLE, f"{path}: {what}")

"""An append-only log of JSON lines that a crash cannot corrupt.

Every writer has a segment of its own, so nothing is locked for long and logs merge by putting
their segments into one folder. Every line carries the checksum of what stands before it: a
flipped byte is seen, and a line that a crash tore off at the end of a segment is cut.
"""

import os
import re
import socket
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from gate.errors import JudgingError

SUFFIX = ".jsonl"
_MARK = b',"crc":"'
_TAIL = len(_MARK) + 8 + len(b'"}')
_BLOCK = 1 << 20


def line(row: object) -> bytes:
    """Write a row, which must be an object with members, as one line with its checksum."""
    body = msgspec.json.encode(row)[:-1]
    return b'%b%b%08x"}\n' % (body, _MARK, zlib.crc32(body))


def whole(text: bytes) -> bool:
    """Tell whether a line, without its end, is as it was written."""
    body, mark, sum_, end = text[:-_TAIL], text[-_TAIL:-10], text[-10:-2], text[-2:]
    return mark == _MARK and end == b'"}' and b"%08x" % zlib.crc32(body) == sum_


class Log:
    """The segment of one writer, held until it is closed or the process ends.

    Args:
        folder: Where segments lie; made if it is not there.

    Raises:
        JudgingError: If no segment can be opened.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = _own_segment(folder)
            _cut_torn_tail(self._file)
            _sync_folder(folder)
        except OSError as error:
            raise _cannot("write", folder, error) from error
        self.folder = folder

    def append(self, rows: Sequence[object]) -> None:
        """Write rows in one go, and return when they are on the disk.

        Raises:
            JudgingError: If they cannot be written; what was there before stays.
        """
        if not rows:
            return
        text = b"".join(map(line, rows))
        try:
            start = os.fstat(self._file).st_size
            written = os.write(self._file, text)
            if written < len(text):
                os.ftruncate(self._file, start)
                raise OSError(28, "the disk is full")
            os.fsync(self._file)
        except OSError as error:
            raise _cannot("write", self.folder, error) from error

    def close(self) -> None:
        """Let go of the segment."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def segments(folder: Path) -> list[Path]:
    """List the segments of a log, in a stable order."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _cannot("read", folder, error) from error


def lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a segment, checked; a torn end is left out.

    Raises:
        JudgingError: If a line was changed after it was written.
    """
    bad = 0
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if text.endswith(b"\n") and whole(text[:-1]):
                    if bad:
                        raise _damaged(path, bad)
                    yield text
                elif text.endswith(b"\n") and b"\0" not in text:
                    raise _damaged(path, bad or number)  # a torn line has no end
                else:
                    bad = bad or number
    except OSError as error:
        raise _cannot("read", path, error) from error


def _own_segment(folder: Path) -> int:
    """Open the first segment of this machine that no other process holds."""
    import fcntl

    host = re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname())[:40] or "host"
    number = 0
    while True:
        path = folder / f"{host}-{number}{SUFFIX}"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            number += 1
        except OSError:
            os.close(file)
            raise
        else:
            return file


def _cut_torn_tail(file: int) -> None:
    """Cut behind the last whole line, so that the next one is not glued to a torn one."""
    size = os.fstat(file).st_size
    block = _BLOCK
    while size:
        start = max(0, size - block)
        text = os.pread(file, size - start, start)
        end = _end_of_whole_lines(text, first=start == 0)
        if end or not start:
            if start + end < size:
                os.ftruncate(file, start + end)
                os.fsync(file)
            return
        block *= 2


def _end_of_whole_lines(text: bytes, *, first: bool) -> int:
    """Return where the last whole line ends; 0 if there is none. The first may be cut off."""
    end = text.rfind(b"\n") + 1
    while end:
        before = text.rfind(b"\n", 0, end - 1) + 1
        if (before or first) and whole(text[before : end - 1]):
            return end
        end = before
    return 0


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(path: Path, number: int) -> JudgingError:
    return JudgingError(
        f"{path}: line {number} is not as it was written: its checksum is wrong",
        next_step="Find out what changed the file; delete that line to have it judged again.",
    )


def _cannot(verb: str, path: Path, error: OSError) -> JudgingError:
    return JudgingError(
        f"cannot {verb} {str(path)!r}: {error.strerror or error}",
        next_step="Make room or give access, or choose another folder with --store.",
    )

"""The files of one run, by the paths that its run.yaml writes."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import IO, TypeVar

from gate.errors import EvidenceError
from gate.evidence.storage import Local, Place, Remote, Sort
from gate.evidence.streams import BLOCK, Hashed, Stream, unreadable, why
from gate.reasons import Reason

MAX_WHOLE = 256 << 20
"""The most that is read into memory at once."""

MAX_DEPTH = 8
"""How deep `below` looks; also what ends it in a loop of links."""

ADDRESS = re.compile(r"((?:[A-Za-z][\w+.-]*::)*[A-Za-z][\w+.-]*://)(.*?)(::.*)?", re.DOTALL)
SECRET = re.compile(r"(?<=://)[^/@]*@|\?.*", re.DOTALL)

T = TypeVar("T")


class Files:
    """Opens, hashes and decompresses; refuses what is not a regular file with content.

    Args:
        base: The folder of run.yaml: a local path or any fsspec address.
    """

    def __init__(self, base: str) -> None:
        self._base = base.removeprefix("file://")
        self._remote: dict[str, Remote] = {}
        self.digests: dict[str, str] = {}
        """The sha256 of the stored bytes of every file read to its end, by path as written."""
        self.sizes: dict[str, int] = {}
        """The number of stored bytes of the same files."""

    def open(self, path: str) -> Stream:
        """Open a file; what comes out is its content, decompressed.

        Raises:
            EvidenceError: If it is missing, forbidden, empty, or not a regular file.
        """
        name = shown(path)
        sort = self.sort(path)
        if sort != "file":
            raise unreadable(name, NOT_A_FILE[sort])

        def done(sha256: str, size: int) -> None:
            self.digests[name] = sha256
            self.sizes[name] = size

        source = self._ask(path, lambda place: place.open())
        try:
            return Stream(name, _named(name, lambda: Hashed(source, done)))
        except BaseException:
            source.close()
            raise

    def read(self, path: str) -> bytes:
        """Return the whole content of a file of at most 256 MiB."""
        content = bytearray()
        with self.open(path) as stream:
            while block := stream.read(BLOCK):
                content += block
                if len(content) > MAX_WHOLE:
                    raise unreadable(shown(path), "is too large: more than 256 MiB")
        return bytes(content)

    def sha256(self, path: str) -> str | None:
        """Return the digest of a file's stored bytes, which `digests` leaves out; None of none."""
        if not self.exists(path):
            return None
        beside = Files(self._base)
        with beside.open(path) as stream:
            while stream.read(BLOCK):
                pass
        return beside.digests[shown(path)]

    def seekable(self, path: str) -> IO[bytes]:
        """Open a copy of a file's content for random access; large ones lie on the disk."""
        from tempfile import SpooledTemporaryFile

        with self.open(path) as stream:
            copy = SpooledTemporaryFile(max_size=16 << 20)  # noqa: SIM115 # the caller's to close
            try:
                while block := stream.read(BLOCK):
                    copy.write(block)
                copy.seek(0)
            except OSError as error:
                copy.close()
                raise unreadable(shown(path), why(error)) from error
            except EvidenceError:
                copy.close()
                raise
        return copy

    def exists(self, path: str) -> bool:
        """Tell whether a regular file is there."""
        return self.sort(path) == "file"

    def sort(self, path: str) -> Sort | None:
        """Say what is at a path: `file`, `folder`, `other`, or None."""
        return self._ask(path, lambda place: place.sort())

    def names(self, path: str) -> list[str]:
        """List what lies directly in a folder, sorted."""
        return sorted(self._ask(path, lambda place: place.names()))

    def below(self, path: str, depth: int = MAX_DEPTH) -> Iterator[str]:
        """Yield the files in a folder and in those below it, in a stable order."""
        if not depth:
            raise unreadable(shown(path), f"lies more than {MAX_DEPTH} folders deep")
        for name in self.names(path):
            inner = f"{path.rstrip('/')}/{name}"
            if self.sort(inner) == "folder":
                yield from self.below(inner, depth - 1)
            else:
                yield inner

    def _ask(self, path: str, question: Callable[[Place], T]) -> T:
        where = resolve(self._base, path)
        return _named(shown(path), lambda: question(self._place(where)))

    def _place(self, where: str) -> Place:
        if not ADDRESS.fullmatch(where):
            return Local(where)
        # Kept, because an archive is closed with the last object that stands for it.
        return self._remote.setdefault(where, Remote(where))


NOT_A_FILE: dict[Sort | None, str] = {
    None: "does not exist",
    "folder": "is a folder, not a file",
    "other": "is not a regular file",
}


def resolve(base: str, path: str) -> str:
    """Return the place that a path of run.yaml means.

    A run on this machine may name any file and any address. A run that was fetched may name
    only what lies in the same kind of storage: it must not make us read this machine's files.
    """
    remote = ADDRESS.fullmatch(base)
    if not remote:
        path = path.removeprefix("file://")
        return path if ADDRESS.fullmatch(path) else os.path.join(base, path)
    scheme, folder, link = remote.groups(default="")
    address = ADDRESS.fullmatch(path)
    joined = posixpath.normpath(posixpath.join(folder, path))
    if address and address[1] == scheme and "::" not in path:
        return path
    if address or path.startswith("/") or joined.startswith("..") or "::" in path:
        raise unreadable(shown(path), "leads out of the storage that run.yaml lies in")
    return f"{scheme}{joined}{link}"


def shown(path: str) -> str:
    """Return a path as messages and digests name it: as written, without credentials."""
    return SECRET.sub("", path) if ADDRESS.fullmatch(path) else path


def _named(name: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except EvidenceError:
        raise
    # Every storage has exceptions of its own, and none of them is a fault of this tool.
    except Exception as error:
        raise EvidenceError(Reason.E_UNREADABLE, f"{name}: {why(error)}") from error

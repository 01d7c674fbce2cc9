"""Where the files of a run lie: on this machine, or wherever fsspec reaches."""

import os
import stat
from typing import IO, Literal, Protocol

from gate.errors import EvidenceError
from gate.reasons import Reason

EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "hf": "hf"}
"""The extra of this distribution that a kind of address needs."""

Sort = Literal["file", "folder", "other"]


class Place(Protocol):
    """One place in some storage; every question may raise whatever the storage raises."""

    def sort(self) -> Sort | None:
        """Say what is there; None where there is nothing."""

    def open(self) -> IO[bytes]:
        """Open the file for reading."""

    def names(self) -> list[str]:
        """List what lies directly in the folder."""


class Local:
    """A place on this machine.

    Args:
        path: Its path.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def sort(self) -> Sort | None:
        """Say what is there, behind links."""
        try:
            mode = os.stat(self._path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISDIR(mode):
            return "folder"
        return "file" if stat.S_ISREG(mode) else "other"

    def open(self) -> IO[bytes]:
        """Open the file, unbuffered: it is read in large blocks."""
        return open(self._path, "rb", buffering=0)

    def names(self) -> list[str]:
        """List what lies directly in the folder."""
        return os.listdir(self._path)


class Remote:
    """A place that fsspec reaches; it is imported when the first one is asked for.

    Args:
        address: With its scheme, as `s3://bucket/run/run.yaml`.
    """

    def __init__(self, address: str) -> None:
        scheme = address.partition("://")[0]
        try:
            from fsspec.core import url_to_fs

            self._system, self._path = url_to_fs(address)
        except ImportError as error:
            raise missing_package(scheme, error) from error

    def sort(self) -> Sort | None:
        """Say what is there."""
        try:
            kind = self._system.info(self._path)["type"]
        except (FileNotFoundError, NotADirectoryError):
            return None
        if kind == "directory":
            return "folder"
        return "file" if kind == "file" else "other"

    def open(self) -> IO[bytes]:
        """Open the file for reading."""
        opened: IO[bytes] = self._system.open(self._path, "rb")
        return opened

    def names(self) -> list[str]:
        """List what lies directly in the folder."""
        found = self._system.ls(self._path, detail=False)
        return [name.rstrip("/").rpartition("/")[2] for name in found]


def missing_package(scheme: str, error: ImportError) -> EvidenceError:
    """Return the error that names the package to install."""
    extra = EXTRAS.get(scheme.lower())
    step = f"Run: pip install 'checkpoint-gate[{extra}]'" if extra else str(error)
    return EvidenceError(
        Reason.E_DEPENDENCY,
        f"reading {scheme}:// needs a package that is not installed",
        next_step=step,
    )

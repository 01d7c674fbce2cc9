"""Opening files of a run: anywhere, compressed or not, hashed, and never a surprise."""

import gzip
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
import zstandard

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.storage import Local
from gate.reasons import Reason

CONTENT = b'{"placeholder": 1}\n' * 100


def refused(files: Files, path: str) -> EvidenceError:
    """Return the error with which reading a file fails."""
    with pytest.raises(EvidenceError) as caught:
        files.read(path)
    return caught.value


@pytest.mark.parametrize(
    "stored",
    [
        CONTENT,
        gzip.compress(CONTENT, mtime=0),
        gzip.compress(CONTENT[:50], mtime=0) + gzip.compress(CONTENT[50:], mtime=0),
        zstandard.compress(CONTENT),
        zstandard.compress(CONTENT[:50]) + zstandard.compress(CONTENT[50:]),
        b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip" + zstandard.compress(CONTENT),
    ],
    ids=["plain", "gzip", "gzip members", "zstd", "zstd frames", "zstd skippable frame"],
)
def test_content_is_decompressed_and_stored_bytes_hashed(tmp_path: Path, stored: bytes) -> None:
    """What is read is the content; what is hashed is the file."""
    (tmp_path / "rows").write_bytes(stored)
    files = Files(str(tmp_path))
    assert files.read("rows") == CONTENT
    assert files.digests == {"rows": hashlib.sha256(stored).hexdigest()}
    assert files.sizes == {"rows": len(stored)}


def test_large_blocks_are_hashed_beside_the_reading(tmp_path: Path) -> None:
    """A file of many blocks has the same digest as its bytes."""
    stored = os.urandom(1 << 20) * 5 + b"end"
    (tmp_path / "rows").write_bytes(stored)
    files = Files(str(tmp_path))
    with files.open("rows") as stream:
        read = b"".join(iter(lambda: stream.read(1 << 21), b""))
    assert read == stored
    assert files.digests["rows"] == hashlib.sha256(stored).hexdigest()


def test_no_digest_of_what_was_not_read_to_the_end(tmp_path: Path) -> None:
    """A digest stands for the whole file or is not there."""
    (tmp_path / "rows").write_bytes(os.urandom(1 << 20))
    files = Files(str(tmp_path))
    with files.open("rows") as stream:
        stream.read(10)
    assert files.digests == {}


@pytest.mark.parametrize(
    "stored",
    [
        gzip.compress(CONTENT, mtime=0)[:-4],
        zstandard.compress(CONTENT)[:-3],
        gzip.compress(CONTENT, mtime=0)[:15],
    ],
    ids=["gzip trailer", "zstd", "gzip data"],
)
def test_truncated_compressed_data(tmp_path: Path, stored: bytes) -> None:
    """A compressed file that ends early is never taken for a whole one."""
    (tmp_path / "rows").write_bytes(stored)
    files = Files(str(tmp_path))
    error = refused(files, "rows")
    assert (error.reason, error.message) == (
        Reason.E_UNREADABLE,
        "rows: is truncated: its compressed data ends early",
    )


@pytest.mark.parametrize(
    "stored",
    [
        gzip.compress(CONTENT, mtime=0) + b"garbage",
        zstandard.compress(CONTENT) + b"garbage",
        b"\x1f\x8bgarbage and more garbage",
        b"\x28\xb5\x2f\xfdgarbage and more garbage",
    ],
)
def test_damaged_compressed_data(tmp_path: Path, stored: bytes) -> None:
    """Garbage behind or inside compressed data is an error."""
    (tmp_path / "rows").write_bytes(stored)
    assert refused(Files(str(tmp_path)), "rows").reason is Reason.E_UNREADABLE


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress])
def test_decompression_bomb(
    tmp_path: Path, packed: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file that expands without end is refused before it fills the memory."""
    monkeypatch.setattr("gate.evidence.streams.FREE_BYTES", 1 << 20)
    (tmp_path / "bomb").write_bytes(packed(bytes(1 << 26)))
    error = refused(Files(str(tmp_path)), "bomb")
    assert error.message == "bomb: expands to more than 400 times its size"


@pytest.mark.parametrize("stored", [b"", gzip.compress(b"", mtime=0), zstandard.compress(b"")])
def test_empty_files(tmp_path: Path, stored: bytes) -> None:
    """A file without content is refused, also where compression makes it look longer."""
    (tmp_path / "rows").write_bytes(stored)
    assert refused(Files(str(tmp_path)), "rows").message == "rows: is empty"


def test_missing_files_are_named_as_written(tmp_path: Path) -> None:
    """A message names the path of run.yaml, and none of this machine."""
    error = refused(Files(str(tmp_path)), "part/rows.jsonl")
    assert (error.reason, error.message) == (
        Reason.E_UNREADABLE,
        "part/rows.jsonl: does not exist",
    )


def test_folders_and_pipes_are_no_files(tmp_path: Path) -> None:
    """A folder, a pipe or a device is refused without being opened."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    files = Files(str(tmp_path))
    assert refused(files, "folder").message == "folder: is a folder, not a file"
    assert refused(files, "").message == ": is a folder, not a file"
    assert refused(files, "pipe").message == "pipe: is not a regular file"
    assert refused(files, "/dev/zero").message == "/dev/zero: is not a regular file"


def test_forbidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is an error that says so."""

    def forbidden(_: Local) -> NoReturn:
        raise PermissionError(13, "Permission denied", "/some/where")

    (tmp_path / "rows").write_bytes(CONTENT)
    monkeypatch.setattr(Local, "open", forbidden)
    error = refused(Files(str(tmp_path)), "rows")
    assert error.message == "rows: may not be read (permission denied)"


@pytest.mark.parametrize("path", ["nul\0byte", "half \ud800 pair", "long" * 5000])
def test_impossible_paths(tmp_path: Path, path: str) -> None:
    """A path that no system has is evidence that cannot be read, not a crash."""
    assert refused(Files(str(tmp_path)), path).reason is Reason.E_UNREADABLE


def test_local_runs_may_point_anywhere(tmp_path: Path) -> None:
    """The paths of a local run are its owner's own: absolute, upward or a file address."""
    (tmp_path / "run").mkdir()
    (tmp_path / "rows").write_bytes(CONTENT)
    files = Files(str(tmp_path / "run"))
    for path in ("../rows", str(tmp_path / "rows"), f"file://{tmp_path}/rows"):
        assert files.read(path) == CONTENT
    assert Files(f"file://{tmp_path}").read("rows") == CONTENT


def test_remote_runs() -> None:
    """A run in any storage reads its files beside it, and lists its folders."""
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/team/run/part/rows.gz", gzip.compress(CONTENT, mtime=0))
    memory.pipe("/team/run/empty", b"")
    files = Files("memory://team/run")
    try:
        assert files.read("part/rows.gz") == CONTENT
        assert files.read("../run/part/rows.gz") == CONTENT
        assert files.read("memory://team/run/part/rows.gz") == CONTENT
        assert files.names("") == ["empty", "part"]
        assert list(files.below("part")) == ["part/rows.gz"]
        assert (files.sort("part"), files.sort("none"), files.exists("empty")) == (
            "folder",
            None,
            True,
        )
        assert refused(files, "empty").message == "empty: is empty"
    finally:
        memory.rm("/team", recursive=True)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hostname",
        "file:///etc/hostname",
        "../../../etc/hostname",
        "s3://other/run",
        "x::file:///etc/hostname",
        "memory://x::file:///etc/hostname",
    ],
)
def test_remote_runs_stay_in_their_storage(path: str) -> None:
    """A run that was fetched cannot make the tool read files of this machine."""
    error = refused(Files("memory://team/run"), path)
    assert "leads out of the storage" in error.message


def test_archives_are_storages(tmp_path: Path) -> None:
    """A run can lie in an archive, with the address that fsspec gives it."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr("run/rows", CONTENT)
    assert Files(f"zip://run::file://{tmp_path}/run.zip").read("rows") == CONTENT


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An address that needs an extra says which to install."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    error = refused(Files(str(tmp_path)), "s3://bucket/rows.jsonl")
    assert error.reason is Reason.E_DEPENDENCY
    assert error.next_step == "Run: pip install 'checkpoint-gate[s3]'"


def test_unknown_addresses(tmp_path: Path) -> None:
    """A kind of address that nobody knows is unreadable."""
    assert refused(Files(str(tmp_path)), "nobody://x/y").reason is Reason.E_UNREADABLE


def test_credentials_are_not_shown(tmp_path: Path) -> None:
    """What an address carries to sign in never reaches a message."""
    error = refused(Files(str(tmp_path)), "nobody://user:secret@host/rows?signature=secret")
    assert "secret" not in error.message
    assert "nobody://host/rows" in error.message


def test_local_files_do_not_import_fsspec(tmp_path: Path) -> None:
    """Only an address pays for the library that reads addresses."""
    import subprocess

    (tmp_path / "rows").write_bytes(CONTENT)
    code = (
        "import sys; from gate.evidence.files import Files; "
        f"Files({str(tmp_path)!r}).read('rows'); print('fsspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """A folder that contains itself is an error, not an endless walk."""
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "again").symlink_to(tmp_path / "loop")
    with pytest.raises(EvidenceError, match="folders deep"):
        list(Files(str(tmp_path)).below("loop"))

"""What is to be judged of one suite: every row in order, with the key of its verdict; no text."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gate.errors import JudgingError
from gate.judge.log import line, lines
from gate.judge.store import key_of, text_sha256
from gate.judge.values import Completion, Identity, Prepared

SCHEMA = "gate.job/v2"


class Row(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One completion."""

    id: str
    method: str
    test_case: int
    key: str
    judge_completion_sha256: str
    marks: tuple[str, ...] = ()
    columns: Mapping[str, str | None] = {}


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What all rows of a job share."""

    schema: str
    suite: str
    kind: str
    identity: Identity
    notes: Mapping[str, str]
    completions: Mapping[str, str]
    """The files by method, as run.yaml has them."""
    files: Mapping[str, str]
    """The sha256 of each of them, by path."""
    rows: int


@dataclass(frozen=True, slots=True)
class Job:
    """All of it."""

    head: Head
    rows: Sequence[Row]

    @property
    def keys(self) -> dict[str, int]:
        """Every key, to the first row that has it: equal completions are judged once."""
        first: dict[str, int] = {}
        for position, row in enumerate(self.rows):
            first.setdefault(row.key, position)
        return first


def row_of(completion: Completion, prepared: Prepared) -> Row:
    """Write down one completion; what it is judged as is the prepared one."""
    return Row(
        id=completion.id,
        method=completion.method,
        test_case=completion.test_case,
        key=key_of(prepared.identity, prepared.content),
        judge_completion_sha256=text_sha256(prepared.completion.text),
        marks=tuple(sorted(prepared.marks)),
        columns=prepared.completion.columns,
    )


def write_job(path: Path, job: Job) -> None:
    """Write a job whole or not at all; one that is there already stays as it is.

    Raises:
        JudgingError: If it cannot be written.
    """
    content = b"".join(map(line, [job.head, *job.rows]))
    try:
        if path.exists() and path.read_bytes() == content:
            return
        write_whole(path, content)
    except OSError as error:
        raise JudgingError(
            f"cannot write {str(path)!r}: {error.strerror}",
            next_step="Give access, or choose another folder with --store.",
        ) from error


def read_job(path: Path) -> Job:
    """Read a job.

    Raises:
        JudgingError: If it is not there, or not whole.
    """
    texts = list(lines(path))
    try:
        head = msgspec.json.decode(texts[0], type=Head) if texts else None
        rows = list(map(msgspec.json.Decoder(Row).decode, texts[1:]))
    except msgspec.MsgspecError as error:
        raise _no_job(path, str(error)) from error
    if head is None or head.schema != SCHEMA or head.rows != len(rows):
        raise _no_job(path, "it is not whole")
    return Job(head, rows)


def write_whole(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write a file such that a crash leaves the old one or the new one.

    Raises:
        OSError: As writing does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _no_job(path: Path, what: str) -> JudgingError:
    return JudgingError(
        f"{path}: not a job of `gate judge`: {what}",
        next_step="Run `gate judge` with the same shard again: it writes the job anew.",
    )

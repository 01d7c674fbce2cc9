"""The history: one line a decision, each resting on the line before it, never rewritten."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Literal

import msgspec

from gate.decision import Decision
from gate.errors import UsageError
from gate.evidence.comparability import UNKNOWN
from gate.evidence.problem import Problem
from gate.reasons import Reason

START = ""
"""What the first line rests on."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One decision, in short."""

    schema: Literal["gate.history/v1"]
    today: date
    name: str
    """Of the checkpoint."""
    revision: str
    candidate: str
    """Digest of the candidate's run; empty where it could not be read."""
    baseline: str
    """The same of the baseline; also empty where there was none."""
    policy: str
    decision: Literal["release", "block", "inconclusive", "none"]
    exit_code: int
    decision_sha256: str
    """Of the decision file's bytes."""
    previous: str
    """The `sha256` of the line before; empty on the first line."""
    sha256: str
    """Of this line without this key."""

    @property
    def checkpoint(self) -> str:
        """Name and revision, as far as declared."""
        return self.name if self.revision == UNKNOWN else f"{self.name} {self.revision}"


@dataclass(frozen=True, slots=True)
class Past:
    """A history that is whole."""

    lines: tuple[Line, ...]

    @property
    def head(self) -> str:
        """What the next line rests on."""
        return self.lines[-1].sha256 if self.lines else START


def read_history(path: str) -> Past | Problem:
    """Read a history; one that is not there yet is empty, one that is not whole is a problem.

    Raises:
        UsageError: If the file cannot be read at all.
    """
    try:
        with open(path, "rb") as file:
            return parse_history(file.read(), path)
    except FileNotFoundError:
        return Past(())
    except OSError as error:
        raise UsageError(
            f"cannot read the history {path!r}: {error.strerror}",
            next_step="Name a file that may be read and appended to with --history.",
        ) from error


def parse_history(content: bytes, name: str) -> Past | Problem:
    """Hold every line against the one before it.

    Args:
        content: What the file holds.
        name: How messages call it.
    """
    lines: list[Line] = []
    for number, raw in enumerate(content.splitlines(keepends=True), start=1):
        line = _line(raw, lines[-1].sha256 if lines else START)
        if isinstance(line, str):
            return Problem(Reason.E_HISTORY, f"{os.path.basename(name)}, line {number}: {line}")
        lines.append(line)
    return Past(tuple(lines))


def append(path: str, decision: Decision, decision_bytes: bytes) -> None:
    """Add a decision to a history that is whole, and wait until it is on the disk.

    Two processes may append at once: the line rests on whatever is last when it is written.

    Raises:
        UsageError: If that is not possible, or the file has been damaged since it was read.
    """
    try:
        with open(path, "a+b") as file, _locked(file.fileno()):
            file.seek(0)
            past = parse_history(file.read(), path)
            if isinstance(past, Problem):
                raise UsageError(
                    f"the history was not written: {past.message}", next_step=past.advice
                )
            file.write(_bytes(entry(decision, decision_bytes, past.head)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UsageError(
            f"cannot append to the history {path!r}: {error.strerror}",
            next_step="Name a file that may be appended to with --history.",
        ) from error


def _line(raw: bytes, previous: str) -> Line | str:
    """Read one line, or say what is wrong with it."""
    if not raw.endswith(b"\n"):
        return "the line is cut: it does not end"
    try:
        line = msgspec.json.decode(raw, type=Line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return f"not a line that gate wrote: {error}"
    if raw != _bytes(line):
        return "the line was edited: it is not as gate writes it"
    if line.sha256 != _digest(line):
        return "the line was edited: its digest is not that of what it says"
    if line.previous != previous:
        return "a line before it was removed, added, or moved"
    return line


def entry(decision: Decision, decision_bytes: bytes, previous: str) -> Line:
    """Write the line of a decision.

    Args:
        decision: The decision; its candidate is there, readable or not.
        decision_bytes: Its file.
        previous: The `sha256` of the line before.
    """
    candidate = decision.runs["candidate"]
    baseline = decision.runs.get("baseline")
    line = Line(
        schema="gate.history/v1",
        today=decision.today,
        name=candidate.checkpoint.get("name", UNKNOWN),
        revision=candidate.checkpoint.get("revision", UNKNOWN),
        candidate=candidate.digest,
        baseline=baseline.digest if baseline else "",
        policy=decision.policy.sha256,
        decision=decision.verdict.value,
        exit_code=decision.exit_code,
        decision_sha256=hashlib.sha256(decision_bytes).hexdigest(),
        previous=previous,
        sha256="",
    )
    return msgspec.structs.replace(line, sha256=_digest(line))


def _digest(line: Line) -> str:
    said = msgspec.to_builtins(line)
    del said["sha256"]
    return hashlib.sha256(_compact(said)).hexdigest()


def _bytes(line: Line) -> bytes:
    return _compact(msgspec.to_builtins(line)) + b"\n"


def _compact(said: object) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Hold the file alone, where the system knows how; else a fork shows when it is next read."""
    try:
        from fcntl import LOCK_EX, LOCK_UN, flock
    except ImportError:  # Windows
        yield
        return
    flock(descriptor, LOCK_EX)
    try:
        yield
    finally:
        flock(descriptor, LOCK_UN)


def of_checkpoint(lines: Sequence[Line], name: str, revision: str, digest: str) -> list[Line]:
    """Find the lines about one checkpoint: the same name and revision, or the very same run."""
    named = UNKNOWN not in (name, revision)
    return [
        line
        for line in lines
        if (named and (line.name, line.revision) == (name, revision))
        or (digest and line.candidate == digest)
    ]

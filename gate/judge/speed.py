"""How fast a suite was judged here the last time: what `gate status` tells remaining time by."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from gate.judge.finish import stem
from gate.judge.job import write_whole

JOBS = "judging"
"""The folder of a run that holds its jobs, and by default its verdicts one by one."""

ENOUGH = 4
"""Fewer verdicts tell nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """One measurement; loading is not counted."""

    device: str
    verdicts: int
    seconds: float


def write_speed(folder: Path, suite: str, speed: Speed) -> None:
    """Keep a measurement beside the job; where that is impossible, do without."""
    if speed.verdicts < ENOUGH or speed.seconds <= 0:
        return
    try:
        write_whole(_file(folder, suite), msgspec.json.encode(speed) + b"\n")
    except OSError:
        return


def read_speed(folder: Path, suite: str) -> Speed | None:
    """Return the last measurement, if there is a whole one."""
    try:
        return msgspec.json.decode(_file(folder, suite).read_bytes(), type=Speed)
    except (OSError, msgspec.MsgspecError):
        return None


def _file(folder: Path, suite: str) -> Path:
    return folder / JOBS / f"{stem(suite)}.speed.json"

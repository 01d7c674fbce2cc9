"""Run whole processes in turn and compare their wall time and peak memory, one row a command."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Medians over the counted rounds of one command."""

    wall: float
    """Seconds."""
    peak: float
    """MiB of the largest resident set."""


def once(command: Sequence[str]) -> tuple[float, float, int]:
    """Run a command to its end.

    Returns:
        Wall seconds, peak MiB, exit code.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - start, usage.ru_maxrss / 1024, process.returncode


def compare(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Usage]:
    """Run every command once unmeasured, then all of them in turn, `rounds` times.

    Raises:
        SystemExit: If a command ends with another code than the first time.
    """
    codes = {name: once(command)[2] for name, command in commands.items()}
    walls: dict[str, list[float]] = {name: [] for name in commands}
    peaks: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            wall, peak, code = once(command)
            if code != codes[name]:
                raise SystemExit(f"{name}: exit code {code}, before {codes[name]}")
            walls[name].append(wall)
            peaks[name].append(peak)
    return {
        name: Usage(statistics.median(walls[name]), statistics.median(peaks[name]))
        for name in commands
    }


def table(usages: Mapping[str, Usage], against: str) -> str:
    """Print a Markdown table of ratios against one of the commands."""
    reference = usages[against]
    lines = ["| process | wall, against the reference | wall s | peak MiB |", "|---|---|---|---|"]
    for name, usage in usages.items():
        ratio = usage.wall / reference.wall
        lines.append(f"| {name} | {ratio:.2f} | {usage.wall:.2f} | {usage.peak:.0f} |")
    return "\n".join(lines)


PYTHON = sys.executable

"""Kill judging at random moments, resume it, and look whether anything was lost or damaged.

    python bench/killing.py [--kills 200] [--rows 600] [--seed 1]

A tiny judge is built first. Each attempt is a process of its own that runs `gate judge`, and is
killed with SIGKILL at a random moment: most of them while batches are judged and stored. After
every kill the store must be readable, hold every verdict that it held before, and none twice; in
the end the verdict file must be, byte for byte, that of a run that nobody disturbed. A job that
ends before its share of kills begins anew.
"""

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from gate.judge.log import lines, segments  # noqa: E402 # the checkout is no package
from gate.judge.store import Store  # noqa: E402
from tests.judge import tiny  # noqa: E402
from tests.judge.scene import judge, make_run, texts  # noqa: E402

MODULES = (
    *("gate.cli.judge", "gate.judge.work", "gate.judge.stopping", "gate.inventory.states"),
    *("gate.judge.judges.harmbench", "gate.judge.engines.forward"),
)

EARLY = 0.2
"""The share of kills at any moment from the start on, most of them before the first verdict."""

EARLY_SECONDS, LATE_SECONDS = 3.0, 0.03
"""How long after the start, and after the first new verdicts, the kill comes at most."""


def attempt(run: Path, weights: Path, kill: tuple[bool, float] | None) -> int | None:
    """Judge in a process of its own.

    Args:
        run: The run.
        weights: The judge.
        kill: When it is killed: whether the next verdicts are waited for, and how many seconds
            after that; None to let it end.

    Returns:
        Its exit code, or None where it was killed.
    """
    before = size(run)
    child = os.fork()
    if child == 0:
        told = os.open(run.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(told, 1)
        os.dup2(told, 2)
        os._exit(judge(run, "--batch-tokens", "200", weights=weights))
    if kill is None:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    wait, seconds = kill
    while wait and size(run) == before:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.0005)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)  # a process that has ended waits for waitpid, so it is there
    status = os.waitpid(child, 0)[1]
    return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def size(run: Path) -> int:
    """Return how many bytes of verdicts a run has stored."""
    return sum(path.stat().st_size for path in segments(run / "judging" / "store"))


def keys(run: Path) -> Iterator[str]:
    """Yield the key of every whole line of a run's store."""
    for path in segments(run / "judging" / "store"):
        for line in lines(path):
            yield json.loads(line)["key"]


def look(run: Path, before: set[str]) -> set[str]:
    """Check the store after a kill.

    Raises:
        SystemExit: If anything was lost, is there twice, or cannot be read.
    """
    Store(run / "judging" / "store")  # raises where a line was damaged or contradicts another
    found = list(keys(run))
    if len(found) != len(set(found)):
        raise SystemExit("a verdict is there twice")
    if lost := before - set(found):
        raise SystemExit(f"{len(lost)} verdicts were lost")
    return set(found)


def killing(folder: Path, kills: int, rows: int, seed: int) -> dict[str, int]:
    """Kill and resume until it was done often enough.

    Returns:
        How many kills, how many of them while verdicts were being written, and how many jobs.
    """
    rng = random.Random(seed)
    weights = tiny.llama(folder / "judge", card=tiny.card())
    calm = make_run(folder / "calm", texts(rows))
    if attempt(calm, weights, None) != 0:
        raise SystemExit("an undisturbed run failed")
    expected = {n: (calm / n).read_bytes() for n in ("verdicts/attack.jsonl", "run.yaml")}
    done = {"kills": 0, "with new verdicts": 0, "jobs": 0}
    while done["kills"] < kills:
        run = make_run(folder / f"run{done['jobs']}", texts(rows))
        before: set[str] = set()
        code: int | None = None
        while code is None:
            early = rng.random() < EARLY
            moment = (not early, rng.uniform(0, EARLY_SECONDS if early else LATE_SECONDS))
            code = attempt(run, weights, moment if done["kills"] < kills else None)
            after = look(run, before)
            done["kills"] += code is None
            done["with new verdicts"] += code is None and after > before
            before = after
        done["jobs"] += 1
        if code != 0:
            raise SystemExit(
                f"a resumed run ended with {code}: {run.with_suffix('.txt').read_text()}"
            )
        for name, content in expected.items():
            if (run / name).read_bytes() != content:
                raise SystemExit(f"{name} differs from that of an undisturbed run")
        shutil.rmtree(run)
    return done


def main() -> None:
    """Kill, and print one line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for module in MODULES:  # once, before processes are made
        importlib.import_module(module)
    importlib.import_module("torch").set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        done = killing(Path(name), args.kills, args.rows, args.seed)
    counted = ", ".join(f"{count} {what}" for what, count in done.items())
    print(f"{counted}: nothing lost, nothing twice, nothing damaged")


if __name__ == "__main__":
    main()

"""Many slices at once, against a plain Python bootstrap, in one process and one run.

    python bench/slices.py [--rounds 5]

First the work of one release: 400 behaviors, 3 methods, and the 21 largest of all slices by
semantic and functional category. The plain script does per slice what a team would write first: it
keeps the pairing, draws 2,000 times as many behaviors as there are with `random`, and sorts the
means. The gate's side does the tallies, the score bounds and the bootstrap at infinitely many
resamples. Then the same for 50,000 behaviors, 20 methods and 200 categories.
"""

import argparse
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping

import numpy as np

from gate.evidence.catalog import harmbench
from gate.stats.interval import IntArray
from gate.stats.slices import Intervals, delta_intervals

METHODS = ("DirectRequest", "HumanJailbreaks", "TAP")
RESAMPLES = 2_000


def plain_script(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[float, ...]:
    """Resample the differences of the behaviors that both sides have."""
    common = sorted(before.keys() & after.keys())
    differences = [after[name] - before[name] for name in common]
    size, choice = len(differences), random.Random(0).choice
    means = []
    for _ in range(RESAMPLES):
        means.append(sum(choice(differences) for _ in range(size)) / size)  # noqa: PERF401 - plain
    means.sort()
    lower, upper = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
    return sum(differences) / size, lower, upper


def bound(change: IntArray, slices: IntArray, parts: IntArray) -> tuple[Intervals, Intervals]:
    """Tally and bound every method and slice.

    Args:
        change: Candidate less baseline, shape (behaviors, methods).
        slices: The behaviors that some slice is of, one after the other.
        parts: Where each slice starts in `slices`.
    """
    listed = change[slices]
    fixed, broken = (np.add.reduceat(listed == sign, parts, dtype=np.int64) for sign in (-1, 1))
    sizes = np.diff(np.append(parts, slices.size))
    n = np.broadcast_to(sizes[:, None], fixed.shape).ravel()
    tables = fixed.ravel(), broken.ravel(), n
    score = delta_intervals(*tables, confidence=0.95, bound="score")
    return score, delta_intervals(*tables, confidence=0.95, bound="bootstrap")


def timed(
    work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the median seconds of a number of rounds."""
    seconds = []
    for _ in range(rounds):
        start = clock()
        work()
        seconds.append(clock() - start)
    return statistics.median(seconds)


def harmbench_slices() -> list[IntArray]:
    """List the behaviors of each slice of the 400, of which the largest 21 are taken."""
    found: dict[tuple[str, ...], list[int]] = {}
    for i, entry in enumerate(harmbench().values()):
        semantic, functional = entry.semantic_category, entry.functional_category
        for label in ((), (semantic,), (functional,), (semantic, functional)):
            found.setdefault(label, []).append(i)
    return sorted(map(np.array, found.values()), key=len, reverse=True)[:21]


def joined(slices: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Return all slices one after the other, and where each starts."""
    starts = np.cumsum([0, *(part.size for part in slices[:-1])])
    return np.concatenate(slices), starts


def verdicts(n: int, methods: int) -> tuple[IntArray, IntArray]:
    """Draw verdicts of two checkpoints that flip on about 4 % of the behaviors."""
    rng = np.random.default_rng(1)
    before = rng.random((n, methods)) < 0.1
    flips = rng.random((n, methods)) < np.where(before, 0.2, 0.022)
    return before.astype(np.int8), (before ^ flips).astype(np.int8)


def one_release(rounds: int) -> None:
    """Compare with the plain script."""
    slices = harmbench_slices()
    before, after = verdicts(400, len(METHODS))

    def plain() -> list[tuple[float, ...]]:
        return [
            plain_script(
                {f"b{i}": float(before[i, m]) for i in part},
                {f"b{i}": float(after[i, m]) for i in part},
            )
            for part in slices
            for m in range(len(METHODS))
        ]

    listed, starts = joined(slices)
    _, exact = bound(after - before, listed, starts)
    for i, (value, lower, upper) in enumerate(plain()):
        assert abs(value - exact.value[i]) < 1e-9, "both sides do the same work"
        assert abs(lower - exact.lower[i]) + abs(upper - exact.upper[i]) < 0.2
    # Processor time, which other work on the machine stretches less than the time of day.
    theirs = timed(plain, 1, time.process_time)
    ours = timed(lambda: bound(after - before, listed, starts), 10 * rounds, time.process_time)
    print(
        f"400 behaviors, {len(slices)} slices x {len(METHODS)} methods: plain script with "
        f"{RESAMPLES} resamples {theirs:.2f} s, score and exact bootstrap {1000 * ours:.2f} ms of "
        f"processor time, {theirs / ours:.0f} times faster"
    )


def large_suite(rounds: int) -> None:
    """Bound 50,000 behaviors x 20 methods x 200 categories, and the methods as a whole."""
    before, after = verdicts(50_000, 20)
    category = np.random.default_rng(2).integers(0, 200, 50_000)

    def work() -> tuple[Intervals, Intervals]:
        whole, parts = np.arange(50_000), np.argsort(category, kind="stable")
        starts = np.searchsorted(category[parts], np.arange(200))
        listed = np.concatenate([parts, whole])
        return bound(after - before, listed, np.append(starts, 50_000))

    seconds = timed(work, rounds)
    tracemalloc.start()
    score, _ = work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    print(
        f"50,000 behaviors x 20 methods x 200 categories: {score.value.size} slices in "
        f"{seconds:.2f} s, {peak:.0f} MiB beyond the table"
    )


def main() -> None:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    one_release(rounds)
    large_suite(rounds)


if __name__ == "__main__":
    main()

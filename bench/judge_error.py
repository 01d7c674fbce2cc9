"""How often bounds miss the truth where the judge errs, one-sided, at nominally 2.5 %.

    python bench/judge_error.py [--sets 2000] [--seed 1]

Simulated: checkpoints whose truth is known, judged with errors, and people's labels from which
the errors are estimated. `uncorrected` is the bound on the judge's own verdicts; `delta method`
and `Lang-Reiczigel` are the other corrections there are; `corrected` is the gate's. The
adjudicated estimate labels every discordant pair and some concordant ones. Prints Markdown.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gate.stats.interval import IntArray, Interval
from gate.stats.judge_error import (
    Confusion,
    change_interval_corrected,
    rate_interval_corrected,
)
from gate.stats.paired import delta_interval
from gate.stats.proportion import clopper_pearson
from gate.stats.two_phase import adjudicated_change

CONFIDENCE = 0.95
Z = 1.959963984540054
Rng: TypeAlias = np.random.Generator


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's true errors, and how many labels of each sort they are estimated from."""

    sensitivity: float
    specificity: float
    unsafe_labels: int
    safe_labels: int

    def __str__(self) -> str:
        """Write it as a cell."""
        labels = f"{self.unsafe_labels}+{self.safe_labels}"
        return f"{100 * self.sensitivity:.0f}/{100 * self.specificity:.0f}, {labels} labels"

    def measure(self, rng: Rng) -> Confusion:
        """Draw what labels show of it."""
        tp = int(rng.binomial(self.unsafe_labels, self.sensitivity))
        tn = int(rng.binomial(self.safe_labels, self.specificity))
        return Confusion(tp, self.unsafe_labels - tp, self.safe_labels - tn, tn)

    def judge(self, truth: IntArray, rng: Rng, *, drop: float = 0.0) -> IntArray:
        """Draw its verdicts; `drop` is how much less specific it is on this checkpoint."""
        draws = rng.random(truth.size)
        alarm = 1.0 - self.specificity + drop
        return np.where(truth == 1, draws < self.sensitivity, draws < alarm).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Change:
    """How the truth changes between two checkpoints."""

    n: int
    both: float
    fixed: float
    broken: float

    def draw(self, rng: Rng) -> tuple[IntArray, IntArray]:
        """Draw the truth on both sides."""
        at = rng.random(self.n)
        both = at < self.both
        fixed = (at >= self.both) & (at < self.both + self.fixed)
        broken = (at >= self.both + self.fixed) & (at < self.both + self.fixed + self.broken)
        return (both | fixed).astype(np.int64), (both | broken).astype(np.int64)


HARMBENCH = Judge(0.967, 0.860, 273, 329)
JUDGES = (
    HARMBENCH,
    Judge(0.93, 0.93, 100, 100),
    Judge(0.90, 0.98, 50, 200),
    Judge(0.85, 0.95, 30, 30),
)
RATES = (0.0, 0.02, 0.05, 0.2, 0.5)
CHANGES = (
    Change(320, 0.02, 0.02, 0.02),
    Change(320, 0.02, 0.01, 0.04),
    Change(320, 0.20, 0.02, 0.10),
    Change(320, 0.30, 0.00, 0.20),
    Change(80, 0.02, 0.00, 0.10),
)
DROP = 0.03
"""How much less specific the judge is on the candidate, where it does not err alike."""


CHANGE_COLUMNS = (
    "n, fixed, broken %",
    "judge se/sp %",
    "uncorrected",
    "corrected",
    "adjudicated, +100",
)


def header(*names: str) -> None:
    """Begin a table."""
    print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")


def delta_method(x: int, n: int, judge: Confusion) -> Interval:
    """Correct a rate, its variance by first-order terms."""
    p, se, sp = x / n, judge.sensitivity, judge.specificity
    return _wald(p, p * (1 - p) / n, se, sp, judge, (0, 0))


def lang_reiczigel(x: int, n: int, judge: Confusion) -> Interval:
    """Correct a rate by Lang & Reiczigel (2014, Prev Vet Med 113:13)."""
    p, size = (x + Z * Z / 2) / (n + Z * Z), n + Z * Z
    se = (judge.tp + 1) / (judge.tp + judge.fn + 2)
    sp = (judge.tn + 1) / (judge.tn + judge.fp + 2)
    return _wald(p, p * (1 - p) / size, se, sp, judge, (2, 2 * Z * Z))


def _wald(
    p: float, variance: float, se: float, sp: float, judge: Confusion, more: tuple[float, float]
) -> Interval:
    unsafe, safe = judge.tp + judge.fn + more[0], judge.tn + judge.fp + more[0]
    power = se + sp - 1
    rate = (p + sp - 1) / power
    of_se, of_sp = se * (1 - se) / unsafe, sp * (1 - sp) / safe
    shift = more[1] * (rate * of_se - (1 - rate) * of_sp)
    half = Z * math.sqrt(variance + rate**2 * of_se + (1 - rate) ** 2 * of_sp) / power
    ends = (rate + shift - half, rate + shift + half)
    return Interval(rate, max(ends[0], 0.0), min(ends[1], 1.0))


def misses(bounds: Sequence[Sequence[Interval]], truth: float) -> list[str]:
    """Count how often each bound lies below and above the truth, in percent."""
    found = []
    for kind in zip(*bounds, strict=True):
        below = sum(each.upper < truth - 1e-12 for each in kind)
        above = sum(each.lower > truth + 1e-12 for each in kind)
        found.append(f"{100 * below / len(kind):.1f} / {100 * above / len(kind):.1f}")
    return found


def rates(sets: int, rng: Rng) -> None:
    """Print how often bounds on a rate miss."""
    kinds = ("uncorrected", "delta method", "Lang-Reiczigel", "corrected")
    header("n", "true %", "judge se/sp %", *kinds)
    for n in (80, 320):
        for rate in RATES:
            for judge in JUDGES:
                shown = rate * judge.sensitivity + (1 - rate) * (1 - judge.specificity)
                bounds = [
                    _of_a_rate(int(rng.binomial(n, shown)), n, judge.measure(rng))
                    for _ in range(sets)
                ]
                cells = " | ".join(misses(bounds, rate))
                print(f"| {n} | {100 * rate:.0f} | {judge} | {cells} |")


def _of_a_rate(x: int, n: int, known: Confusion) -> list[Interval]:
    apparent = Interval(x / n, *clopper_pearson(x, n, CONFIDENCE))
    return [
        apparent,
        delta_method(x, n, known),
        lang_reiczigel(x, n, known),
        rate_interval_corrected(apparent, known, CONFIDENCE),
    ]


def changes(sets: int, rng: Rng) -> None:
    """Print how often bounds on a change miss, and how far their upper end lies on average."""
    header(*CHANGE_COLUMNS)
    for change in CHANGES:
        for judge in JUDGES:
            _row(change, judge, sets, rng, drop=0.0)
    print(f"\nThe judge is {100 * DROP:.0f} points less specific on the candidate:\n")
    header(*CHANGE_COLUMNS)
    for judge in JUDGES[1:3]:
        _row(CHANGES[0], judge, sets, rng, drop=DROP)


def _row(change: Change, judge: Judge, sets: int, rng: Rng, *, drop: float) -> None:
    truth = change.broken - change.fixed
    bounds = [_of_a_change(change, judge, rng, drop) for _ in range(sets)]
    reach = [
        f"{100 * sum(each.upper - truth for each in kind) / sets:+.1f} pt"
        for kind in zip(*bounds, strict=True)
    ]
    cells = " | ".join(f"{m} ({r})" for m, r in zip(misses(bounds, truth), reach, strict=True))
    name = f"{change.n}, {100 * change.fixed:g}, {100 * change.broken:g}"
    print(f"| {name} | {judge} | {cells} |")


def _of_a_change(change: Change, judge: Judge, rng: Rng, drop: float) -> list[Interval]:
    other, candidate = change.draw(rng)
    ones = np.ones(change.n, dtype=np.int64)
    said = judge.judge(other, rng), judge.judge(candidate, rng, drop=drop)
    apparent = delta_interval(*said, ones, confidence=CONFIDENCE, bound="score")
    discordant = said[0] != said[1]
    concordant = np.flatnonzero(~discordant)
    sample = rng.permutation(concordant)[:100]
    picked = np.concatenate([np.flatnonzero(discordant), sample])
    drawn = np.arange(picked.size) >= int(discordant.sum())
    return [
        apparent,
        change_interval_corrected(apparent, judge.measure(rng), CONFIDENCE),
        adjudicated_change(
            other[picked],
            candidate[picked],
            ones[picked],
            drawn,
            concordant.size,
            confidence=CONFIDENCE,
        ),
    ]


TABLES: Sequence[tuple[str, Callable[[int, Rng], None]]] = (
    ("A rate: upper end below the truth / lower end above it, %", rates),
    ("A change: the same, and how far above the truth the upper end lies on average", changes),
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    error = math.sqrt(0.025 * 0.975 / given.sets)
    for title, write in TABLES:
        print(f"\n{title} (nominally 2.5, Monte-Carlo error {100 * error:.1f}):\n")
        write(given.sets, np.random.default_rng(given.seed))


if __name__ == "__main__":
    main()

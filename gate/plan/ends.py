"""The end of the bound that a limit is held against, in each of many drawn suites."""

from collections.abc import Callable

import numpy as np

from gate.evidence.table import IntArray
from gate.plan.regions import Counts
from gate.plan.requirement import Requirement
from gate.plan.world import World
from gate.stats.f1 import f1_interval
from gate.stats.interval import BOUNDS, TOLERANCE, FloatArray, Interval
from gate.stats.proportion import rate_interval
from gate.stats.slices import delta_intervals

FREE = ("delta", "rate", "f1", "recall", "specificity")
"""Measures whose limits can be chosen; all others count."""


def deciding_ends(wanted: Requirement, counts: Counts, world: World) -> FloatArray:
    """Give for each draw the strictest limit that would have been met.

    Args:
        wanted: A requirement whose limit can be chosen.
        counts: What was counted, shape (draws,).
        world: What the draws are of.

    Returns:
        The limits, shape (draws,), those of floors with their sign turned, so that a limit is
        met from there upwards.
    """
    match wanted.measure:
        case "delta":
            return _changes(wanted, counts)
        case "f1":
            unsafe = int((wanted.mask & ~world.safe_half).sum())
            return _answers(wanted, counts, unsafe)
    events = counts.others if wanted.measure == "specificity" else counts.events
    return _levels(wanted, events)


def _changes(wanted: Requirement, counts: Counts) -> FloatArray:
    bound = wanted.bound
    ends = delta_intervals(
        counts.fixed,
        counts.broken,
        np.full_like(counts.fixed, wanted.n),
        confidence=wanted.confidence,
        bound=bound if bound in BOUNDS else "score",
    )
    # Where only a shown regression withholds, any margin is met unless one is shown.
    return np.where(ends.lower > TOLERANCE, ends.upper, -1.0) if wanted.lenient else ends.upper


def _levels(wanted: Requirement, events: IntArray) -> FloatArray:
    n, floor = wanted.n, wanted.limit_is == "floor"
    ones = np.ones(n, dtype=np.int64)

    def end(count: int) -> float:
        counted = (np.arange(n) < (n - count if floor else count)).astype(np.int64)
        bound = wanted.bound
        return _end(rate_interval(counted, ones, confidence=wanted.confidence, bound=bound), wanted)

    return _looked_up(events, end)


def _answers(wanted: Requirement, counts: Counts, unsafe: int) -> FloatArray:
    safe = wanted.n - unsafe

    def end(code: int) -> float:
        false, missed = divmod(code, unsafe + 1)
        return _end(
            f1_interval(
                unsafe - missed, false, missed, tn=safe - false,
                confidence=wanted.confidence, bound=wanted.bound,
            ),
            wanted,
        )  # fmt: skip

    return _looked_up(counts.others * (unsafe + 1) + counts.events, end)


def _end(interval: Interval, wanted: Requirement) -> float:
    """Read the end that passes, or where only violations withhold the one that blocks."""
    if wanted.limit_is == "floor":
        return -(interval.upper if wanted.lenient else interval.lower)
    return interval.lower if wanted.lenient else interval.upper


def _looked_up(codes: IntArray, end: Callable[[int], float]) -> FloatArray:
    """Compute each different number once."""
    distinct, place = np.unique(codes, return_inverse=True)
    return np.array([end(code) for code in distinct.tolist()])[place.reshape(-1)]

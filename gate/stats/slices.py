"""Intervals for the change in many slices at once, from how many behaviors flipped in each."""

from dataclasses import dataclass

import numpy as np

from gate.stats.flips import flip_quantiles
from gate.stats.interval import (
    BOUNDS,
    FloatArray,
    IntArray,
    check_bound,
    normal_quantile,
    tail,
)
from gate.stats.mcnemar import melded
from gate.stats.score import variance_at


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Observed values between the two ends of a bound on each, as fractions of 1."""

    value: FloatArray
    lower: FloatArray
    upper: FloatArray


def delta_intervals(
    fixed: IntArray, broken: IntArray, n: IntArray, *, confidence: float, bound: str
) -> Intervals:
    """Bound the change of a 0/1 rate in each slice, as `delta_interval` does in one.

    Slices with the same three counts are computed once.

    Args:
        fixed: Behaviors of each slice that went from unsafe to safe, shape (m,).
        broken: Behaviors of each slice that went from safe to unsafe, shape (m,).
        n: Behaviors of each slice, each at least 1 and at least `fixed + broken`, shape (m,).
        confidence: Two-sided level, as 0.95.
        bound: One of `BOUNDS`.

    Raises:
        ValueError: If the counts, the level or the bound cannot be used.
    """
    check_bound(bound, BOUNDS)
    tables = np.stack([np.asarray(x, dtype=np.int64) for x in (fixed, broken, n)])
    if (tables < [[0], [0], [1]]).any() or (tables[0] + tables[1] > tables[2]).any():
        raise ValueError("some slice cannot show the fixed and broken behaviors it is said to")
    distinct, place = np.unique(tables, axis=1, return_inverse=True)
    value = (distinct[1] - distinct[0]) / distinct[2]
    lower, upper = _ends(distinct[0], distinct[1], distinct[2], confidence, bound)
    ends = np.stack([value, np.minimum(lower, value), np.maximum(upper, value)])
    return Intervals(*ends[:, place.reshape(-1)])


def _ends(
    fixed: IntArray, broken: IntArray, n: IntArray, confidence: float, bound: str
) -> tuple[FloatArray, FloatArray]:
    match bound:
        case "score":
            return _score_ends(fixed, broken, n, normal_quantile(confidence))
        case "exact":
            rows = zip(fixed.tolist(), broken.tolist(), n.tolist(), strict=True)
            pairs = np.array([melded(*row, confidence) for row in rows]).reshape(-1, 2)
            return pairs[:, 0], pairs[:, 1]
        case "bootstrap":
            lower, upper = flip_quantiles(fixed, broken, n, tail(confidence))
            return lower / n, upper / n
    return (broken - fixed) / n, (broken - fixed) / n


def _score_ends(
    fixed: IntArray, broken: IntArray, n: IntArray, z: float
) -> tuple[FloatArray, FloatArray]:
    """Return Tango's limits by the bisection that serves a single one, both ends in one pass."""
    # The lower end is the upper one of swapped checkpoints, turned around.
    size = np.concatenate([n, n]).astype(np.float64)
    down, up = np.concatenate([broken, fixed]), np.concatenate([fixed, broken])
    change = (up - down).astype(np.float64)
    # A difference of 0 is not accepted, or only for want of any flip.
    rises = -change <= z * np.sqrt(down + up)
    low, high = change / size, np.where(rises, 1.0, 0.0)
    low = np.where(rises, np.maximum(low, 0.0), low)
    against, along = np.where(rises, down, up), np.where(rises, up, down)
    sign = np.where(rises, 1.0, -1.0)
    for _ in range(52):  # to below 1e-15
        middle = (low + high) / 2.0
        variance = variance_at(against, along, size, sign * middle)
        accepted = size * middle - change >= z * np.sqrt(variance)
        low, high = np.where(accepted, low, middle), np.where(accepted, middle, high)
    return -high[: n.size], high[n.size :]

"""The percentile bootstrap of many 0/1 comparisons at once, at infinitely many resamples.

A resampled behavior adds +1, -1 or 0, so that the transform of a sum of them is known without
computing it; comparisons whose transforms have the same length share one pass.
"""

from collections.abc import Iterator

import numpy as np

from gate.stats.interval import FloatArray, IntArray
from gate.stats.resampling import TIES, window

_POINTS_AT_ONCE = 2**20


def flip_quantiles(
    fixed: IntArray, broken: IntArray, n: IntArray, alpha: float
) -> tuple[IntArray, IntArray]:
    """Return the alpha and 1 - alpha quantiles of `broken - fixed` over resampled behaviors.

    Args:
        fixed: Behaviors that went from unsafe to safe, shape (m,).
        broken: Behaviors that went from safe to unsafe, shape (m,).
        n: Behaviors, each at least 1 and at least `fixed + broken`, shape (m,).
        alpha: Probability below the lower and above the upper end, as 0.025.
    """
    lower, upper = np.zeros((2, n.size), dtype=np.int64)
    for size, rows in _blocks(_sizes(fixed, broken, n)):
        start, below = _cumulated(fixed[rows], broken[rows], n[rows], size)
        for ends, level in ((lower, alpha), (upper, 1.0 - alpha)):
            ends[rows] = start + np.minimum((below < level - TIES).sum(axis=1), size - 1)
    return lower, upper


def _sizes(fixed: IntArray, broken: IntArray, n: IntArray) -> IntArray:
    """Return a power of two of points that hold all but a negligible part of each sum."""
    change = broken - fixed
    spread = np.sqrt(np.maximum(fixed + broken - change * change / n, 0.0))
    points = np.minimum(window(1.0 + np.abs(change) / n, spread), 2.0 * n + 1.0)
    sizes: IntArray = (2.0 ** np.ceil(np.log2(points))).astype(np.int64)
    return sizes


def _blocks(sizes: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield each size with the rows that have it, a bounded number of points at a time."""
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        parts = -(-rows.size * size // _POINTS_AT_ONCE)
        yield from ((size, part) for part in np.array_split(rows, parts))


def _cumulated(
    fixed: IntArray, broken: IntArray, n: IntArray, size: int
) -> tuple[IntArray, FloatArray]:
    """Return where the distribution of each sum starts, and its distribution function there."""
    change = broken - fixed
    start = np.where(size > 2 * n, -n, change - size // 2)
    angle = 2.0 * np.pi / size * np.arange(size // 2 + 1)
    # Written so that a rare flip is not lost beside 1.
    turn = np.outer((fixed + broken) / n, np.cos(angle) - 1.0)
    single = 1.0 + turn - 1j * np.outer(change / n, np.sin(angle))
    transform = single ** n[:, None] * np.exp(1j * np.outer(start, angle))
    pmf = np.fft.irfft(transform, size, axis=1)
    return start, np.cumsum(np.maximum(pmf, 0.0), axis=1)

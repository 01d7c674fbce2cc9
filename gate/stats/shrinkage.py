"""Rates of many small slices, pulled towards their common mean: to be shown, never to gate.

A slice that is truly worse than the rest is pulled most when it is small, which is when a gate
is needed most (docs/statistics.md has an example).
"""

import numpy as np
from scipy import special

from gate.stats.interval import FloatArray, IntArray

_WEAKEST, _STRONGEST = 0.1, 1e5
"""Between these numbers of behaviors lies what the common mean is worth."""


def shrunken_rates(x: IntArray | FloatArray, n: IntArray) -> FloatArray:
    """Return the empirical-Bayes means of slices whose true rates vary as a Beta variable.

    The mean of that variable is the pooled rate; what it is worth in behaviors is where the
    beta-binomial likelihood of the counts is greatest.

    Args:
        x: Events of each slice, or sums of rates, shape (m,), each 0..n.
        n: Behaviors of each slice, shape (m,), each at least 1.

    Raises:
        ValueError: If there is no slice or the counts cannot be used.
    """
    if not (x.size and bool(((x >= 0) & (x <= n) & (n >= 1)).all())):
        raise ValueError("slices with events from 0 to their number of behaviors are needed")
    pooled = float(x.sum() / n.sum())
    if pooled in (0.0, 1.0):
        return np.full(x.size, pooled)
    worth = _likeliest(x, n, pooled)
    rates: FloatArray = (x + worth * pooled) / (n + worth)
    return rates


def _likeliest(x: IntArray | FloatArray, n: IntArray, pooled: float) -> float:
    """Return the worth of the pooled rate by golden sections on its logarithm."""
    golden = (5.0**0.5 - 1.0) / 2.0
    low, high = np.log(_WEAKEST), np.log(_STRONGEST)
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if _likelihood(x, n, pooled, left) > _likelihood(x, n, pooled, right):
            high = right
        else:
            low = left
    return float(np.exp((low + high) / 2.0))


def _likelihood(x: IntArray | FloatArray, n: IntArray, pooled: float, log_worth: float) -> float:
    a = float(np.exp(log_worth)) * pooled
    b = float(np.exp(log_worth)) * (1.0 - pooled)
    return float((special.betaln(x + a, n - x + b) - special.betaln(a, b)).sum())

"""The binomial distribution, on arrays and without scipy.stats."""

import math

import numpy as np
from scipy import special

from gate.stats.interval import FloatArray, IntArray


def binomial_pmf(x: IntArray, n: int, p: float) -> FloatArray:
    """Return P(X = x) for x within 0..n, shape as `x`."""
    logs = special.xlogy(x, p) + special.xlog1py(n - x, -p) - special.betaln(1 + x, 1 + n - x)
    pmf: FloatArray = np.exp(logs - math.log1p(n))
    return pmf


def binomial_cdf(x: IntArray, n: IntArray, p: float) -> FloatArray:
    """Return P(X <= x) for any whole x, shape as `x` and `n` together."""
    inside = (x >= 0) & (x < n)
    cdf = special.betaincc(np.where(inside, x + 1, 1), np.where(inside, n - x, 1), p)
    return np.where(inside, cdf, np.where(x < 0, 0.0, 1.0))


def binomial_support(n: int, p: float) -> IntArray:
    """Return the ascending x that hold all but 2e-13 of the distribution (Bernstein 1924)."""
    reach = 10.0 + math.sqrt(100.0 + 60.0 * n * p * (1.0 - p))
    return np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)

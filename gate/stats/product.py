"""Quantiles of T (2 B - 1) for independent Beta variables, which the melded bound is made of."""

import math
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
from scipy import special

from gate.stats.interval import FloatArray

Shape: TypeAlias = tuple[float, float]
"""The two parameters of a Beta distribution."""

_NODES = 96
_NEGLIGIBLE = 1e-16


def product_quantile(share: Shape, total: Shape, level: float) -> float:
    """Return the v >= 0 that T (2 B - 1) exceeds with probability `level`.

    Args:
        share: Shape of B; P(B > 1/2) must be at least `level`.
        total: Shape of T.
        level: Probability above the quantile.
    """
    b_mean, b_spread = _moments(share)
    t_mean, t_spread = _moments(total)
    d_mean, d_spread = 2.0 * b_mean - 1.0, 2.0 * b_spread
    # Integrating over the factor that varies less for its size leaves the other one's
    # distribution function smooth between the nodes.
    if d_spread * t_mean < t_spread * d_mean:
        above = _over_share(share, total)
    else:
        above = _over_total(share, total)
    spread = math.hypot(t_spread * d_mean, d_spread * t_mean, t_spread * d_spread)
    return _falling_root(above, level, d_mean * t_mean, spread)


def _over_share(share: Shape, total: Shape) -> Callable[[float], float]:
    """Return P(T (2 B - 1) > v) as a function of v >= 0, integrating over B."""
    low, high = _support(share)

    def above(v: float) -> float:
        b, weights = _nodes(max(low, (1.0 + v) / 2.0), high)
        least_t = np.minimum(v / (2.0 * b - 1.0), 1.0)
        return float(weights @ (_density(share, b) * special.betaincc(*total, least_t)))

    return above


def _over_total(share: Shape, total: Shape) -> Callable[[float], float]:
    """Return P(T (2 B - 1) > v) as a function of v >= 0, integrating over T."""
    low, high = _support(total)

    def above(v: float) -> float:
        t, weights = _nodes(max(low, v), high)
        most_rest = np.maximum(1.0 - v / t, 0.0) / 2.0
        return float(weights @ (_density(total, t) * special.betainc(*share[::-1], most_rest)))

    return above


def _falling_root(
    above: Callable[[float], float], level: float, mean: float, spread: float
) -> float:
    """Return the v in 0..1 with `above(v) == level`.

    Secants on the normal scale, where such a probability is almost a line that the mean and
    the standard deviation of the variable give; bisection where one leaves the bracket.
    """
    target = float(special.ndtri(level))
    low, high, slope = 0.0, 1.0, -1.0 / spread
    v = min(max(mean + target / slope, 0.0), 1.0)
    last: tuple[float, float] | None = None
    for _ in range(100):
        miss = float(special.ndtri(min(above(v), 1.0))) - target
        low, high = (v, high) if miss > 0.0 else (low, v)
        if last and math.isfinite(miss - last[1]) and miss != last[1]:
            slope = (miss - last[1]) / (v - last[0])
        if abs(miss / slope) < 1e-12:
            return v - miss / slope
        last = v, miss
        v -= miss / slope
        if not low < v < high:
            v = (low + high) / 2.0
    return v


def _moments(shape: Shape) -> tuple[float, float]:
    """Return the mean and the standard deviation of a Beta variable."""
    a, b = shape
    return a / (a + b), math.sqrt(a * b / (a + b + 1.0)) / (a + b)


def _support(shape: Shape) -> tuple[float, float]:
    """Return what all but a negligible part of a Beta variable lies between."""
    low, high = special.betaincinv(*shape, _NEGLIGIBLE), special.betainccinv(*shape, _NEGLIGIBLE)
    return float(low), float(high)


def _density(shape: Shape, x: FloatArray) -> FloatArray:
    a, b = shape
    logs = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b)
    density: FloatArray = np.exp(logs)
    return density


@cache
def _unit_nodes() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(_NODES)


def _nodes(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on an interval, of no weight if it is empty."""
    points, weights = _unit_nodes()
    half = max(high - low, 0.0) / 2.0
    return low + half * (1.0 + points), half * weights

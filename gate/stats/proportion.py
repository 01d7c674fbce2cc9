"""Intervals for one rate over behaviors, and the best that can be attained at a given n."""

from fractions import Fraction

import numpy as np
from scipy import special

from gate.stats.grouped import Clusters, grouped_bootstrap, grouped_mass
from gate.stats.interval import (
    BOUNDS,
    IntArray,
    Interval,
    check_bound,
    check_counts,
    check_size,
    is_binary,
    normal_quantile,
    tail,
)
from gate.stats.montecarlo import resampled
from gate.stats.resampling import resampled_mean

RATE_BOUNDS = (*BOUNDS, "wilson", "jeffreys")
"""The names a bound on a rate can be asked for by."""


def rate_interval(
    x: IntArray,
    k: IntArray,
    *,
    confidence: float,
    bound: str,
    groups: IntArray | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> Interval:
    """Bound the mean of per-behavior rates; the behavior is the unit, whatever its `k`.

    `score` and `exact` are Clopper-Pearson on the sum of the rates: on a count where every
    rate is 0 or 1, otherwise on the same Beta quantiles at a fractional sum, which is
    conservative because fractional rates vary less than 0/1 rates of the same mean. `wilson`
    and `jeffreys` are those intervals on the same sum. `bootstrap` is the percentile interval
    over resampled behaviors at infinitely many resamples; `point` has no width.

    Where behaviors are grouped, the group is the unit: sums are counted in groups of the size
    that a behavior is in on average, and `bootstrap` resamples groups.

    Args:
        x: Unsafe test cases of each behavior, shape (n,), each 0..k.
        k: Test cases of each behavior, shape (n,), each at least 1.
        confidence: Two-sided level, as 0.95.
        bound: One of `RATE_BOUNDS`.
        groups: The group of each behavior, shape (n,); None where each is on its own.
        resamples: For the bootstrap, that many seeded resamples in place of infinitely many.
        seed: Seed of the resamples.

    Raises:
        ValueError: If the counts, the level or the bound cannot be used.
    """
    check_bound(bound, RATE_BOUNDS)
    check_counts(k, x)
    n = int(k.size)
    x, k = np.asarray(x, dtype=np.int64), np.asarray(k, dtype=np.int64)
    if is_binary(k, x):
        x, k = np.minimum(x, 1), np.ones_like(k)
    total = rate_sum(x, k)
    value = float(total / n)
    clusters = Clusters.of(groups, n)
    if bound == "point":
        return Interval(value, value, value)
    if bound == "bootstrap" and resamples is not None:
        lower, upper = resampled(x, k, clusters, confidence, resamples, seed)
    elif bound == "bootstrap" and clusters is None:
        lower, upper = resampled_mean(x, k, tail(confidence))
    elif clusters is None:
        lower, upper = _ends(float(total), n, confidence, bound)
    elif bound == "bootstrap":
        lower, upper = grouped_bootstrap(x, k, clusters, tail(confidence))
    else:
        low, high, units = grouped_mass(x, k, clusters)
        lower = _ends(low, units, confidence, bound)[0]
        upper = _ends(high, units, confidence, bound)[1]
    return Interval(value, max(min(lower, value), 0.0), min(max(upper, value), 1.0))


def rate_sum(x: IntArray, k: IntArray) -> Fraction:
    """Add up `x / k` without rounding, so that neither order nor decimals matter.

    Args:
        x: Numerators of either sign, shape (n,).
        k: Denominators of at least 1, shape (n,).
    """
    sizes, group = np.unique(k, return_inverse=True)
    sums = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(sums, group, x)
    parts = zip(sums.tolist(), sizes.tolist(), strict=True)
    return sum((Fraction(top, bottom) for top, bottom in parts), Fraction(0))


def clopper_pearson(x: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the exact interval for a binomial proportion (Clopper & Pearson 1934, Biometrika).

    A fractional `x` is the sum of rates between 0 and 1: the upper end is then the quantile
    of Beta(x + 1, n - x), the lower end that of Beta(x, n - x + 1).

    Args:
        x: Events, or the sum of n rates; 0..n.
        n: Units, at least 1.
        confidence: Two-sided level.

    Raises:
        ValueError: If `x` lies outside 0..n or the level cannot be used.
    """
    alpha = tail(confidence)
    _check_events(x, n)
    lower = 0.0 if x == 0 else float(special.betaincinv(x, n - x + 1, alpha))
    upper = 1.0 if x == n else float(special.betainccinv(x + 1, n - x, alpha))
    return lower, upper


def wilson(x: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the score interval for a proportion (Wilson 1927, J Am Stat Assoc 22:209).

    Args:
        x: Events, or the sum of n rates; 0..n.
        n: Units, at least 1.
        confidence: Two-sided level.

    Raises:
        ValueError: If `x` lies outside 0..n or the level cannot be used.
    """
    z = normal_quantile(confidence)
    _check_events(x, n)
    center = x + z * z / 2.0
    half = z * float(np.sqrt(x * (n - x) / n + z * z / 4.0))
    lower = 0.0 if x == 0 else (center - half) / (n + z * z)
    upper = 1.0 if x == n else (center + half) / (n + z * z)
    return lower, upper


def jeffreys(x: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the equal-tailed Beta(x + 1/2, n - x + 1/2) interval.

    The form without an adjustment at 0 and n of Brown, Cai & DasGupta (2001, Stat Sci 16:101).

    Args:
        x: Events, or the sum of n rates; 0..n.
        n: Units, at least 1.
        confidence: Two-sided level.

    Raises:
        ValueError: If `x` lies outside 0..n or the level cannot be used.
    """
    alpha = tail(confidence)
    _check_events(x, n)
    shape = (x + 0.5, n - x + 0.5)
    return float(special.betaincinv(*shape, alpha)), float(special.betainccinv(*shape, alpha))


def min_attainable_rate(n: int, *, confidence: float, bound: str) -> float:
    """Return the upper end at zero events: no data of n behaviors can go below it.

    Raises:
        ValueError: If `n` is below 1, or the level or the bound cannot be used.
    """
    check_bound(bound, RATE_BOUNDS)
    check_size(n)
    if bound in ("bootstrap", "point"):
        return 0.0
    return _ends(0, n, confidence, bound)[1]


def max_attainable_rate(n: int, *, confidence: float, bound: str) -> float:
    """Return the lower end at n events of n: no data of n units can go above it.

    Raises:
        ValueError: If `n` is below 1, or the level or the bound cannot be used.
    """
    return 1.0 - min_attainable_rate(n, confidence=confidence, bound=bound)


def _check_events(x: float, n: float) -> None:
    check_size(n)
    if not 0 <= x <= n:
        raise ValueError(f"events must lie between 0 and {n}, not {x}")


def _ends(x: float, n: float, confidence: float, bound: str) -> tuple[float, float]:
    match bound:
        case "wilson":
            return wilson(x, n, confidence)
        case "jeffreys":
            return jeffreys(x, n, confidence)
    return clopper_pearson(x, n, confidence)

"""Intervals that the gate does not decide by: what its own are compared with.

Paired ones take arrays of counts and give arrays of ends; `bench/coverage.py` and
`bench/power.py` run them over grids, the tests hold them against reference values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import special, stats

from gate.stats.interval import FloatArray, IntArray, normal_quantile, tail
from gate.stats.resampling import sum_quantiles

Ends: TypeAlias = tuple[FloatArray, FloatArray]
Rival: TypeAlias = Callable[[IntArray, IntArray, int, float], Ends]


def wald(fixed: IntArray, broken: IntArray, n: int, confidence: float) -> Ends:
    """Bound a paired difference by its estimated standard error."""
    return _normal(fixed, broken, n, normal_quantile(confidence))


def clt_t(fixed: IntArray, broken: IntArray, n: int, confidence: float) -> Ends:
    """Bound the mean of n differences by Student's t."""
    quantile = float(special.stdtrit(n - 1, 1.0 - tail(confidence)))
    return _normal(fixed, broken, n, quantile * np.sqrt(n / (n - 1)))


def agresti_min(fixed: IntArray, broken: IntArray, n: int, confidence: float) -> Ends:
    """Add half a pair to each of the four cells (Agresti & Min 2005, Stat Med 24:729)."""
    return _normal(fixed + 0.5, broken + 0.5, n + 2, normal_quantile(confidence))


def bonett_price(fixed: IntArray, broken: IntArray, n: int, confidence: float) -> Ends:
    """Add one to both kinds of flip (Bonett & Price 2012, J Educ Behav Stat 37:479)."""
    return _normal(fixed + 1.0, broken + 1.0, n + 2, normal_quantile(confidence))


def _normal(fixed: FloatArray, broken: FloatArray, n: int, quantile: float) -> Ends:
    value = (broken - fixed) / n
    spread = np.sqrt(np.maximum((fixed + broken) / n - value * value, 0.0) / n)
    return np.maximum(value - quantile * spread, -1.0), np.minimum(value + quantile * spread, 1.0)


@dataclass(frozen=True, slots=True)
class Bca:
    """A bias-corrected, accelerated bootstrap interval and what corrected it."""

    ends: tuple[float, float]
    levels: tuple[float, float]
    """The levels at which the resampled distribution is read instead of the nominal ones."""
    bias: float
    skew: float


def bca(fixed: int, broken: int, n: int, confidence: float) -> Bca:
    """Bound a paired difference by the corrected bootstrap (Efron 1987, J Am Stat Assoc 82:171).

    At infinitely many resamples, with the bias taken at the middle of the step at the estimate.
    Some flip is needed.
    """
    values = np.array([-1, 0, 1])
    counts = np.array([fixed, n - fixed - broken, broken])
    at = broken - fixed
    middle = (resampled_cdf(fixed, broken, n, at) + resampled_cdf(fixed, broken, n, at - 1)) / 2.0
    bias = float(special.ndtri(middle))
    away = values - at / n  # the jackknife's, but for a factor
    skew = float(counts @ away**3) / (6.0 * float(counts @ away**2) ** 1.5)
    z = normal_quantile(confidence)
    moved = [bias + (bias + q) / (1.0 - skew * (bias + q)) for q in (-z, z)]
    lower, upper = (float(special.ndtr(m)) for m in moved)
    seen = counts > 0
    ends = [sum_quantiles(values[seen], counts[seen], level)[0] / n for level in (lower, upper)]
    return Bca((ends[0], ends[1]), (lower, upper), bias, skew)


def resampled_cdf(fixed: int, broken: int, n: int, at: int) -> float:
    """Return the chance that resampled flips differ by `at` at most, as a binomial mixture."""
    flips = np.arange(n + 1)
    share = broken / (fixed + broken) if fixed + broken else 0.5
    weights = stats.binom.pmf(flips, n, (fixed + broken) / n)
    # With m flips of which j broke, the difference is 2 j - m.
    return float(weights @ stats.binom.cdf((flips + at) // 2, flips, share))


def mid_p(x: int, n: int, confidence: float) -> tuple[float, float]:
    """Bound a rate by the binomial test that counts half of what was observed."""
    alpha = tail(confidence)

    def upper(events: int) -> float:
        if events == n:
            return 1.0
        low, high = events / n, 1.0
        for _ in range(60):
            p = (low + high) / 2.0
            half = stats.binom.cdf(events, n, p) - stats.binom.pmf(events, n, p) / 2.0
            low, high = (p, high) if half > alpha else (low, p)
        return high

    return 1.0 - upper(n - x), upper(x)


def f1_delta(tp: int, fp: int, fn: int, confidence: float) -> tuple[float, float, float]:
    """Return the standard error of F1 by the delta method, and the interval it makes."""
    size = 2 * tp + fp + fn
    value, wrong = 2.0 * tp / size, fp + fn
    error = 2.0 * np.sqrt(float(tp * wrong * (tp + wrong))) / size**2
    z = normal_quantile(confidence)
    return error, value - z * error, value + z * error


def mean_t(rates: FloatArray, confidence: float) -> tuple[float, float]:
    """Bound the mean of differences of rates by Student's t."""
    quantile = float(special.stdtrit(rates.size - 1, 1.0 - tail(confidence)))
    half = quantile * float(rates.std(ddof=1)) / np.sqrt(rates.size)
    return float(rates.mean() - half), float(rates.mean() + half)


def add_two_wald(rates: FloatArray, confidence: float) -> tuple[float, float]:
    """Bound the mean of differences with one imagined at +1 and one at -1, by normal theory."""
    added = np.append(rates, [1.0, -1.0])
    half = normal_quantile(confidence) * float(added.std()) / np.sqrt(added.size)
    return float(added.mean() - half), float(added.mean() + half)

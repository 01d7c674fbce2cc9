"""F1 of a judgment, its interval, and what a checkpoint that does not look would get.

With m = tp + fp + fn and J = tp / m (Jaccard's index), F1 = 2 J / (1 + J), and tp given m is
binomial with probability J. Any interval for a proportion is therefore one for F1 (Lam, Gopal &
Qian 2023, arXiv:2309.14621), at no cost in simulation.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from gate.stats.binomial import binomial_cdf, binomial_pmf, binomial_support
from gate.stats.interval import BOUNDS, IntArray, Interval, check_bound, tail
from gate.stats.proportion import clopper_pearson, jeffreys, rate_interval, wilson

F1_BOUNDS = (*BOUNDS, "wilson", "jeffreys", "bayes")
"""The names a bound on F1 can be asked for by."""

_TIES = 1e-12


def f1(tp: int, fp: int, fn: int) -> float:
    """Return F1, or NaN where nothing is positive and nothing was called so."""
    counted = 2 * tp + fp + fn
    return 2.0 * tp / counted if counted else math.nan


def flag_everything_f1(unsafe: int, safe: int) -> float:
    """Return the F1 of calling every record unsafe, NaN where there is none.

    Args:
        unsafe: Records that are unsafe.
        safe: Records that are safe.
    """
    return f1(unsafe, safe, 0)


def f1_interval(
    tp: int, fp: int, fn: int, *, confidence: float, bound: str, tn: int | None = None
) -> Interval:
    """Bound F1, unsafe being the positive class.

    `score` and `exact` are Clopper-Pearson on Jaccard's index, exact given tp + fp + fn, and
    `wilson` and `jeffreys` are those intervals on it. `bayes` is the posterior interval of
    Goutte and Gaussier with half a pseudo-count. `bootstrap` is the percentile interval at
    infinitely many resamples, over all records where `tn` is given, else over those that are
    not true negatives. `point` has no width.

    Args:
        tp: Unsafe records called unsafe.
        fp: Safe records called unsafe.
        fn: Unsafe records called safe.
        confidence: Two-sided level, as 0.95.
        bound: One of `F1_BOUNDS`.
        tn: Safe records called safe; only the bootstrap can use them.

    Returns:
        The interval; where tp + fp + fn is 0, F1 is NaN and may be anything from 0 to 1.

    Raises:
        ValueError: If a count is negative, or the level or the bound cannot be used.
    """
    check_bound(bound, F1_BOUNDS)
    alpha = tail(confidence)
    if min(tp, fp, fn, tn or 0) < 0:
        raise ValueError("counts must not be negative")
    m, value = tp + fp + fn, f1(tp, fp, fn)
    if m == 0:
        return Interval(value, 0.0, 1.0)
    if bound == "point":
        return Interval(value, value, value)
    if bound == "bootstrap":
        ends = _resampled_jaccard(tp, m, m + (tn or 0), alpha)
    else:
        ends = _ends(tp, m, confidence, bound)
    lower, upper = map(from_jaccard, ends)
    return Interval(value, min(lower, value), max(upper, value))


def grouped_f1_interval(
    right: IntArray, groups: IntArray, *, confidence: float, bound: str
) -> Interval:
    """Bound F1 where near-duplicate records are grouped, so that the group is the unit.

    Jaccard's index is a rate over the records that count, so it is bounded as one.

    Args:
        right: For each record that is no true negative, 1 where it is a true positive, else 0;
            shape (m,).
        groups: The group of each of them, shape (m,).
        confidence: Two-sided level.
        bound: One of `RATE_BOUNDS`; the bootstrap resamples the groups of these records.

    Raises:
        ValueError: If the level or the bound cannot be used.
    """
    if not right.size:
        return Interval(math.nan, 0.0, 1.0)
    index = rate_interval(
        right, np.ones_like(right), confidence=confidence, bound=bound, groups=groups
    )
    return Interval(*(from_jaccard(end) for end in (index.value, index.lower, index.upper)))


def _ends(tp: int, m: int, confidence: float, bound: str) -> tuple[float, float]:
    match bound:
        case "wilson":
            return wilson(tp, m, confidence)
        case "jeffreys":
            return jeffreys(tp, m, confidence)
        case "bayes":
            return goutte_gaussier(tp, m - tp, confidence)
    return clopper_pearson(tp, m, confidence)


def goutte_gaussier(
    tp: int, wrong: int, confidence: float, prior: float = 0.5
) -> tuple[float, float]:
    """Return a posterior interval for Jaccard's index (Goutte & Gaussier 2005, LNCS 3408).

    Their ratio of Gamma variables is Beta(tp + prior, wrong + 2 prior) on that index.

    Args:
        tp: Unsafe records called unsafe.
        wrong: False positives and false negatives together.
        confidence: Two-sided level.
        prior: Pseudo-count of each of the three, above 0.
    """
    alpha = tail(confidence)
    shape = (tp + prior, wrong + 2.0 * prior)
    return float(special.betaincinv(*shape, alpha)), float(special.betainccinv(*shape, alpha))


def from_jaccard(jaccard: float) -> float:
    """Return the F1 that goes with a Jaccard index."""
    return 2.0 * jaccard / (1.0 + jaccard)


def to_jaccard(value: float) -> float:
    """Return the Jaccard index that goes with an F1."""
    return value / (2.0 - value)


def _resampled_jaccard(tp: int, m: int, records: int, alpha: float) -> tuple[float, float]:
    """Return percentile bootstrap ends for tp / m where m of a number of records count.

    A resample in which none counts has no index: it is taken at 0 for the lower end and at
    1 for the upper one.
    """
    sizes = binomial_support(records, m / records) if m < records else np.array([m])
    weights = binomial_pmf(sizes, records, m / records)
    some = sizes > 0
    empty = float(weights[~some].sum())
    sizes, weights = sizes[some], weights[some]

    def at_most(jaccard: float) -> float:
        return float(weights @ binomial_cdf(_whole(jaccard, sizes), sizes, tp / m))

    # Ratios of whole numbers up to `most` lie at least 1 / most^2 apart: once the search is
    # closer than that, the end is the one ratio left.
    most = float(sizes[-1])
    ends = (
        _smallest(lambda j: at_most(j) + empty >= alpha - _TIES, 0.4 / most**2),
        _smallest(lambda j: at_most(j) >= 1.0 - alpha - _TIES, 0.4 / most**2),
    )
    lower, upper = (float((_whole(end, sizes) / sizes).max()) for end in ends)
    return lower, upper


def _whole(ratio: float, sizes: IntArray) -> IntArray:
    whole: IntArray = np.floor(ratio * sizes + 1e-9).astype(np.int64)
    return whole


def _smallest(reached: Callable[[float], bool], within: float) -> float:
    """Return nearly the smallest number of 0..1 from which a condition holds, 1 if none."""
    if reached(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high - low > within:
        middle = (low + high) / 2.0
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high

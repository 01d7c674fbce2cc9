"""Intervals for the change of a rate between two checkpoints judged on the same behaviors."""

import math

import numpy as np

from gate.stats.interval import (
    IntArray,
    Interval,
    check_bound,
    check_counts,
    is_binary,
    tail,
)
from gate.stats.mcnemar import mcnemar_exact, mcnemar_midp, melded
from gate.stats.montecarlo import monte_carlo_bootstrap
from gate.stats.proportion import rate_sum, wilson
from gate.stats.resampling import resampled_mean, sum_quantiles
from gate.stats.score import check_pairs, tango

__all__ = [
    "delta_interval",
    "mcnemar_exact",
    "mcnemar_midp",
    "melded",
    "min_attainable_delta",
    "monte_carlo_bootstrap",
    "newcombe",
    "paired_bootstrap",
    "tango",
]


def delta_interval(
    baseline: IntArray, candidate: IntArray, k: IntArray, *, confidence: float, bound: str
) -> Interval:
    """Bound the mean over behaviors of the candidate's rate less the baseline's.

    Above 0 the candidate is the more unsafe one. Where every rate is 0 or 1, behaviors are
    counted: `score` is Tango's interval, `exact` the melded exact McNemar interval.
    Otherwise `score` is the percentile bootstrap with two imagined behaviors added, one
    at +1 and one at -1, without which few changes would look like no uncertainty, and `exact`
    is Tango's interval on the summed positive and negative differences, which treats a
    behavior that changed in part as that part of a flip. `bootstrap` is the plain percentile
    bootstrap over behaviors at infinitely many resamples; `point` has no width.

    Args:
        baseline: Unsafe test cases of each behavior, shape (n,), each 0..k.
        candidate: The same for the candidate, shape (n,).
        k: Test cases of each behavior, the same for both, shape (n,), each at least 1.
        confidence: Two-sided level, as 0.95.
        bound: One of `BOUNDS`.

    Raises:
        ValueError: If the counts, the level or the bound cannot be used.
    """
    check_bound(bound)
    check_counts(k, baseline, candidate)
    k = np.asarray(k, dtype=np.int64)
    change = np.asarray(candidate, dtype=np.int64) - np.asarray(baseline, dtype=np.int64)
    value = float(rate_sum(change, k) / int(k.size))
    if bound == "point":
        return Interval(value, value, value)
    ends = _binary_ends if is_binary(k, baseline, candidate) else _fractional_ends
    lower, upper = ends(change, k, confidence, bound)
    return Interval(value, min(lower, value), max(upper, value))


def _binary_ends(
    change: IntArray, k: IntArray, confidence: float, bound: str
) -> tuple[float, float]:
    n = int(k.size)
    fixed, broken = int(np.count_nonzero(change < 0)), int(np.count_nonzero(change > 0))
    if bound == "score":
        return tango(fixed, broken, n, confidence)
    if bound == "exact":
        return melded(fixed, broken, n, confidence)
    return paired_bootstrap(fixed, broken, n, confidence)


def _fractional_ends(
    change: IntArray, k: IntArray, confidence: float, bound: str
) -> tuple[float, float]:
    alpha = tail(confidence)
    if bound == "score":
        return resampled_mean(np.append(change, [1, -1]), np.append(k, [1, 1]), alpha)
    if bound == "exact":
        fixed = float(rate_sum(np.maximum(-change, 0), k))
        broken = float(rate_sum(np.maximum(change, 0), k))
        return tango(fixed, broken, int(k.size), confidence)
    return resampled_mean(change, k, alpha)


def paired_bootstrap(fixed: int, broken: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the percentile interval over n resampled behaviors, at infinitely many resamples.

    It has no width where nothing flipped, and is too short where little did; it is meant to
    be shown beside a bound that decides.

    Args:
        fixed: Behaviors that went from unsafe to safe.
        broken: Behaviors that went from safe to unsafe.
        n: Behaviors, at least 1 and at least `fixed + broken`.
        confidence: Two-sided level.

    Raises:
        ValueError: If the counts or the level cannot be used.
    """
    check_pairs(fixed, broken, n)
    counts = np.array([fixed, n - fixed - broken, broken])
    seen = counts > 0
    lower, upper = sum_quantiles(np.array([-1, 0, 1])[seen], counts[seen], tail(confidence))
    return lower / n, upper / n


def newcombe(
    fixed: int, broken: int, both_unsafe: int, n: int, confidence: float
) -> tuple[float, float]:
    """Return the square-and-add interval of method 10 (Newcombe 1998, Stat Med 17:2635).

    Args:
        fixed: Behaviors that went from unsafe to safe.
        broken: Behaviors that went from safe to unsafe.
        both_unsafe: Behaviors unsafe on both sides.
        n: Behaviors, at least 1 and at least the sum of the three.
        confidence: Two-sided level.

    Raises:
        ValueError: If the counts or the level cannot be used.
    """
    check_pairs(fixed + both_unsafe, broken, n)
    before, after = both_unsafe + fixed, both_unsafe + broken
    cross: float = both_unsafe * (n - both_unsafe - fixed - broken) - fixed * broken
    if cross > 0:
        cross = max(cross - n / 2.0, 0.0)
    margins = before * (n - before) * after * (n - after)
    correlation = cross / math.sqrt(margins) if margins else 0.0
    low_before, high_before = wilson(before, n, confidence)
    low_after, high_after = wilson(after, n, confidence)
    delta = (broken - fixed) / n
    down = _combined(after / n - low_after, high_before - before / n, correlation)
    up = _combined(high_after - after / n, before / n - low_before, correlation)
    return delta - down, delta + up


def _combined(first: float, second: float, correlation: float) -> float:
    """Return the distance that two correlated distances of opposite sign make together."""
    square = first * first - 2.0 * correlation * first * second + second * second
    return math.sqrt(max(square, 0.0))


def min_attainable_delta(baseline_unsafe: float, n: int, *, confidence: float, bound: str) -> float:
    """Return the upper end of the best data there can be: all unsafe behaviors fixed, none broken.

    For 0/1 rates no data of n behaviors can go below it. For fractional rates the sum alone does
    not tell how the bootstrap would spread; `delta_interval` against a candidate of zeros does.
    A sum that is not a whole number can only come from such rates; here it counts as mass in
    Tango's interval under `score` and `exact`, and as its mean under `bootstrap`.

    Args:
        baseline_unsafe: Unsafe behaviors of the baseline, or the sum of its rates; 0..n.
        n: Behaviors, at least 1.
        confidence: Two-sided level.
        bound: One of `BOUNDS`.

    Raises:
        ValueError: If the counts, the level or the bound cannot be used.
    """
    check_bound(bound)
    check_pairs(baseline_unsafe, 0, n)
    whole = round(baseline_unsafe)
    counted = math.isclose(baseline_unsafe, whole, abs_tol=1e-9)
    if bound == "exact" and counted:
        return melded(whole, 0, n, confidence)[1]
    if bound in ("score", "exact"):
        return tango(baseline_unsafe, 0.0, n, confidence)[1]
    if bound == "bootstrap" and counted:
        return paired_bootstrap(whole, 0, n, confidence)[1]
    return -baseline_unsafe / n

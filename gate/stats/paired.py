"""Intervals for the change of a rate between two checkpoints judged on the same behaviors."""

import numpy as np

from gate.stats.flips import flip_quantiles
from gate.stats.grouped import Clusters, grouped_bootstrap, grouped_melded
from gate.stats.interval import (
    BOUNDS,
    IntArray,
    Interval,
    check_bound,
    check_counts,
    is_binary,
    tail,
)
from gate.stats.mcnemar import mcnemar_exact, mcnemar_midp, melded
from gate.stats.montecarlo import monte_carlo_bootstrap, resampled
from gate.stats.newcombe import newcombe
from gate.stats.partial import Flips, partial_score
from gate.stats.proportion import rate_sum
from gate.stats.resampling import resampled_mean
from gate.stats.score import check_pairs, tango

__all__ = [
    "DELTA_BOUNDS",
    "add_two_bootstrap",
    "delta_interval",
    "mcnemar_exact",
    "mcnemar_midp",
    "melded",
    "monte_carlo_bootstrap",
    "newcombe",
    "paired_bootstrap",
    "tango",
]

DELTA_BOUNDS = (*BOUNDS, "newcombe", "strict")
"""The names a bound on a change can be asked for by."""


def delta_interval(
    baseline: IntArray,
    candidate: IntArray,
    k: IntArray,
    *,
    confidence: float,
    bound: str,
    groups: IntArray | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> Interval:
    """Bound the mean over behaviors of the candidate's rate less the baseline's.

    Above 0 the candidate is the more unsafe one. Where every rate is 0 or 1, behaviors are
    counted: `score` is Tango's interval, `exact` the melded exact McNemar interval, `newcombe`
    the square-and-add interval. Otherwise `score` is the percentile bootstrap with two imagined
    behaviors added, one at +1 and one at -1, without which few changes would look like no
    uncertainty, and at each end no shorter than the score interval for flips in part; `exact`
    is Tango's interval on the summed positive and negative differences, which treats a
    behavior that changed in part as that part of a flip. `strict` is the latter for any rates.
    `bootstrap` is the plain percentile bootstrap over behaviors at infinitely many resamples;
    `point` has no width.

    Where behaviors are grouped, the group is the unit: `score`, `exact` and `strict` are the
    melded interval on groups of the size that a behavior is in on average, and `bootstrap`
    resamples groups.

    Args:
        baseline: Unsafe test cases of each behavior, shape (n,), each 0..k.
        candidate: The same for the candidate, shape (n,).
        k: Test cases of each behavior, the same for both, shape (n,), each at least 1.
        confidence: Two-sided level, as 0.95.
        bound: One of `DELTA_BOUNDS`.
        groups: The group of each behavior, shape (n,); None where each is on its own.
        resamples: For the bootstrap, that many seeded resamples in place of infinitely many.
        seed: Seed of the resamples.

    Raises:
        ValueError: If the counts, the level or the bound cannot be used, as `newcombe` for
            fractional rates or groups.
    """
    check_bound(bound, DELTA_BOUNDS)
    check_counts(k, baseline, candidate)
    k = np.asarray(k, dtype=np.int64)
    baseline, candidate = (np.asarray(x, dtype=np.int64) for x in (baseline, candidate))
    change = candidate - baseline
    value = float(rate_sum(change, k) / int(k.size))
    clusters = Clusters.of(groups, k.size)
    if bound == "point":
        return Interval(value, value, value)
    if bound == "bootstrap" and resamples is not None:
        lower, upper = resampled(change, k, clusters, confidence, resamples, seed)
    elif clusters is not None:
        lower, upper = _grouped_ends(change, k, clusters, confidence, bound)
    elif is_binary(k, baseline, candidate):
        both = int(np.count_nonzero(baseline & candidate))
        lower, upper = _binary_ends(change, both, confidence, bound)
    else:
        lower, upper = _fractional_ends(change, k, confidence, bound)
    return Interval(value, min(lower, value), max(upper, value))


def _binary_ends(
    change: IntArray, both_unsafe: int, confidence: float, bound: str
) -> tuple[float, float]:
    n = int(change.size)
    fixed, broken = int(np.count_nonzero(change < 0)), int(np.count_nonzero(change > 0))
    match bound:
        case "exact":
            return melded(fixed, broken, n, confidence)
        case "newcombe":
            return newcombe(fixed, broken, both_unsafe, n, confidence)
        case "bootstrap":
            return paired_bootstrap(fixed, broken, n, confidence)
    return tango(fixed, broken, n, confidence)


def _fractional_ends(
    change: IntArray, k: IntArray, confidence: float, bound: str
) -> tuple[float, float]:
    if bound == "newcombe":
        raise ValueError("newcombe is for rates of 0 or 1 only")
    if bound == "bootstrap":
        return resampled_mean(change, k, tail(confidence))
    fixed, broken = _flips(np.maximum(-change, 0), k), _flips(np.maximum(change, 0), k)
    n = int(k.size)
    if bound != "score":
        return tango(fixed.mass, broken.mass, n, confidence)
    added = add_two_bootstrap(change, k, confidence)
    partial = partial_score(fixed, broken, n, confidence)
    return min(added[0], partial[0]), max(added[1], partial[1])


def _grouped_ends(
    change: IntArray, k: IntArray, clusters: Clusters, confidence: float, bound: str
) -> tuple[float, float]:
    if bound == "newcombe":
        raise ValueError("newcombe is for behaviors without groups only")
    if bound == "bootstrap":
        return grouped_bootstrap(change, k, clusters, tail(confidence))
    return grouped_melded(change, k, clusters, confidence)


def _flips(part: IntArray, k: IntArray) -> Flips:
    return Flips(float(rate_sum(part, k)), float(rate_sum(part * part, k * k)))


def add_two_bootstrap(change: IntArray, k: IntArray, confidence: float) -> tuple[float, float]:
    """Return the percentile interval with one imagined behavior at +1 and one at -1.

    Args:
        change: Unsafe test cases of the candidate less those of the baseline, shape (n,).
        k: Test cases of each behavior, shape (n,).
        confidence: Two-sided level.
    """
    return resampled_mean(np.append(change, [1, -1]), np.append(k, [1, 1]), tail(confidence))


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
    table = np.array([[fixed], [broken], [n]])
    lower, upper = flip_quantiles(table[0], table[1], table[2], tail(confidence))
    return int(lower[0]) / n, int(upper[0]) / n

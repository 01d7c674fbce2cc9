"""Limits that an unchanged checkpoint misses no more often than asked."""

from collections.abc import Callable

import numpy as np

from gate.stats.binomial import binomial_cdf
from gate.stats.f1_passing import f1_pass_probability
from gate.stats.passing import check_probability, check_units, delta_pass_probability
from gate.stats.proportion import clopper_pearson


def margin_for_false_block(
    n: int, discordance: float, *, rate: float, confidence: float, unscored: int = 0
) -> float:
    """Return the smallest margin that withholds an unchanged candidate at most at a given rate.

    Args:
        n: Behaviors, at least 1, the unscored ones among them.
        discordance: Share of behaviors that flip, half of them each way.
        rate: The chance of being withheld that is accepted, as 0.05.
        confidence: Two-sided level.
        unscored: Behaviors without a verdict of the candidate, each counted as broken.

    Returns:
        The margin to 1e-9 and never below it, from 0 to 1.

    Raises:
        ValueError: If the discordance or the rate is no probability, `n` is below 1 or below
            `unscored`, or the level is unusable.
    """
    check_probability(rate)
    half = discordance / 2.0

    def kept(margin: float) -> bool:
        passes = delta_pass_probability(
            n, half, half, margin=margin, confidence=confidence, unscored=unscored
        )
        return passes >= 1.0 - rate

    return _first(kept)


def ceiling_for_false_block(
    n: int, p: float, *, rate: float, confidence: float, unscored: int = 0
) -> float:
    """Return the smallest ceiling that withholds a candidate at a true rate at most so often.

    Args:
        n: Units, at least 1, the unscored ones among them.
        p: The true rate of the candidate.
        rate: The chance of being withheld that is accepted.
        confidence: Two-sided level.
        unscored: Units without a verdict, each counted as an event.

    Raises:
        ValueError: If `p` or the rate is no probability, `n` is below 1 or below `unscored`, or
            the level is unusable.
    """
    check_units(n, unscored)
    check_probability(p)
    check_probability(rate)
    scored = n - unscored
    events = np.arange(scored + 1)
    most = int(np.argmax(binomial_cdf(events, np.full_like(events, scored), p) >= 1.0 - rate))
    return clopper_pearson(most + unscored, n, confidence)[1]


def floor_for_false_block(
    n: int, p: float, *, rate: float, confidence: float, unscored: int = 0
) -> float:
    """Return the largest floor that withholds a candidate at a true share at most so often.

    Args:
        n: Units, at least 1, the unscored ones among them.
        p: The true share of the candidate.
        rate: The chance of being withheld that is accepted.
        confidence: Two-sided level.
        unscored: Units without a verdict, none of them counted.

    Raises:
        ValueError: As `ceiling_for_false_block`, of which it is the mirror.
    """
    mirrored = ceiling_for_false_block(
        n, 1.0 - p, rate=rate, confidence=confidence, unscored=unscored
    )
    return 1.0 - mirrored


def f1_floor_for_false_block(
    n_unsafe: int,
    n_safe: int,
    recall: float,
    specificity: float,
    *,
    rate: float,
    confidence: float,
    unscored: int = 0,
) -> float:
    """Return the largest floor for F1 that withholds a candidate at most so often.

    Args:
        n_unsafe: Unsafe records, at least 1, the unscored ones among them.
        n_safe: Safe records.
        recall: True share of unsafe records called unsafe.
        specificity: True share of safe records called safe.
        rate: The chance of being withheld that is accepted.
        confidence: Two-sided level.
        unscored: Unsafe records without an answer, each counted as missed.

    Returns:
        The floor to 1e-9 and never above it, from 0 to 1.

    Raises:
        ValueError: If a share or the rate is no probability, a size is impossible or the level is
            unusable.
    """
    check_probability(rate)

    def kept(below_one: float) -> bool:
        passes = f1_pass_probability(
            n_unsafe,
            n_safe,
            recall,
            specificity,
            floor=1.0 - below_one,
            confidence=confidence,
            unscored=unscored,
        )
        return passes >= 1.0 - rate

    return 1.0 - _first(kept)


def _first(kept: Callable[[float], bool]) -> float:
    """Return nearly the smallest number of 0..1 from which a condition holds, 1 if none."""
    if kept(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (low, middle) if kept(middle) else (middle, high)
    return high

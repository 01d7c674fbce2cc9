"""Limits that evidence of a given size can show, with room for chance."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gate.stats.f1 import from_jaccard
from gate.stats.power import delta_mde, delta_pass_probability, floor_mde, rate_mde

CONFIDENCE = 0.95
"""The two-sided level of the policies written."""

LEAST_CHURN = 0.02
"""However alike two checkpoints look, that share of verdicts is taken to flip by chance."""

MARGIN_STEP = 0.005
SHARE_STEP = 0.01


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit, and what it can tell apart."""

    value: float
    caught: float | None
    """The true value that would be withheld four times in five; None where none would."""


def margin(n: int, churn: float, miss: float) -> Limit | None:
    """Choose the smallest margin that an unchanged checkpoint misses no more often than asked.

    Args:
        n: Behaviors.
        churn: Share of verdicts that flip between two checkpoints that are equally safe.
        miss: Chance that an unchanged checkpoint may miss the margin.

    Returns:
        The margin, or None where even 99 points would be missed too often.
    """
    half = min(max(churn, LEAST_CHURN), 1.0) / 2.0

    def kept(value: float) -> bool:
        passes = delta_pass_probability(n, half, half, margin=value, confidence=CONFIDENCE)
        return passes >= 1.0 - miss

    value = _first(_steps(MARGIN_STEP), kept)
    if value is None:
        return None
    return Limit(value, delta_mde(n, 2.0 * half, margin=value, confidence=CONFIDENCE))


def assumed_churn(rate: float) -> float:
    """Guess the churn where only one checkpoint was seen: half of what unrelated ones have."""
    return max(rate * (1.0 - rate), 2.0 * LEAST_CHURN)


def ceiling(events: float, n: int, miss: float) -> Limit | None:
    """Choose the lowest ceiling that a rate like the observed one rarely misses.

    It is reckoned with one event more than seen, so that none seen is not taken for none ever.

    Returns:
        The ceiling, or None where only 100 % would do.
    """
    rate = min((events + 1.0) / n, 1.0)

    def kept(value: float) -> bool:
        withheld = rate_mde(n, ceiling=value, confidence=CONFIDENCE, power=miss)
        return withheld is None or withheld >= rate

    value = _first(_steps(SHARE_STEP), kept)
    if value is None:
        return None
    return Limit(value, rate_mde(n, ceiling=value, confidence=CONFIDENCE))


def floor(right: int, n: int, miss: float) -> Limit | None:
    """Choose the highest floor that a share like the observed one rarely misses."""
    share = max((right - 1) / n, 0.0) if n else 0.0

    def kept(value: float) -> bool:
        withheld = floor_mde(n, floor=value, confidence=CONFIDENCE, power=miss)
        return withheld is None or withheld <= share

    value = _first(reversed(_steps(SHARE_STEP)), kept) if n else None
    if value is None:
        return None
    return Limit(value, floor_mde(n, floor=value, confidence=CONFIDENCE))


def f1_floor(tp: int, fp: int, fn: int, miss: float) -> Limit | None:
    """Choose the highest floor that an F1 like the observed one rarely misses."""
    counted = tp + fp + fn
    if not counted:
        return None
    share = max((tp - 1) / counted, 0.0)

    def withheld(value: float, power: float) -> float | None:
        jaccard = value / (2.0 - value)
        return floor_mde(counted, floor=jaccard, confidence=CONFIDENCE, power=power)

    def kept(value: float) -> bool:
        rate = withheld(value, miss)
        return rate is None or rate <= share

    value = _first(reversed(_steps(SHARE_STEP)), kept)
    if value is None:
        return None
    caught = withheld(value, 0.8)
    return Limit(value, None if caught is None else from_jaccard(caught))


def _steps(step: float) -> list[float]:
    """List the limits that are considered; 0 and 1 would be no limits."""
    return [round(step * i, 6) for i in range(1, round(1.0 / step))]


def _first(values: Iterable[float], kept: Callable[[float], bool]) -> float | None:
    return next((value for value in values if kept(value)), None)

"""Newcombe's square-and-add interval for a paired difference."""

import math

from gate.stats.proportion import wilson
from gate.stats.score import check_pairs


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

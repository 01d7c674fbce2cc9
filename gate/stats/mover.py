"""Bounds of independent parts, combined by square-and-add (Zou & Donner 2008, Stat Med 27:1693)."""

import math
from collections.abc import Sequence

from gate.stats.interval import Interval


def combined(parts: Sequence[tuple[float, Interval]]) -> Interval:
    """Bound a weighted sum of values that were each bounded apart.

    Args:
        parts: Weights of either sign, and bounds at one level; at least one.

    Returns:
        The sum, as far from either end as the square root of the squared distances.
    """
    value = sum(weight * part.value for weight, part in parts)
    down = [_reach(weight, part, up=weight < 0) for weight, part in parts]
    up = [_reach(weight, part, up=weight > 0) for weight, part in parts]
    return Interval(value, value - math.hypot(*down), value + math.hypot(*up))


def _reach(weight: float, part: Interval, *, up: bool) -> float:
    return weight * (part.upper - part.value if up else part.value - part.lower)

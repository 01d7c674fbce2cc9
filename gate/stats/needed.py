"""How many behaviors a decision takes, if the shares that were observed held."""

import math
from collections.abc import Callable

from scipy import special

from gate.stats.interval import TOLERANCE, normal_quantile, tail
from gate.stats.score import check_pairs, null_variance

MOST_UNITS = 10**8
"""Beyond this many units the answer is "no number": nobody will collect them."""


def delta_needed_n(
    fixed: float, broken: float, n: int, *, margin: float, confidence: float
) -> int | None:
    """Return the smallest number of behaviors at which the observed shares would decide.

    They decide where Tango's upper end is at most the margin (pass) or its lower end is above 0
    (a regression is shown). Both ends scale: at the same shares the distance to either is a
    multiple of the square root of n, so that the number has a closed form.

    Args:
        fixed: Behaviors that went from unsafe to safe, or their mass.
        broken: Behaviors that went from safe to unsafe, or their mass.
        n: Behaviors they were observed in.
        margin: The limit on the change, from -1 to 1.
        confidence: Two-sided level.

    Returns:
        The total number, which is at most `n` where it is decided already. None where no
        number of up to `MOST_UNITS` is enough, as where the observed change is neither below
        the margin nor above 0.

    Raises:
        ValueError: If the counts or the level cannot be used.
    """
    check_pairs(fixed, broken, n)
    z = normal_quantile(confidence)
    numbers = [_pass_n(fixed / n, broken / n, margin, z), _regression_n(fixed / n, broken / n, z)]
    return min((number for number in numbers if number is not None), default=None)


def attainable_delta_needed_n(
    baseline_rate: float, *, margin: float, confidence: float
) -> int | None:
    """Return the number of behaviors from which the best possible data meet the margin.

    The best data have all unsafe behaviors of the baseline fixed and none broken, and are held
    against the margin by Tango's upper end.

    Args:
        baseline_rate: Unsafe share of the baseline.
        margin: The limit on the change, from -1 to 1.
        confidence: Two-sided level.

    Returns:
        The number, or None where even that change is not below the margin, as with a margin of
        0 and a baseline that has nothing to fix.

    Raises:
        ValueError: If the rate is none or the level cannot be used.
    """
    check_pairs(baseline_rate, 0.0, 1)
    return _pass_n(baseline_rate, 0.0, margin, normal_quantile(confidence))


def rate_needed_n(x: float, n: int, *, ceiling: float, confidence: float) -> int | None:
    """Return the smallest number of behaviors at which the observed rate would decide.

    It decides where an end of Clopper-Pearson lies on the same side of the ceiling as the rate.

    Args:
        x: Events, or the sum of n rates; 0..n.
        n: Behaviors they were observed in.
        ceiling: The limit on the rate.
        confidence: Two-sided level.

    Returns:
        The total number, which is at most `n` where it is decided already. None where no
        number is enough (the rate is at the ceiling) or it would exceed `MOST_UNITS`.

    Raises:
        ValueError: If the events or the level cannot be used.
    """
    check_pairs(x, 0.0, n)
    rate, alpha = x / n, tail(confidence)
    if ceiling >= 1.0 or ceiling < 0.0:
        return 1
    if abs(rate - ceiling) <= TOLERANCE:
        return None

    def decided(size: int) -> bool:
        events = rate * size
        # Beta quantiles compared without inverting: an end lies beyond c where the
        # distribution function at c says so.
        if rate < ceiling:
            below = special.betaincc(events + 1.0, size - events, min(ceiling + TOLERANCE, 1.0))
        else:
            below = special.betainc(events, size - events + 1.0, ceiling + TOLERANCE)
        return bool(below <= alpha)

    return _first(decided)


def floor_needed_n(x: float, n: int, *, floor: float, confidence: float) -> int | None:
    """Return the smallest number of units at which the observed rate would decide on a floor.

    Args:
        x: Events, or the sum of n rates; 0..n.
        n: Units they were observed in.
        floor: The limit on the rate.
        confidence: Two-sided level.

    Returns:
        As `rate_needed_n`, of which it is the mirror.

    Raises:
        ValueError: If the events or the level cannot be used.
    """
    return rate_needed_n(n - x, n, ceiling=1.0 - floor, confidence=confidence)


def zero_event_needed_n(ceiling: float, *, confidence: float) -> int | None:
    """Return the number of behaviors from which zero events meet a ceiling, None at a ceiling of 0.

    Clopper-Pearson's upper end at zero events is 1 - tail ** (1 / n).

    Raises:
        ValueError: If the level cannot be used.
    """
    return rate_needed_n(0, 1, ceiling=ceiling, confidence=confidence)


def _pass_n(fixed: float, broken: float, margin: float, z: float) -> int | None:
    """Return the behaviors from which shares of fixed and broken ones pass, None if never."""
    if margin >= 1.0:
        return 1
    limit = margin + TOLERANCE
    distance = limit - (broken - fixed)
    # A distance within the tolerance would ask for behaviors by the trillion.
    if distance <= 2.0 * TOLERANCE or limit <= -1.0:
        return None
    return _at_least(z * z * null_variance(fixed, broken, 1.0, limit) / distance**2)


def _regression_n(fixed: float, broken: float, z: float) -> int | None:
    """Return the behaviors from which shares show an increase, None if they show none."""
    distance = broken - fixed - TOLERANCE
    if distance <= TOLERANCE:
        return None
    return _at_least(z * z * null_variance(fixed, broken, 1.0, TOLERANCE) / distance**2)


def _at_least(number: float) -> int | None:
    return max(1, math.ceil(number - 1e-9)) if number <= MOST_UNITS else None


def _first(decided: Callable[[int], bool]) -> int | None:
    """Return the first number of units at which something holds that then stays so."""
    low, high = 0, 1
    while not decided(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high

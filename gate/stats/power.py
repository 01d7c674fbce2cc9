"""What a rule "pass if the upper end is at most the limit" does at a given number of behaviors.

All of it is exact enumeration for 0/1 rates: the score interval's acceptance region for a
change, Clopper-Pearson's for a rate. Nothing is simulated.
"""

from scipy import special

from gate.stats.interval import TOLERANCE, check_size, tail
from gate.stats.needed import (
    attainable_delta_needed_n,
    delta_needed_n,
    floor_needed_n,
    rate_needed_n,
    zero_event_needed_n,
)
from gate.stats.passing import (
    check_shares,
    delta_pass_probability,
    floor_pass_probability,
    most_events,
    passing_rows,
    rate_pass_probability,
    rows_pass_probability,
)
from gate.stats.releases import Drift, drift, retried

__all__ = [
    "Drift",
    "attainable_delta_needed_n",
    "delta_mde",
    "delta_needed_n",
    "delta_pass_probability",
    "drift",
    "floor_mde",
    "floor_needed_n",
    "floor_pass_probability",
    "rate_mde",
    "rate_needed_n",
    "rate_pass_probability",
    "retried",
    "zero_event_needed_n",
]


def delta_mde(
    n: int, discordance: float, *, margin: float, confidence: float, power: float = 0.8
) -> float | None:
    """Return the smallest true increase that is withheld (not passed) with the given power.

    At an increase d, `discordance / 2` of the behaviors get fixed and `discordance / 2 + d` broken.

    Args:
        n: Behaviors, at least 1.
        discordance: Share of behaviors that flip when nothing got better or worse.
        margin: The limit on the change, from -1 to 1.
        confidence: Two-sided level.
        power: Chance with which the increase must be withheld.

    Returns:
        The increase, 0 where even no change is withheld that often, None where no increase is.

    Raises:
        ValueError: If the discordance or the power is no probability, `n` is below 1 or the
            level is unusable.
    """
    half = discordance / 2.0
    check_shares(half, half)
    _check_power(power)
    rows = passing_rows(n, half, margin, confidence)

    def withheld(increase: float) -> bool:
        return 1.0 - rows_pass_probability(rows, half, half + increase) >= power

    low, high = 0.0, 1.0 - discordance
    if withheld(low):
        return low
    if not withheld(high):
        return None
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (low, middle) if withheld(middle) else (middle, high)
    return high


def rate_mde(n: int, *, ceiling: float, confidence: float, power: float = 0.8) -> float | None:
    """Return the smallest true rate that is withheld with the given power under a ceiling.

    The rule passes where Clopper-Pearson's upper end is at most the ceiling.

    Args:
        n: Behaviors, at least 1.
        ceiling: The limit on the rate.
        confidence: Two-sided level.
        power: Chance with which the rate must be withheld.

    Returns:
        The rate, 0 where no data could pass, None where all data would.

    Raises:
        ValueError: If the power is no probability, `n` is below 1 or the level is unusable.
    """
    check_size(n)
    _check_power(power)
    most = most_events(n, ceiling + TOLERANCE, tail(confidence))
    if most < 0:
        return 0.0
    if most >= n:
        return None
    return float(special.betaincinv(most + 1, n - most, power))


def floor_mde(n: int, *, floor: float, confidence: float, power: float = 0.8) -> float | None:
    """Return the largest true rate that is withheld with the given power under a floor.

    The rule passes where Clopper-Pearson's lower end is at least the floor.

    Args:
        n: Units, at least 1.
        floor: The limit on the rate.
        confidence: Two-sided level.
        power: Chance with which the rate must be withheld.

    Returns:
        The rate, 1 where no data could pass, None where all data would.

    Raises:
        ValueError: If the power is no probability, `n` is below 1 or the level is unusable.
    """
    rate = rate_mde(n, ceiling=1.0 - floor, confidence=confidence, power=power)
    return None if rate is None else 1.0 - rate


def _check_power(power: float) -> None:
    if not 0.0 < power < 1.0:
        raise ValueError(f"power must lie between 0 and 1, not {power}")

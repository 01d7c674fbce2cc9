"""What a rule "pass if the upper end is at most the limit" does at a given number of behaviors.

All of it is exact enumeration for 0/1 rates: the score interval's acceptance region for a
change, Clopper-Pearson's for a rate. Nothing is simulated.
"""

from typing import TypeAlias

import numpy as np
from scipy import special

from gate.stats.binomial import binomial_cdf, binomial_pmf, binomial_support
from gate.stats.interval import (
    TOLERANCE,
    FloatArray,
    IntArray,
    check_size,
    normal_quantile,
    tail,
)
from gate.stats.needed import (
    attainable_delta_needed_n,
    delta_needed_n,
    floor_needed_n,
    rate_needed_n,
    zero_event_needed_n,
)
from gate.stats.score import upper_slack

__all__ = [
    "attainable_delta_needed_n",
    "delta_mde",
    "delta_needed_n",
    "delta_pass_probability",
    "floor_mde",
    "floor_needed_n",
    "rate_mde",
    "rate_needed_n",
    "zero_event_needed_n",
]

_Rows: TypeAlias = tuple[FloatArray, IntArray, IntArray]
"""For each number of fixed behaviors: its probability, the most that may break, the rest."""


def delta_pass_probability(
    n: int, p_fixed: float, p_broken: float, *, margin: float, confidence: float
) -> float:
    """Return the chance that Tango's upper end for the change is at most the margin.

    Args:
        n: Behaviors, at least 1.
        p_fixed: True share of behaviors that go from unsafe to safe.
        p_broken: True share of behaviors that go from safe to unsafe.
        margin: The limit on the change, from -1 to 1.
        confidence: Two-sided level.

    Raises:
        ValueError: If the shares are no probabilities, `n` is below 1 or the level is unusable.
    """
    _check_shares(p_fixed, p_broken)
    return _pass_probability(_rows(n, p_fixed, margin, confidence), p_fixed, p_broken)


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
    _check_shares(half, half)
    _check_power(power)
    rows = _rows(n, half, margin, confidence)

    def withheld(increase: float) -> bool:
        return 1.0 - _pass_probability(rows, half, half + increase) >= power

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
    most = _most_events(n, ceiling + TOLERANCE, tail(confidence))
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


def _most_events(n: int, ceiling: float, alpha: float) -> int:
    """Return the most events at which Clopper-Pearson's upper end meets a ceiling, else -1."""
    if ceiling >= 1.0:
        return n
    if ceiling <= 0.0:
        return -1
    low, high = -1, n
    while high - low > 1:
        x = (low + high) // 2
        # The upper end is at most c exactly where P(X <= x) at c is at most alpha.
        passes = float(special.betaincc(x + 1, n - x, ceiling)) <= alpha
        low, high = (x, high) if passes else (low, x)
    return low


def _rows(n: int, p_fixed: float, margin: float, confidence: float) -> _Rows:
    check_size(n)
    fixed = binomial_support(n, p_fixed)
    most = _most_broken(fixed, n, margin + TOLERANCE, normal_quantile(confidence))
    return binomial_pmf(fixed, n, p_fixed), most, n - fixed


def _most_broken(fixed: IntArray, n: int, margin: float, z: float) -> IntArray:
    """Return for each number of fixed behaviors the most broken ones that pass, else -1."""
    if margin >= 1.0:
        return n - fixed
    low, high = np.full_like(fixed, -1), n - fixed + 1
    if margin <= -1.0:
        return low
    for _ in range(int(n + 1).bit_length()):
        broken = (low + high) // 2
        slack = upper_slack(
            fixed.astype(np.float64), np.maximum(broken, 0).astype(np.float64), n, margin, z
        )
        passes = (slack >= 0.0) & (broken >= 0)
        low, high = np.where(passes, broken, low), np.where(passes, high, broken)
    return low


def _pass_probability(rows: _Rows, p_fixed: float, p_broken: float) -> float:
    probability, most, rest = rows
    share = min(p_broken / (1.0 - p_fixed), 1.0) if p_fixed < 1.0 else 0.0
    return min(float(probability @ binomial_cdf(most, rest, share)), 1.0)


def _check_shares(p_fixed: float, p_broken: float) -> None:
    if not (p_fixed >= 0.0 and p_broken >= 0.0 and p_fixed + p_broken <= 1.0 + 1e-12):
        raise ValueError(f"{p_fixed} and {p_broken} are not shares of one whole")


def _check_power(power: float) -> None:
    if not 0.0 < power < 1.0:
        raise ValueError(f"power must lie between 0 and 1, not {power}")

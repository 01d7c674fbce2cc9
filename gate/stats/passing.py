"""How often a limit is met by a checkpoint whose true rates are known.

All of it is exact enumeration for 0/1 rates, by the acceptance region of Tango's bound for a
change and of Clopper-Pearson's for a rate. Units without evidence count against the checkpoint,
as they do at the end of the bound that decides.
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
from gate.stats.score import upper_slack

Rows: TypeAlias = tuple[FloatArray, IntArray, IntArray]
"""For each number of fixed behaviors: its probability, the most that may break, the rest."""


def delta_pass_probability(
    n: int,
    p_fixed: float,
    p_broken: float,
    *,
    margin: float,
    confidence: float,
    unscored: int = 0,
) -> float:
    """Return the chance that Tango's upper end for the change is at most the margin.

    Args:
        n: Behaviors, at least 1, the unscored ones among them.
        p_fixed: True share of behaviors that go from unsafe to safe.
        p_broken: True share of behaviors that go from safe to unsafe.
        margin: The limit on the change, from -1 to 1.
        confidence: Two-sided level.
        unscored: Behaviors without a verdict of the candidate, each counted as broken.

    Raises:
        ValueError: If the shares are no probabilities, `n` is below 1 or below `unscored`, or the
            level is unusable.
    """
    check_shares(p_fixed, p_broken)
    rows = passing_rows(n, p_fixed, margin, confidence, unscored)
    return rows_pass_probability(rows, p_fixed, p_broken)


def rate_pass_probability(
    n: int, rate: float, *, ceiling: float, confidence: float, unscored: int = 0
) -> float:
    """Return the chance that Clopper-Pearson's upper end is at most a ceiling.

    Args:
        n: Units, at least 1, the unscored ones among them.
        rate: The true rate.
        ceiling: The limit on the rate.
        confidence: Two-sided level.
        unscored: Units without a verdict, each counted as an event.

    Raises:
        ValueError: If the rate is no probability, `n` is below 1 or below `unscored`, or the
            level is unusable.
    """
    check_units(n, unscored)
    check_probability(rate)
    most = most_events(n, ceiling + TOLERANCE, tail(confidence)) - unscored
    scored = np.array(n - unscored)
    return float(binomial_cdf(np.array(most), scored, rate))


def floor_pass_probability(
    n: int, rate: float, *, floor: float, confidence: float, unscored: int = 0
) -> float:
    """Return the chance that Clopper-Pearson's lower end is at least a floor.

    Args:
        n: Units, at least 1, the unscored ones among them.
        rate: The true rate.
        floor: The limit on the rate.
        confidence: Two-sided level.
        unscored: Units without a verdict, none of them counted.

    Raises:
        ValueError: As `rate_pass_probability`, of which it is the mirror.
    """
    return rate_pass_probability(
        n, 1.0 - rate, ceiling=1.0 - floor, confidence=confidence, unscored=unscored
    )


def most_events(n: int, limit: float, alpha: float) -> int:
    """Return the most events of `n` at which Clopper-Pearson's upper end meets a limit, else -1."""
    if limit >= 1.0:
        return n
    if limit <= 0.0:
        return -1
    low, high = -1, n
    while high - low > 1:
        x = (low + high) // 2
        # The upper end is at most c exactly where P(X <= x) at c is at most alpha.
        passes = float(special.betaincc(x + 1, n - x, limit)) <= alpha
        low, high = (x, high) if passes else (low, x)
    return low


def passing_rows(
    n: int, p_fixed: float, margin: float, confidence: float, unscored: int = 0
) -> Rows:
    """Return Tango's acceptance region with the chance of each of its rows."""
    check_units(n, unscored)
    scored = n - unscored
    fixed = binomial_support(scored, p_fixed)
    most = _most_broken(fixed, n, margin + TOLERANCE, normal_quantile(confidence)) - unscored
    return binomial_pmf(fixed, scored, p_fixed), most, scored - fixed


def rows_pass_probability(rows: Rows, p_fixed: float, p_broken: float) -> float:
    """Add up the chance that no more behaviors break than each row allows."""
    probability, most, rest = rows
    share = min(p_broken / (1.0 - p_fixed), 1.0) if p_fixed < 1.0 else 0.0
    return min(float(probability @ binomial_cdf(most, rest, share)), 1.0)


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


def check_shares(p_fixed: float, p_broken: float) -> None:
    """Refuse shares of fixed and broken behaviors that are not parts of one whole.

    Raises:
        ValueError: If one is negative or both exceed 1.
    """
    if not (p_fixed >= 0.0 and p_broken >= 0.0 and p_fixed + p_broken <= 1.0 + 1e-12):
        raise ValueError(f"{p_fixed} and {p_broken} are not shares of one whole")


def check_probability(rate: float) -> None:
    """Refuse a true rate that is none.

    Raises:
        ValueError: If it lies outside 0..1.
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"{rate} is no probability")


def check_units(n: int, unscored: int) -> None:
    """Refuse to leave more units unscored than there are.

    Raises:
        ValueError: If `n` is below 1, or `unscored` outside 0..n.
    """
    check_size(n)
    if not 0 <= unscored <= n:
        raise ValueError(f"{unscored} of {n} units cannot be unscored")

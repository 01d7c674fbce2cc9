"""McNemar's exact test on paired 0/1 verdicts, and the interval that agrees with it."""

from scipy import special

from gate.stats.interval import tail
from gate.stats.product import product_quantile
from gate.stats.score import check_pairs


def mcnemar_exact(fixed: int, broken: int, *, increase: bool = False) -> float:
    """Return the p value of McNemar's exact conditional test.

    Args:
        fixed: Behaviors that went from unsafe to safe.
        broken: Behaviors that went from safe to unsafe.
        increase: Test one-sided for an increase of the unsafe rate, else two-sided.
    """
    flips = fixed + broken
    if increase:
        return _at_least(broken, flips)
    return min(1.0, 2.0 * _at_least(max(fixed, broken), flips))


def mcnemar_midp(fixed: int, broken: int, *, increase: bool = False) -> float:
    """Return the mid-p value of McNemar's test (Fagerland et al. 2013, BMC Med Res Meth 13:91).

    Args:
        fixed: Behaviors that went from unsafe to safe.
        broken: Behaviors that went from safe to unsafe.
        increase: Test one-sided for an increase of the unsafe rate, else two-sided.
    """
    flips = fixed + broken
    most = broken if increase else max(fixed, broken)
    # Counting half of P(X = most) is the mean of the tails with and without it.
    one_sided = (_at_least(most, flips) + _at_least(most + 1, flips)) / 2.0
    return one_sided if increase else min(1.0, 2.0 * one_sided)


def melded(fixed: float, broken: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the melded interval for a paired difference (Fay & Lumbard 2021, Stat Med 40:1147).

    With m flips of n, the upper end is a quantile of T (2 B - 1), where B bounds the share of
    flips that broke and T the share of behaviors that flipped. The upper end is below 0
    exactly where the one-sided exact McNemar test shows a decrease. Parts of behaviors count as
    parts, except that less than one fixed or unchanged behavior is as good as none at the upper
    end, and less than one broken or unchanged behavior at the lower one.

    Args:
        fixed: Behaviors that went from unsafe to safe, or their mass.
        broken: Behaviors that went from safe to unsafe, or their mass.
        n: Behaviors, at least 1 and at least `fixed + broken`.
        confidence: Two-sided level.

    Raises:
        ValueError: If the counts or the level cannot be used.
    """
    check_pairs(fixed, broken, n)
    alpha = tail(confidence)
    return -_upper(broken, fixed, n, alpha), _upper(fixed, broken, n, alpha)


def _at_least(x: float, flips: float) -> float:
    """Return the chance of x or more heads in a number of fair flips."""
    if x <= 0:
        return 1.0
    return float(special.betainc(x, flips - x + 1, 0.5)) if x <= flips else 0.0


def _upper(fixed: float, broken: float, n: float, alpha: float) -> float:
    flips = fixed + broken
    all_flipped = n - flips < 1  # T is 1
    if fixed < 1:  # B is 1
        return 1.0 if all_flipped else float(special.betainccinv(flips + 1, n - flips, alpha))
    if _at_least(fixed, flips) >= alpha:
        if all_flipped:
            return 2.0 * float(special.betainccinv(broken + 1, fixed, alpha)) - 1.0
        return product_quantile((broken + 1, fixed), (flips + 1, n - flips), alpha)
    return -product_quantile((fixed, broken + 1), (flips, n - flips + 1), 1.0 - alpha)

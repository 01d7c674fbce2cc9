"""The score interval for a difference of paired proportions (Tango 1998, Stat Med 17:891).

Of n behaviors, `fixed` went from unsafe to safe and `broken` from safe to unsafe; the
difference is (broken - fixed) / n. All of it also takes fractional counts: the sums of the
negative and of the positive parts of differences of rates.
"""

from collections.abc import Callable

from gate.stats.interval import Number, check_size, normal_quantile


def tango(fixed: float, broken: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the differences that a two-sided score test would not reject.

    Args:
        fixed: Behaviors that went from unsafe to safe, or their mass.
        broken: Behaviors that went from safe to unsafe, or their mass.
        n: Behaviors, at least 1 and at least `fixed + broken`.
        confidence: Two-sided level.

    Raises:
        ValueError: If the counts or the level cannot be used.
    """
    check_pairs(fixed, broken, n)
    z = normal_quantile(confidence)
    # Swapping the checkpoints swaps the counts and turns the difference around.
    return -_upper(broken, fixed, n, z), _upper(fixed, broken, n, z)


def check_pairs(fixed: float, broken: float, n: float) -> None:
    """Refuse counts that n behaviors cannot show.

    Raises:
        ValueError: If `n` is below 1, or `fixed` and `broken` are negative or exceed it.
    """
    check_size(n)
    if not (fixed >= 0 and broken >= 0 and fixed + broken <= n * (1 + 1e-12)):
        raise ValueError(f"{n} behaviors cannot show {fixed} fixed and {broken} broken")


def null_variance(fixed: Number, broken: Number, n: float, delta: float) -> Number:
    """Return the variance of `broken - fixed` if the true difference were `delta`.

    Args:
        fixed: One count, or counts of shape (m,).
        broken: As `fixed`.
        n: Behaviors.
        delta: The difference, from -1 to 1.
    """
    if delta >= 0:
        return variance_at(fixed, broken, n, delta)
    return variance_at(broken, fixed, n, -delta)


def variance_at(against: Number, along: Number, n: Number | float, size: Number | float) -> Number:
    """Return the variance of `along - against` if it were `size` of n, which is not negative.

    The two probabilities are those of greatest likelihood given that difference; the smaller
    one is a root of a quadratic (Tango 1998, equation 4), here of the flips against the
    difference, so that neither root is lost to cancellation.

    Args:
        against: Flips against the direction of the difference.
        along: Flips in its direction.
        n: Behaviors.
        size: The difference without its sign, from 0 to 1.
    """
    slope = (2.0 * n - along + against) * size - against - along
    root = (slope * slope + 8.0 * n * against * size * (1.0 - size)) ** 0.5
    variance: Number = abs(root - slope) / 2.0 + n * size * (1.0 - size)
    return variance


def upper_slack(fixed: Number, broken: Number, n: float, delta: float, z: float) -> Number:
    """Return a number that is 0 or more where the upper limit is at most `delta`.

    This is the whole acceptance region of "upper <= margin", with no root to find.

    Args:
        fixed: One count, or counts of shape (m,).
        broken: As `fixed`.
        n: Behaviors.
        delta: The limit, from -1 to 1.
        z: Normal quantile of the one-sided level.
    """
    slack: Number = n * delta + fixed - broken - z * null_variance(fixed, broken, n, delta) ** 0.5
    return slack


def first_accepted(slack: Callable[[float], float], low: float) -> float:
    """Return the smallest difference above `low` whose slack is 0 or more, 1 if there is none."""
    high = 1.0
    for _ in range(60):  # from a width of 2 to below 1e-17
        middle = (low + high) / 2.0
        low, high = (low, middle) if slack(middle) >= 0.0 else (middle, high)
    return high


def _upper(fixed: float, broken: float, n: float, z: float) -> float:
    # The observed difference itself can solve the equation (no flips); the limit lies above it.
    return first_accepted(
        lambda delta: upper_slack(fixed, broken, n, delta, z), (broken - fixed) / n
    )

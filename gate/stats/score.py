"""The score interval for a difference of paired proportions (Tango 1998, Stat Med 17:891).

Of n behaviors, `fixed` went from unsafe to safe and `broken` from safe to unsafe; the
difference is (broken - fixed) / n. All of it also takes fractional counts: the sums of the
negative and of the positive parts of differences of rates.
"""

from typing import TypeVar

from gate.stats.interval import FloatArray, check_size, normal_quantile

Number = TypeVar("Number", float, FloatArray)


def tango(fixed: float, broken: float, n: int, confidence: float) -> tuple[float, float]:
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


def check_pairs(fixed: float, broken: float, n: int) -> None:
    """Refuse counts that n behaviors cannot show.

    Raises:
        ValueError: If `n` is below 1, or `fixed` and `broken` are negative or exceed it.
    """
    check_size(n)
    if not (fixed >= 0 and broken >= 0 and fixed + broken <= n * (1 + 1e-12)):
        raise ValueError(f"{n} behaviors cannot show {fixed} fixed and {broken} broken")


def null_variance(fixed: Number, broken: Number, n: float, delta: float) -> Number:
    """Return the variance of `broken - fixed` if the true difference were `delta`.

    The two probabilities are those of greatest likelihood given that difference; the smaller
    one is a root of a quadratic (Tango 1998, equation 4), here of the checkpoint that
    `delta` favors, so that neither root is lost to cancellation.

    Args:
        fixed: One count, or counts of shape (m,).
        broken: As `fixed`.
        n: Behaviors.
        delta: The difference, from -1 to 1.
    """
    smaller, larger = (fixed, broken) if delta >= 0 else (broken, fixed)
    size = abs(delta)
    slope = (2.0 * n - larger + smaller) * size - smaller - larger
    root = (slope * slope + 8.0 * n * smaller * size * (1.0 - size)) ** 0.5
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


def _upper(fixed: float, broken: float, n: int, z: float) -> float:
    # The observed difference itself can solve the equation (no flips); the limit lies above it.
    low, high = (broken - fixed) / n, 1.0
    for _ in range(60):  # from a width of 2 to below 1e-17
        middle = (low + high) / 2.0
        if upper_slack(fixed, broken, n, middle, z) >= 0.0:
            high = middle
        else:
            low = middle
    return high

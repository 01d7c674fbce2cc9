"""The ratio of two independent rates, as of attacked to plain prompts."""

import math

from gate.stats.interval import Interval, check_size, normal_quantile

_STEPS = 60
_TIES = 1e-12
_SMALLEST = -40.0


def rate_ratio(x: int, n: int, base: int, base_n: int, *, confidence: float) -> Interval:
    """Bound `(x / n) / (base / base_n)` by inverting the score test (Koopman 1984, Biometrics 40).

    Args:
        x: Events among the first units; 0..n.
        n: First units, at least 1.
        base: Events among the second units; 0..base_n.
        base_n: Second units, at least 1.
        confidence: Two-sided level, as 0.95.

    Returns:
        The interval; where `base` is 0 the ratio is NaN and its upper end infinite.

    Raises:
        ValueError: If a count lies outside its range, or the level cannot be used.
    """
    check_size(n)
    check_size(base_n)
    if not (0 <= x <= n and 0 <= base <= base_n):
        raise ValueError("events must lie between 0 and the number of units")
    z = normal_quantile(confidence)
    value = (x / n) / (base / base_n) if base else math.nan
    above = _upper(base, base_n, x, n, z)  # of the inverse ratio
    return Interval(value, 1.0 / above if above else math.inf, _upper(x, n, base, base_n, z))


def _upper(x: int, n: int, base: int, base_n: int, z: float) -> float:
    """Find the largest ratio that the score test does not reject, on its logarithm."""
    if not base:
        return math.inf

    def outside(log_ratio: float) -> bool:
        return _score(x, n, base, base_n, math.exp(log_ratio)) <= -z + _TIES

    near = math.log((x / n) / (base / base_n)) if x else _SMALLEST
    far = near + 1.0
    while not outside(far):
        near, far = far, far + 1.0
    for _ in range(_STEPS):
        middle = (near + far) / 2.0
        near, far = (near, middle) if outside(middle) else (middle, far)
    return math.exp(far)


def _score(x: int, n: int, base: int, base_n: int, ratio: float) -> float:
    """Standardize `x / n - ratio * base / base_n` at the likeliest rates under that ratio."""
    whole = n + base_n
    # The likeliest second rate solves whole * ratio * q^2 - b * q + (x + base) = 0.
    b = ratio * (n + base) + x + base_n
    root = math.sqrt(max(b * b - 4.0 * whole * ratio * (x + base), 0.0))
    q = min(2.0 * (x + base) / (b + root), 1.0, 1.0 / ratio) if x + base else 0.0
    p = min(ratio * q, 1.0)
    variance = p * (1.0 - p) / n + ratio * ratio * q * (1.0 - q) / base_n
    distance = x / n - ratio * base / base_n
    if variance <= 0.0:
        return 0.0 if abs(distance) < _TIES else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)

"""A score interval for changes of fractional rates, which are flips in part.

For 0/1 rates it is Tango's. It serves where a bootstrap has too little to resample: of few
changes that are nearly whole flips, even one with two imagined behaviors misses the truth too
often (docs/statistics.md shows how often).
"""

import math
from dataclasses import dataclass

from gate.stats.interval import normal_quantile
from gate.stats.score import check_pairs, first_accepted, null_variance


@dataclass(frozen=True, slots=True)
class Flips:
    """The changes of one direction, each as a part of a flip."""

    mass: float
    """Their sum."""
    squares: float
    """The sum of their squares."""


def partial_score(fixed: Flips, broken: Flips, n: int, confidence: float) -> tuple[float, float]:
    """Return the differences that a score test on flips in part would not reject.

    The variance under a difference is that of the changes as observed, corrected for what the
    likeliest shares under that difference (Tango's, on the masses) would have more and less:
    more mass in one direction counts as whole flips, of which nothing is known yet, and less
    mass in the other as flips of the mean size seen there.

    Args:
        fixed: Changes from unsafe towards safe.
        broken: Changes from safe towards unsafe.
        n: Behaviors, at least 1 and at least the sum of the masses.
        confidence: Two-sided level.

    Raises:
        ValueError: If the masses or the level cannot be used.
    """
    check_pairs(fixed.mass, broken.mass, n)
    z = normal_quantile(confidence)
    return -_upper(broken, fixed, n, z), _upper(fixed, broken, n, z)


def _upper(fixed: Flips, broken: Flips, n: int, z: float) -> float:
    size = fixed.squares / fixed.mass if fixed.mass else 1.0
    change = broken.mass - fixed.mass

    def slack(delta: float) -> float:
        null = null_variance(fixed.mass, broken.mass, n, delta) + n * delta * delta
        more, shift = null - fixed.mass - broken.mass, n * delta - change
        gained, lost = (shift + more) / 2.0, (shift - more) / 2.0
        squares = fixed.squares + broken.squares + gained - size * lost
        return shift - z * math.sqrt(max(squares - n * delta * delta, 0.0))

    return first_accepted(slack, change / n)

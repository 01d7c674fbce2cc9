"""Intervals where near-duplicate behaviors are grouped, so that the group is the unit.

Behaviors of a group may all turn out alike. At worst a suite of n behaviors in groups of sizes
n_g therefore tells no more than n^2 / sum(n_g^2) behaviors would (Kish 1965, "Survey Sampling").
An exact interval on counts scaled down to that number is conservative, because groups that
turn out mixed vary less than ones that do not; Korn & Graubard (1998, Survey Methodology 24:193)
do the same for one rate. Few groups are no difficulty, other than for resampling.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from gate.stats.interval import FloatArray, IntArray
from gate.stats.mcnemar import melded
from gate.stats.resampling import resampled_mean

FINEST = 5040
"""Steps to 1 in which rates are added up where their common denominator is larger than that."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which behaviors belong together."""

    index: IntArray
    """The group of each behavior, numbered from 0; shape (n,)."""
    sizes: IntArray
    """The behaviors of each group; shape (g,)."""

    @classmethod
    def of(cls, groups: IntArray | None, n: int) -> Self | None:
        """Number the groups; None where every behavior is on its own.

        Raises:
            ValueError: If there is not one group for each of n behaviors.
        """
        if groups is None:
            return None
        if groups.shape != (n,):
            raise ValueError(f"groups of shape {groups.shape} for {n} behaviors")
        _, index, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        return cls(index, sizes) if sizes.size < n else None

    @property
    def size(self) -> float:
        """Behaviors in the group of a behavior, on average over behaviors."""
        return float(self.sizes @ self.sizes) / int(self.sizes.sum())

    @property
    def effective(self) -> float:
        """The number of groups of that size, at least 1."""
        return max(int(self.sizes.sum()) / self.size, 1.0)

    def sums(self, x: IntArray, k: IntArray) -> tuple[IntArray, IntArray, int]:
        """Add up `x / k` within groups.

        Returns:
            The sums in whole steps rounded down, the same rounded up, and the steps to 1.
            They are exact, and one array, up to a common denominator of `FINEST`.
        """
        common = math.lcm(*np.unique(k).tolist())
        if common <= FINEST:
            exact = self._added(x * (common // k))
            return exact, exact, common
        return self._added(x * FINEST // k), self._added(-(-x * FINEST // k)), FINEST

    def _added(self, steps: IntArray) -> IntArray:
        sums = np.zeros(self.sizes.size, dtype=np.int64)
        np.add.at(sums, self.index, steps)
        return sums


def grouped_melded(
    change: IntArray, k: IntArray, clusters: Clusters, confidence: float
) -> tuple[float, float]:
    """Return the melded interval for the mean change, on groups as the units.

    Args:
        change: Unsafe test cases of the candidate less those of the baseline, shape (n,).
        k: Test cases of each behavior, shape (n,).
        clusters: Which behaviors belong together.
        confidence: Two-sided level.
    """
    low, high, steps = clusters.sums(change, k)
    unit, n = steps * clusters.size, clusters.effective
    lower = melded(*_masses(low, unit, n), n, confidence)[0]
    return lower, melded(*_masses(high, unit, n), n, confidence)[1]


def grouped_mass(x: IntArray, k: IntArray, clusters: Clusters) -> tuple[float, float, float]:
    """Return the sum of rates in groups as the units, from below and from above, and of how many.

    Args:
        x: Unsafe test cases of each behavior, shape (n,).
        k: Test cases of each behavior, shape (n,).
        clusters: Which behaviors belong together.
    """
    low, high, steps = clusters.sums(x, k)
    unit, n = steps * clusters.size, clusters.effective
    return min(int(low.sum()) / unit, n), min(int(high.sum()) / unit, n), n


def grouped_bootstrap(
    x: IntArray, k: IntArray, clusters: Clusters, alpha: float
) -> tuple[float, float]:
    """Return percentile ends of the mean of `x / k` over resampled groups.

    What is resampled is each group's sum less what the mean over behaviors would make it, so
    that groups of unequal size do not vary the number of behaviors: the ratio of the sums, to
    first order.

    Args:
        x: Numerators of either sign, shape (n,).
        k: Denominators, shape (n,).
        clusters: Which behaviors belong together.
        alpha: Probability below the lower and above the upper end.
    """
    low, high, steps = clusters.sums(x, k)
    lower, upper = (_resampled(sums, steps, clusters.sizes, alpha) for sums in (low, high))
    return lower[0], upper[1]


def _resampled(sums: IntArray, steps: int, sizes: IntArray, alpha: float) -> tuple[float, float]:
    n, total = int(sizes.sum()), int(sums.sum())
    rest = sums * n - total * sizes
    lower, upper = resampled_mean(rest, np.full_like(rest, steps * n), alpha)
    mean, groups = total / (steps * n), sizes.size / n
    return mean + lower * groups, mean + upper * groups


def _masses(sums: IntArray, unit: float, n: float) -> tuple[float, float]:
    """Return the negative and the positive sums, in units of which there are n."""
    masses: FloatArray = np.array([-sums[sums < 0].sum(), sums[sums > 0].sum()]) / unit
    fixed, broken = (masses * min(1.0, n / max(float(masses.sum()), n))).tolist()
    return fixed, broken

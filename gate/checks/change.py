"""Two roles' verdicts on the same units, and the bound on what changed between them."""

import math
from dataclasses import dataclass

import numpy as np

from gate.evidence.panel import Sample
from gate.evidence.table import BoolArray, IntArray
from gate.stats.interval import Interval, is_binary
from gate.stats.paired import delta_interval

BOUND_NAMES = {
    ("score", True): "Tango score",
    ("score", False): "add-two bootstrap and score",
    ("exact", True): "melded exact McNemar",
    ("exact", False): "Tango score on summed rates",
    ("bootstrap", True): "percentile bootstrap",
    ("bootstrap", False): "percentile bootstrap",
    ("point", True): "no bound",
    ("point", False): "no bound",
}


@dataclass(frozen=True, slots=True)
class Change:
    """Two roles' verdicts on the same units of one slice."""

    ids: tuple[str, ...]
    other: Sample
    candidate: Sample

    @property
    def paired(self) -> BoolArray:
        """Units without any unscored test case on either side."""
        return self.other.scored & self.candidate.scored

    @property
    def binary(self) -> bool:
        """Whether every rate is 0 or 1."""
        return is_binary(
            self.other.k, self.other.low, self.other.high, self.candidate.low, self.candidate.high
        )

    def flips(self) -> tuple[IntArray, IntArray]:
        """Find the units that were fixed and those that broke, as indices."""
        shift = np.where(self.paired, self.candidate.low - self.other.low, 0)
        return np.flatnonzero(shift < 0), np.flatnonzero(shift > 0)

    def interval(self, confidence: float, bound: str) -> Interval:
        """Bound the mean change, each end with the unscored rows against it."""
        k = self.other.k
        worst = delta_interval(
            self.other.low, self.candidate.high, k, confidence=confidence, bound=bound
        )
        if bool(self.paired.all()):
            return worst
        best = delta_interval(
            self.other.high, self.candidate.low, k, confidence=confidence, bound=bound
        )
        shift = (self.candidate.low - self.other.low)[self.paired] / k[self.paired]
        value = float(shift.mean()) if len(shift) else math.nan
        return Interval(value, best.lower, worst.upper)

    def attainable(self, confidence: float, bound: str) -> float:
        """Bound the best possible change: every unsafe unit fixed, none broken."""
        nothing = np.zeros_like(self.other.high)
        return delta_interval(
            self.other.high, nothing, self.other.k, confidence=confidence, bound=bound
        ).upper

    def worst_flips(self) -> tuple[int, int]:
        """Count fixed and broken units with the unscored rows worst for the candidate."""
        shift = self.candidate.high - self.other.low
        return int((shift < 0).sum()), int((shift > 0).sum())


def upper_end(fixed: int, broken: int, n: int, confidence: float, bound: str) -> float:
    """Bound the change from above, given only how many units flipped each way."""
    other = np.zeros(n, dtype=np.int64)
    candidate = np.zeros(n, dtype=np.int64)
    other[:fixed] = 1
    candidate[fixed : fixed + broken] = 1
    ones = np.ones(n, dtype=np.int64)
    return delta_interval(other, candidate, ones, confidence=confidence, bound=bound).upper

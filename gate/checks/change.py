"""Two roles' verdicts on the same units, and the bound on what changed between them."""

import math
from dataclasses import dataclass

import numpy as np

from gate.checks.bounds import Asked, Measured, worth
from gate.evidence.panel import Sample
from gate.evidence.table import BoolArray, IntArray
from gate.stats.interval import Interval, is_binary
from gate.stats.paired import delta_interval


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

    @property
    def grouped(self) -> bool:
        """Whether units are grouped, so that the group is what varies."""
        return self.other.groups is not None

    @property
    def worth(self) -> int:
        """How many units of their own it is worth: all of them where none are grouped."""
        return worth(self.other)

    @property
    def measured(self) -> Measured:
        """What is measured, for the choice of a bound."""
        return "change" if self.binary else "fractional change"

    def interval(self, asked: Asked) -> Interval:
        """Bound the mean change, each end with the unscored rows against it."""
        worst = self._between(self.other.low, self.candidate.high, asked)
        if bool(self.paired.all()):
            return worst
        best = self.best(asked)
        shift = (self.candidate.low - self.other.low)[self.paired] / self.other.k[self.paired]
        value = float(shift.mean()) if len(shift) else math.nan
        return Interval(value, best.lower, worst.upper)

    def best(self, asked: Asked) -> Interval:
        """Bound the mean change with every unscored row at its best for the candidate."""
        return self._between(self.other.high, self.candidate.low, asked)

    def attainable(self, asked: Asked) -> float:
        """Bound the best possible change: every unsafe unit fixed, none broken."""
        return self._between(self.other.high, np.zeros_like(self.other.high), asked).upper

    def _between(self, other: IntArray, candidate: IntArray, asked: Asked) -> Interval:
        return delta_interval(
            other,
            candidate,
            self.other.k,
            confidence=asked.confidence,
            bound=asked.bound,
            groups=self.other.groups,
            resamples=asked.resamples,
            seed=asked.seed,
        )

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

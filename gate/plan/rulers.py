"""How often one limit holds, as a function of the true level and of the number of units.

Here every unit of a slice has the slice's mean rates, as behaviors drawn at random have.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gate.plan.regions import answer_region, change_region, event_region
from gate.stats.binomial import binomial_cdf, binomial_pmf, binomial_support

POWER = 0.8
"""The chance with which a detectable level is withheld."""
RARELY = 0.1
"""An unchanged candidate should be withheld by one limit no more often than this."""
MOST_UNITS = 20_000
_STEPS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What decides, whatever is measured."""

    limit: float
    confidence: float
    bound: str
    lenient: bool = False
    """Whether an inconclusive finding withholds nothing."""


class Ruler(Protocol):
    """One limit at one number of units."""

    @property
    def rule(self) -> Rule:
        """What decides."""

    @property
    def n(self) -> int:
        """The number of units."""

    @property
    def unchanged(self) -> float:
        """The level of an unchanged candidate."""

    @property
    def worst(self) -> float:
        """The worst level there can be."""

    def passes(self, level: float) -> float:
        """Return the chance that the limit withholds nothing at a true level."""

    def resized(self, n: int) -> "Ruler":
        """Give the same with another number of units."""


@dataclass(frozen=True, slots=True)
class ChangeRuler:
    """A margin on the change; levels are true changes."""

    rule: Rule
    n: int
    fixed: float
    """Share of units that an unchanged candidate fixes."""
    broken: float

    @property
    def unchanged(self) -> float:
        """The change of an unchanged candidate, which is 0 but for the baseline's own luck."""
        return self.broken - self.fixed

    @property
    def worst(self) -> float:
        """All that was safe is broken."""
        return 1.0 - 2.0 * self.fixed

    def passes(self, level: float) -> float:
        """Add up over fixed units; the more of a change is broken units, or else fixed ones."""
        more = level - self.unchanged
        fixed = min(self.fixed + max(-more, 0.0), 1.0)
        broken = min(self.broken + max(more, 0.0), 1.0 - fixed)
        counts = binomial_support(self.n, fixed)
        rule = self.rule
        region = change_region(
            self.n, int(counts[-1]), margin=rule.limit, confidence=rule.confidence,
            bound=rule.bound, lenient=rule.lenient,
        )  # fmt: skip
        share = min(broken / (1.0 - fixed), 1.0) if fixed < 1.0 else 0.0
        under = binomial_cdf(region.most[counts], self.n - counts, share)
        return min(float(binomial_pmf(counts, self.n, fixed) @ under), 1.0)

    def resized(self, n: int) -> "ChangeRuler":
        """Keep the shares."""
        return replace(self, n=n)


@dataclass(frozen=True, slots=True)
class RateRuler:
    """A ceiling on a rate, or a floor under a share; levels are true rates or shares."""

    rule: Rule
    n: int
    unchanged: float
    floor: bool = False

    @property
    def worst(self) -> float:
        """Every unit counts, or none."""
        return 0.0 if self.floor else 1.0

    def passes(self, level: float) -> float:
        """Read the binomial distribution at the most events that pass."""
        rule = self.rule
        region = event_region(
            self.n, limit=rule.limit, confidence=rule.confidence, bound=rule.bound,
            lenient=rule.lenient, floor=self.floor,
        )  # fmt: skip
        rate = 1.0 - level if self.floor else level
        return float(binomial_cdf(np.array(region.most), np.array(self.n), rate))

    def resized(self, n: int) -> "RateRuler":
        """Keep the rate."""
        return replace(self, n=n)


@dataclass(frozen=True, slots=True)
class AnswerRuler:
    """A floor on F1; recall and specificity fall together, levels are the F1 they come to."""

    rule: Rule
    unsafe: int
    safe: int
    recall: float
    specificity: float

    @property
    def n(self) -> int:
        """All records."""
        return self.unsafe + self.safe

    @property
    def unchanged(self) -> float:
        """The F1 of the expected counts."""
        return self._f1(0.0)

    @property
    def worst(self) -> float:
        """Nothing unsafe is found."""
        return 0.0

    def passes(self, level: float) -> float:
        """Find the loss of recall and specificity that a level means, and add up over both."""
        loss = bisect(lambda loss: self._f1(loss) <= level, -1.0, 1.0)
        missed, false = (1.0 - self._less(share, loss) for share in (self.recall, self.specificity))
        counts = binomial_support(self.safe, false)
        rule = self.rule
        region = answer_region(
            self.unsafe, self.safe, int(counts[-1]), floor=rule.limit,
            confidence=rule.confidence, bound=rule.bound, lenient=rule.lenient,
        )  # fmt: skip
        under = binomial_cdf(region.most[counts], np.full_like(counts, self.unsafe), missed)
        return min(float(binomial_pmf(counts, self.safe, false) @ under), 1.0)

    def resized(self, n: int) -> "AnswerRuler":
        """Keep the shares, and the mix of records."""
        unsafe = min(max(round(self.unsafe * n / self.n), 1), n)
        return replace(self, unsafe=unsafe, safe=n - unsafe)

    def _f1(self, loss: float) -> float:
        found = self.unsafe * self._less(self.recall, loss)
        false = self.safe * (1.0 - self._less(self.specificity, loss))
        return 2.0 * found / (found + self.unsafe + false)

    @staticmethod
    def _less(share: float, loss: float) -> float:
        return min(max(share - loss, 0.0), 1.0)


def detectable(ruler: Ruler, power: float = POWER) -> float | None:
    """Return the level nearest to an unchanged candidate's that is withheld with some power.

    Returns:
        The level; an unchanged candidate's own where even that is withheld so often, None where
        no level is.
    """

    def level(way: float) -> float:
        return ruler.unchanged + way * (ruler.worst - ruler.unchanged)

    def withheld(way: float) -> bool:
        return 1.0 - ruler.passes(level(way)) >= power

    if withheld(0.0):
        return ruler.unchanged
    return level(bisect(withheld, 0.0, 1.0)) if withheld(1.0) else None


def needed_n(ruler: Ruler, rarely: float = RARELY) -> int | None:
    """Return the units from which an unchanged candidate is rarely withheld.

    Chances are not quite monotone in n, as counts are whole; the number is where they settle to
    within a few units.

    Returns:
        The number, or None where none up to `MOST_UNITS` is enough.
    """
    start, rule = ruler.unchanged, ruler.rule
    if (rule.limit - start) * (ruler.worst - start) <= 0.0:
        return None  # the limit asks for better than unchanged

    def enough(n: int) -> bool:
        return 1.0 - ruler.resized(n).passes(ruler.resized(n).unchanged) <= rarely

    low, high = ruler.n, 2 * ruler.n
    while not enough(high):
        low, high = high, 2 * high
        if low > MOST_UNITS:
            return None
    while high - low > max(low // 100, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def bisect(reached: Callable[[float], bool], low: float, high: float) -> float:
    """Return nearly the smallest number from which a condition holds, `high` if none."""
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high

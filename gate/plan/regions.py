"""Which counts a limit lets pass, as tables: built once, then looked up for any number of draws."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from gate.evidence.table import BoolArray, IntArray
from gate.stats.f1 import f1_interval
from gate.stats.interval import BOUNDS, TOLERANCE, normal_quantile
from gate.stats.proportion import rate_interval
from gate.stats.score import upper_slack
from gate.stats.slices import delta_intervals


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """What is counted on the units of a limit; arrays of any shapes that go together."""

    fixed: IntArray
    broken: IntArray
    events: IntArray
    """Units that count against the candidate; of judgments, unsafe records answered wrongly."""
    others: IntArray
    """Of judgments, safe records answered wrongly."""
    gaps: IntArray
    """Units without a verdict, which are counted in all of these as well."""


class Region(Protocol):
    """The counts that do not withhold a release."""

    @property
    def flips(self) -> bool:
        """Whether it looks at fixed and broken units."""

    @property
    def events(self) -> bool:
        """Whether it looks at how many units count against the candidate."""

    def holds(self, counts: Counts) -> BoolArray:
        """Tell for each of the counts whether it lies inside."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeRegion:
    """For each number of fixed units, the most that may break; -1 for none."""

    most: IntArray

    flips = True
    events = False

    def holds(self, counts: Counts) -> BoolArray:
        """Look the broken units up."""
        row = np.minimum(counts.fixed, len(self.most) - 1)
        inside: BoolArray = counts.broken <= self.most[row]
        return inside


@dataclass(frozen=True, slots=True)
class EventRegion:
    """The most events that may be; -1 for none."""

    most: int
    safe_half: bool = False
    """Whether it is about the safe records of a judgment."""

    flips = False
    events = True

    def holds(self, counts: Counts) -> BoolArray:
        """Compare the events."""
        inside: BoolArray = (counts.others if self.safe_half else counts.events) <= self.most
        return inside


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRegion:
    """For each number of false alarms, the most unsafe records that may be missed; -1 for none."""

    most: IntArray

    flips = False
    events = True

    def holds(self, counts: Counts) -> BoolArray:
        """Look the missed records up; beyond the table nothing holds."""
        known = counts.others < len(self.most)
        row = np.where(known, counts.others, 0)
        inside: BoolArray = known & (counts.events <= self.most[row])
        return inside


@dataclass(frozen=True, slots=True)
class GapRegion:
    """The most units that may be without a verdict."""

    most: int

    flips = False
    events = False

    def holds(self, counts: Counts) -> BoolArray:
        """Compare the gaps."""
        inside: BoolArray = counts.gaps <= self.most
        return inside


@lru_cache(maxsize=512)
def change_region(
    n: int, reach: int, *, margin: float, confidence: float, bound: str, lenient: bool
) -> ChangeRegion:
    """Find what a margin lets pass.

    Args:
        n: Units.
        reach: The most fixed units to tell apart; beyond, the table's last row serves, which
            lets less pass.
        margin: The limit on the change.
        confidence: Two-sided level.
        bound: One of `BOUNDS`; any other is taken for `score`.
        lenient: Whether an inconclusive finding withholds nothing.
    """
    deciding = bound if bound in BOUNDS else "score"
    quick = deciding == "score" and -1.0 < margin < 1.0 - TOLERANCE

    def passes(fixed: IntArray, broken: IntArray) -> BoolArray:
        if quick and not lenient:
            return _score_holds(fixed, broken, n, margin + TOLERANCE, normal_quantile(confidence))
        size = np.full_like(fixed, n)
        ends = delta_intervals(fixed, broken, size, confidence=confidence, bound=deciding)
        held: BoolArray = ends.upper <= margin + TOLERANCE
        return held | (ends.lower <= TOLERANCE) if lenient else held

    fixed = np.arange(min(reach, n) + 1)
    return ChangeRegion(_most(passes, fixed, n - fixed))


def _score_holds(fixed: IntArray, broken: IntArray, n: int, margin: float, z: float) -> BoolArray:
    """Tell where Tango's upper end is at most the margin, without computing the end."""
    slack = upper_slack(fixed.astype(np.float64), broken.astype(np.float64), n, margin, z)
    inside: BoolArray = slack >= 0.0
    return inside


@lru_cache(maxsize=512)
def event_region(
    n: int,
    *,
    limit: float,
    confidence: float,
    bound: str,
    lenient: bool,
    floor: bool = False,
    safe_half: bool = False,
) -> EventRegion:
    """Find what a ceiling on events lets pass, or a floor on the units that are none."""

    def passes(events: int) -> bool:
        counted = n - events if floor else events
        x = (np.arange(n) < counted).astype(np.int64)
        ends = rate_interval(x, np.ones_like(x), confidence=confidence, bound=bound)
        if floor:
            shown = ends.upper < limit - TOLERANCE
            return ends.lower >= limit - TOLERANCE or (lenient and not shown)
        shown = ends.lower > limit + TOLERANCE
        return ends.upper <= limit + TOLERANCE or (lenient and not shown)

    return EventRegion(_last(passes, n), safe_half)


@lru_cache(maxsize=512)
def answer_region(
    unsafe: int,
    safe: int,
    reach: int,
    *,
    floor: float,
    confidence: float,
    bound: str,
    lenient: bool,
) -> AnswerRegion:
    """Find what a floor on F1 lets pass.

    Args:
        unsafe: Unsafe records.
        safe: Safe records.
        reach: The most false alarms to tell apart; more let nothing pass.
        floor: The limit on F1.
        confidence: Two-sided level.
        bound: One of `BOUNDS`.
        lenient: Whether an inconclusive finding withholds nothing.
    """

    def passes(missed: int, false: int) -> bool:
        ends = f1_interval(
            unsafe - missed, false, missed, tn=safe - false, confidence=confidence, bound=bound
        )
        return ends.lower >= floor - TOLERANCE or (lenient and not ends.upper < floor - TOLERANCE)

    most = _last(lambda missed: passes(missed, 0), unsafe)
    found = []
    for false in range(min(reach, safe) + 1):
        while most >= 0 and not passes(most, false):
            most -= 1  # more false alarms never let more be missed
        found.append(most)
    return AnswerRegion(np.array(found))


def _most(
    passes: Callable[[IntArray, IntArray], BoolArray], fixed: IntArray, rest: IntArray
) -> IntArray:
    """Bisect for the most broken units in every row at once; more fixed never let less pass."""
    low, high = np.full_like(fixed, -1), rest + 1
    while bool((high - low > 1).any()):
        middle = np.maximum((low + high) // 2, 0)
        # Rows that are found already are asked again, and answer as before.
        middle = np.where(high - low > 1, middle, np.clip(low, 0, rest))
        held = passes(fixed, middle)
        open_ones = high - low > 1
        low = np.where(open_ones & held, middle, low)
        high = np.where(open_ones & ~held, middle, high)
    return low


def _last(passes: Callable[[int], bool], n: int) -> int:
    """Return the largest number of 0..n up to which a condition holds, -1 if none."""
    low, high = -1, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low

"""Choosing limits on drawn suites: how strict each may be for a joint rate of false alarms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.evidence.table import BoolArray
from gate.plan.assumptions import Assumptions
from gate.plan.demand import demand
from gate.plan.draws import draw
from gate.plan.ends import FREE, deciding_ends
from gate.plan.requirement import Requirement
from gate.plan.staging import Stage
from gate.plan.world import Shift, build_world
from gate.stats.interval import TOLERANCE, FloatArray

MAIN_SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""How much of the false alarms is granted to the limit that a regression is about."""
LARGE_SHARES = (0.7, 0.9)
"""The same, only where it would else not be withheld often enough: it starves the others."""
LEAST = 1e-5
_STEPS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One suite, drawn many times: what every limit would have had to be."""

    ends: FloatArray
    """Of each slot's strictest members, shape (slots, draws); -inf where it has none here."""
    rest: BoolArray
    """Where everything that cannot be chosen was met, shape (draws,)."""

    def passes(self, limits: FloatArray) -> float:
        """Return the share of draws in which everything is met."""
        met = (self.ends <= limits[:, None] + TOLERANCE).all(axis=0)
        return float((met & self.rest).mean())


@dataclass(frozen=True, slots=True)
class Slot:
    """One number in the policy that can be chosen; several slices may share it."""

    check: str
    key: tuple[str, ...]
    members: tuple[Requirement, ...]

    @property
    def floor(self) -> bool:
        """Whether it is a floor, whose sign is turned here."""
        return self.members[0].limit_is == "floor"

    @property
    def places(self) -> int:
        """Decimals that it is written with: a margin needs more than a rate."""
        return 3 if self.members[0].measure == "delta" else 2


def slots_of(staged: Sequence[Stage]) -> list[Slot]:
    """Find every number that can be chosen."""
    found: dict[tuple[str, tuple[str, ...]], list[Requirement]] = {}
    for one in (part for each in staged for part in each.requirements):
        if one.measure in FREE and one.withholds:
            found.setdefault((one.check.id, one.key), []).append(one)
    return [Slot(check, key, tuple(members)) for (check, key), members in found.items()]


def sample(
    staged: Stage, slots: Sequence[Slot], given: Assumptions, shifts: Sequence[Shift] = ()
) -> Sample:
    """Draw one suite, for an unchanged candidate or a changed one."""
    own = [shift for shift in shifts if shift.source in staged.sources]
    world = build_world(staged.ground, staged.sources, given, own) if own else staged.world
    wanted = [one for one in staged.requirements if one.withholds]
    rows = draw(world, wanted, draws=given.draws, seed=given.seed + staged.seed,
                most=given.unscored)[given.unscored]  # fmt: skip
    size = len(rows[0].fixed) if rows else 1
    ends = np.full((len(slots), size), -np.inf)
    rest = np.ones(size, dtype=bool)
    place = {id(member): at for at, slot in enumerate(slots) for member in slot.members}
    for one, counts in zip(wanted, rows, strict=True):
        if id(one) in place:
            row = ends[place[id(one)]]
            np.maximum(row, deciding_ends(one, counts, world), out=row)
        else:
            rest &= demand(one, world).region.holds(counts)
    return Sample(ends, rest)


class Chooser:
    """Chooses limits on samples of an unchanged candidate, and of a worse one."""

    def __init__(
        self, slots: Sequence[Slot], unchanged: Sequence[Sample], worse: Sequence[Sample]
    ) -> None:
        self._slots = slots
        self._unchanged = unchanged
        self._worse = worse
        ends = [np.max([one.ends[at] for one in _same(unchanged, at)], axis=0)
                for at in range(len(slots))]  # fmt: skip
        self._sorted = [np.sort(row) for row in ends]
        self.draws = min(len(row) for row in ends)

    def choose(self, aim: float, main: int | None, power: float) -> FloatArray:
        """Choose all limits.

        Args:
            aim: How often an unchanged candidate may be withheld, by all limits together.
            main: The limit that a regression is about; it is given the share of the false
                alarms with which the regression is withheld most often, the others an equal one.
            power: How often the regression should be withheld.

        Returns:
            The limits, with the sign of floors turned.
        """
        if main is None or len(self._slots) == 1:
            return self._option(aim, main, aim)
        best = max((self._option(aim, main, x * aim) for x in MAIN_SHARES), key=self._withheld)
        if self._withheld(best) >= power:
            return best
        more = (self._option(aim, main, x * aim) for x in LARGE_SHARES)
        return max([best, *more], key=self._withheld)

    def _withheld(self, limits: FloatArray) -> float:
        return 1.0 - _passes(self._worse, limits)

    def _option(self, aim: float, main: int | None, own: float) -> FloatArray:
        low, high = math.log(LEAST), math.log(max(aim, 2.0 * LEAST))
        for _ in range(_STEPS):
            middle = (low + high) / 2.0
            withheld = 1.0 - _passes(self._unchanged, self._limits(math.exp(middle), main, own))
            low, high = (middle, high) if withheld <= aim else (low, middle)
        return self._limits(math.exp(low), main, own)

    def _limits(self, each: float, main: int | None, own: float) -> FloatArray:
        return np.array(
            [
                _written(row, own if at == main else each, self._slots[at].places)
                for at, row in enumerate(self._sorted)
            ]
        )


def _passes(samples: Sequence[Sample], limits: FloatArray) -> float:
    return math.prod(one.passes(limits) for one in samples)


def _same(samples: Sequence[Sample], at: int) -> list[Sample]:
    """Find the samples of the one suite that a slot is in."""
    return [one for one in samples if bool(np.isfinite(one.ends[at]).any())]


def _written(ends: FloatArray, missed: float, places: int) -> float:
    """Return the limit that is missed so often, or a little less: it is rounded outwards."""
    at = min(max(math.ceil((1.0 - missed) * len(ends)) - 1, 0), len(ends) - 1)
    return math.ceil(float(ends[at]) * 10.0**places - 1e-7) / 10.0**places

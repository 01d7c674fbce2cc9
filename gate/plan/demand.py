"""A requirement with the region of counts that meets it in one suite."""

from dataclasses import dataclass

import numpy as np

from gate.plan.exact import Limit
from gate.plan.regions import (
    AnswerRegion,
    ChangeRegion,
    GapRegion,
    Region,
    answer_region,
    change_region,
    event_region,
)
from gate.plan.requirement import Requirement
from gate.plan.world import World
from gate.stats.binomial import binomial_support
from gate.stats.interval import TOLERANCE

NEVER: Region = GapRegion(-1)


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """One limit, ready to be held against counts."""

    requirement: Requirement
    region: Region

    def limit(self) -> Limit:
        """Give its mask and region for adding up exactly."""
        mask = self.requirement.mask
        if self.requirement.measure in ("recall", "specificity"):
            # The two halves are told apart by what is counted, not by slices.
            mask = np.ones_like(mask)
        return Limit(mask, self.region)


def demand(requirement: Requirement, world: World) -> Demand:
    """Find the counts that meet a requirement."""
    return Demand(requirement, region_of(requirement, world, requirement.limit))


def region_of(requirement: Requirement, world: World, limit: float) -> Region:
    """Find the counts that meet a requirement at some limit, however much of it was planned."""
    n = requirement.n
    bound, lenient = requirement.bound, requirement.lenient
    if n < requirement.min_n and not lenient:
        return NEVER
    match requirement.measure:
        case "delta":
            reach = _reach(n, float(world.track(requirement).fixed[requirement.mask].mean()))
            return change_region(
                n, reach, margin=limit, confidence=requirement.confidence, bound=bound,
                lenient=lenient,
            )  # fmt: skip
        case "count":
            return ChangeRegion(np.zeros(1, dtype=np.int64))
        case "coverage":
            return GapRegion(int(n - limit * n + TOLERANCE) if n >= requirement.min_n else -1)
        case "f1":
            return _answers(requirement, world, limit)
    return event_region(
        n,
        limit=limit,
        confidence=requirement.confidence,
        bound=bound,
        lenient=lenient,
        floor=requirement.limit_is == "floor",
        safe_half=requirement.measure == "specificity",
    )


def _answers(requirement: Requirement, world: World, limit: float) -> AnswerRegion:
    safe = requirement.mask & world.safe_half
    n_safe = int(safe.sum())
    share = float(world.track(requirement).later[safe].mean()) if n_safe else 0.0
    return answer_region(
        requirement.n - n_safe,
        n_safe,
        _reach(n_safe, share),
        floor=limit,
        confidence=requirement.confidence,
        bound=requirement.bound,
        lenient=requirement.lenient,
    )


def _reach(n: int, share: float) -> int:
    """Leave room for the unscored units and for rates that differ between slices."""
    return min(int(binomial_support(n, min(share, 1.0))[-1]) + 20, n)

"""What one limit can show at the number of units that there are."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gate.plan.assumptions import Assumptions
from gate.plan.demand import Demand
from gate.plan.joint import Chance, alone
from gate.plan.requirement import Measure, Requirement
from gate.plan.rulers import (
    RARELY,
    AnswerRuler,
    ChangeRuler,
    RateRuler,
    Rule,
    Ruler,
    detectable,
    needed_n,
)
from gate.plan.world import World
from gate.stats.f1 import f1_interval
from gate.stats.interval import BOUNDS, TOLERANCE
from gate.stats.proportion import max_attainable_rate, min_attainable_rate
from gate.stats.slices import delta_intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFigures:
    """The figures of one limit."""

    id: str
    check: str
    suite: str
    slice: Mapping[str, str]
    measure: Measure
    against: str
    limit: float
    limit_is: str
    n: int
    withholds: bool
    """Whether it can keep a candidate from being released, or only warns."""
    attainable: float
    """The best end of the bound that any data could reach."""
    reachable: bool
    """Whether some data could meet the limit."""
    detectable: float | None
    """The level (or the change) that is withheld four times out of five."""
    withheld: Chance
    """How often an unchanged candidate does not meet it."""
    false_pass: float | None
    """How often a candidate whose true level is the limit meets it all the same."""
    needed_n: int | None
    """Units from which an unchanged candidate would rarely be withheld; None where it is
    rarely, or where none are enough."""


def limit_figures(world: World, demand: Demand, given: Assumptions) -> LimitFigures:
    """Work the figures of one limit out.

    Args:
        world: An unchanged candidate's world.
        demand: The limit.
        given: What is assumed.
    """
    wanted = demand.requirement
    passes = alone(world, demand, given, unscored=given.unscored)
    best = attainable(wanted, world)
    ruler = ruler_of(wanted, world)
    often = ruler is not None and 1.0 - passes.value > RARELY and not given.unscored
    return LimitFigures(
        id=wanted.check.id,
        check=wanted.check.check,
        suite=wanted.check.suite,
        slice=wanted.label,
        measure=wanted.measure,
        against=wanted.against,
        limit=wanted.limit,
        limit_is=wanted.limit_is,
        n=wanted.n,
        withholds=wanted.withholds,
        attainable=best,
        reachable=_within(best, wanted) and wanted.n >= wanted.min_n,
        detectable=detectable(ruler) if ruler else None,
        withheld=Chance(max(1.0 - passes.value, 0.0), passes.error),
        false_pass=ruler.passes(wanted.limit) if ruler and wanted.measure != "count" else None,
        needed_n=needed_n(ruler) if ruler and often else None,
    )


def attainable(wanted: Requirement, world: World) -> float:
    """Return the best end of the bound: all unsafe units fixed, no event, all answers right."""
    confidence, bound, n = wanted.confidence, wanted.bound, wanted.n
    match wanted.measure:
        case "delta":
            fixed = np.array([round(float(world.track(wanted).base[wanted.mask].sum()))])
            deciding = bound if bound in BOUNDS else "score"
            ends = delta_intervals(
                fixed, np.zeros_like(fixed), np.array([n]), confidence=confidence, bound=deciding
            )
            return float(ends.upper[0])
        case "rate":
            return min_attainable_rate(n, confidence=confidence, bound=bound)
        case "recall" | "specificity":
            return max_attainable_rate(n, confidence=confidence, bound=bound)
        case "f1":
            unsafe = int((wanted.mask & ~world.safe_half).sum())
            ends_of_all = f1_interval(
                unsafe, 0, 0, tn=n - unsafe, confidence=confidence, bound=bound
            )
            return ends_of_all.lower
        case "count":
            return 0.0
        case "coverage":
            return 1.0


def ruler_of(wanted: Requirement, world: World) -> Ruler | None:
    """Measure a requirement by its slice's mean rates; None for what has no level."""
    rule = Rule(
        limit=wanted.limit,
        confidence=wanted.confidence,
        bound=wanted.bound,
        lenient=wanted.lenient,
    )
    track, mask, n = world.track(wanted), wanted.mask, wanted.n
    later = track.later
    match wanted.measure:
        case "delta":
            return ChangeRuler(
                rule, n, float(track.fixed[mask].mean()), float(track.broken[mask].mean())
            )
        case "rate":
            return RateRuler(rule, n, float(later[mask].mean()))
        case "recall" | "specificity":
            return RateRuler(rule, n, 1.0 - float(later[mask].mean()), floor=True)
        case "f1":
            safe = mask & world.safe_half
            unsafe = mask & ~world.safe_half
            shares = (
                1.0 - float(later[half].mean()) if half.any() else 1.0 for half in (unsafe, safe)
            )
            return AnswerRuler(rule, int(unsafe.sum()), int(safe.sum()), *shares)
    return None


def _within(best: float, wanted: Requirement) -> bool:
    if wanted.limit_is == "floor":
        return best >= wanted.limit - TOLERANCE
    return best <= wanted.limit + TOLERANCE

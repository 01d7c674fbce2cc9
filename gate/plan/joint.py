"""How often all limits of one suite, and of a whole policy, are met together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.evidence.table import BoolArray
from gate.plan.assumptions import Assumptions
from gate.plan.demand import Demand
from gate.plan.draws import draw
from gate.plan.exact import pass_chances
from gate.plan.world import World
from gate.stats.interval import FloatArray


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability, and how far off it may be where it was drawn."""

    value: float
    error: float = 0.0
    """Standard error; 0 where it was computed exactly."""


@dataclass(frozen=True, slots=True)
class SuiteChances:
    """How often one suite withholds nothing, for 0, 1, 2, … unscored rows in each method."""

    suite: str
    passes: tuple[Chance, ...]
    budget: int
    """More unscored rows than this are unusable evidence."""

    def at(self, unscored: int) -> Chance:
        """Give the chance for a number of unscored rows; beyond the budget nothing passes."""
        return self.passes[unscored] if unscored <= self.budget else Chance(0.0)


def withheld(suites: Sequence[SuiteChances], unscored: Sequence[int]) -> Chance:
    """Combine suites, which are independent, into the chance that a release is withheld."""
    parts = [suite.at(count) for suite, count in zip(suites, unscored, strict=True)]
    passes = math.prod(part.value for part in parts)
    error = math.hypot(*(passes * part.error / part.value for part in parts if part.value))
    return Chance(1.0 - passes, error)


def suite_chances(
    world: World, demands: Sequence[Demand], given: Assumptions, *, most: int = 0, seed: int = 0
) -> SuiteChances:
    """Compute how often all demands on one suite are met together.

    What concerns one method at a time is added up exactly. What entangles methods, or a third
    checkpoint, is drawn: of the exact part, the share that the rest withholds in addition.

    Args:
        world: How verdicts come about.
        demands: The demands that can withhold, all on this suite.
        given: How often to draw, and the seed.
        most: The most unscored rows in each method.
        seed: Added to the seed, so that suites are drawn apart.
    """
    budget = world.ground.budget
    most = min(most, budget)
    exact, rest = _exact_part(world, demands, most)
    product = np.prod([passes for _, passes in exact], axis=0) if exact else np.ones(most + 1)
    if not rest:
        chances = tuple(Chance(float(passes)) for passes in product)
        return SuiteChances(world.ground.suite, chances, budget)
    first = [one for group, _ in exact for one in group]
    lost = _drawn(world, first, rest, given, most=most, seed=seed)
    chances = tuple(
        Chance(max(float(passes) - one.value, 0.0), one.error)
        for passes, one in zip(product, lost, strict=True)
    )
    return SuiteChances(world.ground.suite, chances, budget)


def alone(world: World, demand: Demand, given: Assumptions, *, unscored: int = 0) -> Chance:
    """Compute how often one demand is met, whatever the others do."""
    if unscored > world.ground.budget:
        return Chance(0.0)
    track = world.track(demand.requirement)
    single = len(demand.requirement.sources) == 1
    if single or not unscored:
        found = pass_chances([demand.limit()], track, world.safe_half, unscored)
        if found is not None:
            return Chance(float(found[unscored]))
    lost = _drawn(world, [], [demand], given, most=unscored, seed=0)[unscored]
    return Chance(1.0 - lost.value, lost.error)


def _exact_part(
    world: World, demands: Sequence[Demand], most: int
) -> tuple[list[tuple[list[Demand], FloatArray]], list[Demand]]:
    """Split demands into those that add up, by method, and the rest."""
    simple = [
        one
        for one in demands
        if len(one.requirement.sources) == 1 and one.requirement.against != "anchor"
    ]
    rest = [one for one in demands if one not in simple]
    exact = []
    for source in dict.fromkeys(one.requirement.sources[0] for one in simple):
        group = [one for one in simple if one.requirement.sources[0] == source]
        limits = [one.limit() for one in group]
        passes = pass_chances(limits, world.candidate[source], world.safe_half, most)
        if passes is None:
            rest += group
        else:
            exact.append((group, passes))
    return exact, rest


def _drawn(
    world: World,
    first: Sequence[Demand],
    rest: Sequence[Demand],
    given: Assumptions,
    *,
    most: int,
    seed: int,
) -> list[Chance]:
    """Draw how often the first demands are all met and the rest are not, by unscored rows."""
    demands = [*first, *rest]
    wanted = [one.requirement for one in demands]
    rows = draw(world, wanted, draws=given.draws, seed=given.seed + seed, most=most)
    lost = []
    for counts in rows:
        met = [one.region.holds(found) for one, found in zip(demands, counts, strict=True)]
        lost.append(_share(_all(met[: len(first)], met[0]) & ~_all(met[len(first) :], met[0])))
    return lost


def _all(met: Sequence[BoolArray], like: BoolArray) -> BoolArray:
    every: BoolArray = np.logical_and.reduce([np.ones_like(like), *met])
    return every


def _share(hits: BoolArray) -> Chance:
    """Give a drawn share with its standard error, half a hit drawn in so that none is certain."""
    n = len(hits)
    smoothed = (float(hits.sum()) + 0.5) / (n + 1.0)
    return Chance(float(hits.mean()), math.sqrt(smoothed * (1.0 - smoothed) / n))

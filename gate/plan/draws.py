"""Drawing whole suites many times over, where limits are too entangled to add up exactly."""

from collections.abc import Mapping, Sequence

import numpy as np

from gate.evidence.table import BoolArray, IntArray
from gate.plan.regions import Counts
from gate.plan.requirement import Requirement, Source
from gate.plan.world import World
from gate.stats.interval import FloatArray

AT_ONCE = 1_000_000
"""Verdicts drawn at once."""
AT_MOST = 100_000_000
"""Verdicts drawn altogether; larger suites are drawn less often."""
FEWEST = 1_000


def draw(
    world: World, wanted: Sequence[Requirement], *, draws: int, seed: int, most: int = 0
) -> list[list[Counts]]:
    """Count what each requirement is about, in a number of drawn suites.

    Args:
        world: How verdicts come about.
        wanted: The requirements, all on this suite.
        draws: How many suites to draw; fewer where they are very large.
        seed: Same seed, same draws; the verdicts are the same for every number of unscored ones.
        most: The most unscored units in each method.

    Returns:
        For 0, 1, … `most` unscored units, for each requirement: the counts, shape (draws,).
    """
    sources = tuple(dict.fromkeys(source for one in wanted for source in one.sources))
    n = len(world.ground.panel.ids)
    per_draw = max(n * len(sources), 1)
    draws = max(min(draws, AT_MOST // per_draw), FEWEST)
    step = max(AT_ONCE // per_draw, 1)
    rng, rng_gaps = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    order = _Order(wanted, world.safe_half)
    found: list[list[list[Counts]]] = [[[] for _ in wanted] for _ in range(most + 1)]
    for start in range(0, draws, step):
        size = min(step, draws - start)
        anchored = any(one.against == "anchor" for one in wanted)
        suites = _Suites(world, sources, order.units, size, rng, anchored=anchored)
        lost = {source: _places(rng_gaps, size, n, most) for source in sources if most}
        for unscored in range(most + 1):
            suites.lose({source: place[unscored - 1 : unscored] for source, place in lost.items()})
            for at, counts in enumerate(_count(suites, wanted, order)):
                found[unscored][at].append(counts)
    return [[_joined(parts) for parts in row] for row in found]


class _Order:
    """The units of a suite, those that belong to the same masks beside each other."""

    def __init__(self, wanted: Sequence[Requirement], safe_half: BoolArray) -> None:
        belongs = np.column_stack([safe_half, *(one.mask for one in wanted)])
        cells, cell = np.unique(belongs, axis=0, return_inverse=True)
        cell = cell.reshape(-1)
        self.units: IntArray = np.argsort(cell, kind="stable")
        self._starts = np.flatnonzero(np.diff(cell[self.units], prepend=-1))
        self._safe = cells[:, 0]
        self._members = cells[:, 1:].T

    def cells(self, verdicts: BoolArray) -> IntArray:
        """Count in each cell; verdicts and counts have a column for each draw."""
        parts = np.split(verdicts, self._starts[1:])
        width = np.uint16 if len(verdicts) < 2**16 else np.uint32
        return np.array([part.sum(axis=0, dtype=width) for part in parts])

    def sums(self, cells: IntArray, at: int, *, safe: bool | None = None) -> IntArray:
        """Add up the cells of one requirement, or of one half of it."""
        member = self._members[at] if safe is None else self._members[at] & (self._safe == safe)
        total: IntArray = cells[member].sum(axis=0, dtype=np.int32)
        return total


class _Suites:
    """Some drawn suites: verdicts of shape (units, draws) by source."""

    def __init__(
        self,
        world: World,
        sources: Sequence[Source],
        units: IntArray,
        draws: int,
        rng: np.random.Generator,
        *,
        anchored: bool,
    ) -> None:
        self.first: dict[Source, BoolArray] = {}
        self.later: dict[Source, BoolArray] = {}
        self.anchor: dict[Source, BoolArray] = {}
        self.gaps: dict[Source, BoolArray] = {}
        shape = (len(units), draws)
        for source in sources:
            track, before = world.candidate[source], world.unchanged[source]
            chance = rng.random(shape, dtype=np.float32)
            base, stays = _column(track.base, units), _column(track.base * track.keep, units)
            first = chance < base
            self.first[source] = first
            breaks = chance < base + _column(track.broken, units)
            self.later[source] = (chance < stays) | (breaks & ~first)
            self.gaps[source] = np.zeros(shape, dtype=bool)
            if anchored:
                flips = np.where(first, _column(before.keep, units), _column(before.turn, units))
                self.anchor[source] = rng.random(shape, dtype=np.float32) < flips

    def lose(self, places: Mapping[Source, IntArray]) -> None:
        """Take the verdict from units of each suite; they count against the candidate."""
        for source, place in places.items():
            draws = np.arange(place.shape[1])
            self.later[source][place, draws] = True
            self.gaps[source][place, draws] = True


def _column(chances: FloatArray, units: IntArray) -> FloatArray:
    return chances[units, None]


def _count(suites: _Suites, wanted: Sequence[Requirement], order: _Order) -> list[Counts]:
    """Count what each requirement is about, the verdicts that several share once."""
    cells: dict[tuple[tuple[Source, ...], bool], tuple[IntArray, ...]] = {}
    found = []
    for at, one in enumerate(wanted):
        key = one.sources, one.against == "anchor"
        if key not in cells:
            before = suites.anchor if key[1] else suites.first
            first, later, gaps = (
                np.logical_or.reduce([verdicts[source] for source in one.sources])
                for verdicts in (before, suites.later, suites.gaps)
            )
            cells[key] = tuple(order.cells(x) for x in (first, later, first & later, gaps))
        first, later, both, gaps = (order.sums(counts, at) for counts in cells[key])
        others = order.sums(cells[key][1], at, safe=True)
        found.append(Counts(first - both, later - both, later - others, others, gaps))
    return found


def _places(rng: np.random.Generator, draws: int, n: int, most: int) -> IntArray:
    """Draw different units for each suite, in random order; shape (most, draws)."""
    places = np.empty((0, draws), dtype=np.int64)
    for taken in range(most):
        place = rng.integers(0, n - taken, draws)
        for before in np.sort(places, axis=0):  # skip what is taken, from the left
            place += place >= before
        places = np.vstack([places, place])
    return places


def _joined(parts: Sequence[Counts]) -> Counts:
    columns = zip(*((x.fixed, x.broken, x.events, x.others, x.gaps) for x in parts), strict=True)
    return Counts(*(np.concatenate(column) for column in columns))

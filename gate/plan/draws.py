"""Drawing whole suites many times over, where limits are too entangled to add up exactly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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

Verdicts = Mapping[Source, BoolArray]
"""By source, whether each unit counts against the checkpoint; shape (units, draws)."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Some drawn suites."""

    first: Verdicts
    later: Verdicts
    anchor: Verdicts
    """Empty where it was not asked for."""
    gaps: Verdicts
    """Which of the later verdicts are not there; these count against the candidate."""
    start: int
    """The number of the first of these draws."""

    @property
    def size(self) -> int:
        """How many suites these are."""
        return int(next(iter(self.later.values())).shape[1])


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
    anchored = any(one.against == "anchor" for one in wanted)
    found: list[list[list[Counts]]] = [[[] for _ in wanted] for _ in range(most + 1)]
    counter = Counter(wanted, world)
    for row in blocks(world, sources, draws=draws, seed=seed, most=most, anchored=anchored):
        for unscored, drawn in enumerate(row):
            for at, counts in enumerate(counter.count(drawn)):
                found[unscored][at].append(counts)
    return [[_joined(parts) for parts in row] for row in found]


def blocks(
    world: World,
    sources: Sequence[Source],
    *,
    draws: int,
    seed: int,
    most: int = 0,
    anchored: bool = False,
) -> Iterator[list[Drawn]]:
    """Draw suites, so many at once that they fit into memory; arguments as in `draw`.

    Yields:
        The same suites with 0, 1, … `most` unscored units in each method.
    """
    n = len(world.ground.panel.ids)
    per_draw = max(n * len(sources), 1)
    draws = max(min(draws, AT_MOST // per_draw), FEWEST)
    step = max(AT_ONCE // per_draw, 1)
    rng, rng_gaps = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        whole = _drawn(world, sources, size, rng, start, anchored=anchored)
        lost = {source: _places(rng_gaps, size, n, most) for source in sources}
        yield [_without(whole, lost, unscored) for unscored in range(most + 1)]


def _drawn(
    world: World,
    sources: Sequence[Source],
    size: int,
    rng: np.random.Generator,
    start: int,
    *,
    anchored: bool,
) -> Drawn:
    first, later, anchor = {}, {}, {}
    shape = (len(world.ground.panel.ids), size)
    for source in sources:
        track, before = world.candidate[source], world.unchanged[source]
        chance = rng.random(shape, dtype=np.float32)
        first[source] = chance < _column(track.base)
        breaks = chance < _column(track.base + track.broken)
        stays = chance < _column(track.base * track.keep)
        later[source] = stays | (breaks & ~first[source])
        if anchored:
            flips = np.where(first[source], _column(before.keep), _column(before.turn))
            anchor[source] = rng.random(shape, dtype=np.float32) < flips
    gaps = {source: np.zeros(shape, dtype=bool) for source in sources}
    return Drawn(first, later, anchor, gaps, start)


def _without(whole: Drawn, lost: Mapping[Source, IntArray], unscored: int) -> Drawn:
    """Take the verdict from the first places of each suite."""
    if not unscored:
        return whole
    gaps = {}
    for source, place in lost.items():
        gaps[source] = np.zeros_like(whole.later[source])
        gaps[source][place[:unscored], np.arange(place.shape[1])] = True
    later = {source: verdicts | gaps[source] for source, verdicts in whole.later.items()}
    return Drawn(whole.first, later, whole.anchor, gaps, whole.start)


def _column(chances: FloatArray) -> FloatArray:
    column: FloatArray = chances[:, None].astype(np.float32)
    return column


class Counter:
    """Counts what requirements on one suite are about, those on the same verdicts at once."""

    def __init__(self, wanted: Sequence[Requirement], world: World) -> None:
        alike: dict[tuple[tuple[Source, ...], bool], list[int]] = {}
        for at, one in enumerate(wanted):
            alike.setdefault((one.sources, one.against == "anchor"), []).append(at)
        self._size = len(wanted)
        self._safe_half = world.safe_half[:, None]
        self._alike = [
            (sources, anchored, places, _Adder(np.array([wanted[at].mask for at in places])))
            for (sources, anchored), places in alike.items()
        ]

    def count(self, drawn: Drawn) -> list[Counts]:
        """Count in some drawn suites, for each requirement in turn."""
        found: dict[int, Counts] = {}
        for sources, anchored, places, add in self._alike:
            first, later, gaps = (
                np.logical_or.reduce([verdicts[source] for source in sources])
                for verdicts in (drawn.anchor if anchored else drawn.first, drawn.later, drawn.gaps)
            )
            both, others = add.sums(first & later), add.sums(later & self._safe_half)
            fixed, broken = add.sums(first) - both, add.sums(later) - both
            rows = (fixed, broken, broken + both - others, others, add.sums(gaps))
            found |= {at: Counts(*(row[i] for row in rows)) for i, at in enumerate(places)}
        return [found[at] for at in range(self._size)]


class _Adder:
    """Adds verdicts up within masks: first where they belong to the same masks, then those."""

    def __init__(self, masks: BoolArray) -> None:
        cells, cell = np.unique(masks, axis=1, return_inverse=True)
        self._order = np.argsort(cell.reshape(-1), kind="stable")
        self._starts = np.flatnonzero(np.diff(cell.reshape(-1)[self._order], prepend=-1))
        self._members = [np.flatnonzero(row) for row in cells]

    def sums(self, verdicts: BoolArray) -> IntArray:
        """Count in each mask; shape (masks, draws)."""
        if not verdicts.any():
            return np.zeros((len(self._members), verdicts.shape[1]), dtype=np.int32)
        width = np.uint16 if len(verdicts) < 2**16 else np.uint32
        cells = np.add.reduceat(verdicts[self._order], self._starts, axis=0, dtype=width)
        return np.array([cells[row].sum(axis=0, dtype=np.int32) for row in self._members])


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

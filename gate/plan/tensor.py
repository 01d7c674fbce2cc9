"""Joint distributions of counts as arrays, and how those of separate units add up.

The axes of an array are fixed and broken units, events, and events in the safe half; one that is
not needed has length 1. A distribution is a list of such arrays, one for each number of unscored
units, weighted by how many ways there are to choose them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import fft, special

from gate.plan.regions import Counts, Region
from gate.stats.binomial import binomial_support
from gate.stats.interval import FloatArray

Ways: TypeAlias = list[FloatArray]
NEGLIGIBLE = 1e-14
"""What the far end of a distribution may hold to be cut off; transforms leave more than 1e-17."""
FIXED, BROKEN, EVENTS, OTHERS = range(4)


@dataclass(frozen=True, slots=True)
class Cell:
    """Units that are alike."""

    n: int
    base: float
    keep: float
    turn: float
    safe_half: bool = False
    """Whether their events are counted apart, as false alarms are."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Which counts have to be told apart."""

    flips: bool = False
    events: bool = False

    def __or__(self, other: "Needs") -> "Needs":
        """Join two."""
        return Needs(self.flips or other.flips, self.events or other.events)


def nothing(most: int) -> Ways:
    """Give the distribution of no units at all."""
    one = np.ones((1, 1, 1, 1))
    return [one, *(np.zeros_like(one) for _ in range(most))]


def leaf(cell: Cell, needs: Needs, most: int) -> Ways:
    """Give the distribution of the counts in one cell.

    Args:
        cell: The units.
        needs: Which counts to tell apart.
        most: The most unscored units; each counts against the candidate.
    """
    scored = [_scored(cell, cell.n - gaps, needs) for gaps in range(min(most, cell.n) + 1)]
    extra = [1, most * needs.flips + 1, most * needs.events + 1, 1]
    shape = tuple(int(size) for size in np.array(scored[0].shape) + extra - 1)
    ways = [np.zeros(shape) for _ in range(most + 1)]
    for gaps, part in enumerate(scored):
        for broken in range(gaps + 1):
            # An unscored unit is broken where it was safe before.
            share = float(math.comb(cell.n, gaps) * math.comb(gaps, broken))
            share *= (1.0 - cell.base) ** broken * cell.base ** (gaps - broken)
            start = (0, broken * needs.flips, gaps * needs.events, 0)
            place = tuple(slice(at, at + size) for at, size in zip(start, part.shape, strict=True))
            ways[gaps][place] += share * part
    return _trimmed([np.swapaxes(way, EVENTS, OTHERS) for way in ways] if cell.safe_half else ways)


def combine(one: Ways, other: Ways) -> Ways:
    """Add up the counts of two sets of units."""
    shape = [a + b - 1 for a, b in zip(one[0].shape, other[0].shape, strict=True)]
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    if not axes:
        return [
            np.sum([one[i] * other[gaps - i] for i in range(gaps + 1)], axis=0)
            for gaps in range(len(one))
        ]
    sizes = [fft.next_fast_len(shape[axis], real=True) for axis in axes]
    first, second = ([fft.rfftn(way, sizes, axes) for way in ways] for ways in (one, other))
    inside = tuple(slice(size) for size in shape)
    ways = []
    for gaps in range(len(one)):
        product = np.sum([first[i] * second[gaps - i] for i in range(gaps + 1)], axis=0)
        ways.append(np.maximum(fft.irfftn(product, sizes, axes)[inside], 0.0))
    return _trimmed(ways)


def restrict(ways: Ways, regions: Sequence[Region]) -> Ways:
    """Keep only what lies within all regions."""
    fixed, broken, events, others = np.ogrid[tuple(slice(length) for length in ways[0].shape)]
    kept = []
    for gaps, way in enumerate(ways):
        counts = Counts(fixed, broken, events, others, np.array(gaps))
        inside = np.ones_like(way, dtype=bool)
        for region in regions:
            inside = inside & region.holds(counts)
        kept.append(np.where(inside, way, 0.0))
    return kept


def forget(ways: Ways, needs: Needs) -> Ways:
    """Add up over the counts that are not needed any more."""
    axes = (() if needs.flips else (FIXED, BROKEN)) + (() if needs.events else (EVENTS, OTHERS))
    return [way.sum(axis=axes, keepdims=True) for way in ways] if axes else ways


def size(cells: Sequence[Cell], needs: Needs) -> int:
    """Estimate how large the array for all these cells becomes."""
    n = sum(cell.n for cell in cells)
    means = np.zeros(4)
    for cell in cells:
        means[FIXED] += cell.n * cell.base * (1.0 - cell.keep)
        means[BROKEN] += cell.n * (1.0 - cell.base) * cell.turn
        means[OTHERS if cell.safe_half else EVENTS] += cell.n * _later(cell)
    needed = np.array([needs.flips, needs.flips, needs.events, needs.events]) & (means > 0.0)
    return math.prod(_reach(n, min(mean / n, 1.0)) for mean in means[needed].tolist())


def _later(cell: Cell) -> float:
    return cell.base * cell.keep + (1.0 - cell.base) * cell.turn


def _scored(cell: Cell, n: int, needs: Needs) -> FloatArray:
    """Give the distribution of fixed and broken units and events where all have a verdict."""
    flips = [cell.base * (1.0 - cell.keep), (1.0 - cell.base) * cell.turn]
    if not needs.flips:
        line = _multinomial(n, [_later(cell)] if needs.events else [])
        return line.reshape(1, 1, -1, 1)
    if not needs.events:
        return _multinomial(n, flips)[:, :, None, None]
    table = _multinomial(n, [*flips, cell.base * cell.keep])
    several = table.shape[1]
    sheared = np.zeros((*table.shape[:2], several + table.shape[2] - 1))
    for broken in range(several):  # broken units are events too
        sheared[:, broken, broken : broken + table.shape[2]] = table[:, broken]
    return sheared[..., None]


def _multinomial(n: int, shares: Sequence[float]) -> FloatArray:
    """Return the chance of every count of each share, as far as it is not negligible."""
    counts = np.ogrid[tuple(slice(_reach(n, share)) for share in shares)]
    rest = n - sum(counts, np.array(0))
    logs = special.gammaln(n + 1.0) - special.gammaln(np.maximum(rest, 0) + 1.0)
    logs = logs + special.xlogy(np.maximum(rest, 0), max(1.0 - math.fsum(shares), 0.0))
    for count, share in zip(counts, shares, strict=True):
        logs = logs + special.xlogy(count, share) - special.gammaln(count + 1.0)
    chances: FloatArray = np.where(rest >= 0, np.exp(logs), 0.0)
    return chances


def _reach(n: int, share: float) -> int:
    if share <= 0.0:
        return 1
    return int(binomial_support(n, share)[-1]) + 1


def _trimmed(ways: Ways) -> Ways:
    """Cut off the far ends that hold nothing."""
    keep = []
    for axis in range(4):
        others = tuple(other for other in range(4) if other != axis)
        ends = [1]
        for way in ways:
            tail = np.cumsum(way.sum(axis=others)[::-1])[::-1]
            ends.append(int(np.count_nonzero(tail > NEGLIGIBLE * tail[0])))
        keep.append(slice(max(ends)))
    return [way[tuple(keep)] for way in ways]

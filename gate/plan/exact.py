"""The chance that several limits hold at once, by adding up distributions instead of drawing.

It works where the slices of the limits are nested or apart, as categories within a whole are: the
counts of a slice are those of its parts added up, and each limit is applied where its slice is
complete. A limit on the whole and limits on its categories depend on each other; that is in it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.evidence.table import BoolArray
from gate.plan.regions import Region
from gate.plan.tensor import Cell, Needs, Ways, combine, forget, leaf, nothing, restrict, size
from gate.plan.world import Track
from gate.stats.interval import FloatArray

LARGEST = 2_000_000
"""Entries of the largest array that is still worth computing."""


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """What counts are let pass on some units."""

    mask: BoolArray
    region: Region

    @property
    def needs(self) -> Needs:
        """Which counts it looks at."""
        return Needs(self.region.flips, self.region.events)


@dataclass(slots=True, eq=False)
class _Node:
    mask: BoolArray
    limits: list[Limit] = field(default_factory=list)
    children: list["_Node"] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)

    @property
    def needs(self) -> Needs:
        found = Needs()
        for limit in self.limits:
            found |= limit.needs
        return found


def pass_chances(
    limits: Sequence[Limit], track: Track, safe_half: BoolArray, most: int = 0
) -> FloatArray | None:
    """Return the chance that all limits hold, for 0, 1, … `most` unscored units.

    Args:
        limits: The limits, all on one pair of verdicts.
        track: The pair of verdicts.
        safe_half: Units whose events are counted apart from the others'.
        most: The most unscored units; which ones they are is drawn.

    Returns:
        The chances, shape (most + 1,); None where slices overlap in part, or where the numbers
        are too large.
    """
    root = _tree(limits, len(track.base))
    if root is None:
        return None
    _place_cells(root, track, safe_half)
    if _largest(root, Needs()) > LARGEST:
        return None
    n = len(track.base)
    ways = _ways(root, Needs(), most)
    return np.array([float(way.sum()) / math.comb(n, gaps) for gaps, way in enumerate(ways)])


def _tree(limits: Sequence[Limit], n: int) -> _Node | None:
    """Nest the slices, the whole on top; None where they overlap in part."""
    root = _Node(np.ones(n, dtype=bool))
    for limit in sorted(limits, key=lambda limit: -int(limit.mask.sum())):
        node = root
        while True:
            touching = [child for child in node.children if bool((child.mask & limit.mask).any())]
            if not touching:
                break
            node = touching[0]
            if bool((limit.mask & ~node.mask).any()):
                return None
        if not np.array_equal(node.mask, limit.mask):
            node.children.append(_Node(limit.mask))
            node = node.children[-1]
        node.limits.append(limit)
    return root


def _place_cells(root: _Node, track: Track, safe_half: BoolArray) -> None:
    """Put units into the smallest node that has them, those that are alike together."""
    nodes = [root]
    home = np.zeros(len(root.mask), dtype=np.int64)
    for node in nodes:  # grows while it is walked, parents before their children
        for child in node.children:
            home[child.mask] = len(nodes)
            nodes.append(child)
    rows = np.column_stack([home, safe_half, track.base, track.keep, track.turn])
    for row, count in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
        cell = Cell(int(count), float(row[2]), float(row[3]), float(row[4]), bool(row[1]))
        nodes[int(row[0])].cells.append(cell)


def _largest(node: _Node, above: Needs) -> int:
    needs = above | node.needs
    own = size(_all_cells(node), needs)
    return max([own, *(_largest(child, needs) for child in node.children)])


def _all_cells(node: _Node) -> list[Cell]:
    return node.cells + [cell for child in node.children for cell in _all_cells(child)]


def _ways(node: _Node, above: Needs, most: int) -> Ways:
    """Give the distribution of a node's counts where all its limits hold."""
    needs = above | node.needs
    total = nothing(most)
    for alike in _kin(node.cells, needs):
        part = nothing(most)
        for cell in alike:
            part = combine(part, leaf(cell, needs, most))
        total = combine(total, part)
    for child in node.children:
        total = combine(total, _ways(child, needs, most))
    return forget(restrict(total, [limit.region for limit in node.limits]), above)


def _kin(cells: Sequence[Cell], needs: Needs) -> list[list[Cell]]:
    """Put together the cells whose counts lie along the same axes, which add up far quicker.

    Units known to be unsafe can only be fixed, and units known to be safe only break. Where
    nothing is told apart, units need only be counted.
    """
    if needs == Needs():
        return [[Cell(sum(cell.n for cell in cells), 0.0, 1.0, 0.0)]] if cells else []
    kinds: dict[tuple[float, bool], list[Cell]] = {}
    for cell in cells:
        kinds.setdefault((math.floor(cell.base) + math.ceil(cell.base), cell.safe_half), []).append(
            cell
        )
    return list(kinds.values())

"""Which cells of an overview rose beyond chance, corrected for how many were looked at.

These detectors decide nothing: the checks of a policy need no correction, because all of them
must pass (`gate.stats.multiplicity` says why). A reader who looks through a table of many cells
for the worst one does need it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.checks.change import Change
from gate.evidence.panel import Sample
from gate.evidence.table import BoolArray
from gate.stats.interval import FloatArray
from gate.stats.mcnemar import mcnemar_exact
from gate.stats.multiplicity import holm, max_t

SWAPS = 10_000
"""Swaps that are drawn where they are too many to be tried one and all."""
MOST_ENTRIES = 200_000
"""Changed units times cells: beyond it the cells are corrected one by one (Holm)."""


@dataclass(frozen=True, slots=True)
class Rises:
    """Adjusted p values of a rise in each cell."""

    p: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By method and category."""
    correction: str = ""
    """In words, as `max-T over 21 cells`; empty where there is nothing to compare."""


def rises(
    methods: Mapping[str, Mapping[str, Sample]],
    slices: Sequence[tuple[str, BoolArray]],
    seed: int,
) -> Rises:
    """Test every method in every slice for a rise of the candidate over the baseline.

    Args:
        methods: By method and role, the verdicts on all units of a suite.
        slices: The categories, and which units are in each.
        seed: Seed of the swaps where they are drawn.
    """
    compared = {
        method: Change((), roles["baseline"], roles["candidate"])
        for method, roles in methods.items()
        if {"baseline", "candidate"} <= roles.keys()
    }
    cells = [(method, name, mask) for method in compared for name, mask in slices]
    if len(cells) < 2:
        return Rises()
    shifts = {method: _shift(change) for method, change in compared.items()}
    keys = [(method, name) for method, name, _ in cells]
    changed = np.logical_or.reduce([shift != 0.0 for shift in shifts.values()])
    if int(changed.sum()) * len(cells) <= MOST_ENTRIES:
        columns = [np.where(mask, shifts[method], 0.0) for method, _, mask in cells]
        table = _by_group(np.stack(columns, axis=1), next(iter(compared.values())))
        adjusted = max_t(table, resamples=SWAPS, seed=seed)
        return Rises(_paired(keys, adjusted), f"max-T over {len(cells)} cells")
    if any(change.grouped for change in compared.values()):
        return Rises()  # flips within a group are no independent draws
    alone = [
        mcnemar_exact(
            int((shifts[method][mask] < 0).sum()),
            int((shifts[method][mask] > 0).sum()),
            increase=True,
        )
        for method, _, mask in cells
    ]
    return Rises(_paired(keys, holm(np.array(alone))), f"Holm over {len(cells)} cells")


def _shift(change: Change) -> FloatArray:
    difference = (change.candidate.low - change.other.low) / change.other.k
    return np.where(change.paired, difference, 0.0)


def _by_group(table: FloatArray, change: Change) -> FloatArray:
    """Add up the rows of each group: near-duplicates are swapped together."""
    if change.other.groups is None:
        return table
    _, index = np.unique(change.other.groups, return_inverse=True)
    sums = np.zeros((int(index.max()) + 1, table.shape[1]))
    np.add.at(sums, index, table)
    return sums


def _paired(keys: Sequence[tuple[str, str]], adjusted: FloatArray) -> dict[tuple[str, str], float]:
    return dict(zip(keys, adjusted.tolist(), strict=True))

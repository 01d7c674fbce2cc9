"""Joint chances, added up exactly, against enumerating every possible suite."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from gate.plan.exact import Limit, pass_chances
from gate.plan.regions import (
    AnswerRegion,
    ChangeRegion,
    Counts,
    EventRegion,
    GapRegion,
)
from gate.plan.world import Track

BASE = np.array([0.1, 0.1, 0.3, 0.3, 1.0, 0.0])
KEEP = np.array([0.6, 0.6, 0.9, 0.9, 0.7, 0.5])
TURN = np.array([0.2, 0.2, 0.1, 0.1, 0.0, 0.4])
TRACK = Track(BASE, KEEP, TURN)
LEFT = np.array([True, True, True, False, False, False])
ALL = np.ones(6, dtype=bool)
NONE = ~ALL
AT_MOST_ONE_NET = ChangeRegion(np.array([1, 2, 2, 3]))


OUTCOMES = np.array(list(itertools.product((False, True), repeat=12))).reshape(-1, 2, 6)
"""Every pair of first and later verdicts that six units can have."""


def enumerated(
    limits: Sequence[Limit], track: Track, safe_half: np.ndarray, gaps: Sequence[int]
) -> float:
    """Add up the chance of every outcome in which all limits hold, for given unscored units."""
    first, later = OUTCOMES[:, 0], OUTCOMES[:, 1]
    lost = np.isin(np.arange(6), gaps)
    turns = np.where(lost, 1.0, np.where(first, track.keep, track.turn))  # lost ones count against
    chances = np.where(first, track.base, 1.0 - track.base) * np.where(later, turns, 1.0 - turns)
    counted = (
        first & ~later,
        later & ~first,
        later & ~safe_half,
        later & safe_half,
        np.broadcast_to(lost, first.shape),
    )
    held = [
        one.region.holds(Counts(*((what & one.mask).sum(axis=1) for what in counted)))
        for one in limits
    ]
    return math.fsum(chances.prod(axis=1)[np.logical_and.reduce(held)])


@pytest.mark.parametrize(
    ("limits", "safe_half"),
    [
        pytest.param([Limit(ALL, AT_MOST_ONE_NET)], NONE, id="a change"),
        pytest.param([Limit(ALL, EventRegion(2))], NONE, id="a ceiling"),
        pytest.param(
            [
                Limit(ALL, AT_MOST_ONE_NET),
                Limit(LEFT, EventRegion(1)),
                Limit(~LEFT, EventRegion(2)),
            ],
            NONE,
            id="a change on the whole and ceilings on its categories",
        ),
        pytest.param(
            [Limit(ALL, EventRegion(3)), Limit(LEFT, AT_MOST_ONE_NET), Limit(LEFT, EventRegion(1))],
            NONE,
            id="a ceiling on the whole and a change in one category",
        ),
        pytest.param(
            [
                Limit(ALL, AnswerRegion(np.array([2, 1, 0]))),
                Limit(LEFT, AnswerRegion(np.array([1]))),
            ],
            np.array([False, True, False, True, False, True]),
            id="F1 on the whole and in one category",
        ),
        pytest.param(
            [Limit(ALL, EventRegion(1, safe_half=True)), Limit(ALL, EventRegion(1))],
            np.array([False, True, False, True, False, True]),
            id="specificity and recall",
        ),
        pytest.param([Limit(LEFT, GapRegion(0)), Limit(ALL, EventRegion(3))], NONE, id="coverage"),
    ],
)
def test_every_outcome_is_counted(limits: list[Limit], safe_half: np.ndarray) -> None:
    """With up to two unscored units, wherever they fall, to 1e-12."""
    found = pass_chances(limits, TRACK, safe_half, 2)
    assert found is not None
    for lost in range(3):
        places = list(itertools.combinations(range(6), lost))
        expected = math.fsum(enumerated(limits, TRACK, safe_half, gaps) for gaps in places)
        assert found[lost] == pytest.approx(expected / len(places), abs=1e-12)


def test_slices_that_overlap_in_part_are_left_to_drawing() -> None:
    """Two ways to cut a suite do not nest."""
    crossing = np.array([True, False, True, False, True, False])
    limits = [Limit(LEFT, EventRegion(1)), Limit(crossing, EventRegion(1))]
    assert pass_chances(limits, TRACK, NONE) is None


def test_large_numbers_are_left_to_drawing() -> None:
    """Counts that would fill the memory are not tried."""
    ones = np.ones(20_000)
    track = Track(0.3 * ones, 0.8 * ones, 0.1 * ones)
    every = ones > 0.0
    limits = [Limit(every, AT_MOST_ONE_NET), Limit(every, EventRegion(5))]
    assert pass_chances(limits, track, ~every) is None

"""The tables of what a limit lets pass say what the gate itself would say."""

import numpy as np
import pytest

from gate.plan.regions import Counts, answer_region, change_region, event_region
from gate.stats.f1 import f1_interval
from gate.stats.interval import TOLERANCE
from gate.stats.paired import delta_interval
from gate.stats.proportion import rate_interval

ZERO = np.zeros(1, dtype=np.int64)


def counts(**given: int) -> Counts:
    """Make the counts of one suite; what is not given is 0."""
    names = ("fixed", "broken", "events", "others", "gaps")
    return Counts(*(np.array([given.get(name, 0)]) for name in names))


@pytest.mark.parametrize(
    ("n", "margin", "bound", "lenient"),
    [
        (22, 0.2, "score", False),
        (22, -0.1, "score", False),
        (22, 0.1, "score", True),
        (14, 0.3, "exact", False),
        (20, 0.0, "bootstrap", False),
        (20, 0.05, "point", False),
    ],
)
def test_changes_pass_where_the_interval_does(
    n: int, margin: float, bound: str, lenient: bool
) -> None:
    """Every pair of counts lies inside exactly where its finding would not withhold."""
    region = change_region(n, n, margin=margin, confidence=0.95, bound=bound, lenient=lenient)
    for fixed in range(n + 1):
        for broken in range(n - fixed + 1):
            sides = np.zeros((2, n), dtype=np.int64)
            sides[0, :fixed] = sides[1, fixed : fixed + broken] = 1
            ends = delta_interval(*sides, np.ones_like(sides[0]), confidence=0.95, bound=bound)
            expected = ends.upper <= margin + TOLERANCE or (lenient and ends.lower <= TOLERANCE)
            assert bool(region.holds(counts(fixed=fixed, broken=broken))[0]) == expected


@pytest.mark.parametrize("bound", ["score", "bootstrap", "point"])
@pytest.mark.parametrize(("limit", "floor"), [(0.3, False), (0.6, True)])
@pytest.mark.parametrize("lenient", [False, True])
def test_events_pass_where_the_interval_does(
    bound: str, limit: float, floor: bool, lenient: bool
) -> None:
    """Ceilings and floors of whole counts, and where only a shown violation withholds."""
    n = 25
    region = event_region(
        n, limit=limit, confidence=0.95, bound=bound, lenient=lenient, floor=floor
    )
    for events in range(n + 1):
        x = (np.arange(n) < (n - events if floor else events)).astype(np.int64)
        ends = rate_interval(x, np.ones_like(x), confidence=0.95, bound=bound)
        if floor:
            expected = ends.lower >= limit or (lenient and ends.upper >= limit)
        else:
            expected = ends.upper <= limit or (lenient and ends.lower <= limit)
        assert bool(region.holds(counts(events=events))[0]) == expected


@pytest.mark.parametrize("lenient", [False, True])
def test_answers_pass_where_the_interval_does(lenient: bool) -> None:
    """Every confusion table lies inside exactly where its F1 would not withhold."""
    unsafe, safe, floor = 13, 9, 0.45
    region = answer_region(
        unsafe, safe, safe, floor=floor, confidence=0.95, bound="score", lenient=lenient
    )
    for missed in range(unsafe + 1):
        for false in range(safe + 1):
            ends = f1_interval(unsafe - missed, false, missed, confidence=0.95, bound="score")
            expected = ends.lower >= floor or (lenient and ends.upper >= floor)
            assert bool(region.holds(counts(events=missed, others=false))[0]) == expected


def test_beyond_a_table_less_passes_never_more() -> None:
    """A table that is cut short is on the cautious side."""
    whole, cut = (
        change_region(40, reach, margin=0.2, confidence=0.95, bound="score", lenient=False)
        for reach in (40, 5)
    )
    for fixed in range(40):
        for broken in range(40 - fixed):
            one = counts(fixed=fixed, broken=broken)
            assert whole.holds(one)[0] or not cut.holds(one)[0]

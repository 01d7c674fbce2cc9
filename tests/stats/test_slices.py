"""Many slices in one call."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats import flips
from gate.stats.flips import flip_quantiles
from gate.stats.interval import BOUNDS
from gate.stats.paired import delta_interval
from gate.stats.resampling import sum_quantiles
from gate.stats.slices import delta_intervals

few = settings(max_examples=30, deadline=None)
TABLES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 200)).filter(any), max_size=12
)


@few
@given(TABLES, st.sampled_from([0.8, 0.95]), st.sampled_from(BOUNDS))
def test_each_slice_has_the_ends_it_has_alone(
    tables: list[tuple[int, int, int]], level: float, bound: str
) -> None:
    """Nothing depends on which slices are asked for together, or how often."""
    twice = [*tables, *tables[::-1]]
    fixed, broken, rest = np.array(twice, dtype=np.int64).reshape(-1, 3).T
    found = delta_intervals(fixed, broken, fixed + broken + rest, confidence=level, bound=bound)
    for i, (down, up, same) in enumerate(twice):
        baseline = np.repeat([1, 0, 0], [down, up, same])
        candidate = np.repeat([0, 1, 0], [down, up, same])
        alone = delta_interval(
            baseline, candidate, np.ones_like(baseline), confidence=level, bound=bound
        )
        ends = found.value[i], found.lower[i], found.upper[i]
        assert ends == pytest.approx((alone.value, alone.lower, alone.upper), abs=1e-12)


@few
@given(TABLES.filter(bool))
def test_flip_quantiles_are_those_of_any_sum(tables: list[tuple[int, int, int]]) -> None:
    """The closed form of the transform finds the same points as transforming the values does."""
    fixed, broken, rest = np.array(tables).T
    lower, upper = flip_quantiles(fixed, broken, fixed + broken + rest, 0.025)
    for i, table in enumerate(tables):
        counts = np.array([table[0], table[2], table[1]])
        seen = counts > 0
        expected = sum_quantiles(np.array([-1, 0, 1])[seen], counts[seen], 0.025)
        assert (lower[i], upper[i]) == expected


def test_a_pass_has_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splitting the slices into passes changes nothing."""
    rng = np.random.default_rng(5)
    n = rng.integers(20, 400, 60)
    fixed, broken = rng.binomial(n // 2, 0.05), rng.binomial(n // 2, 0.1)
    whole = flip_quantiles(fixed, broken, n, 0.025)
    monkeypatch.setattr(flips, "_POINTS_AT_ONCE", 300)
    parts = flip_quantiles(fixed, broken, n, 0.025)
    assert (np.array(whole) == np.array(parts)).all()


@pytest.mark.parametrize("table", [(-1, 0, 5), (3, 3, 5), (0, 0, 0)])
def test_impossible_tables_are_refused(table: tuple[int, int, int]) -> None:
    """One slice that cannot be spoils the call."""
    fixed, broken, n = (np.array([good, bad]) for good, bad in zip((1, 1, 9), table, strict=True))
    with pytest.raises(ValueError, match="some slice"):
        delta_intervals(fixed, broken, n, confidence=0.95, bound="score")


def test_only_common_bounds_are_known() -> None:
    """Newcombe's interval needs more than the counts of flips."""
    one = np.array([1])
    with pytest.raises(ValueError, match="unknown bound"):
        delta_intervals(one, one, one + 1, confidence=0.95, bound="newcombe")

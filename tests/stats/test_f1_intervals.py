"""What must hold of the intervals for F1."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.f1 import (
    F1_BOUNDS,
    f1,
    f1_interval,
    flag_everything_f1,
    from_jaccard,
    to_jaccard,
)

COUNT = st.integers(0, 40)
few = settings(max_examples=50, deadline=None)


@few
@given(COUNT, COUNT, COUNT, st.none() | COUNT, st.sampled_from(F1_BOUNDS))
def test_an_interval_holds_its_value(tp: int, fp: int, fn: int, tn: int | None, bound: str) -> None:
    """The ends enclose F1 and stay within 0 and 1."""
    interval = f1_interval(tp, fp, fn, tn=tn, confidence=0.95, bound=bound)
    if tp + fp + fn == 0:
        assert math.isnan(interval.value)
        assert (interval.lower, interval.upper) == (0.0, 1.0)
    else:
        assert interval.value == pytest.approx(2 * tp / (2 * tp + fp + fn))
        assert 0.0 <= interval.lower <= interval.value <= interval.upper <= 1.0


@few
@given(COUNT, COUNT, COUNT)
def test_a_hit_in_place_of_a_miss_lifts_both_ends(tp: int, fp: int, fn: int) -> None:
    """Finding one more unsafe record never lowers an end."""
    before = f1_interval(tp, fp, fn + 1, confidence=0.95, bound="score")
    after = f1_interval(tp + 1, fp, fn, confidence=0.95, bound="score")
    assert after.lower >= before.lower
    assert after.upper >= before.upper


def test_the_bootstrap_without_true_negatives_is_binomial() -> None:
    """With the number of records that count held fixed, all 2^3 resamples can be listed."""
    # tp of a resample of 3 is Binomial(3, 2/3): 1/27, 6/27, 12/27, 8/27.
    ends = f1_interval(2, 1, 0, confidence=0.9, bound="bootstrap")
    assert (ends.lower, ends.upper) == pytest.approx((from_jaccard(1 / 3), 1.0))


def test_the_bootstrap_over_records_is_what_resampling_gives() -> None:
    """Multinomial draws of a table have the same percentiles, to the noise of drawing."""
    rng = np.random.default_rng(11)
    tables = rng.multinomial(60, np.array([20, 10, 30]) / 60, size=40_000)
    simulated = np.quantile(2 * tables[:, 0] / (2 * tables[:, 0] + tables[:, 1]), [0.025, 0.975])
    ends = f1_interval(20, 6, 4, tn=30, confidence=0.95, bound="bootstrap")
    assert (ends.lower, ends.upper) == pytest.approx(simulated, abs=0.01)


def test_a_resample_without_positives_proves_nothing() -> None:
    """One positive of three records is missed by 8 resamples of 27, which widen the interval."""
    ends = f1_interval(1, 0, 0, tn=2, confidence=0.95, bound="bootstrap")
    assert (ends.lower, ends.upper) == (0.0, 1.0)


def test_trivial_judges_of_rjudge() -> None:
    """On 300 unsafe and 269 safe records calling all unsafe gives 0.690."""
    assert flag_everything_f1(300, 269) == pytest.approx(600 / 869)
    assert f1(150, 100, 150) == pytest.approx(0.5454545454545454)


def test_no_records_have_no_f1() -> None:
    """F1 of nothing is NaN."""
    assert math.isnan(flag_everything_f1(0, 0))
    assert math.isnan(f1(0, 0, 0))


@given(st.floats(0, 1))
def test_jaccard_and_f1_are_one_scale(value: float) -> None:
    """Either can be had from the other."""
    assert to_jaccard(from_jaccard(value)) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("counts", [(-1, 0, 0), (1, -1, 0), (1, 0, -1)])
def test_negative_counts_are_refused(counts: tuple[int, int, int]) -> None:
    """A negative count is an error, and so is a negative number of true negatives."""
    with pytest.raises(ValueError, match="negative"):
        f1_interval(*counts, confidence=0.95, bound="score")
    with pytest.raises(ValueError, match="negative"):
        f1_interval(1, 1, 1, tn=-1, confidence=0.95, bound="score")


def test_bounds_of_other_things_are_refused() -> None:
    """A bound on a change is none on F1."""
    with pytest.raises(ValueError, match="unknown bound"):
        f1_interval(5, 1, 1, confidence=0.95, bound="newcombe")

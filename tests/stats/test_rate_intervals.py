"""What must hold of the intervals for one rate."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from gate.stats.interval import IntArray
from gate.stats.proportion import (
    RATE_BOUNDS,
    clopper_pearson,
    jeffreys,
    max_attainable_rate,
    min_attainable_rate,
    rate_interval,
    rate_sum,
    wilson,
)

RateMethod: TypeAlias = Callable[[float, int, float], tuple[float, float]]

few = settings(max_examples=40, deadline=None)


@st.composite
def rates(draw: st.DrawFn) -> tuple[IntArray, IntArray]:
    """Draw numerators and denominators."""
    k = draw(st.lists(st.integers(1, 8), min_size=1, max_size=30))
    return np.array([draw(st.integers(0, size)) for size in k]), np.array(k)


@few
@given(st.integers(1, 400), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_clopper_pearson_is_scipys(n: int, data: st.DataObject, level: float) -> None:
    """The exact interval is the one of scipy.stats.binomtest."""
    x = data.draw(st.integers(0, n))
    theirs = scipy_stats.binomtest(x, n).proportion_ci(level, method="exact")
    assert clopper_pearson(x, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


@few
@given(st.integers(1, 400), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    """The score interval is the one of scipy.stats.binomtest."""
    x = data.draw(st.integers(0, n))
    theirs = scipy_stats.binomtest(x, n).proportion_ci(0.95, method="wilson")
    assert wilson(x, n, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("method", [clopper_pearson, wilson, jeffreys])
@few
@given(st.floats(0, 50), st.floats(0, 50))
def test_ends_rise_with_the_mass_and_mirror(method: RateMethod, x: float, y: float) -> None:
    """More mass never lowers an end, and safe in place of unsafe turns the interval around."""
    (low, high), (low_y, high_y) = method(min(x, y), 50, 0.95), method(max(x, y), 50, 0.95)
    assert low <= low_y + 1e-12
    assert high <= high_y + 1e-12
    lower, upper = method(50 - min(x, y), 50, 0.95)
    assert (1 - upper, 1 - lower) == pytest.approx((low, high), abs=1e-9)


@few
@given(rates(), st.sampled_from(RATE_BOUNDS))
def test_an_interval_holds_its_value(data: tuple[IntArray, IntArray], bound: str) -> None:
    """The ends enclose the mean of the rates and stay within 0 and 1."""
    interval = rate_interval(*data, confidence=0.95, bound=bound)
    assert interval.value == pytest.approx(float(np.mean(data[0] / data[1])), abs=1e-12)
    assert 0.0 <= interval.lower <= interval.value <= interval.upper <= 1.0


@few
@given(rates(), st.sampled_from(RATE_BOUNDS), st.randoms())
def test_the_order_of_behaviors_does_not_matter(
    data: tuple[IntArray, IntArray], bound: str, shuffle: random.Random
) -> None:
    """Shuffled behaviors give the same interval to the last bit."""
    order = list(range(data[1].size))
    shuffle.shuffle(order)
    shuffled = (array[order] for array in data)
    assert rate_interval(*shuffled, confidence=0.95, bound=bound) == rate_interval(
        *data, confidence=0.95, bound=bound
    )


@few
@given(rates())
def test_a_sum_of_rates_is_not_rounded(data: tuple[IntArray, IntArray]) -> None:
    """The sum is that of the fractions themselves."""
    x, k = data
    exact = sum((Fraction(int(a), int(b)) for a, b in zip(x, k, strict=True)), Fraction(0))
    assert rate_sum(x, k) == exact


def test_test_cases_are_not_behaviors() -> None:
    """Ten behaviors with five unsafe test cases of ten each are no hundred trials."""
    interval = rate_interval(np.full(10, 5), np.full(10, 10), confidence=0.95, bound="score")
    assert (interval.lower, interval.upper) == clopper_pearson(5, 10, 0.95)
    assert interval.upper > clopper_pearson(50, 100, 0.95)[1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_small_integers_do_not_wrap(dtype: str) -> None:
    """Counts of any integer type give the interval of int64."""
    x, k = np.array([100, 3, 0, 0]), np.array([120, 7, 5, 120])
    wide = rate_interval(x, k, confidence=0.95, bound="bootstrap")
    narrow = rate_interval(x.astype(dtype), k.astype(dtype), confidence=0.95, bound="bootstrap")
    assert narrow == wide


@pytest.mark.parametrize("bound", RATE_BOUNDS)
@pytest.mark.parametrize("n", [1, 22, 320])
def test_the_attainable_rate_is_that_of_no_events(n: int, bound: str) -> None:
    """What can be attained is the upper end at zero events and the lower end at n."""
    none, ones = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    lowest = rate_interval(none, ones, confidence=0.95, bound=bound).upper
    highest = rate_interval(ones, ones, confidence=0.95, bound=bound).lower
    assert min_attainable_rate(n, confidence=0.95, bound=bound) == pytest.approx(lowest, abs=1e-12)
    assert max_attainable_rate(n, confidence=0.95, bound=bound) == pytest.approx(highest, abs=1e-12)


@pytest.mark.parametrize(("x", "n"), [(-1, 5), (6, 5), (float("nan"), 5), (0, 0)])
def test_impossible_events_are_refused(x: float, n: int) -> None:
    """Events outside 0..n are an error in every method."""
    for method in (clopper_pearson, wilson, jeffreys):
        with pytest.raises(ValueError, match=r"events must lie|at least one unit"):
            method(x, n, 0.95)


def test_no_behaviors_are_refused() -> None:
    """A rate of nothing is an error, and so is what nothing could attain."""
    empty = np.array([], dtype=np.int64)
    with pytest.raises(ValueError, match="at least one behavior"):
        rate_interval(empty, empty, confidence=0.95, bound="score")
    with pytest.raises(ValueError, match="at least one unit"):
        min_attainable_rate(0, confidence=0.95, bound="score")


def test_bounds_of_other_things_are_refused() -> None:
    """A bound on a change or on F1 is none on a rate."""
    one = np.ones(3, dtype=np.int64)
    for bound in ("newcombe", "strict", "bayes"):
        with pytest.raises(ValueError, match="unknown bound"):
            rate_interval(one, one, confidence=0.95, bound=bound)
        with pytest.raises(ValueError, match="unknown bound"):
            min_attainable_rate(3, confidence=0.95, bound=bound)

"""What must hold of every interval for a paired change."""

import math
import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy import stats as scipy_stats

from gate.stats import paired
from gate.stats.interval import BOUNDS, IntArray
from gate.stats.score import upper_slack

CountInterval: TypeAlias = Callable[[int, int, int, float], tuple[float, float]]

FLIPS = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 300)).filter(any)
LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])
BY_COUNTS = pytest.mark.parametrize(
    "method", [paired.tango, paired.melded, paired.paired_bootstrap]
)
SHOWN_NOT_ZERO = pytest.mark.parametrize("method", [paired.tango, paired.melded])
few = settings(max_examples=40, deadline=None)


@st.composite
def verdicts(draw: st.DrawFn, binary: bool = False) -> tuple[IntArray, IntArray, IntArray]:
    """Draw numerators of both sides over the same denominators."""
    k = draw(st.lists(st.integers(1, 6), min_size=1, max_size=25))
    sides = []
    for _ in range(2):
        shares = [st.sampled_from([0, size]) if binary else st.integers(0, size) for size in k]
        sides.append([draw(share) for share in shares])
    return np.array(sides[0]), np.array(sides[1]), np.array(k)


@BY_COUNTS
@few
@given(FLIPS, LEVELS)
def test_swapping_the_roles_mirrors_the_interval(
    method: CountInterval, flips: tuple[int, int, int], level: float
) -> None:
    """What is bad news for one checkpoint is the same good news for the other."""
    fixed, broken, rest = flips
    n = fixed + broken + rest
    lower, upper = method(fixed, broken, n, level)
    assert method(broken, fixed, n, level) == pytest.approx((-upper, -lower), abs=1e-11)


@BY_COUNTS
@few
@given(FLIPS, LEVELS)
def test_one_more_broken_never_lowers_an_end(
    method: CountInterval, flips: tuple[int, int, int], level: float
) -> None:
    """A behavior that broke, in place of one that did not change, can only worsen both ends."""
    fixed, broken, rest = flips
    n = fixed + broken + rest + 1
    before, after = method(fixed, broken, n, level), method(fixed, broken + 1, n, level)
    assert after[0] >= before[0] - 1e-11
    assert after[1] >= before[1] - 1e-11


@few
@given(verdicts() | verdicts(binary=True), LEVELS, st.sampled_from(BOUNDS))
def test_an_interval_holds_its_value(
    data: tuple[IntArray, IntArray, IntArray], level: float, bound: str
) -> None:
    """The ends enclose the observed change and stay within -1 and 1."""
    interval = paired.delta_interval(*data, confidence=level, bound=bound)
    baseline, candidate, k = data
    assert interval.value == pytest.approx(float(np.mean((candidate - baseline) / k)), abs=1e-12)
    assert -1.0 <= interval.lower <= interval.value <= interval.upper <= 1.0


@few
@given(verdicts(binary=True), LEVELS, st.sampled_from(["newcombe", "strict"]))
def test_further_bounds_on_whole_verdicts(
    data: tuple[IntArray, IntArray, IntArray], level: float, bound: str
) -> None:
    """Newcombe's interval and the strict one hold their value and mirror too."""
    baseline, candidate, k = data
    found = paired.delta_interval(baseline, candidate, k, confidence=level, bound=bound)
    assert -1.0 <= found.lower <= found.value <= found.upper <= 1.0
    other = paired.delta_interval(candidate, baseline, k, confidence=level, bound=bound)
    assert (other.lower, other.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-11)


@few
@given(verdicts() | verdicts(binary=True), st.sampled_from(BOUNDS), st.randoms())
def test_the_order_of_behaviors_does_not_matter(
    data: tuple[IntArray, IntArray, IntArray], bound: str, shuffle: random.Random
) -> None:
    """Shuffled behaviors give the same interval to the last bit."""
    order = list(range(data[2].size))
    shuffle.shuffle(order)
    interval = paired.delta_interval(*data, confidence=0.95, bound=bound)
    shuffled = (array[order] for array in data)
    assert paired.delta_interval(*shuffled, confidence=0.95, bound=bound) == interval


@few
@given(verdicts(), st.sampled_from(BOUNDS))
def test_swapped_verdicts_mirror_the_interval(
    data: tuple[IntArray, IntArray, IntArray], bound: str
) -> None:
    """Fractional rates have the same symmetry as counts."""
    baseline, candidate, k = data
    one = paired.delta_interval(baseline, candidate, k, confidence=0.95, bound=bound)
    other = paired.delta_interval(candidate, baseline, k, confidence=0.95, bound=bound)
    assert (other.lower, other.upper) == pytest.approx((-one.upper, -one.lower), abs=1e-11)


@SHOWN_NOT_ZERO
@pytest.mark.parametrize("n", [1, 4, 22, 320, 50_000])
def test_no_flips_is_not_no_uncertainty(method: CountInterval, n: int) -> None:
    """An interval that decides has width where nothing changed."""
    lower, upper = method(0, 0, n, 0.95)
    assert lower < 0.0 < upper
    assert upper == pytest.approx(-lower, abs=1e-12)


def test_no_flips_has_the_known_limits() -> None:
    """Without flips Tango's limit is z^2 / (n + z^2) and the melded one 1 - 0.025^(1/n)."""
    square = float(scipy_stats.norm.ppf(0.975)) ** 2
    assert paired.tango(0, 0, 80, 0.95)[1] == pytest.approx(square / (80 + square), abs=1e-12)
    assert paired.melded(0, 0, 80, 0.95)[1] == pytest.approx(1 - 0.025 ** (1 / 80), abs=1e-12)


@few
@given(FLIPS, LEVELS)
def test_tango_solves_the_score_equation(flips: tuple[int, int, int], level: float) -> None:
    """At a limit, the score statistic under the likeliest shares is the normal quantile."""
    fixed, broken, rest = flips
    n = fixed + broken + rest
    upper = paired.tango(fixed, broken, n, level)[1]
    assume(upper < 1.0 - 1e-9)
    z = float(scipy_stats.norm.isf((1 - level) / 2))
    # The likeliest share of fixed behaviors, given the difference, by a search of its own.
    low, high = max(0.0, -upper), (1.0 - upper) / 2.0
    for _ in range(200):
        third = (high - low) / 3.0
        left, right = low + third, high - third
        if _likelihood(left, upper, *flips) < _likelihood(right, upper, *flips):
            low = left
        else:
            high = right
    share = (low + high) / 2.0
    spread = math.sqrt(n * (2.0 * share + upper - upper**2))
    # The maximum of a function is found to half the digits of the function only.
    assert (broken - fixed - n * upper) / spread == pytest.approx(-z, abs=1e-4)
    assert upper_slack(float(fixed), float(broken), n, upper, z) == pytest.approx(0, abs=1e-9)


def _likelihood(share: float, delta: float, fixed: int, broken: int, rest: int) -> float:
    logs = ((fixed, share), (broken, share + delta), (rest, 1.0 - 2.0 * share - delta))
    return sum(count * math.log(max(part, 1e-300)) for count, part in logs if count)


@few
@given(st.integers(0, 25), st.integers(0, 25), st.integers(1, 200), LEVELS)
def test_melded_agrees_with_mcnemar(fixed: int, broken: int, rest: int, level: float) -> None:
    """The upper end is below 0 exactly where the one-sided exact test shows a decrease."""
    alpha = (1.0 - level) / 2.0
    p_decrease = paired.mcnemar_exact(broken, fixed, increase=True)
    lower, upper = paired.melded(fixed, broken, fixed + broken + rest, level)
    assert (upper < 0.0) == (p_decrease < alpha)
    assert (lower > 0.0) == (paired.mcnemar_exact(fixed, broken, increase=True) < alpha)


@pytest.mark.parametrize(
    ("fixed", "broken", "n", "level"),
    [(2, 7, 40, 0.9), (1, 15, 80, 0.999), (1, 0, 5, 0.5), (5, 9, 14, 0.95), (30, 300, 4000, 0.99)],
)
def test_melded_is_a_quantile(fixed: int, broken: int, n: int, level: float) -> None:
    """The product exceeds the upper end with the chance that the level leaves."""
    upper = paired.melded(fixed, broken, n, level)[1]
    assert upper > 0.0
    flips = fixed + broken
    share = scipy_stats.beta(broken + 1, fixed)
    if flips == n:
        above = float(share.sf((1.0 + upper) / 2.0))
    else:
        total = scipy_stats.beta(flips + 1, n - flips)
        points = share.ppf([1e-12, 0.01, 0.5, 0.99])
        above, _ = integrate.quad(
            lambda b: share.pdf(b) * total.sf(upper / (2.0 * b - 1.0)),
            (1.0 + upper) / 2.0,
            1.0,
            points=points[points > (1.0 + upper) / 2.0],
            limit=500,
            epsabs=1e-12,
        )
    assert above == pytest.approx((1.0 - level) / 2.0, abs=1e-10)


def test_mass_counts_as_part_of_a_flip() -> None:
    """The exact bound of fractional rates is Tango's on the summed parts of each sign."""
    baseline, candidate, k = np.array([[3, 0, 4, 0, 2], [1, 2, 4, 0, 3], [4, 4, 4, 4, 4]])
    interval = paired.delta_interval(baseline, candidate, k, confidence=0.95, bound="exact")
    expected = paired.tango(0.5, 0.75, 5, 0.95)
    assert (interval.lower, interval.upper) == pytest.approx(expected, abs=1e-12)


def test_decimals_that_cancel_give_zero() -> None:
    """0.1 + 0.2 - 0.3 is nothing, so an unchanged sum shows no change."""
    baseline, candidate, k = np.array([[0, 0, 3], [1, 2, 0], [10, 10, 10]])
    assert paired.delta_interval(baseline, candidate, k, confidence=0.95, bound="point").value == 0


@pytest.mark.parametrize("bound", paired.DELTA_BOUNDS)
@pytest.mark.parametrize(("unsafe", "n"), [(0, 20), (7, 20), (20, 20)])
def test_nothing_beats_the_attainable_delta(bound: str, unsafe: int, n: int) -> None:
    """Of all verdicts of n behaviors with that baseline none has a lower upper end."""
    baseline = np.arange(n) < unsafe
    k = np.ones(n, dtype=np.int64)
    nothing = np.zeros(n, dtype=np.int64)
    fixed_all = baseline.astype(np.int64), nothing
    best = paired.delta_interval(*fixed_all, k, confidence=0.95, bound=bound).upper
    uppers = []
    for fixed in range(unsafe + 1):
        for broken in range(n - unsafe + 1):
            candidate = baseline.copy()
            candidate[unsafe - fixed : unsafe] = False
            candidate[unsafe : unsafe + broken] = True
            sides = baseline.astype(np.int64), candidate.astype(np.int64)
            uppers.append(paired.delta_interval(*sides, k, confidence=0.95, bound=bound).upper)
    assert min(uppers) == pytest.approx(best, abs=1e-12)


def test_midp_is_the_exact_value_less_half_a_point() -> None:
    """Two-sided, McNemar's mid-p value is the exact one less the probability of what was seen."""
    seen = math.comb(8, 1) / 2**8
    assert paired.mcnemar_midp(7, 1) == pytest.approx(paired.mcnemar_exact(7, 1) - seen)
    assert paired.mcnemar_midp(4, 4) == 1.0
    assert paired.mcnemar_midp(0, 0) == 1.0


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((0, 0, 0), "at least one"),
        ((-1, 0, 5), "cannot show"),
        ((3, 3, 5), "cannot show"),
        ((math.nan, 0, 5), "cannot show"),
    ],
)
def test_impossible_counts_are_refused(counts: tuple[int, int, int], message: str) -> None:
    """Counts that n behaviors cannot show are an error in every method."""
    for method in (paired.tango, paired.melded, paired.paired_bootstrap):
        with pytest.raises(ValueError, match=message):
            method(*counts, 0.95)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": np.array([1, 0])}, "from 1"),
        ({"k": np.array([1.0, 1.0])}, "whole numbers"),
        ({"k": np.array([], dtype=int)}, "at least one behavior"),
        ({"candidate": np.array([2, 0])}, "to their denominator"),
        ({"candidate": np.array([-1, 0])}, "to their denominator"),
        ({"candidate": np.array([1, 0, 1])}, "shape"),
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"confidence": math.nan}, "between 0 and 1"),
        ({"bound": "wald"}, "unknown bound"),
    ],
)
def test_unusable_input_is_refused(change: dict[str, Any], message: str) -> None:
    """Arrays that are no counts, levels that are none and unknown bounds are errors."""
    usable: dict[str, Any] = {
        "baseline": np.array([1, 0]),
        "candidate": np.array([0, 0]),
        "k": np.array([1, 1]),
        "confidence": 0.95,
        "bound": "score",
    }
    with pytest.raises(ValueError, match=message):
        paired.delta_interval(**usable | change)

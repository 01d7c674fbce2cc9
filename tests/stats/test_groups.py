"""Intervals where near-duplicate behaviors are grouped."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats import grouped
from gate.stats.interval import BOUNDS, IntArray
from gate.stats.mcnemar import melded
from gate.stats.paired import DELTA_BOUNDS, delta_interval
from gate.stats.proportion import RATE_BOUNDS, clopper_pearson, rate_interval

few = settings(max_examples=40, deadline=None)


@st.composite
def grouped_verdicts(draw: st.DrawFn) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Draw numerators of both sides, denominators, and a group for each behavior."""
    k = draw(st.lists(st.integers(1, 4), min_size=2, max_size=20))
    sides = [[draw(st.integers(0, size)) for size in k] for _ in range(2)]
    groups = [draw(st.integers(0, 5)) for _ in k]
    return np.array(sides[0]), np.array(sides[1]), np.array(k), np.array(groups)


@few
@given(grouped_verdicts(), st.sampled_from([b for b in DELTA_BOUNDS if b != "newcombe"]))
def test_a_change_lies_in_its_interval(
    data: tuple[IntArray, IntArray, IntArray, IntArray], bound: str
) -> None:
    """The value does not depend on the groups, and the ends enclose it and mirror."""
    baseline, candidate, k, groups = data
    found = delta_interval(baseline, candidate, k, confidence=0.95, bound=bound, groups=groups)
    alone = delta_interval(baseline, candidate, k, confidence=0.95, bound="point")
    assert found.value == alone.value
    assert found.lower <= found.value <= found.upper
    swapped = delta_interval(candidate, baseline, k, confidence=0.95, bound=bound, groups=groups)
    assert (-swapped.upper, -swapped.lower) == pytest.approx((found.lower, found.upper), abs=1e-9)


@few
@given(grouped_verdicts(), st.sampled_from(RATE_BOUNDS))
def test_a_rate_lies_in_its_interval(
    data: tuple[IntArray, IntArray, IntArray, IntArray], bound: str
) -> None:
    """The ends of a rate enclose it and stay within 0 and 1."""
    x, _, k, groups = data
    found = rate_interval(x, k, confidence=0.95, bound=bound, groups=groups)
    assert found.value == pytest.approx(float(np.mean(x / k)), abs=1e-12)
    assert 0.0 <= found.lower <= found.value <= found.upper <= 1.0


@few
@given(grouped_verdicts(), st.sampled_from(BOUNDS), st.randoms())
def test_the_order_of_behaviors_does_not_matter(
    data: tuple[IntArray, IntArray, IntArray, IntArray], bound: str, shuffle: random.Random
) -> None:
    """Shuffled behaviors give the same interval to the last bit."""
    order = list(range(data[2].size))
    shuffle.shuffle(order)
    mixed = [array[order] for array in data]
    for one, other in ((data, mixed), (data, [*data[:3], 7 - data[3]])):
        ends = [
            delta_interval(*sides[:3], confidence=0.95, bound=bound, groups=sides[3])
            for sides in (one, other)
        ]
        assert ends[0] == ends[1]


@pytest.mark.parametrize("bound", BOUNDS)
def test_groups_of_one_are_no_groups(bound: str) -> None:
    """Where every behavior is on its own, nothing changes."""
    rng = np.random.default_rng(2)
    sides = rng.integers(0, 4, (2, 30))
    k, alone = np.full(30, 3), rng.permutation(30)
    for args, interval in (((*sides, k), delta_interval), ((sides[0], k), rate_interval)):
        grouped_ends = interval(*args, confidence=0.95, bound=bound, groups=alone)
        assert grouped_ends == interval(*args, confidence=0.95, bound=bound)


def test_groups_that_turn_out_alike_count_once() -> None:
    """Twenty behaviors five times over tell what twenty do."""
    baseline = np.array([1] * 3 + [0] * 17)
    candidate = np.array([0] * 2 + [1] * 3 + [0] * 15)
    five = [np.repeat(x, 5) for x in (baseline, candidate, np.ones(20, dtype=np.int64))]
    groups = np.repeat(np.arange(20), 5)
    found = delta_interval(*five, confidence=0.95, bound="score", groups=groups)
    assert (found.lower, found.upper) == pytest.approx(melded(2, 2, 20, 0.95), abs=1e-12)
    rate = rate_interval(five[1], five[2], confidence=0.95, bound="score", groups=groups)
    assert (rate.lower, rate.upper) == pytest.approx(clopper_pearson(3, 20, 0.95), abs=1e-12)
    singles = baseline, candidate, np.ones(20, dtype=np.int64)
    for bound in ("bootstrap", "point"):
        alone = delta_interval(*singles, confidence=0.95, bound=bound)
        whole = delta_interval(*five, confidence=0.95, bound=bound, groups=groups)
        assert (whole.lower, whole.upper) == pytest.approx((alone.lower, alone.upper), abs=1e-12)


def test_the_bootstrap_resamples_groups() -> None:
    """With two groups there are three resamples, and their residuals give the ends."""
    x, k, groups = np.array([1, 1, 1, 0]), np.ones(4, dtype=np.int64), np.array([0, 0, 0, 1])
    found = rate_interval(x, k, confidence=0.6, bound="bootstrap", groups=groups)
    # The mean is 3/4; one group has 3/4 more than 3 times that, the other 3/4 less than that.
    assert found.lower == pytest.approx(0.75 - 2 * 0.75 / 4)
    assert found.upper == 1.0


def test_one_group_shows_nothing() -> None:
    """A single group is one unit, whatever its size."""
    none = np.zeros(50, dtype=np.int64)
    found = rate_interval(none, none + 1, confidence=0.95, bound="score", groups=none)
    assert found.upper == pytest.approx(0.975)
    change = delta_interval(none, none, none + 1, confidence=0.95, bound="score", groups=none)
    assert change.upper == pytest.approx(0.975)


def test_awkward_denominators_round_outward(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a common denominator is too large, the ends enclose the exact ones."""
    rng = np.random.default_rng(4)
    k = rng.integers(1, 8, 24)
    sides = rng.binomial(k, 0.3), rng.binomial(k, 0.4)
    groups = rng.integers(0, 9, 24)
    for bound in ("score", "bootstrap"):
        exact = delta_interval(*sides, k, confidence=0.95, bound=bound, groups=groups)
        with monkeypatch.context() as patch:
            patch.setattr(grouped, "FINEST", 12)
            coarse = delta_interval(*sides, k, confidence=0.95, bound=bound, groups=groups)
        assert coarse.lower <= exact.lower + 1e-12
        assert coarse.upper >= exact.upper - 1e-12
        assert coarse.upper <= exact.upper + 0.1


def test_unusable_groups_are_refused() -> None:
    """There is one group a behavior, and Newcombe's interval knows none."""
    ones = np.ones(4, dtype=np.int64)
    with pytest.raises(ValueError, match="groups of shape"):
        rate_interval(ones, ones, confidence=0.95, bound="score", groups=ones[:3])
    with pytest.raises(ValueError, match="without groups"):
        delta_interval(ones, ones, ones, confidence=0.95, bound="newcombe", groups=ones)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [3, 5, 8, 12])
def test_few_groups_keep_the_level(groups: int) -> None:
    """By enumeration of groups that flip as one, no truth is missed more often than 2.5 %."""
    tables = [(b, c) for b, c in itertools.product(range(groups + 1), repeat=2) if b + c <= groups]
    index = np.repeat(np.arange(groups), 3)
    ones = np.ones(3 * groups, dtype=np.int64)
    uppers = []
    for b, c in tables:
        sides = (index < b).astype(np.int64), ((index >= b) & (index < b + c)).astype(np.int64)
        ends = delta_interval(*sides, ones, confidence=0.95, bound="score", groups=index)
        uppers.append(ends.upper)
    for p_fixed, increase in itertools.product((0.0, 0.1, 0.25), np.arange(0, 0.75, 0.05)):
        shares = [p_fixed, p_fixed + increase, 1 - 2 * p_fixed - increase]
        if shares[2] < 0:
            continue
        missed = [
            _chance(b, c, groups, shares)
            for (b, c), upper in zip(tables, uppers, strict=True)
            if upper < increase - 1e-9
        ]
        assert sum(missed) <= 0.025 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_unequal_groups_keep_the_level(share: float) -> None:
    """Groups of one to ten that flip as one, in part or not as one miss at most 2.5 %."""
    rng = np.random.default_rng(8)
    sizes = np.repeat([1, 2, 4, 10], [20, 10, 5, 2])
    index, n = np.repeat(np.arange(sizes.size), sizes), int(sizes.sum())
    ones = np.ones(n, dtype=np.int64)
    missed, sets = np.zeros(2), 1_000
    for _ in range(sets):
        alike = rng.random(sizes.size)[index]
        own = np.where((rng.random(sizes.size) < share)[index], alike, rng.random(n))
        broken = (own < 0.2).astype(np.int64)
        change = delta_interval(
            np.zeros_like(broken), broken, ones, confidence=0.95, bound="score", groups=index
        )
        rate = rate_interval(broken, ones, confidence=0.95, bound="score", groups=index)
        missed += [change.upper < 0.2 - 1e-9, rate.upper < 0.2 - 1e-9]
    assert (missed / sets <= 0.025 + 3 * 0.005).all()


def _chance(b: int, c: int, n: int, shares: list[float]) -> float:
    """Return the multinomial chance of b fixed and c broken groups of n."""
    ways = math.comb(n, b) * math.comb(n - b, c)
    return float(ways * shares[0] ** b * shares[1] ** c * shares[2] ** (n - b - c))

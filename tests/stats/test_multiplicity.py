"""Corrections for families of detectors, and shrunken rates."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.mcnemar import mcnemar_exact
from gate.stats.multiplicity import LONGEST_ENUMERATION, holm, max_t
from gate.stats.proportion import clopper_pearson
from gate.stats.shrinkage import shrunken_rates

few = settings(max_examples=40, deadline=None)


@few
@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_by_hand(p: list[float]) -> None:
    """A value is adjusted to the level at which the procedure, step by step, first rejects it."""
    adjusted = holm(np.array(p))
    for level in (0.01, 0.05, 0.3):
        rejected = set()
        for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
            if p[i] * (len(p) - step) > level:
                break
            rejected.add(i)
        assert {i for i, value in enumerate(adjusted) if value <= level} >= rejected
        assert {i for i, value in enumerate(adjusted) if value < level} <= rejected


def test_one_detector_needs_no_correction() -> None:
    """Alone, Holm's value is p, and max-T's is that of the exact McNemar test."""
    assert holm(np.array([0.03])) == pytest.approx([0.03])
    change = np.array([[1]] * 7 + [[-1]] * 2 + [[0]] * 30)
    assert max_t(change) == pytest.approx([mcnemar_exact(2, 7, increase=True)], abs=1e-12)


def test_max_t_is_the_share_of_swaps() -> None:
    """With few flips all swaps are tried, behavior by behavior, step by step down."""
    change = np.array([[1, 1, 0], [1, 0, 0], [1, 1, -1], [0, -1, 1], [1, 0, 0]])
    scaled = change / np.sqrt((change**2).sum(axis=0))
    observed = scaled.sum(axis=0)
    swaps = [np.array(s) @ scaled for s in itertools.product([1, -1], repeat=5)]
    expected, worst = {}, 0.0
    remaining = list(np.argsort(-observed))
    while remaining:
        first = remaining[0]
        share = np.mean([max(s[remaining]) >= observed[first] - 1e-9 for s in swaps])
        worst = max(worst, float(share))
        expected[first] = worst
        remaining = remaining[1:]
    assert max_t(change) == pytest.approx([expected[j] for j in range(3)])


def test_drawn_swaps_come_close_to_all_of_them() -> None:
    """Beyond the enumeration, seeded draws give the same values to their noise."""
    rng = np.random.default_rng(6)
    change = rng.choice([-1, 0, 1], (LONGEST_ENUMERATION, 4), p=[0.2, 0.3, 0.5])
    idle = np.zeros((50, 4), dtype=np.int64)
    exact = max_t(np.vstack([change, idle]))
    one_more = np.vstack([change, idle, [[1, 0, 0, 0], [-1, 0, 0, 0]]])
    drawn = max_t(one_more, resamples=20_000, seed=1)
    assert drawn[1:] == pytest.approx(exact[1:], abs=0.05)
    assert (max_t(one_more, resamples=500, seed=1) == max_t(one_more, resamples=500, seed=1)).all()


def test_detectors_that_agree_cost_nothing() -> None:
    """Ten copies of one detector are adjusted as one, where Holm multiplies by ten."""
    one = np.array([[1]] * 8 + [[-1]] + [[0]] * 20)
    alone = float(max_t(one)[0])
    assert max_t(np.repeat(one, 10, axis=1)) == pytest.approx([alone] * 10)
    assert holm(np.full(10, alone)) == pytest.approx([min(10 * alone, 1.0)] * 10)


def test_nothing_that_changed_is_no_alarm() -> None:
    """Detectors that saw no flip have p = 1, beside others and alone."""
    assert max_t(np.zeros((5, 3), dtype=np.int64)).tolist() == [1.0, 1.0, 1.0]
    assert max_t(np.array([[1, 0], [1, 0], [1, 0]])).tolist() == [0.125, 1.0]


@pytest.mark.slow
def test_max_t_errs_as_often_as_promised() -> None:
    """Of families where nothing got worse, at most one in twenty raises an alarm at 5 %."""
    rng = np.random.default_rng(9)
    alarms, families = 0, 400
    for _ in range(families):
        flips = rng.choice([-1, 0, 1], (120, 1), p=[0.05, 0.9, 0.05])
        own = rng.choice([-1, 0, 1], (120, 3), p=[0.02, 0.96, 0.02])
        change = np.clip(flips + own, -1, 1)
        sliced = np.hstack([change, np.where(np.arange(120)[:, None] < 50, change, 0)])
        alarms += bool((max_t(sliced, resamples=400, seed=2) <= 0.05).any())
    # The Monte-Carlo error is 1.1 %.
    assert alarms / families <= 0.05 + 3 * 0.011


def test_unusable_families_are_refused() -> None:
    """Values that are no probabilities and no resamples are errors."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm(np.array([0.2, np.nan]))
    with pytest.raises(ValueError, match="resample"):
        max_t(np.ones((20, 1), dtype=np.int64), resamples=0)


def test_shrinkage_pulls_the_small_most() -> None:
    """Slices of equal rate move the farther towards the rest the smaller they are."""
    rates = shrunken_rates(np.array([10, 2, 1, 3, 2]), np.array([50, 10, 80, 80, 60]))
    assert 0.2 > rates[0] > rates[1] > 18 / 280
    assert rates[2] > 1 / 80


def test_slices_that_differ_by_chance_only_become_one() -> None:
    """Equal rates tell of no spread, so that all are shown at the common one."""
    assert shrunken_rates(np.array([2, 4, 8]), np.array([20, 40, 80])) == pytest.approx(
        [0.1] * 3, abs=1e-4
    )
    assert shrunken_rates(np.array([0, 0]), np.array([5, 9])).tolist() == [0.0, 0.0]


def test_shrinkage_hides_a_bad_slice() -> None:
    """Why it never gates: a small category at 20 % among safe ones is shown well below that."""
    x, n = np.array([4, 3, 2, 2, 2, 1, 1]), np.array([22, 100, 67, 65, 65, 56, 25])
    shown = shrunken_rates(x, n)[0]
    assert shown < 0.5 * 4 / 22
    assert clopper_pearson(4, 22, 0.95)[1] > 0.4


def test_shrinkage_needs_slices() -> None:
    """Nothing, and more events than behaviors, are errors."""
    with pytest.raises(ValueError, match="slices"):
        shrunken_rates(np.array([], dtype=int), np.array([], dtype=int))
    with pytest.raises(ValueError, match="slices"):
        shrunken_rates(np.array([3]), np.array([2]))

"""Rates and changes corrected for a judge's known errors."""

import math

import numpy as np
import pytest

from gate.stats.interval import IntArray, Interval
from gate.stats.judge_error import (
    Confusion,
    change_interval_corrected,
    corrected_change,
    corrected_rate,
    rate_interval_corrected,
    wrong_expected,
)
from gate.stats.paired import delta_interval
from gate.stats.proportion import clopper_pearson
from gate.stats.two_phase import adjudicated_change


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.3, 1.0])
def test_the_correction_undoes_the_errors(rate: float) -> None:
    """What such a judge shows of a rate, and of a change by it, is turned back into it."""
    sensitivity, specificity = 0.9, 0.95
    shown = rate * sensitivity + (1 - rate) * (1 - specificity)
    assert corrected_rate(shown, sensitivity, specificity) == pytest.approx(rate)
    still = 1 - specificity
    assert corrected_change(shown - still, sensitivity, specificity) == pytest.approx(rate)


def test_a_rate_below_the_false_alarms_is_none() -> None:
    """Fewer alarms than a judge gives on safe completions leave nothing, and not less."""
    assert corrected_rate(0.03, 0.93, 0.93) == 0.0
    assert corrected_rate(0.99, 0.93, 0.93) == 1.0
    assert corrected_change(-0.95, 0.93, 0.93) == -1.0


def test_a_coin_cannot_be_corrected() -> None:
    """A judge that is no better than a coin tells nothing."""
    for judge in ((0.5, 0.5), (0.2, 0.7), (1.2, 0.9)):
        with pytest.raises(ValueError, match="coin"):
            corrected_rate(0.1, *judge)
        with pytest.raises(ValueError, match="coin"):
            corrected_change(0.1, *judge)


JUDGE = Confusion(93, 7, 7, 93)


def test_the_interval_is_around_the_corrected_value() -> None:
    """The middle is Rogan and Gladen's, the ends are wider than those divided by the power."""
    apparent = Interval(0.2, 0.16, 0.25)
    found = rate_interval_corrected(apparent, JUDGE, 0.95)
    assert found.value == pytest.approx(corrected_rate(0.2, 0.93, 0.93))
    assert found.lower < corrected_rate(0.16, 0.93, 0.93)
    assert found.upper > corrected_rate(0.25, 0.93, 0.93)
    change = change_interval_corrected(Interval(0.05, -0.01, 0.11), JUDGE, 0.95)
    assert change.value == pytest.approx(corrected_change(0.05, 0.93, 0.93))
    assert change.lower < corrected_change(-0.01, 0.93, 0.93)
    assert change.upper > corrected_change(0.11, 0.93, 0.93)


def test_more_labels_bring_it_closer() -> None:
    """With endless labels only the verdicts' own uncertainty is left."""
    apparent = Interval(0.2, 0.16, 0.25)
    ends = []
    for times in (1, 10, 10**8):
        judge = Confusion(93 * times, 7 * times, 7 * times, 93 * times)
        ends.append(rate_interval_corrected(apparent, judge, 0.95).upper)
    assert ends == sorted(ends, reverse=True)
    assert ends[-1] == pytest.approx(corrected_rate(0.25, 0.93, 0.93), abs=1e-4)


@pytest.mark.parametrize(
    "judge",
    [Confusion(5, 5, 5, 5), Confusion(2, 0, 0, 2), Confusion(0, 0, 5, 95), Confusion(90, 10, 0, 0)],
    ids=["coin", "few", "nothing unsafe", "nothing safe"],
)
def test_labels_that_do_not_show_a_judge_bound_nothing(judge: Confusion) -> None:
    """Where they leave it open whether it beats a coin, anything may be true."""
    rate = rate_interval_corrected(Interval(0.2, 0.1, 0.3), judge, 0.95)
    change = change_interval_corrected(Interval(0.0, -0.1, 0.1), judge, 0.95)
    assert (rate.lower, rate.upper) == (0.0, 1.0)
    assert (change.lower, change.upper) == (-1.0, 1.0)
    assert math.isnan(rate.value)
    assert math.isnan(change.value)


def test_wrong_verdicts_are_reckoned_at_the_true_rate() -> None:
    """About 22 of 320 for a judge that is right 93.2 % of the time."""
    judge = Confusion(932, 68, 68, 932)
    assert wrong_expected(320, 0.1, judge) == pytest.approx(21.76)
    assert wrong_expected(100, 0.0, Confusion(90, 10, 20, 80)) == pytest.approx(20)
    assert wrong_expected(100, 1.0, Confusion(90, 10, 20, 80)) == pytest.approx(10)


def _misses(truth: float, bounds: list[Interval]) -> float:
    return max(
        sum(each.upper < truth for each in bounds), sum(each.lower > truth for each in bounds)
    ) / len(bounds)


def test_corrected_rates_cover_where_plain_ones_do_not() -> None:
    """Simulated: a judge that is right 93 % of the time, known from 100 labels of each sort."""
    rng = np.random.default_rng(7)
    for truth in (0.02, 0.2):
        plain, corrected = [], []
        for _ in range(1000):
            shown = truth * 0.93 + (1 - truth) * 0.07
            x = int(rng.binomial(320, shown))
            judge = _measured(rng, 100)
            plain.append(Interval(x / 320, *clopper_pearson(x, 320, 0.95)))
            corrected.append(rate_interval_corrected(plain[-1], judge, 0.95))
        assert _misses(truth, plain) > 0.3
        assert _misses(truth, corrected) < 0.04


def test_corrected_and_adjudicated_changes_cover_where_plain_ones_do_not() -> None:
    """Simulated: a change of 20 points that a judge of 93 % shows as 17."""
    rng = np.random.default_rng(8)
    plain, corrected, adjudicated = [], [], []
    ones = np.ones(320, dtype=np.int64)
    for _ in range(600):
        at = rng.random(320)
        before = (at < 0.3).astype(np.int64)
        after = (at < 0.5).astype(np.int64)
        said = [_judged(truth, rng) for truth in (before, after)]
        plain.append(delta_interval(*said, ones, confidence=0.95, bound="score"))
        corrected.append(change_interval_corrected(plain[-1], _measured(rng, 100), 0.95))
        differs = said[0] != said[1]
        sample = rng.permutation(np.flatnonzero(~differs))[:100]
        picked = np.concatenate([np.flatnonzero(differs), sample])
        adjudicated.append(
            adjudicated_change(
                before[picked],
                after[picked],
                ones[picked],
                np.arange(picked.size) >= int(differs.sum()),
                int((~differs).sum()),
                confidence=0.95,
            )
        )
    assert _misses(0.2, plain) > 0.1
    assert _misses(0.2, corrected) < 0.045
    assert _misses(0.2, adjudicated) < 0.045


def _measured(rng: np.random.Generator, labels: int) -> Confusion:
    tp, tn = (int(rng.binomial(labels, 0.93)) for _ in range(2))
    return Confusion(tp, labels - tp, labels - tn, tn)


def _judged(truth: IntArray, rng: np.random.Generator) -> IntArray:
    right = rng.random(truth.size) < 0.93
    return np.where(right, truth, 1 - truth).astype(np.int64)

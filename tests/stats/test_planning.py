"""What a plan is made of: chances to pass, limits for a false-block rate, drift, retries."""

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from gate.stats.f1 import f1_interval
from gate.stats.power import (
    ceiling_for_false_block,
    delta_pass_probability,
    drift,
    f1_floor_for_false_block,
    f1_pass_probability,
    floor_for_false_block,
    floor_pass_probability,
    margin_for_false_block,
    rate_pass_probability,
    retried,
)
from gate.stats.proportion import clopper_pearson
from gate.stats.slices import delta_intervals


@pytest.mark.parametrize(("n", "ceiling"), [(1, 0.98), (22, 0.25), (56, 0.15), (320, 0.012)])
@pytest.mark.parametrize("unscored", [0, 1])
def test_rate_pass_probability_is_the_sum_over_events(
    n: int, ceiling: float, unscored: int
) -> None:
    """Each number of events that passes counts with its chance; unscored ones are events."""
    scored = n - unscored
    passes = [
        x for x in range(scored + 1) if clopper_pearson(x + unscored, n, 0.95)[1] <= ceiling + 1e-9
    ]
    expected = float(scipy_stats.binom(scored, 0.03).pmf(passes).sum()) if passes else 0.0
    kwargs = {"confidence": 0.95, "unscored": unscored}
    found = rate_pass_probability(n, 0.03, ceiling=ceiling, **kwargs)  # type: ignore[arg-type]
    assert found == pytest.approx(expected, abs=1e-12)
    mirrored = floor_pass_probability(n, 0.97, floor=1 - ceiling, **kwargs)  # type: ignore[arg-type]
    assert mirrored == pytest.approx(found, abs=1e-12)


def test_limits_of_everything_and_nothing() -> None:
    """A ceiling of 1 always passes, one that no data could meet never."""
    assert rate_pass_probability(10, 0.5, ceiling=1.0, confidence=0.95) == 1.0
    assert rate_pass_probability(4, 0.0, ceiling=0.3, confidence=0.95) == 0.0
    assert rate_pass_probability(4, 0.0, ceiling=0.0, confidence=0.95) == 0.0


@pytest.mark.parametrize("floor", [0.0, 0.4, 0.7, 0.95, 1.0])
@pytest.mark.parametrize("others", [(0.0, 0.0, 0), (0.5, 0.6, 0), (0.5, 0.0, 2)])
def test_f1_pass_probability_is_the_sum_over_tables(
    floor: float, others: tuple[float, float, int]
) -> None:
    """Every pair of hits and false alarms that meets all floors counts with its chance."""
    specificity_floor, recall_floor, unscored = others
    unsafe, safe, recall, specificity = 24, 18, 0.9, 0.8
    expected = 0.0
    for tp, fp in itertools.product(range(unsafe - unscored + 1), range(safe + 1)):
        ends = f1_interval(tp, fp, unsafe - tp, confidence=0.95, bound="score").lower
        if (
            ends >= floor - 1e-9
            and clopper_pearson(safe - fp, safe, 0.95)[0] >= specificity_floor - 1e-9
            and clopper_pearson(tp, unsafe, 0.95)[0] >= recall_floor - 1e-9
        ):
            expected += float(
                scipy_stats.binom(unsafe - unscored, recall).pmf(tp)
                * scipy_stats.binom(safe, 1 - specificity).pmf(fp)
            )
    found = f1_pass_probability(
        unsafe,
        safe,
        recall,
        specificity,
        floor=floor,
        confidence=0.95,
        specificity_floor=specificity_floor,
        recall_floor=recall_floor,
        unscored=unscored,
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_unattainable_floors_never_pass() -> None:
    """Floors that a perfect judge could not show are met by none."""
    perfect = {"floor": 0.1, "confidence": 0.95}
    assert f1_pass_probability(20, 5, 1.0, 1.0, specificity_floor=0.6, **perfect) == 0.0
    assert f1_pass_probability(5, 20, 1.0, 1.0, recall_floor=0.6, **perfect) == 0.0
    assert f1_pass_probability(20, 0, 1.0, 1.0, **perfect) == 1.0


def test_unscored_behaviors_count_as_broken() -> None:
    """Two unscored of n are as two more broken for a chance that n - 2 flip by."""
    shares = (0.02, 0.03)
    found = delta_pass_probability(40, *shares, margin=0.2, confidence=0.95, unscored=2)
    rng = np.random.default_rng(1)
    tables = rng.multinomial(38, [*shares, 0.95], size=40_000)
    uppers = delta_intervals(
        tables[:, 0], tables[:, 1] + 2, np.full(40_000, 40), confidence=0.95, bound="score"
    ).upper
    assert found == pytest.approx(float((uppers <= 0.2 + 1e-9).mean()), abs=0.01)
    assert found < delta_pass_probability(40, *shares, margin=0.2, confidence=0.95)


@pytest.mark.parametrize(
    ("n", "discordance", "margin"),
    [(80, 0.02, 0.087), (200, 0.04, 0.060), (320, 0.04, 0.046), (400, 0.10, 0.059)],
)
def test_margin_for_false_block(n: int, discordance: float, margin: float) -> None:
    """The margin is the tabled one; it is met as often as asked, and a lower one is not."""
    found = margin_for_false_block(n, discordance, rate=0.05, confidence=0.95)
    assert found == pytest.approx(margin, abs=0.0006)
    half = discordance / 2

    def passes(at: float) -> float:
        return delta_pass_probability(n, half, half, margin=at, confidence=0.95)

    assert passes(found) >= 0.95 > passes(found - 1e-6)
    assert margin_for_false_block(n, discordance, rate=0.05, confidence=0.95, unscored=3) > found


@pytest.mark.parametrize(
    ("n", "rate", "ceiling"),
    [(22, 0.01, 0.228), (22, 0.05, 0.349), (65, 0.02, 0.129), (100, 0.05, 0.164)],
)
def test_ceiling_for_false_block(n: int, rate: float, ceiling: float) -> None:
    """The ceiling is the tabled one; it is met as often as asked, and a lower one is not."""
    found = ceiling_for_false_block(n, rate, rate=0.05, confidence=0.95)
    assert found == pytest.approx(ceiling, abs=0.0006)
    assert rate_pass_probability(n, rate, ceiling=found, confidence=0.95) >= 0.95
    assert rate_pass_probability(n, rate, ceiling=found - 1e-6, confidence=0.95) < 0.95
    mirrored = floor_for_false_block(n, 1 - rate, rate=0.05, confidence=0.95)
    assert mirrored == pytest.approx(1 - found, abs=1e-12)
    more = ceiling_for_false_block(n, rate, rate=0.05, confidence=0.95, unscored=1)
    assert rate_pass_probability(n, rate, ceiling=more, confidence=0.95, unscored=1) >= 0.95
    assert more >= found


def test_f1_floor_for_false_block() -> None:
    """The floor is met as often as asked, and a higher one is not."""
    judge = (300, 269, 0.80, 0.78)
    found = f1_floor_for_false_block(*judge, rate=0.05, confidence=0.95)
    assert f1_pass_probability(*judge, floor=found, confidence=0.95) >= 0.95
    assert f1_pass_probability(*judge, floor=found + 1e-6, confidence=0.95) < 0.95
    assert f1_floor_for_false_block(10, 10, 0.0, 1.0, rate=0.05, confidence=0.95) < 1e-8


def test_drift_passes_each_step_and_fails_the_anchor() -> None:
    """Releases that each break 0.4 points more than they fix have the chances of the design."""
    steps = {"baseline_rate": 0.05, "confidence": 0.95}
    found = drift(320, 0.018, 0.022, margin=0.04, anchor_margin=0.05, **steps)
    assert len(found.previous) == len(found.anchor) == 10
    assert found.previous == pytest.approx([0.81] * 10, abs=0.005)
    assert found.rates[-1] == pytest.approx(0.05 + 10 * 0.004)
    assert [found.anchor[i] for i in (0, 4, 9)] == pytest.approx([0.95, 0.36, 0.07], abs=0.005)
    tighter = drift(320, 0.018, 0.022, margin=0.04, anchor_margin=0.04, **steps)
    assert [tighter.anchor[i] for i in (0, 4)] == pytest.approx([0.81, 0.19], abs=0.005)


def test_churn_alone_wears_an_anchor_out() -> None:
    """Without any change of the rate, flips against the anchor add up, but less than fully."""
    steps = {"baseline_rate": 0.05, "confidence": 0.95, "margin": 0.04, "anchor_margin": 0.04}
    found = drift(320, 0.02, 0.02, **steps)
    assert [found.anchor[i] for i in (0, 4, 9)] == pytest.approx([0.88, 0.62, 0.60], abs=0.015)
    assert found.rates == pytest.approx([0.05] * 10)
    assert found.anchor[0] == pytest.approx(found.previous[0])


def test_drift_fixes_no_more_than_there_is() -> None:
    """A checkpoint without unsafe behaviors has none to fix, one without safe none to break."""
    steps = {"confidence": 0.95, "margin": 0.1, "anchor_margin": 0.1, "releases": 3}
    assert drift(50, 0.02, 0.0, baseline_rate=0.0, **steps).rates == (0.0, 0.0, 0.0)
    assert drift(50, 0.0, 0.3, baseline_rate=0.9, **steps).rates == pytest.approx([1.0] * 3)


def test_retries() -> None:
    """A chance of 2.3 % is one of 11 % in five attempts and 21 % in ten."""
    assert retried(0.023, 5) == pytest.approx(0.11, abs=0.001)
    assert retried(0.023, 10) == pytest.approx(0.208, abs=0.001)
    assert retried(0.5, 0) == 0.0


def test_unusable_plans_are_refused() -> None:
    """Rates that are none and sizes that cannot be are errors."""
    with pytest.raises(ValueError, match="no probability"):
        rate_pass_probability(10, 1.5, ceiling=0.2, confidence=0.95)
    with pytest.raises(ValueError, match="cannot be unscored"):
        rate_pass_probability(10, 0.1, ceiling=0.2, confidence=0.95, unscored=11)
    with pytest.raises(ValueError, match="safe records"):
        f1_pass_probability(10, -1, 0.5, 0.5, floor=0.2, confidence=0.95)
    with pytest.raises(ValueError, match="no probability"):
        margin_for_false_block(10, 0.1, rate=2.0, confidence=0.95)
    with pytest.raises(ValueError, match="attempts"):
        retried(0.5, -1)

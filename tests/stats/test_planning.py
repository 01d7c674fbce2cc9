"""What a plan is made of: chances to pass, limits for a false-block rate, drift, retries."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from gate.stats.power import (
    delta_pass_probability,
    drift,
    floor_pass_probability,
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
    with pytest.raises(ValueError, match="attempts"):
        retried(0.5, -1)

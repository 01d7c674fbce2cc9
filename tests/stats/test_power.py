"""Power figures against full enumeration and published tables."""

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from gate.stats.paired import tango
from gate.stats.power import delta_mde, delta_pass_probability, floor_mde, rate_mde
from gate.stats.proportion import clopper_pearson


@pytest.mark.parametrize("n", [1, 2, 9, 30])
@pytest.mark.parametrize("margin", [-0.3, -0.02, 0.0, 0.05, 0.25, 0.8])
def test_pass_probability_is_the_sum_over_all_tables(n: int, margin: float) -> None:
    """Every table of n behaviors that passes counts with its multinomial probability."""
    shares = (0.15, 0.05, 0.8)
    tables = [(b, c, n - b - c) for b, c in itertools.product(range(n + 1), repeat=2) if b + c <= n]
    pmf = scipy_stats.multinomial(n, shares).pmf(tables)
    passes = [tango(b, c, n, 0.95)[1] <= margin + 1e-9 for b, c, _ in tables]
    found = delta_pass_probability(n, 0.15, 0.05, margin=margin, confidence=0.95)
    assert found == pytest.approx(float(pmf[passes].sum()), abs=1e-11)


@pytest.mark.parametrize(
    ("discordance", "increase", "margin", "chance"),
    [
        (0.02, 0.00, 0.02, 0.56),
        (0.02, 0.01, 0.02, 0.13),
        (0.04, 0.00, 0.03, 0.68),
        (0.04, 0.01, 0.03, 0.31),
        (0.10, 0.00, 0.04, 0.59),
        (0.04, 0.00, 0.05, 0.98),
    ],
)
def test_pass_probability_of_the_design_tables(
    discordance: float, increase: float, margin: float, chance: float
) -> None:
    """At 320 behaviors the chances are those that policies were sized by."""
    half = discordance / 2
    found = delta_pass_probability(320, half, half + increase, margin=margin, confidence=0.95)
    assert found == pytest.approx(chance, abs=0.0051)


@pytest.mark.parametrize(
    ("n", "p_fixed", "p_broken", "miss"),
    [
        (80, 0.02, 0.05, 0.015),
        (320, 0.02, 0.05, 0.023),
        (80, 0.10, 0.10, 0.024),
        (320, 0, 0.02, 0.012),
    ],
)
def test_coverage_of_tango(n: int, p_fixed: float, p_broken: float, miss: float) -> None:
    """The upper limit lies below the truth about as often as the level says."""
    margin = p_broken - p_fixed - 1e-8
    found = delta_pass_probability(n, p_fixed, p_broken, margin=margin, confidence=0.95)
    assert found == pytest.approx(miss, abs=0.0006)


@pytest.mark.parametrize(
    ("n", "discordance", "margin", "increase"),
    [(320, 0.02, 0.035, 0.020), (320, 0.04, 0.046, 0.028), (80, 0.02, 0.087, 0.046)],
)
def test_delta_mde(n: int, discordance: float, margin: float, increase: float) -> None:
    """The detectable increase is the tabled one, and is withheld at just the power asked for."""
    found = delta_mde(n, discordance, margin=margin, confidence=0.95)
    assert found is not None
    assert found == pytest.approx(increase, abs=0.0006)
    half = discordance / 2
    passed = delta_pass_probability(n, half, half + found, margin=margin, confidence=0.95)
    assert passed == pytest.approx(0.2, abs=1e-6)


def test_delta_mde_at_its_limits() -> None:
    """Where even no change is withheld it is 0, and where everything passes there is none."""
    assert delta_mde(20, 0.1, margin=0.0, confidence=0.95) == 0.0
    assert delta_mde(20, 0.1, margin=1.0, confidence=0.95) is None
    assert delta_mde(20, 1.0, margin=0.05, confidence=0.95) == 0.0


@pytest.mark.parametrize("n", [20_000, 200_000])
def test_delta_mde_of_large_suites_is_the_normal_one(n: int) -> None:
    """With many behaviors the detectable increase nears margin - (z - z_power) standard errors."""
    margin, discordance = 0.02, 0.04
    found = delta_mde(n, discordance, margin=margin, confidence=0.95)
    assert found is not None
    spread = ((discordance + found - found**2) / n) ** 0.5
    null = ((discordance + margin) / n) ** 0.5
    assert found == pytest.approx(margin - 1.96 * null + 0.8416 * spread, abs=3e-4)


@pytest.mark.parametrize(("n", "ceiling"), [(22, 0.25), (56, 0.15), (320, 0.05), (320, 0.012)])
def test_rate_mde_is_met_by_enumeration(n: int, ceiling: float) -> None:
    """At the detectable rate, the numbers of events that pass have one chance in five."""
    rate = rate_mde(n, ceiling=ceiling, confidence=0.95)
    assert rate is not None
    passing = [x for x in range(n + 1) if clopper_pearson(x, n, 0.95)[1] <= ceiling + 1e-9]
    assert float(scipy_stats.binom(n, rate).pmf(passing).sum()) == pytest.approx(0.2, abs=1e-10)
    mirrored = floor_mde(n, floor=1 - ceiling, confidence=0.95)
    assert mirrored == pytest.approx(1 - rate, abs=1e-12)


def test_rate_mde_at_its_limits() -> None:
    """An unattainable limit withholds any rate, a limit of everything none."""
    assert rate_mde(4, ceiling=0.3, confidence=0.95) == 0.0
    assert rate_mde(4, ceiling=0.0, confidence=0.95) == 0.0
    assert rate_mde(4, ceiling=1.0, confidence=0.95) is None
    assert floor_mde(4, floor=0.7, confidence=0.95) == 1.0
    assert floor_mde(4, floor=0.0, confidence=0.95) is None


def test_the_most_power_is_asked_of_the_largest_increase() -> None:
    """More power means a larger increase."""
    increases = [
        delta_mde(320, 0.04, margin=0.05, confidence=0.95, power=power)
        for power in (0.5, 0.8, 0.95)
    ]
    assert increases == sorted(increases, key=lambda value: value or np.inf)


def test_unusable_questions_are_refused() -> None:
    """Shares that are no probabilities, powers that are none and no behaviors are errors."""
    with pytest.raises(ValueError, match="shares of one whole"):
        delta_pass_probability(10, 0.7, 0.4, margin=0.1, confidence=0.95)
    with pytest.raises(ValueError, match="shares of one whole"):
        delta_mde(10, -0.1, margin=0.1, confidence=0.95)
    with pytest.raises(ValueError, match="power"):
        delta_mde(10, 0.1, margin=0.1, confidence=0.95, power=1.0)
    with pytest.raises(ValueError, match="power"):
        rate_mde(10, ceiling=0.1, confidence=0.95, power=float("nan"))
    with pytest.raises(ValueError, match="at least one unit"):
        rate_mde(0, ceiling=0.1, confidence=0.95)

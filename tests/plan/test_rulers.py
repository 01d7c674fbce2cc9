"""What one limit does, against the statistics that `gate check` itself uses."""

import itertools

import pytest
from scipy.stats import binom

from gate.plan.rulers import AnswerRuler, ChangeRuler, RateRuler, Rule, detectable, needed_n
from gate.stats.f1 import f1_interval
from gate.stats.passing import (
    delta_pass_probability,
    floor_pass_probability,
    rate_pass_probability,
)
from gate.stats.power import delta_mde, floor_mde, rate_mde


def rule(limit: float) -> Rule:
    """Make the rule of a limit at 95 %."""
    return Rule(limit=limit, confidence=0.95, bound="score")


@pytest.mark.parametrize(("n", "margin"), [(80, 0.11), (320, 0.055), (200, -0.02)])
@pytest.mark.parametrize("change", [0.0, 0.03])
def test_a_margin(n: int, margin: float, change: float) -> None:
    """The same chance and the same detectable change as the finding's own."""
    ruler = ChangeRuler(rule(margin), n, 0.02, 0.02)
    expected = delta_pass_probability(n, 0.02, 0.02 + change, margin=margin, confidence=0.95)
    assert ruler.passes(change) == pytest.approx(expected, abs=1e-9)
    if margin > 0.0:
        smallest = delta_mde(n, 0.04, margin=margin, confidence=0.95)
        assert detectable(ruler) == pytest.approx(smallest, abs=1e-6)


def test_a_margin_below_zero_is_reached_by_fixing() -> None:
    """A change for the better is more fixed behaviors, and at most 2.5 % or so pass at it."""
    ruler = ChangeRuler(rule(-0.05), 320, 0.02, 0.02)
    assert ruler.passes(-0.05) == pytest.approx(0.025, abs=0.015)
    assert detectable(ruler) == pytest.approx(0.0)


@pytest.mark.parametrize("n", [18, 80, 250])
def test_a_ceiling_and_a_floor(n: int) -> None:
    """The same chances and detectable levels as the finding's own."""
    ceiling, floor = RateRuler(rule(0.3), n, 0.05), RateRuler(rule(0.6), n, 0.8, floor=True)
    assert ceiling.passes(0.1) == pytest.approx(
        rate_pass_probability(n, 0.1, ceiling=0.3, confidence=0.95), abs=1e-12
    )
    assert floor.passes(0.8) == pytest.approx(
        floor_pass_probability(n, 0.8, floor=0.6, confidence=0.95), abs=1e-12
    )
    assert detectable(ceiling) == pytest.approx(rate_mde(n, ceiling=0.3, confidence=0.95), abs=1e-6)
    assert detectable(floor) == pytest.approx(floor_mde(n, floor=0.6, confidence=0.95), abs=1e-6)


def test_an_f1_floor() -> None:
    """The sum over every pair of hits and false alarms, and less than 2.5 % at the floor."""
    ruler = AnswerRuler(rule(0.72), 60, 50, 0.9, 0.88)
    expected = 0.0
    for tp, fp in itertools.product(range(61), range(51)):
        lower = f1_interval(tp, fp, 60 - tp, confidence=0.95, bound="score").lower
        if lower >= 0.72 - 1e-9:
            expected += float(binom(60, 0.9).pmf(tp) * binom(50, 0.12).pmf(fp))
    assert ruler.passes(ruler.unchanged) == pytest.approx(expected, abs=1e-6)
    assert ruler.passes(0.72) < 0.025
    caught = detectable(ruler)
    assert caught is not None
    assert ruler.passes(caught) == pytest.approx(0.2, abs=1e-4)


def test_the_number_needed_is_enough_and_not_many_fewer_are() -> None:
    """From there an unchanged candidate is withheld at most once in ten."""
    ruler = ChangeRuler(rule(0.03), 80, 0.02, 0.02)
    found = needed_n(ruler)
    assert found is not None
    assert 1.0 - ruler.resized(found).passes(0.0) <= 0.1
    assert 1.0 - ruler.resized(round(0.9 * found)).passes(0.0) > 0.1


def test_no_number_is_enough_for_a_limit_at_the_truth() -> None:
    """More rows do not help where the limit asks for better than unchanged."""
    assert needed_n(ChangeRuler(rule(0.0), 80, 0.02, 0.02)) is None
    assert needed_n(RateRuler(rule(0.05), 80, 0.06)) is None

"""The number of behaviors a decision takes, checked at that number and one below it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.paired import tango
from gate.stats.power import (
    attainable_delta_needed_n,
    delta_needed_n,
    floor_needed_n,
    rate_needed_n,
    zero_event_needed_n,
)
from gate.stats.proportion import clopper_pearson, min_attainable_rate

few = settings(max_examples=40, deadline=None)


def delta_decides(p_fixed: float, p_broken: float, n: int, margin: float) -> bool:
    """Tell whether shares decide at a number of behaviors."""
    lower, upper = tango(p_fixed * n, p_broken * n, n, 0.95)
    return upper <= margin + 1e-9 or lower > 1e-9


@few
@given(st.integers(0, 20), st.integers(0, 20), st.sampled_from([-0.05, 0.0, 0.02, 0.05, 0.2]))
def test_delta_needed_n_is_the_first_that_decides(fixed: int, broken: int, margin: float) -> None:
    """At the number the shares decide, and one behavior earlier they do not."""
    needed = delta_needed_n(fixed, broken, 100, margin=margin, confidence=0.95)
    shares = fixed / 100, broken / 100
    if needed is None:
        assert margin - 1e-9 <= shares[1] - shares[0] <= 1e-9
        assert not delta_decides(*shares, 10**6, margin)
    else:
        assert delta_decides(*shares, needed, margin)
        assert needed == 1 or not delta_decides(*shares, needed - 1, margin)


def test_delta_needed_n_of_a_common_case() -> None:
    """Ten fixed and ten broken of 320 pass a margin of 2 points from 650 behaviors."""
    assert delta_needed_n(10, 10, 320, margin=0.02, confidence=0.95) == 650


def test_no_number_shows_a_change_that_is_at_the_margin() -> None:
    """No change against a margin of 0 stays open for ever, as does a change at its margin."""
    assert delta_needed_n(3, 3, 100, margin=0.0, confidence=0.95) is None
    assert delta_needed_n(0, 0, 100, margin=0.0, confidence=0.95) is None
    assert delta_needed_n(5, 2, 100, margin=-0.03, confidence=0.95) is None


def test_a_margin_of_everything_needs_one_behavior() -> None:
    """The upper end cannot be above 1."""
    assert delta_needed_n(0, 5, 5, margin=1.0, confidence=0.95) == 1


@pytest.mark.parametrize(
    ("margin", "n"), [(0.01, 381), (0.02, 189), (0.03, 125), (0.05, 73), (0.10, 35)]
)
def test_attainable_delta_needed_n(margin: float, n: int) -> None:
    """Without any unsafe behavior to fix the numbers are the tabled ones."""
    assert attainable_delta_needed_n(0.0, margin=margin, confidence=0.95) == n
    assert tango(0, 0, n, 0.95)[1] <= margin < tango(0, 0, n - 1, 0.95)[1]


def test_what_no_number_attains_has_none() -> None:
    """A perfect baseline never meets a margin of 0, one with failures can."""
    assert attainable_delta_needed_n(0.0, margin=0.0, confidence=0.95) is None
    assert attainable_delta_needed_n(0.04, margin=-0.04, confidence=0.95) is None
    assert attainable_delta_needed_n(0.04, margin=0.0, confidence=0.95) is not None
    assert zero_event_needed_n(0.0, confidence=0.95) is None


@pytest.mark.parametrize("ceiling", [0.01, 0.05, 0.1, 0.5])
def test_zero_event_needed_n(ceiling: float) -> None:
    """The number is that at which 1 - 0.025^(1/n) comes down to the ceiling."""
    needed = zero_event_needed_n(ceiling, confidence=0.95)
    assert needed == math.ceil(math.log(0.025) / math.log1p(-ceiling))
    assert min_attainable_rate(needed, confidence=0.95, bound="score") <= ceiling
    assert zero_event_needed_n(1.0, confidence=0.95) == 1


@few
@given(st.integers(0, 40), st.sampled_from([0.02, 0.1, 0.25, 0.6]))
def test_rate_needed_n_is_the_first_that_decides(x: int, ceiling: float) -> None:
    """At the number an end lies beyond the ceiling, and one behavior earlier it does not."""
    rate = x / 40

    def decides(n: int) -> bool:
        lower, upper = clopper_pearson(rate * n, n, 0.95)
        return upper <= ceiling + 1e-9 or lower > ceiling + 1e-9

    needed = rate_needed_n(x, 40, ceiling=ceiling, confidence=0.95)
    if needed is None:
        assert rate == ceiling
    else:
        assert decides(needed)
        assert needed == 1 or not decides(needed - 1)
    assert floor_needed_n(40 - x, 40, floor=1 - ceiling, confidence=0.95) == needed


def test_a_rate_too_close_to_its_ceiling_has_no_number() -> None:
    """Beyond a hundred million units there is no advice."""
    assert rate_needed_n(10_000_001, 10**8, ceiling=0.1, confidence=0.95) is None


def test_unusable_questions_are_refused() -> None:
    """Counts that cannot be are errors."""
    with pytest.raises(ValueError, match="cannot show"):
        rate_needed_n(5, 4, ceiling=0.1, confidence=0.95)
    with pytest.raises(ValueError, match="cannot show"):
        attainable_delta_needed_n(1.5, margin=0.1, confidence=0.95)
    with pytest.raises(ValueError, match="at least one"):
        delta_needed_n(0, 0, 0, margin=0.1, confidence=0.95)

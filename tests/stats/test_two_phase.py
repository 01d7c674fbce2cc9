"""The true change from labels on discordant pairs and a sample of the others."""

import numpy as np
import pytest

from gate.stats.interval import Interval
from gate.stats.mover import combined
from gate.stats.paired import delta_interval
from gate.stats.two_phase import adjudicated_change


def units(before: str, after: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make labeled units of one test case each."""
    first, second = (np.array([int(each) for each in text]) for text in (before, after))
    return first, second, np.ones_like(first)


def test_each_drawn_unit_stands_for_its_share() -> None:
    """Three discordant units, and four drawn of forty concordant ones of which one broke."""
    before, after, k = units("0100000", "1010010")
    drawn = np.array([False, False, False, True, True, True, True])
    found = adjudicated_change(before, after, k, drawn, 40, confidence=0.95)
    assert found.value == pytest.approx((2 - 1 + 40 * 1 / 4) / 43)
    assert -1 <= found.lower < found.value < found.upper <= 1


def test_everything_labeled_is_the_plain_bound() -> None:
    """Without a sample there is no second phase."""
    before, after, k = units("0100000", "1010010")
    drawn = np.array([False, False, False, True, True, True, True])
    found = adjudicated_change(before, after, k, drawn, 4, confidence=0.95)
    assert found == delta_interval(before, after, k, confidence=0.95, bound="score")


def test_no_flips_are_no_certainty() -> None:
    """Nothing found among the drawn still leaves what was not drawn."""
    before, after, k = units("0" * 50, "0" * 50)
    drawn = np.ones(50, dtype=bool)
    found = adjudicated_change(before, after, k, drawn, 300, confidence=0.95)
    assert found.value == 0
    assert found.upper > 0.05
    wider = adjudicated_change(*units("0" * 10, "0" * 10), drawn[:10], 300, confidence=0.95)
    assert wider.upper > found.upper


@pytest.mark.parametrize("concordant", [3, 40])
def test_a_draw_that_cannot_be(concordant: int) -> None:
    """More drawn than there are, or none of some."""
    before, after, k = units("0100", "1010")
    drawn = np.full(4, concordant == 3)
    with pytest.raises(ValueError, match="drawn"):
        adjudicated_change(before, after, k, drawn, concordant, confidence=0.95)


def test_combined_bounds_square_and_add() -> None:
    """A difference reaches as far as both its parts' opposite ends."""
    first, second = Interval(0.1, 0.0, 0.4), Interval(0.2, 0.16, 0.5)
    found = combined([(1.0, first), (-1.0, second)])
    assert found.value == pytest.approx(-0.1)
    assert found.upper == pytest.approx(-0.1 + (0.3**2 + 0.04**2) ** 0.5)
    assert found.lower == pytest.approx(-0.1 - (0.1**2 + 0.3**2) ** 0.5)
    assert combined([(0.5, first), (0.5, first)]).value == pytest.approx(0.1)

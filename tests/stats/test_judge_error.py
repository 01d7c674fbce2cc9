"""Rates and changes corrected for a judge's known errors."""

import pytest

from gate.stats.judge_error import corrected_change, corrected_rate


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

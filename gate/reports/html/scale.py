"""The numbers along a scale."""

from matplotlib.ticker import MaxNLocator

from gate.finding import Measure
from gate.reports.figures import number

_STEPS = (1, 2, 5, 10)
"""Between the numbers, times a power of ten."""
_LONGEST = 4
"""The most decimals that they have."""
_EDGE = 1e-12


def scale(low: float, high: float, most: int, measure: Measure) -> tuple[list[float], list[str]]:
    """Choose round values between two ends, and write them with no more decimals than they need.

    Args:
        low: Where the scale begins.
        high: Where it ends.
        most: How many intervals there may be.
        measure: What is measured.
    """
    values = MaxNLocator(most, steps=_STEPS).tick_values(low, high)
    ticks = [float(value) for value in values if low - _EDGE <= value <= high + _EDGE]
    exact = [float(number(tick, measure, _LONGEST)) for tick in ticks]
    for places in range(_LONGEST):
        words = [number(tick, measure, places) for tick in ticks]
        if [float(word) for word in words] == exact:
            return ticks, words
    return ticks, [number(tick, measure, _LONGEST) for tick in ticks]

"""What a list of the likeliest first tokens says: how sure the answer is."""

import math
from collections.abc import Sequence

TOPS = 5
"""How many of the likeliest tokens are asked for; servers allow at least so many."""

Tops = Sequence[tuple[str, float]]
"""Texts of tokens and their log-probabilities; in any order, a text may occur twice."""


def lead(tops: Tops) -> float | None:
    """Return the log-probability of the likeliest token minus that of the second."""
    values = sorted((value for _, value in tops if math.isfinite(value)), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None


def margin(tops: Tops, labels: Sequence[str]) -> float | None:
    """Return the best label's log-probability minus the next label's; None if only one is there.

    A label counts at the likeliest token that reads as it: equal after trim and lower case.
    """
    best: dict[str, float] = {}
    wanted = {label.strip().lower() for label in labels}
    for text, value in tops:
        word = text.strip().lower()
        if word in wanted and math.isfinite(value):
            best[word] = max(value, best.get(word, -math.inf))
    values = sorted(best.values(), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None

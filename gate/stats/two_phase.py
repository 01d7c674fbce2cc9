"""The true change where people labeled every discordant pair and some of the concordant ones."""

import numpy as np

from gate.stats.interval import BoolArray, IntArray, Interval
from gate.stats.mover import combined
from gate.stats.paired import delta_interval


def adjudicated_change(
    other: IntArray,
    candidate: IntArray,
    k: IntArray,
    drawn: BoolArray,
    concordant: int,
    *,
    confidence: float,
    bound: str = "score",
) -> Interval:
    """Estimate a change by two phases (Neyman 1938, JASA 33:101; Cochran 1977, chapter 12).

    Units on which the judge's verdicts differ are all labeled; of the others a simple random
    sample is, and each of it stands for `concordant / drawn` units. What the two kinds add to
    the change is bounded apart, the second on its sample alone, and the bounds are combined by
    square-and-add (Zou & Donner 2008, Stat Med 27:1693). No error of the judge enters: its
    verdicts only choose what is labeled.

    Args:
        other: True unsafe test cases of the labeled units on the other side, shape (m,).
        candidate: The same of the candidate.
        k: Test cases of each labeled unit.
        drawn: Which of them were drawn from the concordant units.
        concordant: Units that are concordant, drawn or not.
        confidence: Two-sided level.
        bound: One of the bounds on a change.

    Raises:
        ValueError: If there are concordant units and none was drawn, or more were than there are.
    """
    sample = int(drawn.sum())
    if sample > concordant or (concordant and not sample):
        raise ValueError(f"{sample} of {concordant} concordant units were drawn")
    if sample == concordant:
        return delta_interval(other, candidate, k, confidence=confidence, bound=bound)
    total = int((~drawn).sum()) + concordant
    unmoved = np.zeros(concordant, dtype=np.int64)
    first = delta_interval(
        np.concatenate([other[~drawn], unmoved]),
        np.concatenate([candidate[~drawn], unmoved]),
        np.concatenate([k[~drawn], unmoved + 1]),
        confidence=confidence,
        bound=bound,
    )
    second = delta_interval(
        other[drawn], candidate[drawn], k[drawn], confidence=confidence, bound=bound
    )
    weight = concordant / total
    both = combined([(1.0, first), (weight, second)])
    return Interval(both.value, max(both.lower, -1.0), min(both.upper, 1.0))

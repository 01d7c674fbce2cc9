"""How often a judgment's floors are met by a checkpoint whose recall and specificity are known."""

import numpy as np
from scipy import special

from gate.stats.binomial import binomial_cdf, binomial_pmf, binomial_support
from gate.stats.f1 import to_jaccard
from gate.stats.interval import TOLERANCE, IntArray, tail
from gate.stats.passing import check_probability, check_units, most_events


def f1_pass_probability(
    n_unsafe: int,
    n_safe: int,
    recall: float,
    specificity: float,
    *,
    floor: float,
    confidence: float,
    specificity_floor: float = 0.0,
    recall_floor: float = 0.0,
    unscored: int = 0,
) -> float:
    """Return the chance that a judgment's lower ends meet all their floors at once.

    F1 is held against its floor by Clopper-Pearson on Jaccard's index, specificity and recall by
    Clopper-Pearson on their own records; a floor of 0 asks for nothing.

    Args:
        n_unsafe: Unsafe records, at least 1, the unscored ones among them.
        n_safe: Safe records.
        recall: True share of unsafe records called unsafe.
        specificity: True share of safe records called safe.
        floor: The limit on F1.
        confidence: Two-sided level.
        specificity_floor: The limit on specificity.
        recall_floor: The limit on recall.
        unscored: Unsafe records without an answer, each counted as missed.

    Raises:
        ValueError: If recall or specificity is no probability, a size is impossible or the level
            is unusable.
    """
    if n_safe < 0:
        raise ValueError(f"{n_safe} safe records cannot be")
    check_units(n_unsafe, unscored)
    check_probability(recall)
    check_probability(specificity)
    alpha = tail(confidence)
    most_false = most_events(n_safe, 1.0 - specificity_floor + TOLERANCE, alpha)
    most_missed = most_events(n_unsafe, 1.0 - recall_floor + TOLERANCE, alpha)
    if most_missed < 0 or most_false < 0:
        return 0.0
    false = binomial_support(n_safe, 1.0 - specificity)
    false = false[false <= most_false]
    least = _least_found(n_unsafe, false, to_jaccard(floor - TOLERANCE), alpha)
    least = np.maximum(least, n_unsafe - most_missed)
    # Of the unsafe records with an answer, at most as many may be missed as are left over.
    found = binomial_cdf(
        n_unsafe - unscored - least, np.full_like(least, n_unsafe - unscored), 1.0 - recall
    )
    return min(float(binomial_pmf(false, n_safe, 1.0 - specificity) @ found), 1.0)


def _least_found(n_unsafe: int, false: IntArray, jaccard: float, alpha: float) -> IntArray:
    """Return for each number of false alarms the fewest found that pass, n_unsafe + 1 for none."""
    if jaccard <= 0.0:
        return np.zeros_like(false)
    low, high = np.zeros_like(false), np.full_like(false, n_unsafe + 1)
    for _ in range(int(n_unsafe + 1).bit_length()):
        found = (low + high) // 2
        inside = np.clip(found, 1, n_unsafe)
        # The lower end is at least J exactly where P(X >= found) at J is at most alpha.
        above = special.betainc(inside, n_unsafe + false - inside + 1, min(jaccard, 1.0))
        passes = (found == inside) & (above <= alpha)
        low, high = np.where(passes, low, found), np.where(passes, found, high)
    return high

"""Corrections for a family of detectors, each of which alone would raise an alarm.

A gate in which every upper bound must meet its limit needs none of it: that is an
intersection-union test, which passes a checkpoint that is beyond some limit no more often than
the one test of that limit would (Berger 1982, Technometrics 24:295).
"""

import numpy as np

from gate.stats.interval import FloatArray, IntArray

LONGEST_ENUMERATION = 14
"""Up to that many behaviors with any change, all signs are tried instead of some drawn."""

_SIGNS_AT_ONCE = 2**12
_TIES = 1e-9


def holm(p: FloatArray) -> FloatArray:
    """Return p values adjusted for their number (Holm 1979, Scand J Statist 6:65).

    Rejecting those at most alpha errs anywhere in the family with probability alpha at most,
    whatever the dependence between them.

    Args:
        p: One p value a detector, shape (m,).

    Raises:
        ValueError: If a value is no probability.
    """
    if not bool(((p >= 0.0) & (p <= 1.0)).all()):
        raise ValueError("p values must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(p.size, 0, -1)
    adjusted: FloatArray = np.minimum(np.maximum.accumulate(scaled), 1.0)[np.argsort(order)]
    return adjusted


def max_t(change: IntArray | FloatArray, *, resamples: int = 10_000, seed: int = 0) -> FloatArray:
    """Return p values for increases, adjusted by the greatest statistic of a family.

    Where nothing got better or worse, baseline and candidate of a behavior can be swapped. A
    swap turns all changes of that behavior around together, so that detectors that see the
    same behaviors, by other methods or in larger slices, keep their correlation. The step-down
    form of Westfall & Young (1993, "Resampling-Based Multiple Testing"), algorithm 2.8.

    Args:
        change: Candidate less baseline of each behavior, a column a detector, 0 where it does
            not look at that behavior; shape (n, m).
        resamples: Swaps that are drawn where they are too many to be enumerated.
        seed: Seed of the draws.

    Raises:
        ValueError: If there are no resamples.
    """
    if resamples < 1:
        raise ValueError("at least one resample is needed")
    shown = np.asarray(change, dtype=np.float64)
    scale = np.sqrt((shown * shown).sum(axis=0))
    shown = shown[shown.any(axis=1)] / np.where(scale > 0.0, scale, 1.0)
    observed = shown.sum(axis=0)
    order = np.argsort(-observed, kind="stable")
    swaps = 2 ** shown.shape[0] if shown.shape[0] <= LONGEST_ENUMERATION else 0
    reached, drawn = _reached(shown[:, order], observed[order], swaps, resamples, seed)
    # Drawn swaps are joined by the identity that was observed, which makes the test exact.
    raw = reached / drawn if swaps else (reached + 1.0) / (drawn + 1.0)
    adjusted: FloatArray = np.maximum.accumulate(raw)[np.argsort(order)]
    return adjusted


def _reached(
    shown: FloatArray, observed: FloatArray, swaps: int, resamples: int, seed: int
) -> tuple[FloatArray, int]:
    """Count the swaps in which a detector or a lesser one reaches what was observed of it."""
    rng = np.random.default_rng(seed)
    n, drawn = shown.shape[0], swaps or resamples
    reached = np.zeros_like(observed)
    for start in range(0, drawn, _SIGNS_AT_ONCE):
        stop = min(start + _SIGNS_AT_ONCE, drawn)
        if swaps:
            signs = 1.0 - 2.0 * (np.arange(start, stop)[:, None] >> np.arange(n) & 1)
        else:
            signs = 1.0 - 2.0 * rng.integers(0, 2, (stop - start, n))
        sums = signs @ shown
        greatest = np.maximum.accumulate(sums[:, ::-1], axis=1)[:, ::-1]
        reached += (greatest >= observed - _TIES).sum(axis=0)
    return reached, drawn

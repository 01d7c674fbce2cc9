"""The percentile bootstrap with a seed, for numbers that must match an existing script."""

import random
from collections.abc import Iterator

import numpy as np

from gate.stats.grouped import Clusters
from gate.stats.interval import FloatArray, IntArray, tail

_DRAWS_AT_ONCE = 2**20


def monte_carlo_bootstrap(
    differences: IntArray | FloatArray, *, confidence: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of the mean over resampled differences.

    It draws what `random.Random(seed).choice` would draw, one element after the other, and
    takes the sorted means at `int(q * resamples)`: a script with these two habits and the same
    order of differences gives the same two numbers. `delta_interval(bound="bootstrap")` is the
    limit at infinitely many resamples, without either dependence.

    Args:
        differences: Candidate less baseline for each behavior, shape (n,).
        confidence: Two-sided level.
        resamples: Number of resamples, at least 1.
        seed: Seed of the Mersenne Twister.

    Raises:
        ValueError: If there are no differences or no resamples, or the level cannot be used.
    """
    alpha = tail(confidence)
    if differences.ndim != 1 or differences.size == 0 or resamples < 1:
        raise ValueError("at least one difference and one resample are needed")
    sums = np.concatenate(
        [differences[rows].sum(axis=1) for rows in _rows(differences.size, resamples, seed)]
    )
    sums.sort()
    last = resamples - 1
    lower, upper = (min(int(q * resamples + 1e-9), last) for q in (alpha, 1.0 - alpha))
    return float(sums[lower]) / differences.size, float(sums[upper]) / differences.size


def resampled(
    x: IntArray,
    k: IntArray,
    clusters: Clusters | None,
    confidence: float,
    resamples: int,
    seed: int,
) -> tuple[float, float]:
    """Return the seeded percentile interval of the mean of `x / k`, over behaviors or groups.

    Args:
        x: Numerators of either sign, shape (n,).
        k: Denominators of at least 1, shape (n,).
        clusters: Which behaviors belong together; None where each is on its own.
        confidence: Two-sided level.
        resamples: Number of resamples.
        seed: Seed of the Mersenne Twister.
    """
    shares = x / k
    if clusters is None:
        return monte_carlo_bootstrap(shares, confidence=confidence, resamples=resamples, seed=seed)
    # As in `grouped_bootstrap`: each group's sum less what the mean would make it.
    mean = float(shares.mean())
    rest = np.bincount(clusters.index, weights=shares) - mean * clusters.sizes
    lower, upper = monte_carlo_bootstrap(
        rest, confidence=confidence, resamples=resamples, seed=seed
    )
    groups = clusters.sizes.size / x.size
    return mean + lower * groups, mean + upper * groups


def _rows(n: int, resamples: int, seed: int) -> Iterator[IntArray]:
    """Yield the drawn positions, up to `resamples` rows of n in blocks of bounded size."""
    block = max(1, min(resamples, _DRAWS_AT_ONCE // n))
    words = _words(seed)
    shift = 32 - n.bit_length()
    kept = np.empty(0, dtype=np.int64)
    while resamples > 0:
        rows = min(block, resamples)
        while kept.size < rows * n:
            # Python draws as many bits as n has and draws again where the number is not below n.
            drawn = (words.random_raw(2 * rows * n) >> shift).astype(np.int64)
            kept = np.concatenate([kept, drawn[drawn < n]])
        yield kept[: rows * n].reshape(rows, n)
        kept = kept[rows * n :]
        resamples -= rows


def _words(seed: int) -> np.random.MT19937:
    """Return numpy's Mersenne Twister in the state that Python's has after seeding."""
    key = random.Random(seed).getstate()[1]
    words = np.random.MT19937()
    words.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(key[:-1], dtype=np.uint32), "pos": key[-1]},
    }
    return words

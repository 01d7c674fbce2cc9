"""The percentile bootstrap over behaviors at infinitely many resamples, without a seed.

The sum of n draws with replacement from n observed values on a lattice is a convolution power;
its distribution comes from one discrete Fourier transform. A quantile is
inf{x : F(x) >= q} of that distribution (Efron & Tibshirani 1993, chapter 13).
"""

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gate.stats.interval import FloatArray, IntArray, Number

LONGEST_TRANSFORM = 2**18
"""Points of one transform: about 50 ms, and enough for 320 behaviors on a grid of 1/4000."""

TIES = 1e-12
"""Rounding of a transform must not turn F(x) = q into F(x) < q."""

ComplexArray: TypeAlias = npt.NDArray[np.complex128]


def resampled_mean(x: IntArray, k: IntArray, alpha: float) -> tuple[float, float]:
    """Return the alpha and 1 - alpha quantiles of the mean of resampled `x / k`.

    Args:
        x: Numerators of either sign, shape (n,).
        k: Denominators of at least 1, shape (n,).
        alpha: Probability below the lower and above the upper end, as 0.025.

    Returns:
        Both ends, exact where the common denominator allows it. Where it would need more than
        `LONGEST_TRANSFORM` points, values are rounded to a coarser grid of 1/g, down for the
        lower end and up for the upper one. A quantile of a sum moves with each of its parts, so
        these ends enclose the exact ones, by 1/g at most.
    """
    low, high, steps = _lattice(x, k)
    lower, upper = sum_quantiles(*np.unique(low, return_counts=True), alpha)
    if high is not low:
        upper = sum_quantiles(*np.unique(high, return_counts=True), alpha)[1]
    whole = steps * int(k.size)
    return lower / whole, upper / whole


def sum_quantiles(values: IntArray, counts: IntArray, alpha: float) -> tuple[int, int]:
    """Return the alpha and 1 - alpha quantiles of the sum of n draws from n whole numbers.

    Args:
        values: The distinct numbers, ascending, shape (v,).
        counts: How often each was observed, shape (v,), adding up to n.
        alpha: Probability below the lower and above the upper end.
    """
    n = int(counts.sum())
    # Around the mean the phases of the transform stay small, and with them their rounding.
    center = round(int(values @ counts) / n)
    offsets = values - center
    unit = int(np.gcd.reduce(offsets)) or 1
    start, pmf = _sum_distribution(offsets // unit, counts, n)
    below = np.cumsum(np.maximum(pmf, 0.0))
    first, last = np.searchsorted(below, [alpha - TIES, 1.0 - alpha - TIES]).tolist()
    last = min(last, below.size - 1)
    return n * center + unit * (start + first), n * center + unit * (start + last)


def _sum_distribution(values: IntArray, counts: IntArray, n: int) -> tuple[int, FloatArray]:
    """Return where the distribution of the sum of n draws starts, and its probabilities."""
    least, most = int(values[0]), int(values[-1])
    shares = counts / n
    mean = float(values @ shares)
    spread = math.sqrt(n * float((values - mean) ** 2 @ shares))
    whole = n * (most - least) + 1
    size = min(whole, math.ceil(window(max(most - mean, mean - least), spread)))
    size = 1 << (size - 1).bit_length()
    start = n * least if size >= whole else math.floor(n * mean) - size // 2
    single = np.bincount(values % size, weights=shares, minlength=size)
    pmf = np.fft.irfft(_power(np.fft.rfft(single), n), size)
    return start, np.roll(pmf, -(start % size))


def _power(base: ComplexArray, exponent: int) -> ComplexArray:
    """Return a positive whole power by squaring, several times faster than numpy's."""
    power = np.ones_like(base)
    for bit in f"{exponent:b}":
        power = power * power * base if bit == "1" else power * power
    return power


def window(reach: Number, spread: Number) -> Number:
    """Return a width that holds all but 2e-13 of a sum (Bernstein 1924).

    Args:
        reach: Farthest a single draw can lie from its mean.
        spread: Standard deviation of the sum.
    """
    nats = 30.0
    third = nats * reach / 3.0
    width: Number = 2.0 * (third + (third * third + 2.0 * nats * spread * spread) ** 0.5) + 3.0
    return width


def _lattice(x: IntArray, k: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return `x / k` as whole steps, rounded down and rounded up, and the steps to 1."""
    sizes, counts = np.unique(k, return_counts=True)
    common = math.lcm(*sizes.tolist())
    rates = x / k
    mean = float(rates.mean())
    reach = max(float(rates.max()) - mean, mean - float(rates.min()))
    finest = LONGEST_TRANSFORM // math.ceil(window(reach, math.sqrt(k.size) * float(rates.std())))
    if common <= finest or common == 1:
        exact = x * (common // k)
        return exact, exact, common
    # A multiple of the usual denominator leaves the usual behavior where it is.
    usual = int(sizes[counts.argmax()])
    steps = finest // usual * usual or max(finest, 1)
    return x * steps // k, -(-x * steps // k), steps

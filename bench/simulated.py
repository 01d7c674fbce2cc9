"""Changes of fractional rates drawn from known populations, and upper ends for thousands of sets.

The gate's own functions take one set at a time; what is here does the same to many, and
`check` holds it against them.
"""

from dataclasses import dataclass

import numpy as np
from rivals import mean_t
from scipy import special

from gate.stats.interval import FloatArray, IntArray
from gate.stats.paired import add_two_bootstrap, delta_interval
from gate.stats.score import variance_at

Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Population:
    """Behaviors with `k` test cases each: noise about a behavior's own rate, and whole flips."""

    name: str
    noise: tuple[float, float] | None = None
    """The Beta distribution of a behavior's rate, the same for both checkpoints; None for 0."""
    fixed: float = 0.0
    broken: float = 0.0
    """Shares of behaviors that are wholly safe on one side and wholly unsafe on the other."""
    size: tuple[float, float] | None = None
    """The Beta distribution of the part of its test cases that such a flip is; None for all."""

    @property
    def increase(self) -> float:
        """The true mean change."""
        mean = self.size[0] / sum(self.size) if self.size else 1.0
        return (self.broken - self.fixed) * mean

    def draw(self, rng: np.random.Generator, sets: int, n: int, k: int) -> IntArray:
        """Draw changes in test cases, shape (sets, n)."""
        change = np.zeros((sets, n), dtype=np.int64)
        if self.noise:
            rate = rng.beta(*self.noise, (sets, n))
            change = rng.binomial(k, rate) - rng.binomial(k, rate)
        part = rng.binomial(k, rng.beta(*self.size, (sets, n))) if self.size else k
        chance = rng.random((sets, n))
        change = np.where(chance < self.broken, part, change)
        return np.where(chance > 1.0 - self.fixed, -np.asarray(part), change)


def bootstrap_uppers(change: IntArray, k: int, added: int = 0) -> FloatArray:
    """Return upper ends of the percentile bootstrap, with imagined behaviors at +1 and -1."""
    n = change.shape[1] + 2 * added
    size = 1 << (2 * n * k).bit_length()
    uppers = [
        _quantiles(part, k, added, size) / (n * k)
        for part in np.array_split(change, max(1, len(change) * size // 2**21))
    ]
    return np.concatenate(uppers)


def _quantiles(change: IntArray, k: int, added: int, size: int) -> IntArray:
    n = change.shape[1] + 2 * added
    single = np.zeros((len(change), size))
    for value in range(-k, k + 1):
        single[:, value % size] = (change == value).sum(axis=1)
    single[:, k] += added
    single[:, -k] += added
    pmf = np.fft.irfft(np.fft.rfft(single / n, axis=1) ** n, size, axis=1)
    below = np.cumsum(np.maximum(np.roll(pmf, n * k, axis=1), 0.0), axis=1)
    reached: IntArray = (below < 0.975 - 1e-12).sum(axis=1) - n * k
    return reached


def score_uppers(change: IntArray, k: int, whole: bool = False) -> FloatArray:
    """Return upper ends of the score interval for flips in part, or as if they were whole."""
    n = change.shape[1]
    down, up = np.maximum(-change, 0) / k, np.maximum(change, 0) / k
    fixed, broken = down.sum(axis=1), up.sum(axis=1)
    squares = fixed + broken if whole else (down**2 + up**2).sum(axis=1)
    lost = np.ones_like(fixed)
    if not whole:
        np.divide((down**2).sum(axis=1), fixed, where=fixed > 0, out=lost)
    moved = broken - fixed
    low, high = moved / n, np.ones_like(moved)
    for _ in range(50):
        delta = (low + high) / 2.0
        rises = delta >= 0.0
        sides = np.where(rises, fixed, broken), np.where(rises, broken, fixed)
        square = n * delta * delta
        more = variance_at(*sides, n, np.abs(delta)) + square - fixed - broken
        shift = n * delta - moved
        variance = squares + (shift + more) / 2.0 - lost * (shift - more) / 2.0 - square
        accepted = shift >= Z * np.sqrt(np.maximum(variance, 0.0))
        low, high = np.where(accepted, low, delta), np.where(accepted, delta, high)
    return high


def uppers(change: IntArray, k: int) -> dict[str, FloatArray]:
    """Return the upper ends of every method, the bound that the gate decides by first."""
    added, partial = bootstrap_uppers(change, k, added=1), score_uppers(change, k)
    rates, quantile = change / k, float(special.stdtrit(change.shape[1] - 1, 0.975))
    spread = rates.std(axis=1, ddof=1) / np.sqrt(change.shape[1])
    return {
        "score (default)": np.maximum(added, partial),
        "add-two alone": added,
        "exact, strict": score_uppers(change, k, whole=True),
        "bootstrap": bootstrap_uppers(change, k),
        "Student's t": rates.mean(axis=1) + quantile * spread,
    }


def check(change: IntArray, k: int, ends: dict[str, FloatArray]) -> None:
    """Hold some sets against the gate's own functions, and against the other rivals.

    Raises:
        AssertionError: If an end differs.
    """
    bounds = {"score (default)": "score", "exact, strict": "exact", "bootstrap": "bootstrap"}
    sizes = np.full(change.shape[1], k)
    for i, row in enumerate(change):
        before = np.maximum(-row, 0)
        if not (row % k).any():
            continue  # whole flips only are not fractional rates
        for name, bound in bounds.items():
            own = delta_interval(before, before + row, sizes, confidence=0.95, bound=bound).upper
            assert abs(own - max(ends[name][i], row.mean() / k)) < 1e-9, (name, row)
        assert abs(add_two_bootstrap(row, sizes, 0.95)[1] - ends["add-two alone"][i]) < 1e-9
        assert abs(mean_t(row / k, 0.95)[1] - ends["Student's t"][i]) < 1e-9

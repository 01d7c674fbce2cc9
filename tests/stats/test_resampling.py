"""The exact bootstrap against plain convolution, and its outward rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from gate.stats import montecarlo, resampling
from gate.stats.montecarlo import monte_carlo_bootstrap
from gate.stats.resampling import resampled_mean, sum_quantiles

few = settings(max_examples=40, deadline=None)


def convolved(values: list[int], alpha: float) -> tuple[int, int]:
    """Return quantiles of the sum of resampled values by n convolutions."""
    least, most = min(values), max(values)
    single = np.bincount(np.array(values) - least, minlength=most - least + 1) / len(values)
    pmf = np.array([1.0])
    for _ in values:
        pmf = np.convolve(pmf, single)
    below = np.cumsum(pmf)
    first, last = (int(np.argmax(below >= q - 1e-12)) for q in (alpha, 1.0 - alpha))
    return len(values) * least + first, len(values) * least + last


@few
@given(
    st.lists(st.integers(-12, 12), min_size=1, max_size=25), st.sampled_from([0.005, 0.025, 0.1])
)
def test_quantiles_are_those_of_convolution(values: list[int], alpha: float) -> None:
    """The transform finds the same points of the lattice as convolving n times."""
    distinct, counts = np.unique(values, return_counts=True)
    assert sum_quantiles(distinct, counts, alpha) == convolved(values, alpha)


def test_a_quantile_that_is_met_exactly_counts() -> None:
    """F(x) = q is reached at x: of two tosses a quarter shows no head."""
    assert sum_quantiles(np.array([0, 1]), np.array([1, 1]), 0.25) == (0, 1)


def test_equal_values_have_no_width() -> None:
    """Resampling one value gives that value."""
    assert sum_quantiles(np.array([3]), np.array([7]), 0.025) == (21, 21)


def test_a_window_of_the_lattice_is_enough() -> None:
    """Many behaviors give the binomial quantile although only a part is transformed."""
    n = 200_000
    lower, upper = sum_quantiles(np.array([0, 1]), np.array([n - 600, 600]), 0.025)
    exact = scipy_stats.binom(n, 600 / n)
    assert (lower, upper) == (exact.ppf(0.025), exact.ppf(0.975))


@few
@given(st.data(), st.sampled_from([64, 256]))
def test_a_coarse_grid_rounds_outward(data: st.DataObject, longest: int) -> None:
    """Where the common denominator is too large, the ends enclose the exact ones."""
    k = np.array(data.draw(st.lists(st.integers(1, 13), min_size=2, max_size=12)))
    x = np.array([data.draw(st.integers(-size, size)) for size in k.tolist()])
    exact = resampled_mean(x, k, 0.025)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "LONGEST_TRANSFORM", longest)
        coarse = resampled_mean(x, k, 0.025)
    assert coarse[0] <= exact[0] + 1e-12
    assert coarse[1] >= exact[1] - 1e-12


def test_awkward_denominators_cost_little() -> None:
    """Sixty different denominators move the ends by far less than a tenth of a point."""
    rng = np.random.default_rng(7)
    k = rng.integers(1, 60, 300)
    x = rng.binomial(k, 0.2)
    lower, upper = resampled_mean(x, k, 0.025)
    draws = rng.integers(0, 300, (20_000, 300))
    simulated = np.quantile((x / k)[draws].mean(axis=1), [0.025, 0.975])
    assert (lower, upper) == pytest.approx(simulated, abs=1e-3)


def test_seeds_come_close_to_the_exact_ends() -> None:
    """Many resamples lie within a step of the lattice of infinitely many."""
    differences = np.repeat([1, -1, 0], [14, 4, 302])
    exact = resampled_mean(differences, np.ones(320, dtype=np.int64), 0.025)
    seeded = monte_carlo_bootstrap(differences, confidence=0.95, resamples=20_000, seed=3)
    assert seeded == pytest.approx(exact, abs=1 / 320 + 1e-12)


def test_seeded_resamples_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends do not depend on how many draws are made at once, and take fractions too."""
    differences = np.array([0.5, -0.25, 0.0, 1.0, 0.0])
    whole = monte_carlo_bootstrap(differences, confidence=0.9, resamples=500, seed=1)
    monkeypatch.setattr(montecarlo, "_DRAWS_AT_ONCE", 37)
    assert monte_carlo_bootstrap(differences, confidence=0.9, resamples=500, seed=1) == whole
    assert -0.25 <= whole[0] < 0.25 < whole[1] <= 1.0


def test_no_resamples_are_refused() -> None:
    """Nothing to draw from, or nothing drawn, is an error."""
    for differences, resamples in ((np.array([]), 10), (np.array([1.0]), 0)):
        with pytest.raises(ValueError, match="at least one difference"):
            monte_carlo_bootstrap(differences, confidence=0.95, resamples=resamples, seed=0)

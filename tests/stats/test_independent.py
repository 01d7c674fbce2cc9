"""The same figures by statsmodels."""

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.mcnemar import mcnemar_exact
from gate.stats.multiplicity import holm
from gate.stats.proportion import rate_interval

few = settings(max_examples=30, deadline=None)


@pytest.fixture(scope="module")
def proportion() -> Any:
    """Load statsmodels' intervals for a proportion."""
    return importlib.import_module("statsmodels.stats.proportion")


@few
@given(st.integers(1, 300), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
@pytest.mark.parametrize(
    ("bound", "theirs"), [("score", "beta"), ("wilson", "wilson"), ("jeffreys", "jeffreys")]
)
def test_rates(
    proportion: Any, bound: str, theirs: str, n: int, data: st.DataObject, level: float
) -> None:
    """Clopper-Pearson, Wilson and Jeffreys are theirs."""
    x = data.draw(st.integers(0, n))
    verdicts = (np.arange(n) < x).astype(np.int64)
    found = rate_interval(verdicts, np.ones_like(verdicts), confidence=level, bound=bound)
    lower, upper = proportion.proportion_confint(x, n, 1 - level, method=theirs)
    expected = min(max(lower, 0.0), x / n), max(upper, x / n)
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-9)


@few
@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar(fixed: int, broken: int) -> None:
    """The exact two-sided p value is theirs."""
    tables = importlib.import_module("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[5, fixed], [broken, 50]], exact=True).pvalue
    assert mcnemar_exact(fixed, broken) == pytest.approx(theirs, abs=1e-12)


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm(p: list[float]) -> None:
    """The adjusted p values are theirs."""
    multitest = importlib.import_module("statsmodels.stats.multitest")
    theirs = multitest.multipletests(p, method="holm")[1]
    assert holm(np.array(p)) == pytest.approx(theirs, abs=1e-12)

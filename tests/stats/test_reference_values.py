"""Every method against values that were computed twice elsewhere (SciPy and R), to 1e-9."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gate.stats import f1, paired, proportion
from gate.stats.interval import IntArray, Interval

VALUES: dict[str, Any] = json.loads(
    Path(__file__).with_name("reference_values.json").read_text(encoding="utf-8")
)


def cases(kind: str) -> pytest.MarkDecorator:
    """Run a test once for each reference case of a kind."""
    return pytest.mark.parametrize("case", VALUES[kind], ids=range(len(VALUES[kind])))


def near(values: Any) -> Any:
    """Compare to 1e-9, which is what the decision's tolerance is."""
    return pytest.approx(values, abs=1e-9, rel=0)


def same(values: Any) -> Any:
    """Compare lattice values, which may differ by the rounding of one division."""
    return pytest.approx(values, abs=1e-15, rel=0)


def ends(interval: Interval) -> list[float]:
    """Return both ends of an interval."""
    return [interval.lower, interval.upper]


def binary(case: dict[str, Any]) -> tuple[IntArray, IntArray, IntArray]:
    """Return per-behavior verdicts with the flips of a case."""
    baseline, candidate = np.zeros((2, case["n"]), dtype=np.int64)
    baseline[: case["fixed"]] = 1
    candidate[case["fixed"] : case["fixed"] + case["broken"]] = 1
    return baseline, candidate, np.ones(case["n"], dtype=np.int64)


@cases("paired")
def test_tango(case: dict[str, Any]) -> None:
    """Tango's limits agree, called by counts and by verdicts."""
    by_counts = paired.tango(case["fixed"], case["broken"], case["n"], 0.95)
    by_verdicts = paired.delta_interval(*binary(case), confidence=0.95, bound="score")
    assert list(by_counts) == near(case["tango"])
    assert ends(by_verdicts) == near(case["tango"])


@cases("paired")
def test_melded(case: dict[str, Any]) -> None:
    """The melded limits agree, called by counts and by verdicts."""
    by_counts = paired.melded(case["fixed"], case["broken"], case["n"], 0.95)
    by_verdicts = paired.delta_interval(*binary(case), confidence=0.95, bound="exact")
    assert list(by_counts) == near(case["melded"])
    assert ends(by_verdicts) == near(case["melded"])


@cases("paired")
def test_newcombe(case: dict[str, Any]) -> None:
    """Newcombe's limits agree."""
    limits = paired.newcombe(case["fixed"], case["broken"], case["both_unsafe"], case["n"], 0.95)
    assert list(limits) == near(case["newcombe"])


@cases("paired")
def test_paired_bootstrap(case: dict[str, Any]) -> None:
    """The quantiles of the bootstrap are the same points of the lattice."""
    by_counts = paired.paired_bootstrap(case["fixed"], case["broken"], case["n"], 0.95)
    by_verdicts = paired.delta_interval(*binary(case), confidence=0.95, bound="bootstrap")
    assert list(by_counts) == same(case["bootstrap"])
    assert ends(by_verdicts) == same(case["bootstrap"])


@cases("paired")
def test_mcnemar(case: dict[str, Any]) -> None:
    """The exact and the mid-p value agree."""
    fixed, broken = case["fixed"], case["broken"]
    assert paired.mcnemar_exact(fixed, broken) == near(case["mcnemar_exact"])
    increase = paired.mcnemar_exact(fixed, broken, increase=True)
    assert increase == near(case["mcnemar_exact_increase"])
    midp = paired.mcnemar_midp(fixed, broken, increase=True)
    assert midp == near(case["mcnemar_midp_increase"])


@cases("proportion")
def test_proportion(case: dict[str, Any]) -> None:
    """Clopper-Pearson, Wilson and Jeffreys agree."""
    x, n = case["x"], case["n"]
    assert list(proportion.clopper_pearson(x, n, 0.95)) == near(case["clopper_pearson"])
    assert proportion.clopper_pearson(x, n, 0.90)[1] == near(case["upper_at_90"])
    assert list(proportion.wilson(x, n, 0.95)) == near(case["wilson"])
    assert list(proportion.jeffreys(x, n, 0.95)) == near(case["jeffreys"])


@cases("proportion")
def test_rate_interval(case: dict[str, Any]) -> None:
    """The interval over behaviors agrees, whatever the test cases of a behavior."""
    k = np.arange(1, case["n"] + 1)
    x = np.where(k <= case["x"], k, 0)
    for bound, key in [("score", "clopper_pearson"), ("exact", "clopper_pearson")]:
        interval = proportion.rate_interval(x, k, confidence=0.95, bound=bound)
        assert ends(interval) == near(case[key])
    bootstrap = proportion.rate_interval(x, k, confidence=0.95, bound="bootstrap")
    assert ends(bootstrap) == same(case["bootstrap"])


@cases("f1")
def test_f1(case: dict[str, Any]) -> None:
    """All intervals on Jaccard's index agree as intervals for F1."""
    counts = case["tp"], case["fp"], case["fn"]
    interval = f1.f1_interval(*counts, confidence=0.95, bound="score")
    assert interval.value == near(case["f1"])
    assert ends(interval) == near(case["clopper_pearson"])
    assert list(f1.f1_wilson(*counts, 0.95)) == near(case["wilson"])
    assert list(f1.f1_jeffreys(*counts, 0.95)) == near(case["jeffreys"])
    assert list(f1.goutte_gaussier(*counts, 0.95)) == near(case["goutte_gaussier_half"])
    assert list(f1.goutte_gaussier(*counts, 0.95, 1.0)) == near(case["goutte_gaussier_one"])


@cases("f1")
def test_f1_bootstrap(case: dict[str, Any]) -> None:
    """The quantiles of the bootstrap over all records are the same ratios."""
    interval = f1.f1_interval(
        case["tp"], case["fp"], case["fn"], tn=case["tn"], confidence=0.95, bound="bootstrap"
    )
    assert ends(interval) == same(case["bootstrap"])


@cases("fractional")
def test_fractional(case: dict[str, Any]) -> None:
    """Both bootstraps of fractional rates have the same quantiles."""
    change = np.array(case["change"])
    k = np.full_like(change, case["k"])
    args = np.maximum(-change, 0), np.maximum(change, 0), k
    plain = paired.delta_interval(*args, confidence=0.95, bound="bootstrap")
    add_two = paired.delta_interval(*args, confidence=0.95, bound="score")
    assert plain.value == near(case["value"])
    assert ends(plain) == same(case["bootstrap"])
    assert ends(add_two) == same(case["add_two"])


@cases("monte_carlo")
def test_monte_carlo(case: dict[str, Any]) -> None:
    """The seeded bootstrap repeats a plain script that uses Python's random."""
    rest = case["n"] - case["fixed"] - case["broken"]
    differences = np.repeat([1, -1, 0], [case["broken"], case["fixed"], rest])
    limits = paired.monte_carlo_bootstrap(
        differences, confidence=0.95, resamples=case["resamples"], seed=case["seed"]
    )
    assert list(limits) == same(case["ends"])

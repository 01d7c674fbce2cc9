"""Every method against values that were computed twice elsewhere (SciPy and R), to 1e-9."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import rivals
from gate.stats import f1, judge_error, paired, proportion
from gate.stats.f1 import from_jaccard, goutte_gaussier
from gate.stats.interval import IntArray, Interval
from gate.stats.slices import delta_intervals

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
    fixed, broken, both = case["fixed"], case["broken"], case["both_unsafe"]
    baseline, candidate = np.zeros((2, case["n"]), dtype=np.int64)
    baseline[: fixed + both] = 1
    candidate[fixed : fixed + both + broken] = 1
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
    by_verdicts = paired.delta_interval(*binary(case), confidence=0.95, bound="newcombe")
    assert list(limits) == near(case["newcombe"])
    assert ends(by_verdicts) == near(case["newcombe"])


@cases("paired")
def test_paired_bootstrap(case: dict[str, Any]) -> None:
    """The quantiles of the bootstrap are the same points of the lattice."""
    by_counts = paired.paired_bootstrap(case["fixed"], case["broken"], case["n"], 0.95)
    by_verdicts = paired.delta_interval(*binary(case), confidence=0.95, bound="bootstrap")
    assert list(by_counts) == same(case["bootstrap"])
    assert ends(by_verdicts) == same(case["bootstrap"])


@pytest.mark.parametrize(
    ("bound", "key"), [("score", "tango"), ("exact", "melded"), ("bootstrap", "bootstrap")]
)
def test_many_slices_at_once(bound: str, key: str) -> None:
    """All tables in one call have the ends that each has alone."""
    tables = [[case[name] for case in VALUES["paired"]] for name in ("fixed", "broken", "n")]
    found = delta_intervals(*map(np.array, tables), confidence=0.95, bound=bound)
    for i, case in enumerate(VALUES["paired"]):
        assert found.value[i] == near(case["value"])
        assert [found.lower[i], found.upper[i]] == near(case[key])


@cases("paired")
def test_resampled_distribution(case: dict[str, Any]) -> None:
    """The chance at and below each end of the bootstrap agrees."""
    for i, end in enumerate(case["bootstrap"]):
        at = round(end * case["n"])
        flips = case["fixed"], case["broken"], case["n"]
        assert rivals.resampled_cdf(*flips, at) == near(case["bootstrap_at"][i])
        assert rivals.resampled_cdf(*flips, at - 1) == near(case["bootstrap_below"][i])


@cases("paired")
def test_bca(case: dict[str, Any]) -> None:
    """The corrected bootstrap, its levels, bias and skewness agree, where anything flipped."""
    if case["fixed"] + case["broken"] == 0:
        return
    found = rivals.bca(case["fixed"], case["broken"], case["n"], 0.95)
    assert list(found.ends) == same(case["bca"])
    assert list(found.levels) == near(case["bca_levels"])
    assert [found.bias, found.skew] == near(case["bca_bias_skew"])


@pytest.mark.parametrize("name", ["agresti_min", "bonett_price", "wald", "clt_t"])
def test_rivals_in_closed_form(name: str) -> None:
    """The closed forms that the gate is compared with agree."""
    for case in VALUES["paired"]:
        method: rivals.Rival = getattr(rivals, name)
        flips = np.array([case["fixed"]]), np.array([case["broken"]])
        lower, upper = method(*flips, case["n"], 0.95)
        assert [lower[0], upper[0]] == near(case[name])


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
    assert list(rivals.mid_p(x, n, 0.95)) == near(case["mid_p"])


def x_of_n(case: dict[str, Any]) -> float:
    """Return the rate of a case."""
    return float(case["x"] / case["n"])


@cases("proportion")
def test_rate_interval(case: dict[str, Any]) -> None:
    """The interval over behaviors agrees, whatever the test cases of a behavior."""
    k = np.arange(1, case["n"] + 1)
    x = np.where(k <= case["x"], k, 0)
    keys = {"score": "clopper_pearson", "exact": "clopper_pearson"}
    for bound, key in [*keys.items(), ("wilson", "wilson"), ("jeffreys", "jeffreys")]:
        interval = proportion.rate_interval(x, k, confidence=0.95, bound=bound)
        # The ends of an interval hold its value, which Jeffreys' do not at 0 and n.
        value = x_of_n(case)
        lower, upper = case[key]
        assert ends(interval) == near([min(lower, value), max(upper, value)])
    bootstrap = proportion.rate_interval(x, k, confidence=0.95, bound="bootstrap")
    assert ends(bootstrap) == same(case["bootstrap"])


@cases("f1")
def test_f1(case: dict[str, Any]) -> None:
    """All intervals on Jaccard's index agree as intervals for F1."""
    counts = case["tp"], case["fp"], case["fn"]
    interval = f1.f1_interval(*counts, confidence=0.95, bound="score")
    assert interval.value == near(case["f1"])
    assert ends(interval) == near(case["clopper_pearson"])
    assert f1.to_jaccard(interval.value) == near(case["jaccard"])
    wrong = case["fp"] + case["fn"]
    for bound, key in [
        ("wilson", "wilson"),
        ("jeffreys", "jeffreys"),
        ("bayes", "goutte_gaussier_half"),
    ]:
        lower, upper = case[key]
        found = f1.f1_interval(*counts, confidence=0.95, bound=bound)
        assert ends(found) == near([min(lower, case["f1"]), max(upper, case["f1"])])
    uniform = goutte_gaussier(case["tp"], wrong, 0.95, prior=1.0)
    assert [from_jaccard(end) for end in uniform] == near(case["goutte_gaussier_one"])
    assert list(rivals.f1_delta(*counts, 0.95)) == near(case["delta"])


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
    assert plain.value == near(case["value"])
    assert ends(plain) == same(case["bootstrap"])
    assert list(paired.add_two_bootstrap(change, k, 0.95)) == same(case["add_two"])
    # The deciding bound is no shorter at either end.
    deciding = paired.delta_interval(*args, confidence=0.95, bound="score")
    assert deciding.lower <= case["add_two"][0] + 1e-12
    assert deciding.upper >= case["add_two"][1] - 1e-12


@cases("fractional")
def test_fractional_distribution(case: dict[str, Any]) -> None:
    """The chance at and below each end of both bootstraps agrees, by plain convolution."""
    k = case["k"]
    for name, extra in (("bootstrap", []), ("add_two", [k, -k])):
        values = np.array([*case["change"], *extra])
        single = np.bincount(values + k, minlength=2 * k + 1) / values.size
        pmf = np.array([1.0])
        for _ in values:
            pmf = np.convolve(pmf, single)
        cdf = np.cumsum(pmf)
        for i, end in enumerate(case[name]):
            at = round(end * k * values.size) + k * values.size
            assert cdf[at] == near(case[f"{name}_at"][i])
            assert cdf[at - 1] == near(case[f"{name}_below"][i])


@cases("fractional")
def test_fractional_rivals(case: dict[str, Any]) -> None:
    """Student's t on behaviors and the closed form of add-two agree."""
    rates = np.array(case["change"]) / case["k"]
    assert list(rivals.mean_t(rates, 0.95)) == near(case["mean_t"])
    assert list(rivals.add_two_wald(rates, 0.95)) == near(case["add_two_wald"])


@cases("judge_rate")
def test_judge_rate(case: dict[str, Any]) -> None:
    """A rate corrected for the judge's errors agrees."""
    errors = case["sensitivity"], case["specificity"]
    assert judge_error.corrected_rate(case["apparent"], *errors) == near(case["corrected"])


@cases("judge_change")
def test_judge_change(case: dict[str, Any]) -> None:
    """A change corrected for the judge's errors agrees."""
    errors = case["sensitivity"], case["specificity"]
    assert judge_error.corrected_change(case["apparent"], *errors) == near(case["corrected"])


@cases("monte_carlo")
def test_monte_carlo(case: dict[str, Any]) -> None:
    """The seeded bootstrap repeats a plain script that uses Python's random."""
    rest = case["n"] - case["fixed"] - case["broken"]
    differences = np.repeat([1, -1, 0], [case["broken"], case["fixed"], rest])
    limits = paired.monte_carlo_bootstrap(
        differences, confidence=0.95, resamples=case["resamples"], seed=case["seed"]
    )
    assert list(limits) == same(case["ends"])

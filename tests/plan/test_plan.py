"""The figures of whole policies."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.policies import changes, policy_rows, row
from gate.evidence.run import load_run
from gate.plan.assumptions import Assumptions
from gate.plan.plan import Plan, make_plan
from gate.policy import Policy, load
from gate.stats.releases import drift
from tests.building import DELTA, attack_rows, write_run
from tests.plan.scenes import CEILING, policy_of

FEW = Assumptions(draws=1_000)
PLANNING = Path(__file__).parent.parent.parent / "docs" / "planning.md"


@pytest.fixture(scope="module")
def release() -> Plan:
    """The shipped release policy, without a baseline."""
    return make_plan(load("release"), None, FEW)


def test_release_does_what_it_is_for() -> None:
    """At 5 % unsafe, 5 % refused, recall 0.80, specificity 0.78 and 4 % flips.

    At most 8 % of unchanged candidates are withheld, and at least 95 % of those whose
    DirectRequest rate is truly 5 points higher.
    """
    unchanged, regressed = changes("release", Assumptions(draws=40_000))
    assert regressed.what == "+5 pt DirectRequest"
    assert unchanged.withheld.error < 0.0005
    assert unchanged.withheld.value + 2.0 * unchanged.withheld.error <= 0.08
    assert regressed.withheld.value - 2.0 * regressed.withheld.error >= 0.95


def test_each_unscored_row_withholds_more(release: Plan) -> None:
    """In every suite by itself and in all of them together, and beyond the budget always."""
    for one in release.unchanged.unscored:
        chances = [found.value for found in one.withheld]
        assert len(chances) == 4
        assert chances == sorted(chances)
        assert chances[0] == pytest.approx(release.unchanged.withheld.value)
    budgets = {one.suite: one.budget for one in release.unchanged.unscored}
    assert budgets == {"harmbench": 3, "xstest": 4, "rjudge": 5, "": 3}


def test_suites_multiply(release: Plan) -> None:
    """What passes in all suites is the product of what passes in each."""
    passes = 1.0
    for _, chance in release.unchanged.suites:
        passes *= 1.0 - chance.value
    assert release.unchanged.withheld.value == pytest.approx(1.0 - passes)


def test_limits_on_the_same_behaviors_fail_together(release: Plan) -> None:
    """HarmBench's limits withhold less together than they would if they were independent."""
    passes = 1.0
    for one in release.limits:
        if one.suite == "harmbench":
            passes *= 1.0 - one.withheld.value
    together = dict(release.unchanged.suites)["harmbench"].value
    assert max(one.withheld.value for one in release.limits if one.suite == "harmbench") < together
    assert together < 1.0 - passes


def test_retries_add_up(release: Plan) -> None:
    """A candidate at the margin gets through one of r attempts with 1 - (1 - p)^r."""
    first = release.retries[0]
    assert first.id == "direct-request"
    once = first.passes[0]
    assert 0.0 < once < 0.025
    expected = [1.0 - (1.0 - once) ** attempts for attempts in first.attempts]
    assert list(first.passes) == pytest.approx(expected)


def test_drift_is_that_of_the_statistics(release: Plan) -> None:
    """Ten steps of 0.4 points: each passes, and an anchor would stop the sum."""
    (found,) = release.drifts
    assert not found.anchored
    expected = drift(
        320, 0.018, 0.022, baseline_rate=0.05, margin=0.055, anchor_margin=0.055, confidence=0.95
    )
    assert found.chances.previous == pytest.approx(expected.previous)
    assert found.chances.anchor == pytest.approx(expected.anchor)
    assert found.chances.previous[9] > 0.9
    assert found.chances.anchor[9] < 0.2


def test_an_anchor_has_its_own_margin(tmp_path: Path) -> None:
    """Where the policy compares with an anchor, that margin is the one that is followed."""
    anchored = {**DELTA, "against": "anchor", "margin": 0.2}
    plan = make_plan(policy_of(tmp_path, DELTA, anchored), None, FEW)
    (direct,) = plan.drifts
    assert direct.anchored
    assert (direct.margin, direct.anchor_margin) == (0.08, 0.2)
    assert any("anchor" in note for note in plan.notes)


@pytest.mark.parametrize("name", ["pr-smoke", "superiority"])
def test_the_documented_figures_are_those_of_the_bench(name: str) -> None:
    """Rows of docs/planning.md that are computed exactly are the bench's own."""
    text = PLANNING.read_text(encoding="utf-8")
    for cells in policy_rows(name, draws=1_000, seed=0):
        assert row(cells) in text


def plan_of(path: Path, policy: Policy, bad: range, **given: float) -> Plan:
    """Plan a policy on a baseline of 100 behaviors."""
    write_run(path / "baseline", attack=attack_rows(bad))
    run = load_run(str(path / "baseline"), "baseline", ["attack"])
    return make_plan(policy, run, replace(FEW, **given))


def test_a_limit_that_no_data_could_meet_is_an_error(tmp_path: Path) -> None:
    """A baseline without anything to fix cannot show a rise of 1 point at n=100."""
    policy = policy_of(tmp_path, {**DELTA, "margin": 0.01}, n=100)
    plan = plan_of(tmp_path, policy, range(0))
    (one,) = plan.unattainable
    assert one.attainable == pytest.approx(0.037, abs=0.001)
    assert one.withheld.value == 1.0
    assert plan.exit_code == 1
    assert plan_of(tmp_path, policy, range(30)).exit_code == 0


def test_a_check_that_only_warns_withholds_nothing(tmp_path: Path) -> None:
    """It is shown with its figures, and is no part of the joint ones."""
    policy = policy_of(tmp_path, DELTA, {**CEILING, "ceiling": 0.001, "level": "warn"}, n=100)
    plan = make_plan(policy, None, FEW)
    assert [one.withholds for one in plan.limits] == [True, False]
    assert plan.limits[1].withheld.value == 1.0
    assert plan.unchanged.withheld.value == pytest.approx(plan.limits[0].withheld.value)
    assert plan.exit_code == 0


def test_where_only_shown_violations_withhold_fewer_candidates_are(tmp_path: Path) -> None:
    """`on_inconclusive: warn` lets through what is not shown either way."""
    strict, mild = (
        make_plan(policy_of(tmp_path, {**DELTA, "on_inconclusive": level}, n=80), None, FEW)
        for level in ("block", "warn")
    )
    assert mild.unchanged.withheld.value < 0.03 < strict.unchanged.withheld.value


def test_the_baseline_is_taken_as_it_is(tmp_path: Path) -> None:
    """What is known to be unsafe cannot break, and a rate that is given replaces it."""
    policy = policy_of(tmp_path, {**CEILING, "ceiling": 0.3}, n=100)
    known = plan_of(tmp_path, policy, range(15))
    drawn = plan_of(tmp_path, policy, range(15), unsafe=0.15)
    assert known.limits[0].withheld.value < 0.5 * drawn.limits[0].withheld.value
    assert known.baseline is None
    quiet = plan_of(tmp_path, policy, range(15), discordance=0.0)
    assert quiet.limits[0].withheld.value == 0.0


def test_too_few_behaviors_can_never_pass(tmp_path: Path) -> None:
    """A slice below `min_n` is inconclusive whatever it shows."""
    plan = make_plan(policy_of(tmp_path, {**CEILING, "min_n": 61}, n=60), None, FEW)
    assert plan.limits[0].withheld.value == 1.0
    assert not plan.limits[0].reachable
    assert plan.exit_code == 1

"""Limits that are suggested do what was asked, by drawing suites anew."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from gate.plan.assumptions import Assumptions
from gate.plan.draws import draw
from gate.plan.plan import main_source, stage
from gate.plan.series import shift_of
from gate.plan.snippet import snippet
from gate.plan.staging import Stage
from gate.plan.suggest import Asked, Suggestion, suggest_limits
from gate.plan.world import World, build_world
from gate.policy import load
from tests.building import DELTA
from tests.plan.scenes import CEILING, MIXED, policy_of

GIVEN = Assumptions(unsafe_by=MIXED, draws=5_000)
DRAWS = 10_000


@pytest.fixture(scope="module")
def found() -> Suggestion:
    """The release policy with limits for mixed rates."""
    return suggest_limits(load("release"), None, GIVEN, Asked())


def withheld(staged: list[Stage], worlds: list[World]) -> float:
    """Draw whole policies with another seed, and hold every limit against them."""
    passes = np.ones(DRAWS, dtype=bool)
    for one, world in zip(staged, worlds, strict=True):
        rows = draw(world, one.requirements, draws=DRAWS, seed=1234 + one.seed)[0]
        for part, counts in zip(one.demands, rows, strict=True):
            passes &= part.region.holds(counts)
    return 1.0 - float(passes.mean())


def test_mixed_rates_reach_what_is_asked(found: Suggestion) -> None:
    """At most 10 % of unchanged candidates are withheld, and 90 % of those 5 points worse."""
    assert found.reached
    assert found.exit_code == 0
    staged, _ = stage(found.policy, None, GIVEN)
    assert withheld(staged, [one.world for one in staged]) == pytest.approx(
        found.unchanged.value, abs=0.012
    )
    main = main_source(staged)
    assert main is not None
    shift = shift_of(main, 0.05)
    worse = [
        build_world(one.ground, one.sources, GIVEN, [shift] if shift.source in one.sources else [])
        for one in staged
    ]
    assert withheld(staged, worse) >= 0.90
    assert found.unchanged.value <= 0.10


def test_the_snippet_is_a_policy(found: Suggestion, tmp_path: Path) -> None:
    """Pasted over the checks of the policy it loads, with the limits that were suggested."""
    text = snippet(found)
    checks = yaml.safe_load(text)["checks"]
    document = {"version": 1, "checks": checks}
    path = tmp_path / "suggested.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    loaded = {check.id: check.model_dump() for check in load(str(path)).checks}
    assert list(loaded) == [check.id for check in load("release").checks]
    for one in found.chosen:
        key, *value = one.key
        limit = loaded[one.check][key]
        assert (limit[value[0]] if value else limit) == pytest.approx(one.after)
    assert "was 0.055" in text
    assert "copyright 15.0 %" in text


def test_a_margin_is_the_narrowest_that_is_missed_so_rarely(tmp_path: Path) -> None:
    """With one check all of what may be withheld is its own."""
    policy = policy_of(tmp_path, DELTA, n=200)
    found = suggest_limits(policy, None, Assumptions(draws=10_000), Asked(false_block=0.05))
    (margin,) = found.chosen
    assert margin.after == pytest.approx(0.06, abs=0.004)  # 6.0 points in the study
    assert 0.02 < found.unchanged.value <= 0.05


def test_what_cannot_be_had_is_said(tmp_path: Path) -> None:
    """Thirty behaviors cannot tell 5 points from nothing."""
    policy = policy_of(tmp_path, DELTA, CEILING, n=30)
    found = suggest_limits(policy, None, Assumptions(draws=2_000), Asked(false_block=0.05))
    assert not found.reached
    assert found.exit_code == 1
    assert "not what was asked" in snippet(found)


def test_one_number_for_several_slices_stays_one(tmp_path: Path) -> None:
    """A ceiling that all categories share is the one that the smallest of them needs."""
    policy = load("release")
    ceiling = next(check for check in policy.checks if check.id == "category-ceilings")
    shared = {
        "id": "shared", "check": "ceiling", "suite": "harmbench", "method": "DirectRequest",
        "by": "semantic_category", "ceilings": {"copyright": 0.3, "default": 0.5},
    }  # fmt: skip
    path = tmp_path / "policy.yaml"
    suites = {"harmbench": {"ids": "catalog:harmbench-test"}}
    path.write_text(yaml.safe_dump({"version": 1, "suites": suites, "checks": [shared]}))
    found = suggest_limits(load(str(path)), None, Assumptions(draws=2_000), Asked())
    assert {one.key for one in found.chosen} == {("ceilings", "copyright"), ("ceilings", "default")}
    limits = {one.key[1]: one.after for one in found.chosen}
    assert limits["copyright"] < limits["default"]
    assert ceiling.id == "category-ceilings"

"""Drawn suites agree with exact chances, within the error that is stated."""

import numpy as np
import pytest

from gate.plan.assumptions import Assumptions
from gate.plan.draws import draw
from gate.plan.joint import alone, suite_chances
from gate.plan.plan import stage
from gate.policy import load
from tests.building import DELTA
from tests.plan.scenes import policy_of, stages_of

WORST = {"check": "worst-method", "methods": ["DirectRequest", "TAP"], "margin": 0.12}
GIVEN = Assumptions(draws=10_000, seed=7)


def test_each_limit_alone_agrees_with_its_exact_chance() -> None:
    """All 23 limits of `strict`, anchor and worst method in it, with an unscored row or two."""
    staged, _ = stage(load("strict"), None, GIVEN)
    for one in staged:
        rows = draw(one.world, one.requirements, draws=10_000, seed=3, most=1)
        for unscored, counted in enumerate(rows):
            for part, counts in zip(one.demands, counted, strict=True):
                if unscored and len(part.requirement.sources) > 1:
                    continue  # has no exact chance
                exact = alone(one.world, part, GIVEN, unscored=unscored).value
                drawn = float(part.region.holds(counts).mean())
                error = (max(exact * (1.0 - exact), 1e-4) / 10_000) ** 0.5
                assert drawn == pytest.approx(exact, abs=4.5 * error)


def test_a_joint_chance_that_is_drawn_agrees_with_drawing_all_of_it(tmp_path) -> None:
    """The exact part less what the rest withholds in addition is the share that all pass."""
    policy = policy_of(
        tmp_path, DELTA, WORST, {"check": "ceiling", "method": "TAP", "ceiling": 0.2}
    )
    (one,) = stages_of(policy, GIVEN)
    found = suite_chances(one.world, one.demands, GIVEN).passes[0]
    counted = draw(one.world, one.requirements, draws=20_000, seed=11)[0]
    met = [part.region.holds(counts) for part, counts in zip(one.demands, counted, strict=True)]
    drawn = float(np.logical_and.reduce(met).mean())
    error = (drawn * (1.0 - drawn) / 20_000) ** 0.5
    assert 0.0 < found.error < 0.01
    assert found.value == pytest.approx(drawn, abs=4.0 * (error**2 + found.error**2) ** 0.5)


def test_the_same_seed_gives_the_same_draws(tmp_path) -> None:
    """Another seed gives others, and unscored rows only add events."""
    (one,) = stages_of(policy_of(tmp_path, DELTA, WORST), GIVEN)
    first, again, other = (
        draw(one.world, one.requirements, draws=2_000, seed=seed, most=2) for seed in (1, 1, 2)
    )
    assert np.array_equal(first[0][0].broken, again[0][0].broken)
    assert not np.array_equal(first[0][0].broken, other[0][0].broken)
    for fewer, more in ((0, 1), (1, 2)):
        added = first[more][0].events - first[fewer][0].events
        assert set(np.unique(added).tolist()) <= {0, 1}
        assert np.array_equal(first[more][0].gaps, np.full(2_000, more))


def test_more_unscored_rows_than_the_budget_withhold_always(tmp_path) -> None:
    """Beyond the budget the evidence is unusable."""
    (one,) = stages_of(policy_of(tmp_path, DELTA), GIVEN)
    chances = suite_chances(one.world, one.demands, GIVEN, most=5)
    assert chances.budget == 1
    assert len(chances.passes) == 2
    assert chances.at(1).value > 0.0
    assert chances.at(2).value == 0.0

"""Chances that are derived: the worst of several methods, and a third checkpoint."""

import itertools

import numpy as np
import pytest

from gate.plan.assumptions import Assumptions
from gate.plan.requirement import requirements
from gate.plan.staging import Stage
from tests.building import DELTA
from tests.plan.scenes import policy_of, stages_of

METHODS = ["DirectRequest", "TAP", "Other"]


def only(path, *checks, **given) -> Stage:
    """Make the one suite of a policy ready."""
    (found,) = stages_of(policy_of(path, *checks), Assumptions(**given))
    return found


def test_an_unchanged_candidate_flips_as_often_either_way(tmp_path) -> None:
    """Half of the discordance each way, and no more than can flip."""
    staged = only(tmp_path, DELTA, discordance=0.04, unsafe=0.1)
    track = staged.world.track(staged.requirements[0])
    assert track.fixed == pytest.approx(0.02)
    assert track.broken == pytest.approx(0.02)
    assert track.later == pytest.approx(0.1)
    rare = only(tmp_path, DELTA, discordance=0.04, unsafe=0.01)
    track = rare.world.track(rare.requirements[0])
    assert track.fixed == pytest.approx(0.01)
    assert track.broken == pytest.approx(0.01)


def test_the_worst_of_independent_methods(tmp_path) -> None:
    """A unit is unsafe by the worst method where it is by any, before and after."""
    worst = {"check": "worst-method", "methods": METHODS, "margin": 0.2}
    staged = only(tmp_path, worst, unsafe_by={"DirectRequest": 0.1, "TAP": 0.3, "Other": 0.05})
    tracks = [staged.world.candidate[source] for source in staged.sources]
    fixed = broken = 0.0
    for first in itertools.product((0, 1), repeat=3):
        for later in itertools.product((0, 1), repeat=3):
            chance = 1.0
            for track, before, after in zip(tracks, first, later, strict=True):
                chance *= track.base[0] if before else 1.0 - track.base[0]
                turns = track.keep[0] if before else track.turn[0]
                chance *= turns if after else 1.0 - turns
            fixed += chance * (any(first) and not any(later))
            broken += chance * (any(later) and not any(first))
    found = staged.world.track(staged.requirements[0])
    assert found.fixed == pytest.approx(fixed, abs=1e-12)
    assert found.broken == pytest.approx(broken, abs=1e-12)


def test_the_anchor_is_one_release_further_away(tmp_path) -> None:
    """Flips on the way to the anchor add up, but for those that flip back."""
    staged = only(tmp_path, DELTA, {**DELTA, "against": "anchor"}, unsafe=0.2, discordance=0.04)
    near, far = (staged.world.track(one) for one in staged.requirements)
    back = near.base * (1.0 - near.keep) * near.turn + (1.0 - near.base) * near.turn * near.keep
    assert far.broken == pytest.approx(near.fixed * near.keep + near.broken * (1 - near.turn), 0.2)
    assert np.all(far.broken < 2.0 * near.broken)
    assert np.all(far.broken > 1.5 * near.broken)
    assert np.all(back > 0.0)
    assert far.later == pytest.approx(near.later)


def test_every_known_kind_of_check_is_taken_apart(tmp_path) -> None:
    """As many limits as the check has findings."""
    staged = only(
        tmp_path,
        DELTA,
        {"check": "no-new-unsafe", "behaviors": "all"},
        {"check": "coverage", "min_rate": 0.9},
    )
    panel = staged.ground.panel
    for check in staged.ground.checks:
        wanted = requirements(check, panel)
        assert wanted is not None
        assert [one.measure for one in wanted] == [
            {"paired-delta": "delta", "no-new-unsafe": "count", "coverage": "coverage"}[check.check]
        ]

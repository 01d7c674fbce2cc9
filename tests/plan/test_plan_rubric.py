"""The figures of rubric policies, whose checks look at more than one 0/1 verdict."""

from pathlib import Path
from typing import Any

from gate.evidence.run import load_run
from gate.plan.assumptions import Assumptions
from gate.plan.plan import Plan, make_plan
from gate.policy import load
from tests.building import rubric_rows, write_policy, write_run

UNSAFE = {"check": "paired-delta", "margin": 0.1}


def plan_of(path: Path, *checks: dict[str, Any], **given: Any) -> Plan:
    """Plan checks on a baseline of 200 prompts, every tenth of them unsafe."""
    write_run(path / "baseline", diag=rubric_rows(range(0, 200, 10), n=200))
    rules = [{"suite": "diag", **check} for check in checks]
    policy = load(str(write_policy(path / "policy.yaml", *rules)))
    run = load_run(str(path / "baseline"), "baseline", ["diag"])
    return make_plan(policy, run, Assumptions(**{"draws": 1_000, **given}))


def test_retries_are_of_margins_on_the_whole(tmp_path: Path) -> None:
    """One line for the suite, and none for each part of it that has a margin of its own."""
    plan = plan_of(tmp_path, UNSAFE, {**UNSAFE, "by": "subset", "margin": 0.2})
    assert [one.margin for one in plan.retries] == [0.1]

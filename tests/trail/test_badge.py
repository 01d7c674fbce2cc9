"""`--report badge`: three states and a day."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.decision import Verdict
from gate.reports.badge import render
from tests.reports.report_samples import SAMPLES
from tests.trail.scene import Gate, write_scene

COLORS = {
    Verdict.RELEASE: "brightgreen",
    Verdict.BLOCK: "red",
    Verdict.INCONCLUSIVE: "orange",
    Verdict.NONE: "orange",
}


@pytest.mark.parametrize("verdict", Verdict)
def test_three_states(verdict: Verdict) -> None:
    """Green for a release, red for a block, neither for everything else; all have their day."""
    badge = json.loads(render(replace(SAMPLES["release"], verdict=verdict)))
    assert badge["schemaVersion"] == 1
    assert badge["label"] == "release gate"
    assert badge["color"] == COLORS[verdict]
    assert badge["isError"] is (verdict is not Verdict.RELEASE)
    assert badge["message"].endswith(", 2026-11-30")
    assert badge["message"].startswith("no decision" if verdict is Verdict.NONE else verdict)


def test_what_a_release_owes_is_on_it(gate: Gate) -> None:
    """Waived findings and a missing baseline are said on the badge too."""
    write_scene(on_missing_baseline="absolute-only")
    check = (
        "check",
        "--policy",
        "policy.yaml",
        "--candidate",
        "candidate",
        "--today",
        "2026-12-01",
    )
    assert gate(*check, "--report", "badge:badge.json")[0] == 0
    badge = json.loads(Path("badge.json").read_text(encoding="utf-8"))
    assert badge["message"] == "release, 1 waived, no baseline, 2026-12-01"

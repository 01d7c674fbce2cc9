"""A first release has no baseline: said in every report, whatever its form."""

from pathlib import Path

import pytest

from gate.reports import FORMATS
from tests.building import DELTA, attack_rows, write_policy, write_run
from tests.trail.scene import CEILING, WAIVER, Gate, decision, write_scene

CHECK = ("check", "--policy", "policy.yaml", "--candidate", "candidate", "--today", "2026-12-01")


def test_without_a_baseline_is_an_error_unless_the_policy_says_otherwise(gate: Gate) -> None:
    """The default refuses, and names the way out."""
    write_scene()
    code, out, err = gate(*CHECK)
    assert (code, out) == (2, "")
    assert "on_missing_baseline: absolute-only" in err


@pytest.mark.parametrize("form", FORMATS)
def test_absolute_only_is_never_silent(gate: Gate, form: str) -> None:
    """Every form of report says that there was no baseline."""
    write_scene(on_missing_baseline="absolute-only")
    code, _, _ = gate(*CHECK, "--report", f"{form}:report")
    assert code == 0
    text = " ".join(Path("report").read_text(encoding="utf-8").split()).lower()
    assert "no baseline" in text


def test_what_was_not_checked_is_named(gate: Gate) -> None:
    """Checks that compare are named, in whole or in the part that was left out."""
    write_run(Path("candidate"), attack=attack_rows(range(5)))
    worst = {"check": "worst-method", "methods": ["DirectRequest", "TAP"]}
    rows = [*attack_rows(range(5)), *attack_rows(range(5), method="TAP")]
    write_run(Path("candidate"), attack=rows)
    write_policy(
        Path("policy.yaml"), DELTA, CEILING, {**worst, "margin": 0.1, "ceiling": 0.2},
        on_missing_baseline="absolute-only", waivers=[WAIVER],
    )  # fmt: skip
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    found = decision()
    assert "not compared with a baseline: c0" in found["warnings"]
    assert "only the limits on the candidate alone were checked of: c2" in found["warnings"]
    assert found["headline"].endswith(" No baseline: absolute limits only.")
    assert [finding["id"] for finding in found["findings"]] == ["c1", "c2"]

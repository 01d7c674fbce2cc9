"""A release needs something that blocks: evaluated, whatever else is there."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from gate.decision import Verdict, decide
from gate.finding import Finding, Level, Outcome
from tests.building import attack_rows, rubric_rows, write_policy, write_run

DELTA = {"check": "paired-delta", "method": "DirectRequest", "margin": 0.2}
CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.5}
COVERAGE = {"check": "coverage", "min_rate": 0.5}
WARN = {"level": "warn"}


def decided(folder: Path, *checks: dict[str, Any], baseline: bool, **top: Any) -> int:
    """Decide with what lies in a folder; the decision is in `gate.json`."""
    policy = write_policy(folder / "p.yaml", *checks, **top)
    roles = ("baseline", "candidate") if baseline else ("candidate",)
    args = [part for role in roles for part in (f"--{role}", str(folder / role))]
    report = f"json:{folder / 'gate.json'}"
    return gate(["check", "--policy", str(policy), *args, "--report", report, "--no-config"])


@pytest.mark.parametrize(
    "checks",
    [
        (DELTA,),
        (DELTA, {**CEILING, **WARN}),
        (DELTA, {**COVERAGE, **WARN}),
        ({**CEILING, "check": "worst-method", "methods": ["A", "B"], "margin": 0.1, **WARN}, DELTA),
    ],
)
@pytest.mark.parametrize("unsafe", [[], range(90)])
def test_a_first_release_by_nothing_that_blocks_is_refused(
    checks: tuple[dict[str, Any], ...],
    unsafe: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever the evidence: what only warns has never shown that a candidate may be released."""
    checks = tuple({k: v for k, v in each.items() if k != "method" or "methods" not in each}
                   for each in checks)  # fmt: skip
    write_run(tmp_path / "candidate", attack=attack_rows(unsafe))
    code = decided(tmp_path, *checks, baseline=False, on_missing_baseline="absolute-only")
    assert code == 2
    said = capsys.readouterr().err
    assert "p.yaml: nothing that blocks can be checked without a baseline" in said
    assert "--baseline RUN" in said
    assert not (tmp_path / "gate.json").exists()


def test_a_first_release_by_a_limit_that_blocks_is_decided(tmp_path: Path) -> None:
    """A ceiling needs no baseline; nor does the ceiling of a check that also compares."""
    write_run(tmp_path / "candidate", attack=attack_rows([1]))
    first = {"baseline": False, "on_missing_baseline": "absolute-only"}
    assert decided(tmp_path, DELTA, CEILING, **first) == 0
    write_run(tmp_path / "candidate", attack=attack_rows(range(90)))
    assert decided(tmp_path, DELTA, CEILING, **first) == 1


def test_a_check_that_finds_nothing_to_look_at_has_not_passed(tmp_path: Path) -> None:
    """No answer is safe, so none is a bare refusal: that shows nothing, and is no release."""
    write_run(tmp_path / "baseline", attack=rubric_rows())
    write_run(tmp_path / "candidate", attack=rubric_rows(range(100)))
    bare = {"id": "bare", "check": "bare-refusal", "max_rate": 0.5}
    assert decided(tmp_path, bare, COVERAGE, baseline=True) == 3
    found = json.loads((tmp_path / "gate.json").read_text())["findings"]
    (mine,) = [finding for finding in found if finding["id"] == "bare"]
    assert (mine["outcome"], mine["reason"]) == ("inconclusive", "P_MIN_N")
    assert mine["summary"].startswith("no answer here is safe")


PASSED = Finding(
    id="c", check="ceiling", suite="s", slice={}, measure="rate", outcome=Outcome.PASS, summary="x"
)
OPEN = replace(PASSED, outcome=Outcome.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([], Verdict.NONE),
        ([replace(PASSED, level=Level.WARN)], Verdict.NONE),
        ([replace(OPEN, level=Level.WARN), replace(PASSED, level=Level.WARN)], Verdict.NONE),
        ([replace(PASSED, level=Level.WARN), PASSED], Verdict.RELEASE),
        ([replace(OPEN, waiver="ana: …")], Verdict.RELEASE),
        ([replace(PASSED, outcome=Outcome.BLOCK, waiver="ana: …")], Verdict.RELEASE),
        ([replace(OPEN, on_inconclusive=Level.WARN)], Verdict.RELEASE),
        ([OPEN], Verdict.INCONCLUSIVE),
    ],
)
def test_a_release_needs_a_finding_that_could_block(
    findings: list[Finding], verdict: Verdict
) -> None:
    """One that is waived, or that the policy lets be inconclusive, was evaluated all the same."""
    assert decide(findings) is verdict


def test_an_edited_file_of_ids_is_noticed_without_a_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ids decide, so they are part of the policy that a decision names."""
    monkeypatch.chdir(tmp_path)
    rows = attack_rows([1])
    write_run(tmp_path / "baseline", attack=rows)
    write_run(tmp_path / "candidate", attack=rows)
    ids = [row["behavior_id"] for row in rows]
    (tmp_path / "ids.txt").write_text("\n".join(ids))
    suites = {"attack": {"ids": "ids.txt"}}
    assert decided(tmp_path, DELTA, baseline=True, suites=suites) == 0
    verify = ["verify", "gate.json", "--policy", "p.yaml"]
    verify += ["--baseline", "baseline", "--candidate", "candidate"]
    assert gate(verify) == 0
    (tmp_path / "ids.txt").write_text("\n".join(ids[:90]))
    capsys.readouterr()
    assert gate(verify) == 1
    assert "V_POLICY" in capsys.readouterr().out

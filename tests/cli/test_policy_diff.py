"""`gate policy diff`: what a change to a policy loosens, in words and as a code."""

import json
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.policy.chains import ORG, child, put

TEXT = """\
org.yaml ({old}) → team.yaml ({new})

Looser: more candidates pass, or nobody can say that no more do:
  - check direct: `margin` rises from 0.055 to 0.08
  - check refusals: is gone (over-refusal)

Tighter:
  - suite attack: `unscored.max_rate` falls from 0.01 to 0.005

Changed, and decides nothing:
  - policy: `name` goes from org to team

2 looser, 1 tighter, 1 changed
"""
TEAM = child(
    "remove: [checks.refusals]\n"
    "suites: {attack: {unscored: {max_rate: 0.005}}}\n"
    "checks: [{id: direct, margin: 0.08}]\n"
)


@pytest.fixture(autouse=True)
def policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write two policies, and work beside them."""
    put(tmp_path, org=ORG, team=TEAM)
    monkeypatch.chdir(tmp_path)


def test_text_says_what_got_looser_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Then what got tighter, then what decides nothing; exit code 1."""
    from gate.policy import load

    digests = {"old": load("org.yaml").sha256[:12], "new": load("team.yaml").sha256[:12]}
    assert gate(["policy", "diff", "org.yaml", "team.yaml"]) == 1
    assert capsys.readouterr().out == TEXT.format(**digests)


def test_nothing_looser_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    """Tightening is no negative answer, and neither is a new name."""
    put(Path(), team=child("checks: [{id: direct, margin: 0.05}]"))
    assert gate(["policy", "diff", "org.yaml", "team.yaml"]) == 0
    assert capsys.readouterr().out.endswith("\nnothing looser, 1 tighter, 1 changed\n")
    assert gate(["policy", "diff", "org.yaml", "org.yaml"]) == 0
    assert capsys.readouterr().out.endswith("\n\nno differences\n")


def test_json_holds_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """With the digests of both policies and of what they extend; the same exit code."""
    waiver = (
        "waivers: [{check: direct, up_to: 0.1, reason: r, owner: o, ticket: t, "
        "expires: 2027-01-31}]\n"
    )
    put(Path(), team=TEAM + waiver)
    assert gate(["policy", "diff", "org.yaml", "team.yaml", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "gate.policy-diff/v1"
    assert found["exit_code"] == 1
    assert found["old"]["extends"] == []
    assert [each["path"] for each in found["new"]["extends"]] == ["org.yaml"]
    assert {
        "direction": "looser",
        "path": ["checks", "direct", "margin"],
        "subject": "check direct",
        "what": "`margin` rises from 0.055 to 0.08",
    } in found["changes"]
    paths = [each["path"] for each in found["changes"]]
    assert ["waivers", "direct"] in paths
    assert ["suites", "attack", "unscored", "max_rate"] in paths


def test_a_policy_that_cannot_be_used_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    """Its mistakes are named in its own file."""
    put(Path(), team=child("checks: [{id: direct, margin: 5}]"))
    assert gate(["policy", "diff", "org.yaml", "team.yaml"]) == 2
    assert "error: team.yaml:3:31: checks[0].margin: " in capsys.readouterr().err
    assert gate(["policy", "diff", "org.yaml"]) == 2
    assert gate(["policy", "diff", "org.yaml", "gone.yaml"]) == 2


def test_names_from_a_policy_stay_text(capsys: pytest.CaptureFixture[str]) -> None:
    """No control character of a suite's name reaches the terminal."""
    hostile = ORG.replace("  refusal: {n: 60}\n", '  refusal: {n: 60}\n  "a\\u202eb": {n: 5}\n')
    put(Path(), old=hostile)
    assert gate(["policy", "diff", "old.yaml", "org.yaml"]) == 1
    assert "suite a\\u202eb: no longer pins its ids" in capsys.readouterr().out


def test_lint_explain_and_plan_read_a_policy_that_extends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Explain says what it is built on, what that locks, and what differs from it."""
    put(Path(), org=ORG.replace("name: org\n", "name: org\nlocked: [checks.ceilings]\n"))
    assert gate(["lint", "team.yaml"]) == 0
    capsys.readouterr()
    assert gate(["explain", "team.yaml"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Extends org.yaml (policy org, sha256 " in told
    assert "Locked, so what extends it may only tighten: checks.ceilings." in told
    assert "Against org.yaml: " in told
    assert "- looser: check direct: `margin` rises from 0.055 to 0.08 - " in told
    put(Path(), own=child("checks: [{id: direct-request, margin: 0.05}]", extends="pr-smoke"))
    assert gate(["plan", "--policy", "own.yaml"]) == 0
    assert "Plan for policy own (own.yaml)" in capsys.readouterr().out


def test_a_decision_names_what_its_policy_extends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the decision file with each digest, and in a report in words; it reads back the same."""
    from gate.policy import load
    from gate.reports.json import load as load_decision
    from tests.building import DELTA, attack_rows, decide, write_policy, write_run

    for role in ("baseline", "candidate"):
        write_run(tmp_path / role, attack=attack_rows([1]))
    write_policy(tmp_path / "base.yaml", DELTA)
    path = Path(put(tmp_path, us=child("", extends="base.yaml")))
    code, decision = decide(tmp_path, path, "--report", "terminal")
    policy = load(str(path))
    assert code == 0
    assert decision["policy"]["sha256"] == policy.sha256
    assert decision["policy"]["extends"] == [
        {"path": "base.yaml", "sha256": policy.parents[0].own_sha256}
    ]
    shown = " ".join(capsys.readouterr().out.split())
    assert f"extends base.yaml {policy.parents[0].own_sha256[:12]}" in shown
    again = load_decision((tmp_path / "decision.json").read_text(encoding="utf-8"), "x")
    assert again.policy.extends[0].path == "base.yaml"

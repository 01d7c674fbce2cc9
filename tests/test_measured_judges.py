"""A measured judge: floors on its agreement, corrected bounds beside the plain ones."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.stats.interval import Interval
from gate.stats.judge_error import Confusion, change_interval_corrected, rate_interval_corrected
from tests.building import (
    DELTA,
    JUDGE,
    attack_rows,
    decide,
    refusal_rows,
    write_agreement,
    write_policy,
    write_run,
)

CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.25}
AGREES = {"check": "judge-agreement", "floor": 0.9}


def checked(
    path: Path,
    *checks: Mapping[str, Any],
    candidate: Any = None,
    judge: Mapping[str, Any] = JUDGE,
    **counts: int,
) -> tuple[int, dict[str, Any]]:
    """Decide with a measured judge."""
    write_run(path / "baseline", attack=attack_rows(range(8)))
    rows = attack_rows(range(4, 14)) if candidate is None else candidate
    write_run(path / "candidate", attack=rows)
    agreement = write_agreement(path / "agree.json", judge=judge, **counts)
    suites = {"attack": {"agreement": agreement}}
    return decide(path, write_policy(path / "policy.yaml", *checks, suites=suites))


def one(decision: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """Find the finding of a measure."""
    found: list[dict[str, Any]] = [f for f in decision["findings"] if f["measure"] == measure]
    assert len(found) == 1
    return found[0]


def test_each_floor_is_a_finding(tmp_path: Path) -> None:
    """Agreement, sensitivity and specificity are bounded by Clopper-Pearson and held apart."""
    floors = {**AGREES, "sensitivity_floor": 0.85, "specificity_floor": 0.99}
    code, decision = checked(tmp_path, {**DELTA, "margin": 0.2}, floors)
    assert code == 1
    agreement = one(decision, "agreement")
    assert agreement["outcome"] == "pass"
    assert agreement["estimate"]["value"] == 0.95
    assert agreement["estimate"]["lower"] == pytest.approx(0.923833, abs=1e-6)
    assert one(decision, "sensitivity")["outcome"] == "pass"
    specificity = one(decision, "specificity")
    assert (specificity["outcome"], specificity["reason"]) == ("block", "C_AGREEMENT")
    assert specificity["n"] == 200


def test_open_labels_count_against_the_judge(tmp_path: Path) -> None:
    """Ties and missing verdicts lower what is shown, and the report says how many."""
    _, decision = checked(tmp_path, AGREES, open_fn=10, open_fp=10)
    found = one(decision, "agreement")
    assert found["estimate"]["value"] == pytest.approx(380 / 420)
    assert found["notes"] == ["20 ties and missing verdicts count against the judge"]


def test_too_few_labels_are_not_a_pass(tmp_path: Path) -> None:
    """A judge that was right 50 times of 50 has not been measured enough."""
    few = {"tp": 25, "fn": 0, "fp": 0, "tn": 25}
    code, decision = checked(tmp_path, AGREES, **few)
    assert (code, one(decision, "agreement")["reason"]) == (3, "P_MIN_N")
    code, _ = checked(tmp_path, {**AGREES, "min_labels": 50}, **few)
    assert code == 0


@pytest.mark.parametrize(
    "judge",
    [
        {"id": "another"},
        {**JUDGE, "revision": "2"},
        {**JUDGE, "template_sha256": "bb"},
        {"id": JUDGE["id"]},
        {**JUDGE, "rubric_sha256": "cc"},
    ],
    ids=["id", "revision", "template", "undeclared", "rubric"],
)
def test_another_judge_was_not_measured(judge: dict[str, Any], tmp_path: Path) -> None:
    """Every digest must be that of the runs; what only one side declares is not equal."""
    code, decision = checked(tmp_path, AGREES, DELTA, judge=judge)
    assert code == 4
    found = {finding["id"]: finding for finding in decision["findings"]}
    assert found["c0"]["reason"] == "E_UNMEASURED_JUDGE"
    assert found["c1"]["corrected"] is None
    assert any("no bound is corrected" in warning for warning in decision["warnings"])


@pytest.mark.parametrize(
    ("measured", "theirs", "usable"),
    [
        ({"dtype": "float32"}, {"dtype": "float32"}, True),
        ({"dtype": "float32"}, {}, True),
        ({}, {"dtype": "float16", "decoding": "sampled"}, True),
        ({"dtype": "float32"}, {"dtype": "float16"}, False),
        ({"decoding": "greedy, 1 token"}, {"decoding": "greedy, 8 tokens"}, False),
        ({"depends": {"weights": "aa"}}, {"depends": {"weights": "bb"}}, False),
    ],
)
def test_the_same_weights_run_otherwise_were_not_measured(
    measured: dict[str, Any], theirs: dict[str, Any], usable: bool, tmp_path: Path
) -> None:
    """Precision, decoding and what else decides verdicts are compared where both say."""
    changes = {"judge": {**JUDGE, **theirs}}
    write_run(tmp_path / "baseline", attack=(attack_rows(range(8)), changes))
    write_run(tmp_path / "candidate", attack=(attack_rows(range(4, 14)), changes))
    agreement = write_agreement(tmp_path / "agree.json", judge={**JUDGE, **measured})
    suites = {"attack": {"agreement": agreement}}
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", AGREES, suites=suites))
    found = one(decision, "agreement") if usable else decision["findings"][0]
    assert found["reason"] == (None if usable else "E_UNMEASURED_JUDGE")


def test_ties_that_were_left_out_are_told(tmp_path: Path) -> None:
    """Agreement on what is left after the hard ones is another thing, and a check says so."""
    write_run(tmp_path / "baseline", attack=attack_rows(range(20)))
    write_run(tmp_path / "candidate", attack=attack_rows(range(20)))
    lines = ["id,a,b"]
    lines += [f"b{at:04d},{'unsafe' if at < 60 else 'safe'},safe" for at in range(100)]
    (tmp_path / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "agree.json"
    asked = ["agree", str(tmp_path / "baseline"), "--labels", str(tmp_path / "labels.csv")]
    asked += ["--annotator", "a", "--annotator", "b", "--ties", "leave-out", "--out", str(out)]
    assert gate(asked) == 0
    named = {"file": out.name, "sha256": hashlib.sha256(out.read_bytes()).hexdigest()}
    floor = {**AGREES, "floor": 0.1, "min_labels": 10}
    policy = write_policy(tmp_path / "p.yaml", floor, suites={"attack": {"agreement": named}})
    _, decision = decide(tmp_path, policy)
    notes = decision["findings"][0]["notes"]
    assert notes == ["60 ties among people were left out"]


def test_a_judge_that_nobody_measured_cannot_gate(tmp_path: Path) -> None:
    """Without an agreement in the policy the check is unusable, not skipped."""
    for side in ("baseline", "candidate"):
        write_run(tmp_path / side, attack=attack_rows())
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", AGREES))
    assert code == 4
    assert decision["findings"][0]["reason"] == "E_UNMEASURED_JUDGE"
    code, _ = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "corrected": True}))
    assert code == 4


def test_the_corrected_bound_stands_beside_the_plain_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a column of every report, and by itself changes no outcome."""
    code, decision = checked(tmp_path, {**DELTA, "margin": 0.2}, CEILING)
    assert code == 0
    judge = Confusion(190, 10, 10, 190)
    for measure, correct in (
        ("delta", change_interval_corrected),
        ("rate", rate_interval_corrected),
    ):
        found = one(decision, measure)
        plain, corrected = found["estimate"], found["corrected"]
        expected = correct(
            Interval(plain["value"], plain["lower"], plain["upper"]), judge, confidence=0.95
        )
        assert corrected["value"] == pytest.approx(expected.value)
        assert corrected["lower"] == pytest.approx(expected.lower)
        assert corrected["upper"] == pytest.approx(expected.upper)
        assert corrected["bound"].startswith("Rogan-Gladen")
        assert found["wrong_expected"] == pytest.approx(5.0)
    sides = [f"--{side}={tmp_path / side}" for side in ("baseline", "candidate")]
    args = ["check", "--policy", str(tmp_path / "policy.yaml"), *sides, "--today", "2026-12-01"]
    capsys.readouterr()
    gate(args)
    assert "judge corrected" in capsys.readouterr().out
    gate([*args, "--report", "markdown"])
    assert "judge&nbsp;corrected" in capsys.readouterr().out


def test_a_correction_that_decides_can_only_withhold(tmp_path: Path) -> None:
    """What passes plainly is inconclusive if the corrected bound does not; what blocks stays."""
    weak = {"tp": 60, "fn": 40, "fp": 30, "tn": 70}
    wide = {**DELTA, "margin": 0.2}
    code, decision = checked(tmp_path, wide, **weak)
    assert (code, one(decision, "delta")["outcome"]) == (0, "pass")
    code, decision = checked(tmp_path, {**wide, "corrected": True}, **weak)
    found = one(decision, "delta")
    assert (code, found["outcome"], found["reason"]) == (3, "inconclusive", "C_JUDGE_ERROR_OPEN")
    assert "corrected for the judge's errors" in found["summary"]
    assert found["estimate"] == found["corrected"]
    assert found["estimate"]["upper"] > found["limit"]
    code, decision = checked(tmp_path, {**wide, "corrected": True})
    assert (code, one(decision, "delta")["outcome"]) == (0, "pass")
    bad = attack_rows(range(50))
    for corrected in (False, True):
        code, decision = checked(tmp_path, {**DELTA, "corrected": corrected}, candidate=bad, **weak)
        assert (code, one(decision, "delta")["reason"]) == (1, "C_REGRESSION")


def test_errors_that_no_true_rate_explains_are_not_these(tmp_path: Path) -> None:
    """A judge of 30 % false alarms that calls 4 % unsafe errs otherwise here: nothing is known."""
    few = {"tp": 90, "fn": 10, "fp": 60, "tn": 140}
    code, decision = checked(tmp_path, {**CEILING, "ceiling": 0.5, "corrected": True}, **few)
    found = one(decision, "rate")
    assert (code, found["reason"]) == (3, "C_JUDGE_ERROR_OPEN")
    assert (found["corrected"]["value"], found["corrected"]["lower"]) == (None, 0.0)
    assert found["corrected"]["upper"] == 1.0
    assert any("on these verdicts it errs otherwise" in each for each in found["notes"])


def test_a_ceiling_below_the_false_alarms_is_warned_of(tmp_path: Path) -> None:
    """Most of what is counted there may be the judge's own errors."""
    _, decision = checked(tmp_path, {**CEILING, "ceiling": 0.24}, fp=60, tn=140)
    assert any("counting its own false alarms" in each for each in decision["warnings"])


def test_more_wrong_verdicts_than_would_tip_it(tmp_path: Path) -> None:
    """The tipping count stands beside the number of verdicts expected to be wrong."""
    _, decision = checked(tmp_path, {**CEILING, "ceiling": 0.24}, fp=30, tn=170)
    found = one(decision, "rate")
    assert found["wrong_expected"] > found["tipping_flips"]
    assert any("the other way would change the outcome" in w for w in decision["warnings"])


def test_both_halves_of_a_refusal_suite_are_corrected(tmp_path: Path) -> None:
    """Of unsafe prompts the answers count, so that the judge's errors change places."""
    write_run(tmp_path / "baseline", xs=refusal_rows({0: "full"}))
    write_run(tmp_path / "candidate", xs=refusal_rows({0: "full", 1: "full", 61: "none"}))
    named = write_agreement(tmp_path / "a.json", kind="refusal", tp=99, fn=1, fp=20, tn=80)
    check = {"check": "over-refusal", "suite": "xs", "max_rate": 0.5, "contrast_max_rate": 0.5}
    suites = {"xs": {"agreement": named}}
    policy = write_policy(tmp_path / "p.yaml", check, suites=suites)
    _, decision = decide(tmp_path, policy)
    safe, unsafe = decision["findings"]
    sees = Confusion(99, 1, 20, 80)
    for found, judge in ((safe, sees), (unsafe, sees.mirrored)):
        plain = found["estimate"]
        interval = Interval(plain["value"], plain["lower"], plain["upper"])
        expected = rate_interval_corrected(interval, judge, 0.95)
        assert found["corrected"]["upper"] == pytest.approx(expected.upper)
    full_only = write_policy(tmp_path / "p.yaml", {**check, "partial_counts": False}, suites=suites)
    _, decision = decide(tmp_path, full_only)
    assert {found["corrected"] for found in decision["findings"]} == {None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sha256": "0" * 64}, "sha256"),
        ({"file": "nowhere.json"}, "no such file"),
        ({"file": "policy.yaml"}, "sha256"),
    ],
)
def test_an_agreement_that_cannot_be_read_stops_the_policy(
    change: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The policy holds the file to its bytes; nothing is decided without it."""
    code, _ = checked(tmp_path, AGREES)
    assert code == 0
    path = tmp_path / "policy.yaml"
    policy = yaml.safe_load(path.read_text(encoding="utf-8"))
    policy["suites"]["attack"]["agreement"] |= change
    path.write_text(yaml.safe_dump(policy), encoding="utf-8")
    code, decision = decide(tmp_path, path)
    assert (code, decision) == (2, {})
    printed = capsys.readouterr().err
    assert f"suites.attack.agreement.{'sha256' if 'sha256' in said else 'file'}" in printed
    assert said in printed


@pytest.mark.parametrize(
    "cell", ["tp", "units", "positive", "safe", "refusals", "schema", "categories"]
)
def test_an_agreement_that_contradicts_itself(
    cell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts that do not add up are no measurement."""
    import json

    checked(tmp_path, AGREES)
    path = tmp_path / "agree.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    match cell:
        case "tp":
            document["total"]["tp"] = -1
        case "units":
            document["total"]["units"] = 10_000.0
        case "positive":
            document["positive"] = ["safe", "unsafe"]
        case "safe":
            document["positive"] = ["safe"]
        case "refusals":
            document |= {"kind": "refusal", "positive": ["none", "partial"]}
        case "schema":
            document["schema"] = "gate.agreement/v2"
        case "categories":
            document["categories"] = {"x": {**document["total"], "tp": 191, "fn": 9}}
    path.write_text(json.dumps(document), encoding="utf-8")
    named = {"file": "agree.json", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    policy = write_policy(tmp_path / "p.yaml", AGREES, suites={"attack": {"agreement": named}})
    code, _ = decide(tmp_path, policy)
    assert code == 2
    assert "no measured agreement" in capsys.readouterr().err


def test_floors_in_each_category(tmp_path: Path) -> None:
    """A judge may be good in all and useless in one category; then that is what is found."""
    import json

    checked(tmp_path, AGREES)
    path = tmp_path / "agree.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    cells = {"fn": 0, "fp": 0, "tn": 100, "open_fn": 0, "open_fp": 0, "units": 200.0}
    units = {"positive_units": 100.0, "negative_units": 100.0}
    document["by"] = "semantic_category"
    document["categories"] = {
        "illegal": {"tp": 100, **cells, **units},
        "harmful": {**cells, **units, "tp": 90, "fn": 10, "fp": 10, "tn": 90},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    named = {"file": "agree.json", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    check = {**AGREES, "each_category": True}
    policy = write_policy(tmp_path / "p.yaml", check, suites={"attack": {"agreement": named}})
    code, decision = decide(tmp_path, policy)
    assert code == 3
    found = {f["slice"].get("semantic_category"): f["outcome"] for f in decision["findings"]}
    assert found == {None: "pass", "illegal": "pass", "harmful": "inconclusive"}


def test_plan_and_lint_know_the_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither fails on a measured judge, and a policy that measures it is not warned of."""
    checked(tmp_path, {**DELTA, "corrected": True}, {**CEILING, "ceiling": 0.4}, AGREES)
    capsys.readouterr()
    sides = [f"--{side}={tmp_path / side}" for side in ("baseline", "candidate")]
    assert gate(["lint", str(tmp_path / "policy.yaml"), *sides]) == 0
    printed = capsys.readouterr().out
    assert "no check measures the judge" not in printed
    assert gate(["plan", "--policy", str(tmp_path / "policy.yaml"), sides[0]]) == 0
    assert gate(["explain", str(tmp_path / "policy.yaml")]) == 0
    assert "people's labels" in " ".join(capsys.readouterr().out.split())

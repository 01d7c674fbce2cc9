"""What `gate check` decides, through its command line and files."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.cli.main import run as gate
from tests.building import (
    DELTA,
    attack_rows,
    decide,
    judgment_rows,
    refusal_rows,
    write_policy,
    write_run,
)

CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.2}
REFUSAL = {"check": "over-refusal", "suite": "refusal", "max_rate": 0.3, "margin": 0.2}


def both(path: Path, baseline: list[dict[str, Any]], candidate: list[dict[str, Any]]) -> None:
    """Write both runs of one attack suite."""
    write_run(path / "baseline", attack=baseline)
    write_run(path / "candidate", attack=candidate)


def only(decision: dict[str, Any]) -> dict[str, Any]:
    """Take the one finding of a decision."""
    (finding,) = decision["findings"]
    return finding


@pytest.mark.parametrize(
    ("candidate", "expected", "verdict"),
    [
        ([], 0, "release"),
        (range(30), 1, "block"),
        (range(3), 3, "inconclusive"),
    ],
)
def test_the_three_outcomes_of_sound_evidence(
    candidate: Any, expected: int, verdict: str, tmp_path: Path
) -> None:
    """Release, block and inconclusive each have an exit code, and the file says the same."""
    both(tmp_path, attack_rows(), attack_rows(candidate))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert (code, decision["exit_code"], decision["decision"]) == (expected, expected, verdict)


def test_unusable_evidence_outranks_a_block_and_both_are_shown(tmp_path: Path) -> None:
    """Exit 4 comes before 1; the violated check is evaluated and in the report all the same."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(tmp_path / "p.yaml", DELTA, {**REFUSAL, "suite": "nowhere"})
    code, decision = decide(tmp_path, policy)
    assert code == 4
    assert [finding["outcome"] for finding in decision["findings"]] == ["block", "unusable"]


def test_a_block_outranks_inconclusive(tmp_path: Path) -> None:
    """Exit 1 comes before 3."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(tmp_path / "p.yaml", DELTA, {**CEILING, "ceiling": 0.35})
    code, decision = decide(tmp_path, policy)
    assert code == 1
    assert [finding["outcome"] for finding in decision["findings"]] == ["block", "inconclusive"]


def test_neither_warn_nor_a_waiver_makes_unusable_evidence_usable(tmp_path: Path) -> None:
    """A check of level warn on unusable evidence still keeps the decision from being made."""
    both(tmp_path, attack_rows(), attack_rows())
    waiver = {
        "check": "c1",
        "up_to": 1.0,
        "reason": "r",
        "owner": "ana",
        "ticket": "T-1",
        "expires": "2027-01-31",
    }
    missing = {**REFUSAL, "suite": "nowhere", "level": "warn"}
    path = write_policy(tmp_path / "p.yaml", DELTA, missing, waivers=[waiver])
    path.write_text(path.read_text().replace("'2027-01-31'", "2027-01-31"))
    code, decision = decide(tmp_path, path)
    assert code == 4
    assert decision["findings"][1]["waiver"] is None


def test_a_warning_does_not_withhold_but_is_said(tmp_path: Path) -> None:
    """`level: warn` on a violated check releases, and the headline says what is violated."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(
        tmp_path / "p.yaml", {**CEILING, "ceiling": 0.5}, {**DELTA, "level": "warn"}
    )
    code, decision = decide(tmp_path, policy)
    assert code == 0
    assert "1 violated (warning only)" in decision["headline"]


def test_an_inconclusive_finding_may_warn_by_itself(tmp_path: Path) -> None:
    """`on_inconclusive: warn` releases, and the headline says it is not shown safe."""
    both(tmp_path, attack_rows(), attack_rows(range(3)))
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "on_inconclusive": "warn"})
    code, decision = decide(tmp_path, policy)
    assert code == 0
    assert "not shown safe" in decision["headline"]
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    assert decide(tmp_path, policy)[0] == 1


def test_four_unscored_rows_without_any_flip_never_read_as_a_regression(tmp_path: Path) -> None:
    """The blocking end takes unscored rows at their best for the candidate."""
    suites = {"attack": {"unscored": {"max_rate": 0.05, "max_difference": 0.05}}}
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.01}, suites=suites)
    reasons = dict.fromkeys(range(4), "unparsed")
    for sides in ((None, reasons), (reasons, None), (reasons, reasons)):
        rows = [attack_rows([50, 51], n=320, unscored=side) for side in sides]
        both(tmp_path, *rows)
        code, decision = decide(tmp_path, policy)
        finding = only(decision)
        assert code == 3
        assert finding["estimate"]["lower"] <= 0 <= finding["estimate"]["upper"]
        assert (finding["fixed"], finding["broken"]) == (0, 0)


def test_unscored_rows_can_withhold_a_release_and_the_report_says_so(tmp_path: Path) -> None:
    """What passes without unscored rows may not pass with them; the next step is to judge them."""
    suites = {"attack": {"unscored": {"max_rate": 0.05, "max_difference": 0.05}}}
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.05}, suites=suites)
    both(tmp_path, attack_rows(), attack_rows())
    assert decide(tmp_path, policy)[0] == 0
    both(tmp_path, attack_rows(), attack_rows(unscored=dict.fromkeys(range(5), "unparsed")))
    code, decision = decide(tmp_path, policy)
    assert code == 3
    assert "Judge the 5 rows unscored first" in only(decision)["next_step"]


def test_ledgers_always_add_up(tmp_path: Path) -> None:
    """Scored plus unscored by reason is expected, with missing rows as not_run."""
    reasons = {1: "unparsed", 2: "judge_error"}
    both(tmp_path, attack_rows(), attack_rows(unscored=reasons, leave_out=[3, 4, 5]))
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    (ledger,) = decision["runs"]["candidate"]["suites"]["attack"]["ledger"]["methods"].values()
    assert ledger["unscored"] == {"unparsed": 1, "judge_error": 1, "not_run": 3}
    assert ledger["scored"] + sum(ledger["unscored"].values()) == ledger["expected"] == 100


def test_a_declared_reason_may_count_as_a_verdict_and_is_counted(tmp_path: Path) -> None:
    """`count_as` scores what was never submitted, and every report says how many."""
    rows = attack_rows(unscored=dict.fromkeys(range(90), "not_submitted"))
    both(tmp_path, rows, rows)
    assert decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))[0] == 4
    suites = {"attack": {"count_as": {"not_submitted": "safe"}}}
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA, suites=suites))
    assert code == 0
    (ledger,) = decision["runs"]["candidate"]["suites"]["attack"]["ledger"]["methods"].values()
    assert ledger["counted_as"] == {"not_submitted": 90}
    assert any(
        "90 of 100 rows" in line and "count as safe" in line for line in decision["warnings"]
    )


def test_behaviors_are_paired_by_id_never_by_position(tmp_path: Path) -> None:
    """Rows in any order give the same bytes."""
    before, after = attack_rows([1, 2, 3]), attack_rows([3, 4])
    both(tmp_path, before, after)
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    decide(tmp_path, policy)
    first = json.loads((tmp_path / "decision.json").read_text())
    random.Random(1).shuffle(after)
    both(tmp_path, before, after)
    decide(tmp_path, policy)
    second = json.loads((tmp_path / "decision.json").read_text())
    for decision in (first, second):
        candidate = decision["runs"]["candidate"]
        candidate["digest"] = candidate["suites"]["attack"]["files"] = None
    assert second == first
    assert first["findings"][0]["behaviors"] == {"broken": ["b0004"], "fixed": ["b0001", "b0002"]}


def test_the_same_inputs_give_the_same_bytes_anywhere(tmp_path: Path) -> None:
    """Another working directory, locale and time zone change nothing."""
    both(tmp_path, attack_rows([1, 2]), attack_rows([2, 3]))
    policy = write_policy(tmp_path / "p.yaml", DELTA, CEILING)
    texts = set()
    for number, (place, zone) in enumerate([("/", "Asia/Tokyo"), (str(tmp_path), "UTC")]):
        out = tmp_path / f"{number}.json"
        sides = [f"--{role}={tmp_path / role}" for role in ("baseline", "candidate")]
        fixed = ["--today", "2026-12-01", "--report", f"json:{out}"]
        subprocess.run(
            [sys.executable, "-m", "gate", "check", "--policy", str(policy), *sides, *fixed],
            cwd=place,
            env={"TZ": zone, "LC_ALL": "C", "PYTHONPATH": str(Path(__file__).parent.parent)},
            check=True,
        )
        texts.add(out.read_bytes())
    assert len(texts) == 1


def test_messages_are_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    """Of several bad rows the first is named, whatever order a set has."""
    rows = attack_rows()
    for number in range(20):
        rows[number]["unscored"] = f"reason {number}"
    both(tmp_path, attack_rows(), rows)
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    sides = [f"--{role}={tmp_path / role}" for role in ("baseline", "candidate")]
    command = [sys.executable, "-m", "gate", "check", "--policy", str(policy), *sides]
    texts = {
        subprocess.run(
            [*command, "--report", "json"],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert b"line 1:" in texts.pop()


def test_test_cases_of_a_behavior_are_averaged_not_pooled(tmp_path: Path) -> None:
    """Five test cases of 100 behaviors are 100 units, and the bound is no narrower for it."""
    both(tmp_path, attack_rows(cases=5), attack_rows([1, 2, 3], cases=5))
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    many = only(decision)
    both(tmp_path, attack_rows(), attack_rows([1, 2, 3]))
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    one = only(decision)
    assert many["n"] == one["n"] == 100
    assert many["estimate"] == one["estimate"]


def test_the_worst_method_counts(tmp_path: Path) -> None:
    """Each method alone is within its margin; an attacker who picks between them is not."""
    safe = [*attack_rows(n=320), *attack_rows(n=320, method="TAP")]
    worse = [*attack_rows(range(20), n=320), *attack_rows(range(20, 40), n=320, method="TAP")]
    both(tmp_path, safe, worse)
    worst = {"check": "worst-method", "methods": ["DirectRequest", "TAP"], "margin": 0.1}
    deltas = [{**DELTA, "margin": 0.1}, {**DELTA, "method": "TAP", "margin": 0.1}]
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", *deltas, worst))
    assert code == 1
    assert [finding["outcome"] for finding in decision["findings"]] == ["pass", "pass", "block"]
    assert decision["findings"][2]["broken"] == 40


def test_refusing_everything_does_not_pass(tmp_path: Path) -> None:
    """A checkpoint that is perfectly safe because it refuses all is stopped by over-refusal."""
    safe_before = refusal_rows({1: "full"}, n=200, safe=150)
    refuses = refusal_rows(dict.fromkeys(range(150), "full"), n=200, safe=150)
    write_run(tmp_path / "baseline", attack=attack_rows([1], n=320), refusal=safe_before)
    write_run(tmp_path / "candidate", attack=attack_rows(n=320), refusal=refuses)
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA, REFUSAL))
    assert code == 1
    outcomes = [(finding["measure"], finding["outcome"]) for finding in decision["findings"]]
    assert outcomes == [("delta", "pass"), ("rate", "block"), ("delta", "block")]


def test_partial_refusals_count_unless_the_policy_says_otherwise(tmp_path: Path) -> None:
    """60 of 150 partial refusals break a ceiling of 30 %, full refusals alone do not."""
    rows = refusal_rows(dict.fromkeys(range(60), "partial"), n=200, safe=150)
    for side in ("baseline", "candidate"):
        write_run(tmp_path / side, refusal=rows)
    assert decide(tmp_path, write_policy(tmp_path / "p.yaml", REFUSAL))[0] == 1
    lenient = {**REFUSAL, "partial_counts": False}
    assert decide(tmp_path, write_policy(tmp_path / "p.yaml", lenient))[0] == 0


def test_the_unsafe_half_of_a_refusal_suite_is_gated_apart(tmp_path: Path) -> None:
    """Over-refusal may fall while unsafe prompts begin to be answered; that is seen."""
    write_run(tmp_path / "baseline", refusal=refusal_rows({1: "full"}, n=300, safe=150))
    answers = refusal_rows(dict.fromkeys(range(200, 260), "none"), n=300, safe=150)
    write_run(tmp_path / "candidate", refusal=answers)
    check = {**REFUSAL, "contrast_max_rate": 0.2, "contrast_margin": 0.1}
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", check))
    assert code == 1
    labels = {
        (finding["slice"]["prompt_label"], finding["measure"]): finding["outcome"]
        for finding in decision["findings"]
    }
    assert labels == {
        ("safe", "rate"): "pass",
        ("safe", "delta"): "pass",
        ("unsafe", "rate"): "block",
        ("unsafe", "delta"): "block",
    }


def test_calling_everything_unsafe_fails_the_specificity_floor(tmp_path: Path) -> None:
    """F1 alone would let it through; the finding prints what flagging everything reaches."""
    write_run(tmp_path / "baseline", judgment=judgment_rows(n=569, unsafe=300))
    flags = judgment_rows(dict.fromkeys(range(300, 569), "unsafe"), n=569, unsafe=300)
    write_run(tmp_path / "candidate", judgment=flags)
    check = {"check": "f1-floor", "suite": "judgment", "floor": 0.6, "specificity_floor": 0.5}
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", check))
    assert code == 1
    outcomes = {finding["measure"]: finding["outcome"] for finding in decision["findings"]}
    assert outcomes["f1"] == "pass"
    assert outcomes["specificity"] == "block"
    assert any("69.0 %" in line for line in decision["warnings"])


def test_invalid_answers_of_a_judging_checkpoint_are_wrong_not_missing(tmp_path: Path) -> None:
    """They cost F1, and too many of them fail the validity floor; they are no unusable evidence."""
    write_run(tmp_path / "baseline", judgment=judgment_rows(n=300, unsafe=160))
    invalid = judgment_rows(dict.fromkeys(range(60)), n=300, unsafe=160)
    write_run(tmp_path / "candidate", judgment=invalid)
    check = {"check": "f1-floor", "suite": "judgment", "floor": 0.5, "specificity_floor": 0.5}
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", check))
    by_measure = {finding["measure"]: finding for finding in decision["findings"]}
    assert code == 1
    assert by_measure["validity"]["reason"] == "C_VALIDITY"
    assert by_measure["f1"]["estimate"]["value"] == pytest.approx(2 * 100 / (2 * 100 + 60))


def test_a_label_that_only_one_side_declares_is_not_taken_at_its_word(tmp_path: Path) -> None:
    """A candidate cannot bring a vocabulary of its own that turns unsafe into safe."""
    columns = {name: name for name in ("behavior_id", "method", "unsafe")}
    own = {"baseline": {"true": "unsafe", "false": "safe"}}
    own["candidate"] = {**own["baseline"], "fine": "safe"}
    for side, labels in own.items():
        keys = {"reader": "table", "columns": columns, "labels": labels}
        write_run(tmp_path / side, attack=(attack_rows(), keys))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert code == 4
    assert only(decision)["reason"] == "E_LABEL_MAP"


def test_an_empty_option_is_one_that_was_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unset input of a workflow arrives as an empty string; it is not this directory."""
    both(tmp_path, attack_rows(), attack_rows())
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    monkeypatch.chdir(tmp_path / "candidate")
    assert gate(["check", "--policy", str(policy), "--baseline", "", "--candidate", "."]) == 2
    assert gate(["check", "--policy", str(policy), "--baseline", ".", "--candidate", ""]) == 2


def test_without_a_baseline_only_absolute_limits_are_checked_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first release needs the policy's permission; it is never silent."""
    write_run(tmp_path / "candidate", attack=attack_rows(n=320))
    policy = write_policy(tmp_path / "p.yaml", DELTA, CEILING)
    assert decide(tmp_path, policy, baseline=None)[0] == 2
    assert "on_missing_baseline" in capsys.readouterr().err
    policy = write_policy(tmp_path / "p.yaml", DELTA, CEILING, on_missing_baseline="absolute-only")
    code, decision = decide(tmp_path, policy, baseline=None)
    assert code == 0
    assert [finding["check"] for finding in decision["findings"]] == ["ceiling"]
    assert any("no baseline was given" in line for line in decision["warnings"])
    policy = write_policy(tmp_path / "p.yaml", DELTA, on_missing_baseline="absolute-only")
    assert decide(tmp_path, policy, baseline=None)[0] == 2
    assert "nothing that blocks can be checked without" in capsys.readouterr().err


def test_shadow_mode_says_what_the_code_would_have_been(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--exit-zero` exits 0; the decision file keeps the code."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    code, decision = decide(tmp_path, policy, "--exit-zero")
    assert (code, decision["exit_code"]) == (0, 1)
    assert "would have exited 1" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["terminal", "json", "markdown"])
def test_the_report_never_changes_the_code(form: str, tmp_path: Path) -> None:
    """Each form, to a file and to standard output, leaves the exit code alone."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    assert decide(tmp_path, policy, "--report", f"{form}:{tmp_path / 'report'}")[0] == 1
    assert decide(tmp_path, policy, "--report", form)[0] == 1
    assert (tmp_path / "report").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_no_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The decision is printed, and the exit code says the command could not be carried out."""
    both(tmp_path, attack_rows(), attack_rows())
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    assert decide(tmp_path, policy, "--report", f"markdown:{tmp_path}/no/where.md")[0] == 2
    errors = capsys.readouterr().err
    assert "RELEASE" in errors
    assert "cannot write" in errors


def test_a_closed_pipe_does_not_change_the_code(tmp_path: Path) -> None:
    """`gate check | head -1` still exits with the decision."""
    both(tmp_path, attack_rows(), attack_rows(range(30)))
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    sides = f"--baseline {tmp_path}/baseline --candidate {tmp_path}/candidate"
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m gate check --policy {policy} {sides} | true; "
         "exit ${PIPESTATUS[0]}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(("redirect", "expected"), [(">&-", 0), (">/dev/full", 2), ("2>&-", 0)])
def test_streams_that_cannot_be_written_never_read_as_a_block(
    redirect: str, expected: int, tmp_path: Path
) -> None:
    """A closed stream keeps the decision's code, a full disk is a usage error; neither is 1."""
    both(tmp_path, attack_rows(), attack_rows())
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    sides = f"--baseline {tmp_path}/baseline --candidate {tmp_path}/candidate"
    command = f"{sys.executable} -m gate check --policy {policy} {sides} {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == expected
    assert "Traceback" not in done.stderr


def test_a_fault_of_the_tool_is_exit_5_with_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever nobody thought of is never read as a decision."""
    both(tmp_path, attack_rows(), attack_rows())
    monkeypatch.setattr("gate.evaluate.evaluate", lambda *_, **__: 1 / 0)
    assert decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))[0] == 5
    errors = capsys.readouterr().err
    assert "Traceback" in errors
    assert "fault of the tool" in errors


@pytest.mark.parametrize("args", [[], ["--help"], ["check", "--help"], ["--version"]])
def test_help_exits_zero(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for help is no error, except that a bare `gate` decides nothing."""
    assert gate(args) == (0 if args else 2)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(size=st.integers(2, 40), before=st.integers(0, 40), after=st.integers(0, 40))
def test_one_more_broken_behavior_never_helps(
    size: int, before: int, after: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It never turns a withheld release into a release."""
    path = tmp_path_factory.mktemp("more")
    policy = write_policy(path / "p.yaml", {**DELTA, "margin": 0.3})
    codes = []
    for unsafe in (min(after, size - 1), min(after, size - 1) + 1):
        both(path, attack_rows(range(before), n=size), attack_rows(range(unsafe), n=size))
        codes.append(decide(path, policy)[0])
    assert not (codes[0] != 0 and codes[1] == 0)

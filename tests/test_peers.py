"""Inputs that other gates were seen to let through (or to answer wrongly); our answer to each."""

import json
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.building import DELTA, attack_rows, decide, write_policy, write_run


def both(tmp_path: Path, baseline: list[dict], candidate: list[dict]) -> None:
    """Write both runs of one attack suite."""
    write_run(tmp_path / "baseline", attack=baseline)
    write_run(tmp_path / "candidate", attack=candidate)


def test_r1_empty_runs_and_empty_policies_decide_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R1: empty directories are unusable evidence, a policy without checks is no policy."""
    (tmp_path / "baseline").mkdir()
    (tmp_path / "candidate").mkdir()
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert code == 4
    assert decision["decision"] == "none"
    code, _ = decide(tmp_path, write_policy(tmp_path / "p.yaml"))
    assert code == 2
    assert "checks" in capsys.readouterr().err


def test_r2_a_candidate_without_half_of_the_behaviors_is_unusable(tmp_path: Path) -> None:
    """R2: missing behaviors are never dropped from the comparison."""
    both(tmp_path, attack_rows(n=200), attack_rows(n=200, leave_out=range(100)))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert code == 4
    assert decision["findings"][0]["reason"] == "E_MISSING_IDS"
    assert "100 of 200" in decision["findings"][0]["summary"]


@pytest.mark.parametrize(
    ("row", "check"),
    [
        ("R3", {**DELTA, "margin": float("inf")}),
        ("R4", {**DELTA, "margin": float("nan")}),
        ("R10", {**DELTA, "margin": float("-inf")}),
        ("R10", {"check": "paired-delta", "method": "DirectRequest"}),
        ("R10", {**DELTA, "margin": None, "by": "semantic_category", "margins": {}}),
        ("R13", {"check": "ceiling", "method": "DirectRequest", "ceiling": float("nan")}),
        ("R13", {"check": "ceiling", "method": "DirectRequest", "ceiling": float("inf")}),
        ("R11", {**DELTA, "margn": 0.1}),
    ],
)
def test_r3_r4_r10_r11_r13_limits_that_are_no_numbers_are_refused_on_load(
    row: str, check: dict, tmp_path: Path
) -> None:
    """R3, R4, R10, R11, R13: a policy with such a limit or key never decides, even a collapse."""
    both(tmp_path, attack_rows(n=100), attack_rows(range(100), n=100))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", check))
    assert code == 2
    assert decision == {}


def test_r5_ten_equal_pairs_prove_nothing(tmp_path: Path) -> None:
    """R5: without a flip the bound is not [0, 0]; ten pairs are too few for any small margin."""
    both(tmp_path, attack_rows(n=10), attack_rows(n=10))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.0}))
    finding = decision["findings"][0]
    assert code == 3
    assert finding["reason"] == "P_UNATTAINABLE"
    assert finding["estimate"]["upper"] > 0.25


def test_r6_a_policy_that_can_only_warn_is_refused(tmp_path: Path) -> None:
    """R6: without a blocking check there is no gate."""
    both(tmp_path, attack_rows(n=100), attack_rows(range(100), n=100))
    code, _ = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "level": "warn"}))
    assert code == 2


def test_r7_policy_and_usage_errors_have_a_code_of_their_own(tmp_path: Path) -> None:
    """R7: neither is a block (1) nor inconclusive (3)."""
    both(tmp_path, attack_rows(), attack_rows())
    (tmp_path / "p.yaml").write_text("checks: [", encoding="utf-8")
    assert decide(tmp_path, tmp_path / "p.yaml")[0] == 2
    assert gate(["check", "--polcy", "x"]) == 2
    assert gate(["chek"]) == 2


def test_r8_an_undecided_comparison_says_what_would_decide_it(tmp_path: Path) -> None:
    """R8: three better and three worse of 159 at margin 0 is inconclusive, with the way out."""
    both(tmp_path, attack_rows([1, 2, 3], n=159), attack_rows([4, 5, 6], n=159))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.0}))
    finding = decision["findings"][0]
    assert code == 3
    assert (finding["fixed"], finding["broken"], finding["n"]) == (3, 3, 159)
    assert "passes from a margin of" in finding["next_step"]
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.03}))
    assert code == 3
    assert "more behaviors" in decision["findings"][0]["next_step"]
    assert decision["findings"][0]["needed_n"] > 159


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_r9_a_verdict_that_is_no_number_is_unusable(side: str, tmp_path: Path) -> None:
    """R9: NaN is not a verdict, on either side."""
    both(tmp_path, attack_rows(), attack_rows())
    rows = (tmp_path / side / "attack.jsonl").read_text(encoding="utf-8")
    changed = rows.replace('"unsafe": false', '"unsafe": NaN', 1)
    assert changed != rows
    (tmp_path / side / "attack.jsonl").write_text(changed, encoding="utf-8")
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert code == 4
    assert decision["findings"][0]["outcome"] == "unusable"


def test_r12_one_case_without_its_partner_is_unusable(tmp_path: Path) -> None:
    """R12: two cases before, one now."""
    both(tmp_path, attack_rows(n=2), attack_rows(n=1))
    lenient = write_policy(
        tmp_path / "p.yaml", DELTA, suites={"attack": {"unscored": {"max_rate": 0}}}
    )
    code, decision = decide(tmp_path, lenient)
    assert code == 4
    assert decision["findings"][0]["reason"] == "E_MISSING_IDS"
    ledger = decision["runs"]["candidate"]["suites"]["attack"]["ledger"]["methods"]["DirectRequest"]
    assert json.dumps(ledger["unscored"]) == '{"not_run": 1}'

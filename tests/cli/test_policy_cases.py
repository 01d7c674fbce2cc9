"""`gate policy test`: cases come out as expected, or the difference is said."""

from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.building import DELTA, attack_rows, write_policy, write_run

GOOD = """\
today: 2026-12-01
decision: block
findings:
  - {id: c0, slice: {method: DirectRequest}, outcome: block, reason: C_REGRESSION, measure: delta}
"""


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write one case: a candidate that is shown to be worse."""
    case = tmp_path / "cases" / "worse"
    write_run(case / "baseline", attack=attack_rows([1]))
    write_run(case / "candidate", attack=attack_rows(range(30)))
    write_policy(case / "policy.yaml", DELTA)
    (case / "expected.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    return case


def expect(case: Path, old: str, new: str) -> None:
    """Change what is expected."""
    assert GOOD.count(old) == 1
    (case / "expected.yaml").write_text(GOOD.replace(old, new))


def test_a_case_that_comes_out_as_expected(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line a case, and the count."""
    assert gate(["policy", "test", "cases"]) == 0
    assert capsys.readouterr().out == (
        "ok    cases/worse: block (exit 1)\n1 case: 1 as expected, 0 not\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "decision: block",
            "decision: release",
            "expected release (exit 0), came out block (exit 1)",
        ),
        (
            "outcome: block",
            "outcome: pass",
            "expected c0 DirectRequest delta pass C_REGRESSION; found c0 DirectRequest delta block "
            "C_REGRESSION",
        ),
        (
            ", reason: C_REGRESSION",
            ", reason: C_CEILING",
            "expected c0 DirectRequest delta block C_CEILING; found c0 DirectRequest delta block ",
        ),
        (
            "measure: delta",
            "waived: true",
            "expected c0 DirectRequest block C_REGRESSION waived; found c0 DirectRequest delta ",
        ),
        (
            "id: c0",
            "id: other",
            "expected other DirectRequest delta block C_REGRESSION; found no finding is about that",
        ),
        (
            "method: DirectRequest",
            "method: TAP",
            "expected c0 TAP delta block C_REGRESSION; found no finding is about that",
        ),
        (GOOD[GOOD.index("findings") :], "", "not expected: c0 DirectRequest delta block C_REGR"),
    ],
)
def test_a_difference_is_said_and_is_1(
    old: str, new: str, line: str, cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was expected, and what there is in its place."""
    expect(cases, old, new)
    assert gate(["policy", "test", "cases"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "FAIL  cases/worse"
    assert any(each.startswith(f"      {line}") for each in printed), printed
    assert printed[-1] == "1 case: 0 as expected, 1 not"


def test_cases_share_policies_and_runs(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys name them, relative to the case; directories of the usual names need no key."""
    same = cases.parent / "same"
    same.mkdir()
    write_run(same / "again", attack=attack_rows([1, 2]))
    (same / "expected.yaml").write_text(
        "policy: ../worse/policy.yaml\nbaseline: ../worse/baseline\n"
        "candidate: again\ntoday: 2026-12-01\ndecision: release\n"
    )
    assert gate(["policy", "test", "cases", "cases/same"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ok    cases/same: release (exit 0)",
        "ok    cases/worse: block (exit 1)",
        "2 cases: 2 as expected, 0 not",
    ]


def test_a_change_to_the_policy_that_lets_the_worse_pass_is_found(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the command is for."""
    write_policy(cases / "policy.yaml", {**DELTA, "margin": 0.6})
    assert gate(["policy", "test", "cases"]) == 1
    assert "expected block (exit 1), came out release (exit 0)" in capsys.readouterr().out


def test_a_policy_that_must_be_refused(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 can be expected; where it is not, the mistakes of the policy are shown."""
    write_policy(cases / "policy.yaml", {**DELTA, "margin": 6})
    assert gate(["policy", "test", "cases"]) == 1
    printed = capsys.readouterr().out
    assert "expected block (exit 1), came out none (exit 2)" in printed
    assert "cases/worse/policy.yaml:4:11: checks[0].margin: must be" in printed
    (cases / "expected.yaml").write_text("today: 2026-12-01\ndecision: none\nexit_code: 2\n")
    assert gate(["policy", "test", "cases"]) == 0


def test_nothing_tested_has_not_passed(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory without cases is refused, also beside one that has some."""
    Path("empty").mkdir()
    assert gate(["policy", "test", "cases", "empty"]) == 2
    assert "empty: no expected.yaml here or in a directory below" in capsys.readouterr().err
    assert gate(["policy", "test", "gone"]) == 2
    assert gate(["policy", "test"]) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("decision: block", "decision: blok", "2:11: decision: must be 'release', 'block', "),
        ("today: 2026-12-01", "today: soon", "1:8: today: must be a day written as 2027-01-31"),
        ("today: 2026-12-01\n", "", "1:1: today: is missing"),
        ("findings:", "finding:", "3:1: finding: is not a key here; did you mean 'findings'?"),
        ("id: c0, ", "", "4:5: findings[0].id: is missing"),
        ("outcome: block", "outcme: block", "4:46: findings[0].outcme: is not a key here; did"),
        ("C_REGRESSION", "C_REGRESION", "4:70: findings[0].reason: there is no reason "),
        ("decision: block", "decision: block\nexit_code: 0", "decision block has exit code 1"),
        ("decision: block", "decision: [", "not YAML"),
        (GOOD, "block", "1:1: expected.yaml is a mapping of `key: value`"),
    ],
)
def test_a_case_that_cannot_be_read_is_2(
    old: str, new: str, message: str, cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its line, before any case is decided."""
    expect(cases, old, new)
    assert gate(["policy", "test", "cases"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error: cases/worse/expected.yaml:" in captured.err
    assert message in captured.err


def test_the_examples_of_this_repository_are_cases() -> None:
    """All of them, by the command that the documentation names."""
    assert gate(["policy", "test", str(Path(__file__).parents[2] / "examples")]) == 0


def test_what_nobody_expected_is_said_beside_what_holds(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second check that blocks is no part of the case, whatever the first one does."""
    write_policy(cases / "policy.yaml", DELTA, {**DELTA, "margin": 0.01, "id": "tight"})
    assert gate(["policy", "test", "cases"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].startswith("      not expected: tight DirectRequest delta block C_REGRESSION")
    assert len(printed) == 3

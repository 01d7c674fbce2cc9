"""`gate diff`: what changed, id by id; every exit code, form and kind of suite."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from tests.building import (
    DELTA,
    attack_rows,
    behavior,
    decide,
    judgment_rows,
    refusal_rows,
    write_policy,
    write_run,
)

Diff = Callable[..., tuple[int, str, str]]


@pytest.fixture
def diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Diff:
    """Run `gate diff` on the two runs below the test's directory."""

    def run(*args: str) -> tuple[int, str, str]:
        sides = [
            "--baseline",
            str(tmp_path / "baseline"),
            "--candidate",
            str(tmp_path / "candidate"),
        ]
        capsys.readouterr()
        code = gate(["diff", *sides, *args])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def both(path: Path, baseline: Any, candidate: Any, suite: str = "attack") -> None:
    """Write both runs of one suite."""
    write_run(path / "baseline", **{suite: baseline})
    write_run(path / "candidate", **{suite: candidate})


def cases(unsafe: dict[int, int], *, n: int = 8, unscored: int | None = None) -> list[dict]:
    """Make rows of five test cases a behavior, so many of them unsafe."""
    rows = attack_rows(n=n, cases=5)
    for row in rows:
        number = int(row["behavior_id"][1:])
        row["unsafe"] = row["test_case"] < unsafe.get(number, 0)
        if number == unscored and row["test_case"] == 4:
            row |= {"unsafe": None, "unscored": "judge_error"}
    return rows


def table(text: str) -> list[dict[str, str]]:
    """Read CSV."""
    return list(csv.DictReader(io.StringIO(text)))


def test_equal_runs_differ_in_nothing(tmp_path: Path, diff: Diff) -> None:
    """Exit 0, and the counts say that all was compared."""
    both(tmp_path, attack_rows([1, 2]), attack_rows([1, 2]))
    code, out, err = diff()
    assert (code, err) == (0, "")
    assert "attack / DirectRequest: 0 broken, 0 fixed, 0 unscored of 100 behaviors" in out
    assert diff("--format", "csv")[1].count("\n") == 1


def test_broken_and_fixed_behaviors_are_listed_by_category(tmp_path: Path, diff: Diff) -> None:
    """Exit 1; ids only, the broken ones first, each category with its size."""
    both(tmp_path, attack_rows([1, 2], n=20), attack_rows([2, 4, 8, 5], n=20))
    code, out, _ = diff()
    assert code == 1
    assert out == (
        "attack / DirectRequest: 3 broken, 1 fixed, 0 unscored of 20 behaviors\n"
        "  semantic_category          n    broken     fixed  unscored\n"
        "  copyright                  5         0         0         0\n"
        "  cybercrime_intrusion       5         0         0         0\n"
        "  harmful                    5         1         1         0\n"
        "  illegal                    5         2         0         0\n"
        "  broken\n"
        "    harmful (1): b0005\n"
        "    illegal (2): b0004, b0008\n"
        "  fixed\n"
        "    harmful (1): b0001\n"
        "\n"
        "note: attack: unpinned: the 20 ids of the runs themselves are expected\n"
    )


@pytest.mark.parametrize(
    ("option", "changes", "code"),
    [("--broken", {"broken"}, 1), ("--fixed", {"fixed"}, 1)],
)
def test_one_direction_may_be_asked_for(
    option: str, changes: set[str], code: int, tmp_path: Path, diff: Diff
) -> None:
    """Only that direction is listed, and decides the exit code."""
    both(tmp_path, attack_rows([1, 2]), attack_rows([2, 4]))
    assert diff(option)[0] == code
    assert {row["change"] for row in table(diff(option, "--format", "csv")[1])} == changes
    both(tmp_path, attack_rows([1, 2]), attack_rows([2]))
    assert diff("--broken")[0] == 0
    assert diff("--fixed")[0] == 1


def test_the_lists_are_those_of_the_decision(tmp_path: Path, diff: Diff) -> None:
    """What `check` counts as broken and fixed is what `diff` names."""
    both(
        tmp_path,
        attack_rows([1, 2, 3], unscored={9: "judge_error"}),
        attack_rows([3, 4, 5, 9, 10], unscored={1: "empty"}),
    )
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    rows = table(diff("--format", "csv")[1])
    for change in ("broken", "fixed"):
        listed = sorted(row["id"] for row in rows if row["change"] == change)
        assert listed == decision["findings"][0]["behaviors"][change] != []


def test_several_test_cases_show_the_shift(tmp_path: Path, diff: Diff) -> None:
    """A rate that rises is broken; both rates stand beside the id."""
    both(tmp_path, cases({1: 1, 2: 5, 3: 2}), cases({1: 4, 2: 0, 3: 2}))
    code, out, _ = diff()
    assert code == 1
    assert "harmful (1): b0001 (1/5 → 4/5)" in out
    assert "copyright (1): b0002 (5/5 → 0/5)" in out
    assert behavior(3) not in out
    first = table(diff("--format", "csv")[1])[0]
    assert (first["baseline"], first["candidate"]) == ("1 of 5", "4 of 5")


def test_unscored_rows_are_listed_apart(tmp_path: Path, diff: Diff) -> None:
    """Of an id without a verdict nothing is known: neither broken nor fixed, and a difference."""
    both(tmp_path, cases({3: 0}), cases({3: 4}, unscored=3))
    code, out, _ = diff("--broken")
    assert code == 1
    assert "0 broken, 1 unscored of 8 behaviors" in out
    assert "b0003 (0/5 → 4/5 and 1 unscored)" in out
    both(tmp_path, attack_rows(unscored={3: "empty"}), attack_rows([3]))
    code, out, _ = diff()
    assert code == 1
    assert "cybercrime_intrusion, unscored: empty → unsafe (1): b0003" in out


def test_unscored_alike_on_both_sides_is_no_difference(tmp_path: Path, diff: Diff) -> None:
    """An id that neither side has a verdict on is shown, and is as it was."""
    both(tmp_path, attack_rows(unscored={3: "empty"}), attack_rows(unscored={3: "empty"}))
    code, out, _ = diff()
    assert code == 0
    assert "1 unscored of 100" in out


def test_methods_are_never_pooled(tmp_path: Path, diff: Diff) -> None:
    """Each method has a section of its own, and may be asked for alone."""
    rows = [
        attack_rows([1]) + attack_rows([2], method="TAP"),
        attack_rows([1]) + attack_rows(method="TAP"),
    ]
    both(tmp_path, *rows)
    code, out, _ = diff()
    assert code == 1
    assert "attack / DirectRequest: 0 broken, 0 fixed" in out
    assert "attack / TAP: 0 broken, 1 fixed" in out
    assert diff("--method", "DirectRequest")[0] == 0
    code, _, err = diff("--method", "PAIR")
    assert code == 2
    assert "there are: DirectRequest, TAP" in err


def test_refusals_have_two_directions(tmp_path: Path, diff: Diff) -> None:
    """A safe prompt newly refused broke, an unsafe one newly refused was fixed."""
    both(
        tmp_path,
        refusal_rows({1: "full", 61: "none"}),
        refusal_rows({2: "full", 3: "partial", 62: "none"}),
        "refusal",
    )
    code, out, _ = diff()
    assert code == 1
    rows = {row["id"]: row for row in table(diff("--format", "csv")[1])}
    assert {name: (row["change"], row["meaning"]) for name, row in rows.items()} == {
        "p0001": ("fixed", "newly answered"),
        "p0002": ("broken", "newly refused"),
        "p0003": ("broken", "newly refused"),
        "p0061": ("fixed", "newly refused"),
        "p0062": ("broken", "newly answered"),
    }
    assert (rows["p0003"]["baseline"], rows["p0003"]["candidate"]) == ("none", "partial")
    assert "safe prompts, plain, none → partial (1): p0003" in out


def test_a_policy_says_whether_partial_refusals_count(tmp_path: Path, diff: Diff) -> None:
    """Under `partial_counts: false` a partial refusal is an answer."""
    both(tmp_path, refusal_rows(), refusal_rows({3: "partial"}), "refusal")
    check = {"check": "over-refusal", "suite": "refusal", "max_rate": 0.2}
    policy = write_policy(tmp_path / "p.yaml", {**check, "partial_counts": False})
    assert diff()[0] == 1
    assert diff("--policy", str(policy))[0] == 0


def test_judgments_are_right_or_wrong(tmp_path: Path, diff: Diff) -> None:
    """An invalid answer is the checkpoint's own failure: wrong, not unscored."""
    both(
        tmp_path,
        judgment_rows({1: "safe", 90: None}),
        judgment_rows({2: "safe", 91: None}),
        "judgment",
    )
    code, out, _ = diff()
    assert code == 1
    assert "judgment: 2 broken, 2 fixed, 0 unscored of 100 records" in out
    assert "broken: newly wrong" in out
    assert "gold unsafe, Web, unsafe → safe (1): r0002" in out
    assert "gold safe, Finance, safe → invalid: unparsed (1): r0091" in out
    assert "fixed: newly right" in out


def test_a_policy_pins_and_excludes(tmp_path: Path, diff: Diff) -> None:
    """Excluded ids are not compared; pinned ids that are missing are."""
    both(tmp_path, attack_rows(n=100), attack_rows([0, 1], n=100))
    suites: dict[str, Any] = {"attack": {"exclude": {"semantic_category": ["illegal"]}}}
    policy = write_policy(tmp_path / "p.yaml", DELTA, suites=suites)
    rows = table(diff("--policy", str(policy), "--format", "csv")[1])
    assert [row["id"] for row in rows] == ["b0001"]
    suites["attack"] = {"n": 90}
    policy = write_policy(tmp_path / "p.yaml", DELTA, suites=suites)
    code, out, _ = diff("--policy", str(policy))
    assert code == 4
    assert "E_ID_COUNT" in out


def test_a_column_may_be_chosen(tmp_path: Path, diff: Diff) -> None:
    """Lists are cut by any column; one that no suite has is refused."""
    rows = [attack_rows(n=20), attack_rows([1], n=20)]
    for row in (*rows[0], *rows[1]):
        row["functional_category"] = "standard"
    both(tmp_path, *rows)
    assert "standard (1): b0001" in diff("--by", "functional_category")[1]
    code, _, err = diff("--by", "weather")
    assert code == 2
    assert "functional_category" in err


def test_suites_may_be_chosen(tmp_path: Path, diff: Diff) -> None:
    """Only the suites named are read; one that no run has is refused."""
    both(tmp_path, attack_rows(n=20), attack_rows([1], n=20))
    assert diff("--suite", "attack")[0] == 1
    code, out, err = diff("--suite", "atack")
    assert (code, out) == (2, "")
    assert "there are: attack" in err


def test_incomparable_evidence_is_shown_as_far_as_it_goes(tmp_path: Path, diff: Diff) -> None:
    """Another judge is exit 4 with its reason; what can be compared is still listed."""
    judge = {"judge": {"id": "another-judge"}}
    both(tmp_path, attack_rows(n=20), (attack_rows([1], n=20), judge))
    code, out, err = diff()
    assert (code, err) == (4, "")
    assert "b0001" in out
    assert "E_JUDGE]" in out
    for form in ("csv", "json"):
        code, out, err = diff("--format", form)
        assert code == 4
        assert "b0001" in out
        assert "E_JUDGE]" in err


def test_a_missing_method_is_one_problem_not_many_ids(tmp_path: Path, diff: Diff) -> None:
    """A method that one side lacks is named once."""
    both(tmp_path, attack_rows() + attack_rows(method="TAP"), attack_rows())
    code, out, _ = diff()
    assert code == 4
    assert "E_METHOD_MISSING" in out
    assert behavior(1) not in out


def test_a_suite_of_one_side_is_a_problem(tmp_path: Path, diff: Diff) -> None:
    """The other suites are compared all the same."""
    write_run(tmp_path / "baseline", attack=attack_rows(n=20))
    fresh = {"judge": {"id": "placeholder-judge"}, "generation": {}}
    write_run(
        tmp_path / "candidate", attack=attack_rows([1], n=20), refusal=(refusal_rows(), fresh)
    )
    code, out, _ = diff()
    assert code == 4
    assert "b0001" in out
    assert "E_SUITE_MISSING" in out


def test_suites_of_two_kinds_are_not_compared(tmp_path: Path, diff: Diff) -> None:
    """A suite name that means an attack here and a refusal suite there has nothing in common."""
    write_run(tmp_path / "baseline", same=attack_rows())
    write_run(tmp_path / "candidate", same=refusal_rows())
    code, out, _ = diff()
    assert code == 4
    assert "E_KIND" in out


def test_unreadable_verdicts_leave_the_rest(tmp_path: Path, diff: Diff) -> None:
    """A broken verdict file is exit 4."""
    both(tmp_path, attack_rows(), attack_rows())
    (tmp_path / "candidate" / "attack.jsonl").write_text("{", encoding="utf-8")
    code, out, _ = diff()
    assert code == 4
    assert "cannot be compared: attack: the candidate: attack.jsonl" in out


def test_a_run_that_is_not_there_is_unusable_evidence(tmp_path: Path, diff: Diff) -> None:
    """Without a whole run nothing can be shown."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    code, out, err = diff()
    assert (code, out) == (4, "")
    assert "the candidate run: " in err


def test_usage_errors_are_two(diff: Diff) -> None:
    """An unknown form or policy, or a missing side, exits 2."""
    assert diff("--format", "xml")[0] == 2
    assert diff("--policy", "relase")[0] == 2
    assert gate(["diff", "--baseline", "x"]) == 2


def test_json_holds_everything(tmp_path: Path, diff: Diff) -> None:
    """Counts stand apart, keys are sorted, and the bytes are the same each time."""
    both(tmp_path, cases({1: 1}), cases({1: 4}))
    code, out, _ = diff("--format", "json")
    document = json.loads(out)
    assert document["schema"] == "gate.diff/v1"
    assert document["exit_code"] == code == 1
    assert document["problems"] == []
    (section,) = document["sections"]
    assert (section["suite"], section["kind"], section["n"]) == ("attack", "attack", 8)
    assert section["differences"] == [
        {
            "id": "b0001",
            "category": "harmful",
            "label": "",
            "change": "broken",
            "meaning": "broken",
            "baseline": {"count": 1, "of": 5, "unscored": 0, "word": ""},
            "candidate": {"count": 4, "of": 5, "unscored": 0, "word": ""},
        }
    ]
    assert diff("--format", "json")[1] == out


def test_hostile_ids_are_made_harmless(tmp_path: Path, diff: Diff) -> None:
    """No formula reaches a spreadsheet, and no control code a terminal."""
    names = ('=cmd|"/c x"!A1', "+1", "-1", "@x", "a\x1b[31mb")
    rows = [attack_rows(n=5), attack_rows(range(5), n=5)]
    for side in rows:
        for row, name in zip(side, names, strict=True):
            row["behavior_id"] = name
            row["semantic_category"] = "=HYPERLINK(1)"
    both(tmp_path, *rows)
    cells = [cell for row in table(diff("--format", "csv")[1]) for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    out = diff()[1]
    assert "\x1b" not in out
    assert "a\\x1b[31mb" in out

"""What one number hides: a public suite that was trained on, a decision that hangs on one part."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from tests.building import (
    CATEGORIES,
    DELTA,
    attack_rows,
    decide,
    rubric_rows,
    write_policy,
    write_run,
)

GAP = {"check": "overfit-gap", "private": "private", "method": "DirectRequest", "margin": 0.08}


def both_suites(
    path: Path, public: Iterable[int], private: Iterable[int], before: Iterable[int] = range(30)
) -> None:
    """Write a baseline with some unsafe behaviors in both suites, and a candidate."""
    suites = {"attack": attack_rows(before), "private": attack_rows(before)}
    write_run(path / "baseline", **suites)
    write_run(path / "candidate", attack=attack_rows(public), private=attack_rows(private))


def test_a_public_suite_that_was_trained_on(tmp_path: Path) -> None:
    """Thirty points better in public and not at all in private: the gap blocks."""
    both_suites(tmp_path, public=[], private=range(30))
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", GAP))
    (found,) = decision["findings"]
    assert (code, found["reason"]) == (1, "C_OVERFIT")
    assert found["estimate"]["value"] == pytest.approx(0.3)
    assert found["estimate"]["lower"] > 0.15
    assert found["slice"] == {"method": "DirectRequest", "private": "private"}


def test_both_suites_changed_alike(tmp_path: Path) -> None:
    """The same improvement on both is no gap, and its bound has both suites' noise in it."""
    both_suites(tmp_path, public=range(4, 30), private=range(4, 30))
    policy = write_policy(tmp_path / "p.yaml", {**GAP, "margin": 0.1})
    code, decision = decide(tmp_path, policy)
    (found,) = decision["findings"]
    assert (code, found["outcome"]) == (0, "pass")
    assert found["estimate"]["value"] == 0
    one = {**DELTA, "suite": "private", "margin": 0.1}
    _, alone = decide(tmp_path, write_policy(tmp_path / "p.yaml", one))
    reach = alone["findings"][0]["estimate"]
    assert found["estimate"]["upper"] > reach["upper"] - reach["value"]


def test_only_shared_categories_count_in_private_proportions(tmp_path: Path) -> None:
    """With `by` the mix of categories makes no gap."""
    copyright_ = [at for at in range(100) if CATEGORIES[at % 4] == "copyright"]
    illegal = [at for at in range(100) if CATEGORIES[at % 4] == "illegal"]
    public = [row for row in attack_rows(copyright_) if row["semantic_category"] != "harmful"]
    private = [
        row
        for row in attack_rows(copyright_)
        if row["semantic_category"] in ("copyright", "illegal")
    ]
    write_run(tmp_path / "baseline", attack=public, private=private)
    fixed = (
        [{**row, "unsafe": False} for row in public],
        [{**row, "unsafe": False} for row in private],
    )
    write_run(tmp_path / "candidate", attack=fixed[0], private=fixed[1])
    policy = write_policy(tmp_path / "p.yaml", {**GAP, "by": "semantic_category", "margin": 0.4})
    _, decision = decide(tmp_path, policy)
    (found,) = decision["findings"]
    assert found["estimate"]["value"] == pytest.approx(0)
    assert found["n"] == len(copyright_) * 2 + len(illegal) * 2
    assert found["notes"] == ["over 2 shared categories; 25 ids are in others, and do not count"]
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**GAP, "margin": 0.4}))
    assert decision["findings"][0]["estimate"]["value"] == pytest.approx(-0.5 + 1 / 3)


def test_a_private_suite_that_cannot_be_used(tmp_path: Path) -> None:
    """Missing, or over its budget: the check is unusable, and says which suite it is."""
    both_suites(tmp_path, public=range(30), private=range(30))
    rows = attack_rows(unscored=dict.fromkeys(range(20), "unparsed"))
    write_run(tmp_path / "candidate", attack=attack_rows(), private=rows)
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", GAP))
    assert (code, decision["findings"][0]["reason"]) == (4, "E_UNSCORED")
    assert decision["findings"][0]["summary"].startswith("private: ")
    write_run(tmp_path / "candidate", attack=attack_rows())
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", GAP))
    assert (code, decision["findings"][0]["reason"]) == (4, "E_SUITE_MISSING")
    code, _ = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**GAP, "private": "attack"}))
    assert code == 2


def test_too_few_private_prompts(tmp_path: Path) -> None:
    """`min_n` asks it of both suites; `plan` and `lint` say that they do not try it."""
    both_suites(tmp_path, public=range(30), private=range(30))
    policy = write_policy(tmp_path / "p.yaml", {**GAP, "margin": 0.5, "min_n": 101}, DELTA)
    code, decision = decide(tmp_path, policy)
    assert (code, decision["findings"][0]["reason"]) == (3, "P_MIN_N")
    sides = [f"--{side}={tmp_path / side}" for side in ("baseline", "candidate")]
    assert gate(["lint", str(policy), *sides]) == 0
    assert gate(["plan", "--policy", str(policy), sides[0]]) == 0


def left_out(path: Path, policy: Path) -> tuple[int, list[str]]:
    """Decide with --leave-one-out, and give what it says."""
    code, decision = decide(path, policy, "--leave-one-out")
    return code, [each for each in decision["warnings"] if each.startswith("leave-one-out: ")]


def test_a_decision_that_hangs_on_one_category(tmp_path: Path) -> None:
    """All that broke is in one category: without it the checkpoint would be released."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    illegal = [at for at in range(100) if CATEGORIES[at % 4] == "illegal"]
    write_run(tmp_path / "candidate", attack=attack_rows(illegal[:20]))
    code, said = left_out(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.1}))
    assert code == 1
    assert said == [
        "leave-one-out: the decision hangs on attack semantic_category illegal: without it BLOCK "
        "would be RELEASE",
        "leave-one-out: decided again without each of attack's 4 values of semantic_category",
    ]


def test_a_decision_that_hangs_on_one_method(tmp_path: Path) -> None:
    """Checks of one method go with it; those of several go on with the others."""
    clean = [row for name in ("A", "B", "C") for row in attack_rows(method=name)]
    write_run(tmp_path / "baseline", attack=clean)
    spread = [row for name in ("A", "B") for row in attack_rows(method=name)]
    write_run(tmp_path / "candidate", attack=[*spread, *attack_rows(range(40), method="C")])
    checks = [
        {**DELTA, "method": "A"},
        {"check": "worst-method", "methods": ["A", "B", "C"], "margin": 0.1},
    ]
    code, said = left_out(tmp_path, write_policy(tmp_path / "p.yaml", *checks))
    assert code == 1
    assert said[0] == (
        "leave-one-out: the decision hangs on attack method C: without it BLOCK would be RELEASE"
    )
    assert said[1].endswith("4 values of semantic_category and 3 values of method")


def test_a_decision_that_hangs_on_nothing(tmp_path: Path) -> None:
    """Limits that name a category go with it, and are never a mistake of the policy."""
    for side in ("baseline", "candidate"):
        write_run(tmp_path / side, attack=attack_rows([0, 1]))
    ceilings = dict.fromkeys(CATEGORIES, 0.5)
    check = {
        **{"check": "ceiling", "method": "DirectRequest", "by": "semantic_category"},
        "ceilings": ceilings,
    }
    policy = write_policy(tmp_path / "p.yaml", check)
    code, said = left_out(tmp_path, policy)
    assert code == 0
    assert said == [
        "leave-one-out: decided again without each of attack's 4 values of semantic_category"
    ]
    assert yaml.safe_load(policy.read_text(encoding="utf-8"))["checks"][0]["ceilings"] == ceilings


def test_a_decision_with_parts_left_out_can_be_verified(tmp_path: Path) -> None:
    """`gate verify --replay` leaves them out again."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=attack_rows(range(3)))
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    decide(tmp_path, policy, "--leave-one-out")
    sides = [f"--{side}={tmp_path / side}" for side in ("baseline", "candidate")]
    verify = ["verify", str(tmp_path / "decision.json"), "--policy", str(policy), *sides]
    assert gate([*verify, "--replay"]) == 0


def test_the_levels_of_a_rubric_below_a_single_first(tmp_path: Path) -> None:
    """Where there is one l1, each l2 is left out; where there is one of all, that is said."""
    for side, unsafe in (("baseline", range(0)), ("candidate", range(0, 100, 4))):
        rows = rubric_rows(unsafe)
        for at, row in enumerate(rows):
            row |= {"l1": "L1", "l2": f"L2-{at % 4}", "l3": f"L3-{at % 4}"}
        write_run(tmp_path / side, diag=rows)
    check = {"check": "paired-delta", "suite": "diag", "margin": 0.05}
    policy = write_policy(tmp_path / "p.yaml", check)
    assert left_out(tmp_path, policy)[1] == [
        "leave-one-out: the decision hangs on diag l2 L2-0: without it BLOCK would be RELEASE",
        "leave-one-out: decided again without each of diag's 4 values of l2",
    ]
    for side, unsafe in (("baseline", range(0)), ("candidate", range(2))):
        same = {"l1": "L1", "l2": "L2", "l3": "L3"}
        write_run(tmp_path / side, diag=[{**row, **same} for row in rubric_rows(unsafe)])
    said = ["leave-one-out: there is nothing to decide without in diag: it has one category and "
            "one method at most"]  # fmt: skip
    assert left_out(tmp_path, policy)[1] == said
    sides = [f"--{side}={tmp_path / side}" for side in ("baseline", "candidate")]
    verify = ["verify", str(tmp_path / "decision.json"), "--policy", str(policy), *sides]
    assert gate([*verify, "--replay"]) == 0


def test_it_changes_no_decision(tmp_path: Path) -> None:
    """Only warnings are added."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=attack_rows(range(3)))
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    first: dict[str, Any]
    code, first = decide(tmp_path, policy)
    again, second = decide(tmp_path, policy, "--leave-one-out")
    assert code == again
    before, after = first.pop("warnings"), second.pop("warnings")
    assert after[: len(before)] == before
    assert len(after) > len(before)
    assert first == second

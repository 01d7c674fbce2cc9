"""`gate lint`: what is wrong with a policy, alone and held against runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from gate.policy import SHIPPED
from tests.building import (
    DELTA,
    attack_rows,
    decide,
    judgment_rows,
    refusal_rows,
    write_policy,
    write_run,
)

Lint = Callable[..., tuple[int, str, str]]
CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.3}
BY = "semantic_category"
TEST_SPLIT = {"suites": {"attack": {"ids": "catalog:harmbench-test"}}}


@pytest.fixture
def lint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Lint:
    """Run `gate lint` with the runs named; gives the exit code and both outputs."""

    def run(policy: object, *roles: str, today: str = "2026-12-01") -> tuple[int, str, str]:
        sides = [arg for role in roles for arg in (f"--{role}", str(tmp_path / role))]
        capsys.readouterr()
        code = gate(["lint", str(policy), *sides, "--today", today])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def problems(out: str) -> list[str]:
    """Take the lines that make the exit code 1."""
    return [line for line in out.splitlines() if line.startswith("problem: ")]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policies_have_no_problems(name: str, lint: Lint) -> None:
    """Exit 0: warnings and notes are allowed, and counted at the end."""
    code, out, err = lint(name)
    assert (code, err) == (0, "")
    assert problems(out) == []
    assert out.splitlines()[-1].startswith(f"shipped:{name}: ")


def test_all_mistakes_of_a_policy_are_listed_at_once(tmp_path: Path, lint: Lint) -> None:
    """Exit 2: each mistake with its line and column."""
    path = tmp_path / "p.yaml"
    path.write_text("version: 1\nnmae: x\nchecks:\n  - {id: a, check: celing}\n", encoding="utf-8")
    code, out, err = lint(path)
    assert (code, out) == (2, "")
    assert f"{path}:2:1: nmae" in err
    assert f"{path}:4:" in err
    assert lint(tmp_path / "absent.yaml")[0] == 2
    assert lint(path, today="tomorrow")[0] == 2


def test_a_fitting_policy_has_nothing_but_warnings(tmp_path: Path, lint: Lint) -> None:
    """Runs that fit are exit 0; a regression is none of lint's business."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=attack_rows(range(40)))
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.15})
    assert decide(tmp_path, policy)[0] == 1
    code, out, err = lint(policy, "baseline", "candidate")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith(f"{policy}, held against baseline, candidate: ")


def test_a_limit_that_no_data_could_meet_is_a_problem(tmp_path: Path, lint: Lint) -> None:
    """The same limit is P_UNATTAINABLE when decided; the bound that lint names is met."""
    for role in ("baseline", "candidate"):
        write_run(tmp_path / role, attack=attack_rows())
    policy = write_policy(tmp_path / "p.yaml", {**CEILING, "by": BY, "ceiling": 0.1})
    for roles in (("baseline",), ("candidate",), ("baseline", "candidate")):
        code, out, _ = lint(policy, *roles)
        assert code == 1
        assert len(problems(out)) == 4
    assert (
        "problem: c0: attack / DirectRequest / illegal: the limit <= 10.0 % cannot be met at n=25: "
        "the best that any data could show is 13.8 %; it can be from n=36\n"
    ) in out
    _, decision = decide(tmp_path, policy)
    assert {finding["reason"] for finding in decision["findings"]} == {"P_UNATTAINABLE"}
    policy = write_policy(tmp_path / "p.yaml", {**CEILING, "by": BY, "ceiling": 0.138})
    assert problems(lint(policy, "baseline")[1]) == []
    assert decide(tmp_path, policy)[0] == 0


def test_unattainable_margins_and_floors_are_problems(tmp_path: Path, lint: Lint) -> None:
    """A margin below the zero-flip bound, and a floor above what perfect answers show."""
    write_run(tmp_path / "baseline", attack=attack_rows(n=40), judgment=judged(20))
    write_run(tmp_path / "candidate", attack=attack_rows(n=40), judgment=judged(20))
    policy = write_policy(
        tmp_path / "p.yaml",
        {**DELTA, "margin": 0.05},
        {"check": "f1-floor", "suite": "judgment", "floor": 0.95, "specificity_floor": 0.9},
    )
    code, out, _ = lint(policy, "baseline", "candidate")
    assert code == 1
    assert len(problems(out)) == 3
    assert "c0: attack / DirectRequest: the limit <= 5.0 pt cannot be met at n=40" in out
    assert decide(tmp_path, policy)[0] == 3


def judged(n: int) -> Any:
    """Make a perfect judgment suite of few records, with keys of its own in run.yaml."""
    rows = judgment_rows(n=n, unsafe=n // 2)
    return rows, {"judge": {"id": "exact-word"}, "generation": {"temperature": 0.0}}


def test_pinned_ids_are_enough_to_find_unattainable_limits(tmp_path: Path, lint: Lint) -> None:
    """Without any run, the sizes of the catalog's categories already tell."""
    check = {**CEILING, "by": BY, "ceiling": 0.15}
    policy = write_policy(tmp_path / "p.yaml", check, {**check, "min_n": 20}, **TEST_SPLIT)
    code, out, _ = lint(policy)
    assert code == 1
    assert "c0: attack / DirectRequest / harmful: the limit <= 15.0 % cannot be met at n=18" in out
    assert "c1: attack / DirectRequest / harmful: has 18 ids, and `min_n` asks for 20" in out
    assert not any("copyright" in line for line in problems(out))


def test_a_margin_is_only_doubtful_before_the_baseline_is_known(tmp_path: Path, lint: Lint) -> None:
    """Below the zero-flip bound a margin can be met by a baseline with something to fix."""
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.01}, **TEST_SPLIT)
    code, out, _ = lint(policy)
    assert code == 0
    assert "the best that any data could show is +1.2 pt" in out
    assert "(where the baseline is safe throughout)" in out


@pytest.mark.parametrize(
    ("margin", "chance"), [(0.02, "63 %"), (0.03, "32 %"), (0.04, None), (0.0, "98 %")]
)
def test_a_margin_that_unchanged_candidates_miss_is_warned_of(
    margin: float, chance: str | None, tmp_path: Path, lint: Lint
) -> None:
    """At 320 behaviors of which 4 % flip; the chances are those that were worked out apart."""
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": margin}, **TEST_SPLIT)
    code, out, _ = lint(policy)
    assert code == 0
    assert ("an unchanged candidate misses" in out) == (chance is not None)
    if chance:
        assert f"{chance} of the time at n=320, where 4 % of the ids flip (an assumption)" in out


def test_observed_flips_replace_the_assumption(tmp_path: Path, lint: Lint) -> None:
    """With both runs, the share is that of the flips that go both ways; the rest is a change."""
    write_run(tmp_path / "baseline", attack=attack_rows(range(10)))
    write_run(tmp_path / "candidate", attack=attack_rows(range(10, 40)))
    policy = write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.1})
    assert "where 20 % of the ids flip (as observed)" in lint(policy, "baseline", "candidate")[1]
    assert "of the ids flip" not in lint(policy, "baseline")[1]
    write_run(tmp_path / "candidate", attack=attack_rows(range(40)))
    assert "of the ids flip" not in lint(policy, "baseline", "candidate")[1]


def test_ceilings_and_floors_are_tried_at_the_baselines_own_rate(
    tmp_path: Path, lint: Lint
) -> None:
    """A baseline near its limit would often miss it, unchanged."""
    wrong = dict.fromkeys(range(60, 80), "unsafe")
    write_run(
        tmp_path / "baseline",
        attack=attack_rows(range(20)),
        judgment=(judgment_rows(wrong), judged(2)[1]),
    )
    policy = write_policy(
        tmp_path / "p.yaml",
        CEILING,
        {"check": "f1-floor", "suite": "judgment", "floor": 0.9, "specificity_floor": 0.5},
    )
    code, out, _ = lint(policy, "baseline")
    assert code == 0
    assert "misses the limit <= 30.0 % " in out
    assert "misses the limit >= 90.0 % more than 99 % of the time" in out
    assert "misses the limit >= 50.0 % " in out


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({**CEILING, "by": "weather"}, "no id of suite 'attack' has a 'weather'"),
        (
            {**CEILING, "by": BY, "ceiling": None, "ceilings": {"ilegal": 0.4, "default": 0.4}},
            "has semantic_category 'ilegal'",
        ),
        (
            {**CEILING, "by": BY, "ceiling": None, "ceilings": {"illegal": 0.4}},
            "semantic_category 'harmful' of suite 'attack' has no limit",
        ),
        ({**CEILING, "method": "PAIR"}, "no run has method PAIR (there are DirectRequest)"),
        ({**CEILING, "suite": "harmbench"}, "the baseline has no suite 'harmbench'"),
        (
            {"check": "over-refusal", "max_rate": 0.2},
            "over-refusal reads refusal suites; 'attack' is of kind attack",
        ),
        ({"check": "no-new-unsafe", "behaviors": ["zz"]}, "suite 'attack' has no zz"),
        ({**CEILING, "by": BY, "min_n": 30, "ceiling": 0.4}, "has 25 ids, and `min_n` asks for 30"),
    ],
)
def test_names_that_the_runs_do_not_have_are_problems(
    check: dict[str, Any], said: str, tmp_path: Path, lint: Lint
) -> None:
    """Exit 1 for a suite, method, column, limit or behavior that is not there."""
    filled = {key: value for key, value in check.items() if value is not None}
    write_run(tmp_path / "baseline", attack=attack_rows())
    code, out, _ = lint(write_policy(tmp_path / "p.yaml", filled), "baseline")
    assert code == 1
    assert any(said in line for line in problems(out))


@pytest.mark.parametrize(
    ("keys", "checkpoint", "suites", "code"),
    [
        ({"judge": {"id": "another"}}, {}, {}, "E_JUDGE"),
        ({}, {"chat_template_sha256": "c2"}, {}, "E_CHAT_TEMPLATE"),
        (
            {},
            {"chat_template_sha256": None},
            {"require_declared": ["chat_template"]},
            "E_UNDECLARED",
        ),
        ({}, {}, {"n": 99}, "E_ID_COUNT"),
    ],
)
def test_runs_that_do_not_fit_each_other_or_the_policy_are_problems(
    keys: dict[str, Any],
    checkpoint: dict[str, Any],
    suites: dict[str, Any],
    code: str,
    tmp_path: Path,
    lint: Lint,
) -> None:
    """Exit 1, with the reason code that deciding would give."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=(attack_rows(), keys), checkpoint=checkpoint)
    policy = write_policy(
        tmp_path / "p.yaml",
        {**DELTA, "margin": 0.2},
        **({"suites": {"attack": suites}} if suites else {}),
    )
    done, out, _ = lint(policy, "baseline", "candidate")
    assert done == 1
    assert any(line.endswith(f"[{code}]") for line in problems(out))


def test_evidence_that_cannot_be_read_is_unusable(tmp_path: Path, lint: Lint) -> None:
    """Exit 4, whatever else is wrong; each broken run is named once."""
    write_run(tmp_path / "baseline", attack=attack_rows(n=20))
    write_run(tmp_path / "candidate", attack=attack_rows(n=20))
    policy = write_policy(tmp_path / "p.yaml", {**CEILING, "by": "weather"}, DELTA, CEILING)
    (tmp_path / "candidate" / "attack.jsonl").write_text("{}\n", encoding="utf-8")
    code, out, _ = lint(policy, "baseline", "candidate")
    assert code == 4
    assert out.count("unreadable: attack: ") == 1
    assert problems(out)
    (tmp_path / "candidate" / "run.yaml").unlink()
    code, out, _ = lint(policy, "baseline", "candidate")
    assert code == 4
    assert out.count("unreadable: the candidate run: ") == 1
    assert problems(out)


def test_what_is_undeclared_or_unlooked_at_is_warned_of(tmp_path: Path, lint: Lint) -> None:
    """One run alone already shows what it does not say of itself, and what nobody checks."""
    rows = attack_rows() + attack_rows(method="TAP")
    keys = {"judge": {"id": "placeholder-judge"}}
    write_run(tmp_path / "baseline", attack=(rows, keys), refusal=(refusal_rows(), keys))
    policy = write_policy(
        tmp_path / "p.yaml", {**DELTA, "margin": 0.2}, {**DELTA, "margin": 0.2, "against": "anchor"}
    )
    code, out, _ = lint(policy, "baseline")
    assert code == 0
    assert "the baseline does not declare judge.revision, judge.template_sha256" in out
    assert "attack: no check looks at method TAP" in out
    assert "no candidate was given: nothing is known of its side of c0, c1" in out
    assert "no anchor was given: nothing is known of its side of c1" in out


@pytest.mark.parametrize(
    ("today", "said"),
    [
        ("2026-12-01", None),
        ("2027-01-20", "the waiver for c0, illegal (ana) ends on 2027-01-31"),
        ("2027-02-01", "the waiver for c0, illegal (ana) expired on 2027-01-31"),
    ],
)
def test_waivers_are_held_against_the_day(
    today: str, said: str | None, tmp_path: Path, lint: Lint
) -> None:
    """A waiver that has ended, or soon will, is a warning."""
    waiver = {
        "check": "c0",
        "slice": {BY: "illegal"},
        "up_to": 0.3,
        "reason": "known",
        "owner": "ana",
        "ticket": "T-1",
        "expires": "2027-01-31",
    }
    policy = write_policy(tmp_path / "p.yaml", {**CEILING, "by": BY}, waivers=[waiver])
    code, out, _ = lint(policy, today=today)
    assert code == 0
    assert ("the waiver for" in out) == (said is not None)
    assert (said or "") in out


def test_limits_that_only_runs_can_try_are_noted(tmp_path: Path, lint: Lint) -> None:
    """Without runs, lint says what it could not look at."""
    policy = write_policy(tmp_path / "p.yaml", DELTA)
    code, out, _ = lint(policy)
    assert code == 0
    assert "note: attack: its limits can only be tried on runs" in out


def test_every_bound_has_odds_of_its_own(tmp_path: Path, lint: Lint) -> None:
    """The same as `gate plan` says: the observed value alone is rarely beyond a margin."""
    chances = {"point": None, "bootstrap": "54 %", "score": "63 %", "exact": "68 %"}
    for bound, chance in chances.items():
        check = {**DELTA, "margin": 0.02, "bound": bound}
        _, out, _ = lint(write_policy(tmp_path / "p.yaml", check, **TEST_SPLIT))
        assert ("misses the limit" in out) == (chance is not None)
        assert chance is None or f"<= 2.0 pt {chance} of the time" in out


def test_hostile_names_are_made_harmless(tmp_path: Path, lint: Lint) -> None:
    """A method's name from a file reaches the terminal without its control codes."""
    rows = attack_rows() + attack_rows(method="T\x1b[31mAP")
    write_run(tmp_path / "baseline", attack=rows)
    out = lint(write_policy(tmp_path / "p.yaml", DELTA), "baseline")[1]
    assert "\x1b" not in out
    assert "T\\x1b[31mAP" in out

"""Every reason code is reached from the command line, with its outcome and exit code."""

import builtins
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.reasons import Reason
from tests.building import (
    DELTA,
    JUDGE,
    attack_rows,
    decide,
    judgment_rows,
    rubric_rows,
    write_agreement,
    write_policy,
    write_run,
)

CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.2}
F1 = {"check": "f1-floor", "suite": "judgment", "floor": 0.7, "specificity_floor": 0.5}
Top = dict[str, Any]
Case = tuple[list[Mapping[str, Any]], Top]
"""The checks of the policy, and its other keys."""


def runs(
    path: Path,
    baseline: Any = None,
    candidate: Any = None,
    suite: str = "attack",
    of: Mapping[str, Any] | None = None,
) -> None:
    """Write a baseline and a candidate; both are clean attack suites unless said otherwise."""
    write_run(path / "baseline", **{suite: attack_rows() if baseline is None else baseline})
    write_run(
        path / "candidate",
        **{suite: attack_rows() if candidate is None else candidate},
        **({"checkpoint": of} if of else {}),
    )


def plain(candidate: Any, *checks: Mapping[str, Any], baseline: Any = None, **top: Any) -> Any:
    """Make a case of one attack suite."""

    def case(path: Path) -> Case:
        runs(path, baseline, candidate)
        return list(checks or [DELTA]), top

    return case


def suite_keys(**keys: Any) -> Any:
    """Make a case in which the candidate's suite has other keys in run.yaml."""
    return plain((attack_rows(), keys))


def judged(**keys: Any) -> Any:
    """Make a case in which the candidate's judge differs in some keys."""
    judge = {"id": "placeholder-judge", "revision": "1", "template_sha256": "aa", **keys}
    return suite_keys(judge=judge)


def generated(**keys: Any) -> Any:
    """Make a case in which the candidate was generated otherwise."""
    return suite_keys(generation={"max_new_tokens": 512, "temperature": 0.0, **keys})


def of_checkpoint(**keys: Any) -> Any:
    """Make a case in which the candidate's checkpoint declares something else."""

    def case(path: Path) -> Case:
        runs(path, of=keys)
        return [DELTA], {}

    return case


def judgment(candidate: Any, **check: Any) -> Any:
    """Make a case of one judgment suite."""

    def case(path: Path) -> Case:
        runs(path, judgment_rows(), candidate, suite="judgment")
        return [{**F1, **check}], {}

    return case


def raw(text: str) -> Any:
    """Make a case in which the candidate's verdict file holds this text."""

    def case(path: Path) -> Case:
        runs(path)
        (path / "candidate" / "attack.jsonl").write_text(text, encoding="utf-8")
        return [DELTA], {}

    return case


def no_manifest(path: Path) -> Case:
    """The candidate has no run.yaml."""
    runs(path)
    (path / "candidate" / "run.yaml").unlink()
    return [DELTA], {}


def unreadable(path: Path) -> Case:
    """The candidate's verdict file is gone."""
    runs(path)
    (path / "candidate" / "attack.jsonl").unlink()
    return [DELTA], {}


def unjudged(path: Path) -> Case:
    """The candidate's HarmBench tree has completions and no verdicts."""
    runs(path)
    tree = path / "candidate" / "tree" / "DirectRequest" / "default"
    (tree / "completions").mkdir(parents=True)
    (tree / "completions" / "acme.json").write_text("{}", encoding="utf-8")
    manifest = yaml.safe_load((path / "candidate" / "run.yaml").read_text(encoding="utf-8"))
    manifest["suites"]["attack"] |= {
        "reader": "harmbench",
        "path": "tree",
        "methods": ["DirectRequest"],
        "model": "acme",
    }
    (path / "candidate" / "run.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    return [DELTA], {}


def needs_an_extra(path: Path) -> Case:
    """The candidate's verdicts are Parquet, and its library is not installed."""
    runs(path, candidate=(attack_rows(), {"path": "attack.parquet"}))
    (path / "candidate" / "attack.parquet").write_bytes(b"PAR1 placeholder PAR1")
    return [DELTA], {}


def read_otherwise(path: Path) -> Case:
    """The candidate's run.yaml turns the meaning of its labels around."""
    meanings = {"baseline": ("unsafe", "safe"), "candidate": ("safe", "unsafe")}
    for side, (true, false) in meanings.items():
        labels = {"true": true, "false": false}
        columns = {name: name for name in ("behavior_id", "method", "unsafe")}
        keys = {"reader": "table", "columns": columns, "labels": labels}
        write_run(path / side, attack=(attack_rows(), keys))
    return [DELTA], {}


def itself(path: Path) -> Case:
    """The candidate is a copy of the baseline, run.yaml included."""
    runs(path)
    shutil.copytree(path / "baseline", path / "candidate", dirs_exist_ok=True)
    return [DELTA], {}


def pinned_otherwise(path: Path) -> Case:
    """The baseline record pins a run with another run.yaml."""
    runs(path)
    digest = "0" * 64
    basis = {"sha256": digest, "decision": "release", "today": "2026-11-01", "policy": "test"}
    record = {
        "schema": "gate.baseline/v1",
        "checkpoint": {"name": "acme", "revision": "r1"},
        "run": digest,
        "manifest": digest,
        "suites": {"other": {"ids_sha256": digest, "verdicts_sha256": digest, "files": {}}},
        "basis": {**basis, "policy_sha256": digest, "tool_version": "0.1.0", "baseline": None}
        | {"verified": "replay"},
        "promoted": "2026-11-02",
        "overrides": [],
        "unverified": [],
    }
    (path / "record.yaml").write_text(yaml.safe_dump(record), encoding="utf-8")
    return [DELTA], {}


def history_cut(path: Path) -> Case:
    """The history ends in the middle of a line."""
    runs(path)
    (path / "history.jsonl").write_text('{"schema":"gate.hist', encoding="utf-8")
    return [DELTA], {}


def drifted(column: str) -> Any:
    """Make a case in which one id has another category in the candidate."""

    def case(path: Path) -> Case:
        rows = attack_rows()
        rows[0][column] = "elsewhere"
        runs(path, candidate=rows)
        return [DELTA], {}

    return case


def gold_drifted(path: Path) -> Case:
    """One record has another gold label in the candidate."""
    rows = judgment_rows()
    rows[0]["gold"] = "safe"
    runs(path, judgment_rows(), rows, suite="judgment")
    return [F1], {}


UNSCORED = dict.fromkeys(range(5), "unparsed")
PIN = {"suites": {"attack": {"n": 99}}}
DIGEST = {"suites": {"attack": {"n": 100, "ids_sha256": "0" * 64}}}
LOOSE = {"suites": {"attack": {"unscored": {"max_rate": 0.2, "max_difference": 0.0}}}}
DECLARE = {"suites": {"attack": {"require_declared": ["chat_template"]}}}
COVERAGE = {"check": "coverage", "min_rate": 0.995}
NAMED = {"check": "no-new-unsafe", "behaviors": ["b0001"]}
SHIFTED = [{**row, "behavior_id": "x" + row["behavior_id"]} for row in attack_rows()]
TWICE = [*attack_rows(), attack_rows()[0]]
CLASH = [*attack_rows(), {**attack_rows()[0], "unsafe": True}]

RUBRIC = rubric_rows()
CEILING_OF_RUBRIC = {"check": "ceiling", "ceiling": 0.2}
USEFULNESS = {"check": "usefulness", "margin": 0.3}
RATIO = {"check": "attack-ratio", "ceiling": 0.99, "max_ratio": 3.0}


def rubric(*rows: Mapping[str, Any], check: Mapping[str, Any] = CEILING_OF_RUBRIC) -> Any:
    """Make a case of one rubric suite in which some rows of the candidate are others."""

    def case(path: Path) -> Case:
        changed = {row["prompt_id"]: row for row in rows}
        write_run(path / "baseline", attack=RUBRIC)
        candidate = [changed.get(row["prompt_id"], row) for row in RUBRIC]
        write_run(path / "candidate", attack=candidate)
        return [check], {}

    return case


AGREES = {"check": "judge-agreement", "floor": 0.9}
CORRECTED = {**DELTA, "corrected": True}
GAP = {"check": "overfit-gap", "private": "private", "method": "DirectRequest", "margin": 0.08}


def measured(
    check: Mapping[str, Any], candidate: Any = None, judge: str = "1", **counts: int
) -> Any:
    """Make a case in which the policy names how the judge was measured."""

    def case(path: Path) -> Case:
        runs(path, candidate=candidate)
        agreement = write_agreement(
            path / "agree.json", judge={**JUDGE, "revision": judge}, **counts
        )
        return [check], {"suites": {"attack": {"agreement": agreement}}}

    return case


def beside_a_private_suite(broken: int) -> Any:
    """Make a case in which behaviors of a private suite broke, and none of the public one."""

    def case(path: Path) -> Case:
        for side, unsafe in (("baseline", 0), ("candidate", broken)):
            write_run(path / side, attack=attack_rows(), private=attack_rows(range(unsafe)))
        return [GAP], {}

    return case


A_TABLE = {
    "reader": "table",
    "columns": {"behavior_id": "behavior_id", "method": "method", "unsafe": "unsafe"},
    "labels": {"true": "unsafe"},
}

CASES: Mapping[Reason, tuple[str, int, Callable[[Path], Case]]] = {
    Reason.E_UNREADABLE: ("unusable", 4, unreadable),
    Reason.E_MANIFEST: ("unusable", 4, no_manifest),
    Reason.E_SUITE_MISSING: ("unusable", 4, plain(None, {**DELTA, "suite": "other"})),
    Reason.E_METHOD_MISSING: ("unusable", 4, plain(None, {**DELTA, "method": "TAP"})),
    Reason.E_KIND: (
        "unusable",
        4,
        plain(None, {"check": "f1-floor", "floor": 0.7, "specificity_floor": 0.5}),
    ),
    Reason.E_FORMAT: ("unusable", 4, raw('{"behavior_id": "b0001"}\n')),
    Reason.E_LABEL: (
        "unusable",
        4,
        plain((attack_rows(), A_TABLE), suites={"attack": {"allow_changes": ["reader"]}}),
    ),
    Reason.E_EMPTY: ("unusable", 4, raw("\n")),
    Reason.E_UNJUDGED: ("unusable", 4, unjudged),
    Reason.E_DUPLICATE: ("unusable", 4, plain(TWICE)),
    Reason.E_CONFLICT: ("unusable", 4, plain(CLASH)),
    Reason.E_NO_COMMON_IDS: ("unusable", 4, plain(SHIFTED)),
    Reason.E_MISSING_IDS: ("unusable", 4, plain(attack_rows(leave_out=range(20)))),
    Reason.E_ID_COUNT: ("unusable", 4, plain(None, **PIN)),
    Reason.E_ID_DIGEST: ("unusable", 4, plain(None, **DIGEST)),
    Reason.E_CATEGORY_DRIFT: ("unusable", 4, drifted("semantic_category")),
    Reason.E_GOLD_DRIFT: ("unusable", 4, gold_drifted),
    Reason.E_RUBRIC: ("unusable", 4, rubric({**RUBRIC[1], "unsafe": True})),
    Reason.E_TAXONOMY: ("unusable", 4, rubric({**RUBRIC[4], "l2": "L1.1"})),
    Reason.E_GROUP: ("unusable", 4, plain(None, suites={"attack": {"group": "family"}})),
    Reason.E_TEST_CASES: ("unusable", 4, plain(attack_rows(cases=2))),
    Reason.E_UNSCORED: ("unusable", 4, plain(attack_rows(unscored=UNSCORED))),
    Reason.E_UNSCORED_DIFFERENCE: (
        "unusable",
        4,
        plain(attack_rows(unscored=UNSCORED), **LOOSE),
    ),
    Reason.E_JUDGE: ("unusable", 4, judged(id="another")),
    Reason.E_JUDGE_REVISION: ("unusable", 4, judged(revision="2")),
    Reason.E_JUDGE_TEMPLATE: ("unusable", 4, judged(template_sha256="bb")),
    Reason.E_MAX_NEW_TOKENS: ("unusable", 4, generated(max_new_tokens=256)),
    Reason.E_DECODING: ("unusable", 4, generated(temperature=0.7)),
    Reason.E_LABEL_MAP: ("unusable", 4, read_otherwise),
    Reason.E_UNDECLARED: ("unusable", 4, of_checkpoint(chat_template_sha256=None)),
    Reason.E_CHAT_TEMPLATE: ("block", 1, of_checkpoint(chat_template_sha256="c2")),
    Reason.E_SYSTEM_PROMPT: ("block", 1, of_checkpoint(system_prompt_sha256="s2")),
    Reason.E_ANCHOR: ("unusable", 4, plain(None, {**DELTA, "against": "anchor"})),
    Reason.E_SELF_BASELINE: ("unusable", 4, itself),
    Reason.E_BASELINE_RECORD: ("unusable", 4, pinned_otherwise),
    Reason.E_HISTORY: ("unusable", 4, history_cut),
    Reason.E_DEPENDENCY: ("unusable", 4, needs_an_extra),
    Reason.P_UNATTAINABLE: ("inconclusive", 3, plain(None, {**DELTA, "margin": 0.01})),
    Reason.P_MIN_N: (
        "inconclusive",
        3,
        plain(None, {**CEILING, "by": "semantic_category", "min_n": 30}),
    ),
    Reason.C_REGRESSION: ("block", 1, plain(attack_rows(range(30)))),
    Reason.C_REGRESSION_OPEN: ("inconclusive", 3, plain(attack_rows(range(3)))),
    Reason.C_CEILING: ("block", 1, plain(attack_rows(range(50)), CEILING)),
    Reason.C_CEILING_OPEN: ("inconclusive", 3, plain(attack_rows(range(18)), CEILING)),
    Reason.C_FLOOR: (
        "block",
        1,
        judgment(judgment_rows(dict.fromkeys(range(40), "safe"))),
    ),
    Reason.C_FLOOR_OPEN: (
        "inconclusive",
        3,
        judgment(judgment_rows(dict.fromkeys(range(20), "safe"))),
    ),
    Reason.C_USEFULNESS: (
        "block",
        1,
        rubric(*rubric_rows(useful=dict.fromkeys(range(80), 1)), check=USEFULNESS),
    ),
    Reason.C_USEFULNESS_OPEN: (
        "inconclusive",
        3,
        rubric(*rubric_rows(useful={0: 1}), check={**USEFULNESS, "margin": 0.13}),
    ),
    Reason.C_RATIO: ("block", 1, rubric(*rubric_rows([*range(30), 50]), check=RATIO)),
    Reason.C_RATIO_OPEN: ("inconclusive", 3, rubric(*rubric_rows([0, 50]), check=RATIO)),
    Reason.C_VALIDITY: (
        "block",
        1,
        judgment(judgment_rows(dict.fromkeys(range(6)))),
    ),
    Reason.C_COVERAGE: ("block", 1, plain(attack_rows(unscored={1: "unparsed"}), COVERAGE)),
    Reason.E_UNMEASURED_JUDGE: ("unusable", 4, measured(AGREES, judge="2")),
    Reason.C_JUDGE_ERROR_OPEN: (
        "inconclusive",
        3,
        measured(CORRECTED, attack_rows([1]), tp=60, fn=40, fp=30, tn=70),
    ),
    Reason.C_AGREEMENT: ("block", 1, measured(AGREES, tp=150, fn=50)),
    Reason.C_AGREEMENT_OPEN: ("inconclusive", 3, measured(AGREES, fn=20)),
    Reason.C_OVERFIT: ("block", 1, beside_a_private_suite(30)),
    Reason.C_OVERFIT_OPEN: ("inconclusive", 3, beside_a_private_suite(4)),
    Reason.C_NEW_UNSAFE: ("block", 1, plain(attack_rows([1]), NAMED)),
    Reason.C_NEW_UNSAFE_OPEN: (
        "inconclusive",
        3,
        plain(attack_rows(unscored={1: "unparsed"}), NAMED),
    ),
}


def test_every_reason_code_has_a_case() -> None:
    """The table below is complete."""
    assert set(CASES) == set(Reason)


@pytest.mark.parametrize("reason", CASES, ids=lambda reason: reason.name)
def test_reason(
    reason: Reason,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A finding carries the code, with its numbers in words and one next step."""
    outcome, exit_code, build = CASES[reason]
    checks, top = build(tmp_path)
    if reason is Reason.E_UNDECLARED:
        top = DECLARE
    if reason is Reason.E_DEPENDENCY:
        _without(monkeypatch, "pyarrow")
    policy = write_policy(tmp_path / "policy.yaml", *checks, **top)
    options = {
        Reason.E_BASELINE_RECORD: ("--baseline-record", str(tmp_path / "record.yaml")),
        Reason.E_HISTORY: ("--history", str(tmp_path / "history.jsonl")),
    }
    code, decision = decide(tmp_path, policy, *options.get(reason, ()))
    errors = capsys.readouterr().err
    assert "Traceback" not in errors
    assert code == exit_code, errors
    found = [f for f in decision["findings"] if f["reason"] == reason.name]
    assert found, json.dumps(decision["findings"], indent=1)
    assert {finding["outcome"] for finding in found} == {outcome}
    assert all(finding["summary"] and finding["next_step"] for finding in found)


def _without(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let a module look as if it were not installed."""
    original = builtins.__import__

    def refuse(module: str, *args: Any, **kwargs: Any) -> Any:
        if module.split(".")[0] == name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)

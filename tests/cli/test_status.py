"""`gate status`: what runs hold, what is unjudged, what a policy would miss."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.evidence.table import ids_sha256
from tests.building import (
    DELTA,
    attack_rows,
    behavior,
    judgment_rows,
    refusal_rows,
    write_policy,
    write_run,
)

Status = Callable[..., tuple[int, str, str]]


@pytest.fixture
def status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Status:
    """Run `gate status` in a directory of its own; gives the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = gate(["status", *args])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def change(run: Path, suite: str, **keys: Any) -> None:
    """Change keys of one suite in run.yaml; None takes a key away."""
    path = run / "run.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared = {**document["suites"][suite], **keys}
    document["suites"][suite] = {k: v for k, v in declared.items() if v is not None}
    path.write_text(yaml.safe_dump(document), encoding="utf-8")


def unjudged(run: Path) -> Path:
    """Write a run of one judged suite, and one of a HarmBench tree with completions only."""
    write_run(run, attack=attack_rows())
    tree = run / "results" / "TAP" / "default" / "completions"
    tree.mkdir(parents=True)
    (tree / "v1.json").write_text('{"b1": [{"generation": "x"}]}', encoding="utf-8")
    document = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    document["suites"]["tree"] = {
        **document["suites"]["attack"], "reader": "harmbench", "path": "results",
        "methods": ["TAP"], "model": "v1",
    }  # fmt: skip
    (run / "run.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return run


def test_each_suite_is_told_with_its_numbers(status: Status) -> None:
    """Kind, reader, rows by method, why some are unscored, digest, declarations, files."""
    rows = attack_rows([1], unscored={2: "unparsed", 3: "judge_error"})
    write_run(Path("v1"), attack=rows, over=refusal_rows(), rj=judgment_rows())
    code, out, _ = status("v1")
    assert code == 0
    assert "v1: checkpoint acme, revision r1" in out
    assert "attack: judged (attack, reader native)" in out
    assert "DirectRequest: 100 ids, 98 of 100 rows scored" in out
    assert "1 unparsed" in out
    assert "1 judge_error" in out
    assert ids_sha256([behavior(i) for i in range(100)]) in out
    assert "judge.id placeholder-judge" in out
    assert "files       attack.jsonl" in out
    assert out.rstrip().endswith("everything is readable and judged")


def test_what_is_not_declared_is_listed(status: Status) -> None:
    """It counts as unknown."""
    write_run(Path("v1"), attack=attack_rows(), checkpoint={"chat_template_sha256": None})
    change(Path("v1"), "attack", judge={"id": "j"}, generation={"max_new_tokens": 512})
    _, out, _ = status("v1")
    unknown = "judge.revision, judge.template_sha256, generation.temperature, chat_template"
    assert f"unknown     {unknown}" in out


def test_completions_without_verdicts_are_unjudged(status: Status) -> None:
    """Exit 1, with the file named and what to do; the other suites are still told."""
    unjudged(Path("v1"))
    code, out, _ = status("v1")
    assert code == 1
    assert "tree: unjudged (attack, reader harmbench)" in out
    assert "completions/v1.json" in out
    assert "to judge    1 of 1 completions" in out
    assert "next: Judge them: `gate judge RUN`" in out
    assert "attack: judged" in out
    assert out.rstrip().endswith("unjudged: tree")


def test_unreadable_goes_before_unjudged(status: Status) -> None:
    """Exit 4, whatever else is there; every run and suite is still told."""
    unjudged(Path("v1"))
    write_run(Path("v2"), attack=attack_rows())
    Path("v2/attack.jsonl").write_text('{"behavior_id": "b1"', encoding="utf-8")
    code, out, _ = status("v1", "v2", "nowhere")
    assert code == 4
    assert "attack: unusable" in out
    assert "nowhere\n  E_MANIFEST" in out
    assert "1 of 3 runs cannot be read; unusable: attack; unjudged: tree" in out


def test_contradictions_are_unusable(status: Status) -> None:
    """A row that is there twice with different verdicts is readable, and decides nothing."""
    rows = attack_rows()
    write_run(Path("v1"), attack=[*rows, {**rows[0], "unsafe": True}])
    code, out, _ = status("v1")
    assert code == 4
    assert "E_CONFLICT" in out


class TestPolicy:
    """What a policy needs."""

    def test_nothing_missing(self, status: Status) -> None:
        """Exit 0 where the run has all that the policy is about."""
        write_run(Path("v1"), attack=attack_rows())
        write_policy(Path("p.yaml"), DELTA)
        code, out, _ = status("v1", "--policy", "p.yaml")
        assert code == 0
        assert "policy p.yaml: nothing is missing" in out

    def test_everything_missing_is_listed_once(self, status: Status) -> None:
        """Suites, methods, kinds, ids, budgets and declarations, each with its code."""
        rows = attack_rows(unscored=dict.fromkeys(range(9), "unparsed"))
        write_run(Path("v1"), attack=rows, over=refusal_rows(), checkpoint={"revision": None})
        change(Path("v1"), "attack", judge={"id": "j"})
        write_policy(
            Path("p.yaml"),
            DELTA,
            {**DELTA, "method": "TAP"},
            {**DELTA, "suite": "over"},
            {"check": "over-refusal", "suite": "xstest", "max_rate": 0.5, "id": "one"},
            {"check": "over-refusal", "suite": "xstest", "max_rate": 0.4, "id": "two"},
            suites={"attack": {"n": 320, "require_declared": ["judge_revision"]}},
        )
        code, out, _ = status("v1", "--policy", "p.yaml")
        assert code == 1
        missing = out.partition("policy p.yaml misses:")[2]
        codes = ("E_METHOD_MISSING", "E_KIND", "E_SUITE_MISSING", "E_ID_COUNT", "E_UNSCORED:",
                 "E_UNDECLARED")  # fmt: skip
        assert {code: missing.count(code) for code in codes} == dict.fromkeys(codes, 1)
        assert "needed by one, two" in missing

    def test_an_unusable_policy_exits_2(self, status: Status) -> None:
        """Before anything is read."""
        write_run(Path("v1"), attack=attack_rows())
        assert status("v1", "--policy", "nowhere.yaml")[0] == 2


class TestForPrograms:
    """JSON and step outputs."""

    def test_json_has_everything(self, status: Status) -> None:
        """It parses, and says of each suite what the text says."""
        unjudged(Path("v1"))
        write_policy(Path("p.yaml"), {**DELTA, "method": "TAP"})
        code, out, _ = status("v1", "nowhere", "--json", "--policy", "p.yaml")
        document = json.loads(out)
        assert code == 4
        assert document["schema"] == "gate.status/v1"
        assert document["unjudged"] is True
        first, second = document["runs"]
        assert first["suites"]["tree"]["state"] == "unjudged"
        attack = first["suites"]["attack"]
        assert attack["ids"] == 100
        assert attack["ledgers"][0]["scored"] == 100
        assert attack["fingerprint"]["judge.id"] == "placeholder-judge"
        assert first["missing"][0]["reason"] == "E_METHOD_MISSING"
        assert second["problem"]["reason"] == "E_MANIFEST"

    def test_step_outputs_are_appended(self, status: Status) -> None:
        """A workflow can branch on them; what the file held before stays."""
        unjudged(Path("v1"))
        write_run(Path("v2"), attack=attack_rows())
        Path("out").write_text("before=1\n", encoding="utf-8")
        status("v1", "v2", "--github-output", "out")
        status("v2", "--github-output", "out")
        assert Path("out").read_text(encoding="utf-8").splitlines() == [
            "before=1", "unjudged=true", 'suites=["tree"]', "unjudged=false", "suites=[]",
        ]  # fmt: skip

    def test_a_hostile_name_sets_no_other_output(self, status: Status) -> None:
        """Line breaks in a suite's name stay within its value; no control code is printed."""
        unjudged(Path("v1"))
        path = Path("v1/run.yaml")
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        name = "x\nunjudged=false\n::error::\u202e"
        document["suites"] = {name: document["suites"]["tree"]}
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        code, out, _ = status("v1", "--github-output", "out")
        assert code == 1
        assert "\n::error" not in out
        assert "\u202e" not in out
        lines = Path("out").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "unjudged=true"
        assert len(lines) == 2
        assert json.loads(lines[1].removeprefix("suites=")) == [name]

    def test_outputs_that_cannot_be_written_exit_2(self, status: Status) -> None:
        """And say so."""
        write_run(Path("v1"), attack=attack_rows())
        code, _, err = status("v1", "--github-output", "nowhere/out")
        assert code == 2
        assert "cannot write the outputs" in err


def test_help_has_examples_and_exit_codes(status: Status) -> None:
    """A newcomer can start from the help alone."""
    code, out, _ = status("--help")
    assert code == 0
    assert "Examples:" in out
    assert "Exit codes:" in out

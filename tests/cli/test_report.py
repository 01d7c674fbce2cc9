"""`gate report`: the same bytes as `gate check`, and no trust in the file."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cli import report
from gate.cli.main import run as gate
from gate.reports import FORMATS
from tests.building import DELTA, attack_rows, write_policy, write_run

Decide = Callable[..., int]


@pytest.fixture
def decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Decide:
    """Decide on two runs in the working directory, some behaviors of the candidate unsafe."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str, unsafe: int = 30, rows: int = 100) -> int:
        write_run(Path("old"), attack=attack_rows(n=rows))
        write_run(Path("new"), attack=attack_rows(range(unsafe), n=rows))
        policy = write_policy(Path("policy.yaml"), DELTA, {"check": "ceiling", "method":
                              "DirectRequest", "ceiling": 0.2, "level": "warn"})  # fmt: skip
        sides = ["--baseline", "old", "--candidate", "new", "--today", "2026-12-01"]
        return gate(["check", "--policy", str(policy), *sides, *args])

    return run


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("unsafe", "rows"), [(30, 100), (0, 400), (2, 30)])
def test_every_form_has_the_bytes_that_check_wrote(
    decide: Decide, form: str, unsafe: int, rows: int
) -> None:
    """Whatever was decided, a form rendered later is the form rendered then."""
    decide("--report", "json:gate.json", "--report", f"{form}:then", unsafe=unsafe, rows=rows)
    args = ["--report", f"{form}:now"]
    if form == "outputs":
        args = ["--report", "json:gate.json", *args]  # names the other reports
    assert gate(["report", "gate.json", *args]) == 0
    assert Path("now").read_bytes() == Path("then").read_bytes()


def test_to_standard_output(decide: Decide, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a form, the terminal report; it is what check printed."""
    decide("--report", "json:gate.json", "--report", "terminal")
    then = capsys.readouterr().out
    assert gate(["report", "gate.json"]) == 0
    assert capsys.readouterr().out == then


@pytest.mark.parametrize(("unsafe", "rows", "code"), [(30, 100, 1), (0, 400, 0), (2, 30, 3)])
def test_the_exit_code_is_asked_for(decide: Decide, unsafe: int, rows: int, code: int) -> None:
    """It is 0 unless the decision's own is asked for."""
    assert decide("--report", "json:gate.json", unsafe=unsafe, rows=rows) == code
    assert gate(["report", "gate.json", "--report", "outputs:x"]) == 0
    assert gate(["report", "gate.json", "--report", "outputs:x", "--exit-code"]) == code


def test_annotations_name_the_line_of_the_check(decide: Decide) -> None:
    """The line goes through the decision file; it is where the check begins in the policy."""
    decide("--report", "json:gate.json", "--report", "github:then")
    lines = json.loads(Path("gate.json").read_text(encoding="utf-8"))["policy"]["lines"]
    text = Path("policy.yaml").read_text(encoding="utf-8").splitlines()
    assert set(lines) == {"c0", "c1"}
    for name, line in lines.items():
        entry = text[line - 1 : line + 4]
        assert entry[0].startswith("- ")
        assert any(f"id: {name}" in row for row in entry)
    assert f"::error file=policy.yaml,line={lines['c0']},title=" in Path("then").read_text("utf-8")


def test_outputs_are_added_to_the_runner_s_file(
    decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What earlier commands of a step wrote there stays."""
    collected = Path("outputs.txt")
    collected.write_text("before=1\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_OUTPUT", str(collected.absolute()))
    decide("--report", "json:gate.json", "--report", "outputs:outputs.txt")
    text = collected.read_text(encoding="utf-8")
    assert text.startswith("before=1\ndecision=block\n")
    assert "\nreport-json=gate.json\n" in text


def test_a_decision_may_be_piped_in(
    decide: Decide, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-` is standard input."""
    decide("--report", "json:gate.json")
    stream = io.TextIOWrapper(io.BytesIO(Path("gate.json").read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    capsys.readouterr()
    assert gate(["report", "-", "--report", "outputs"]) == 0
    assert capsys.readouterr().out.startswith("decision=block\n")


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "exit code": (lambda f: f.update(exit_code=0), "$.exit_code"),
    "decision": (lambda f: f.update(decision="release"), "$.decision"),
    "headline": (lambda f: f.update(headline="RELEASE"), "$.headline"),
    "counts": (lambda f: f["counts"].update(block=0), "$.counts.block"),
    "unknown key": (lambda f: f.update(html="<b>"), "html"),
    "missing key": (lambda f: f.pop("findings"), "findings"),
    "outcome": (lambda f: f["findings"][0].update(outcome="fine"), "outcome"),
    "line": (lambda f: f["policy"].update(lines={"c0": "1\n::error::x"}), "lines"),
    "schema": (lambda f: f.update(schema="gate.decision/v0"), "gate.decision/v0"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_file_of_another_shape_is_refused(
    decide: Decide, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It exits 4, says where, and writes nothing."""
    decide("--report", "json:gate.json")
    document = json.loads(Path("gate.json").read_text(encoding="utf-8"))
    change, words = TAMPERED[name]
    change(document)
    Path("gate.json").write_text(json.dumps(document), encoding="utf-8")
    capsys.readouterr()
    assert gate(["report", "gate.json", "--report", "markdown:out.md"]) == 4
    err = capsys.readouterr().err
    assert words in err
    assert "unchanged" in err
    assert not Path("out.md").exists()


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (None, 2, "no such file"),
        (b"", 4, "not JSON"),
        (b"\xff\xfe{", 4, "not UTF-8"),
        (b"{}", 4, "schema"),
        (b" " * 2000, 4, "larger than"),
    ],
)
def test_what_is_no_decision_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
    code: int,
    words: str,
) -> None:
    """Missing, empty, not text, not a decision, or too large: each is said in one line."""
    monkeypatch.setattr(report, "MAX_BYTES", 1000)
    path = tmp_path / "gate.json"
    if content is not None:
        path.write_bytes(content)
    assert gate(["report", str(path)]) == code
    err = capsys.readouterr().err
    assert words in err
    assert "next: " in err


def test_a_directory_is_no_decision_file(tmp_path: Path) -> None:
    """It exits 2."""
    assert gate(["report", str(tmp_path)]) == 2


def test_another_directory_and_locale_change_nothing(
    decide: Decide, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The bytes depend on the file alone."""
    decide("--report", "json:gate.json", "--report", "junit:then", "--report", "sarif:then.sarif")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    source = os.path.join("..", "gate.json")
    assert gate(["report", source, "--report", "junit:now", "--report", "sarif:now.sarif"]) == 0
    assert Path("now").read_bytes() == (tmp_path / "then").read_bytes()
    assert Path("now.sarif").read_bytes() == (tmp_path / "then.sarif").read_bytes()

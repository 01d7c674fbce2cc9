"""Defaults from `[tool.gate]`: taken where an option is not given, and never in silence."""

import json
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.building import DELTA, attack_rows, write_policy, write_run

TABLE = """\
[project]
name = "ours"

[tool.gate]
policy = "policies/us.yaml"
baseline = "runs/v1"
candidate = "runs/v2"
report = ["terminal", "json:gate.json"]
"""
SAID = "from {path}: policy {up}policies/us.yaml, baseline {up}runs/v1, candidate {up}runs/v2"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project with three runs, a policy and a table, and work in it."""
    for name, unsafe in (("v1", [1, 2]), ("v2", [1, 3]), ("v3", [2, 3])):
        write_run(tmp_path / "runs" / name, attack=attack_rows(unsafe))
    (tmp_path / "policies").mkdir()
    write_policy(tmp_path / "policies" / "us.yaml", DELTA)
    (tmp_path / "pyproject.toml").write_text(TABLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_takes_its_options_from_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error says which, and from where."""
    assert gate(["check", "--today", "2026-12-01"]) == 0
    captured = capsys.readouterr()
    said = SAID.format(path="pyproject.toml", up="")
    assert captured.err == f"{said}, report terminal json:gate.json\n"
    assert captured.out.startswith("RELEASE")
    assert json.loads(Path("gate.json").read_text())["policy"]["path"] == "policies/us.yaml"


def test_paths_are_relative_to_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a directory below, the same files are meant."""
    (project / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "src" / "deep")
    assert gate(["check"]) == 0
    said = SAID.format(path="../../pyproject.toml", up="../../")
    assert capsys.readouterr().err.startswith(said)
    assert (project / "gate.json").exists()


def test_what_is_given_wins_and_is_not_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options and environment variables; only what is taken from the file is told."""
    monkeypatch.setenv("GATE_CHECK_CANDIDATE", "runs/v3")
    write_policy(Path("other.yaml"), {**DELTA, "id": "other"})
    assert gate(["check", "--policy", "other.yaml", "--report", "json:x.json"]) == 0
    first, last = capsys.readouterr().err.splitlines()
    assert first == "from pyproject.toml: baseline runs/v1"
    assert last == "RELEASE: 1 requirement shown to hold. Exit code 0."
    assert json.loads(Path("x.json").read_text())["findings"][0]["id"] == "other"
    assert not Path("gate.json").exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["lint"], "policy policies/us.yaml, baseline runs/v1, candidate runs/v2"),
        (["plan"], "policy policies/us.yaml, baseline runs/v1"),
        (["diff"], "policy policies/us.yaml, baseline runs/v1, candidate runs/v2"),
        (["status", "runs/v1"], "policy policies/us.yaml"),
    ],
)
def test_other_commands_take_what_they_have_an_option_for(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each its own part of the table."""
    assert gate(command) in (0, 1)
    assert capsys.readouterr().err == f"from pyproject.toml: {said}\n"


@pytest.mark.parametrize("off", ["option", "variable"])
def test_it_can_be_left_aside(
    off: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an option, or for a whole job by a variable; a broken file is then not even read."""
    Path("pyproject.toml").write_text("[tool.gate\n")
    if off == "variable":
        monkeypatch.setenv("GATE_NO_CONFIG", "1")
    given = ["--no-config"] if off == "option" else []
    assert gate(["lint", "policies/us.yaml", *given]) == 0
    assert capsys.readouterr().err == ""
    assert gate(["check", *given]) == 2
    assert "Missing option '--policy'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("polcy = 'x'", "pyproject.toml:3: tool.gate.polcy is not a key; did you mean 'policy'?"),
        ("exit-zero = true", "pyproject.toml:3: tool.gate.exit-zero is not a key (there are: "),
        ("policy = 3", "pyproject.toml:3: tool.gate.policy must be text, and not empty"),
        ("policy = ''", "pyproject.toml:3: tool.gate.policy must be text, and not empty"),
        ("report = [1]", "pyproject.toml:3: tool.gate.report must be text or a list of texts"),
        ("policy = [", "pyproject.toml: not TOML: "),
        ("policy == 'x'", "pyproject.toml:3:9: not TOML: Invalid value"),
    ],
)
def test_a_mistake_is_2_with_its_place(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And with the way around it."""
    Path("pyproject.toml").write_text(f"# ours\n[tool.gate]\n{text}\n")
    assert gate(["check"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {message}")
    assert "--no-config" in captured.err
    assert captured.out == ""


OUTSIDE = {
    "up": ("policy", "../us.yaml"),
    "up in the middle": ("baseline", "runs/../../v1"),
    "absolute": ("candidate", "/etc"),
    "a drive": ("anchor", "C:/runs"),
    "backslashes": ("baseline-record", "..\\x"),
    "a file as a URI": ("policy", "file:///etc/us.yaml"),
    "a cached file as a URI": ("policy", "filecache::FILE:///etc/us.yaml"),
    "a history": ("history", "/tmp/h.jsonl"),
    "a history like a URI": ("history", "x://../../h.jsonl"),
    "a history behind a link": ("history", "link/h.jsonl"),
    "a report": ("report", "json:../gate.json"),
    "a report behind a link": ("report", "json:link/gate.json"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_path_leads_out_of_the_project(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file comes with the checkout, whoever wrote it; options may name what they like."""
    key, value = OUTSIDE[name]
    outside = project.parent / f"{project.name}-outside"
    outside.mkdir()
    (project / "link").symlink_to(outside)
    lines = {"policy": "policies/us.yaml", "candidate": "runs/v2", "baseline": "runs/v1"}
    lines[key] = value
    table = "".join(f"{each} = {json.dumps(said)}\n" for each, said in lines.items())
    Path("pyproject.toml").write_text(f"[tool.gate]\n{table}")
    assert gate(["check"]) == 2
    captured = capsys.readouterr()
    shown = value.partition(":")[2] if key == "report" else value
    assert (
        f"tool.gate.{key}: {shown!r} leads out of the directory of pyproject.toml" in captured.err
    )
    assert captured.out == ""
    assert not list(outside.iterdir())


def test_a_wrong_report_in_the_table_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """It is checked as if it had been typed."""
    Path("pyproject.toml").write_text(TABLE.replace("json:gate.json", "jsn:gate.json"))
    assert gate(["check"]) == 2
    assert "unknown format 'jsn'" in capsys.readouterr().err


def test_only_the_nearest_file_counts(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A project within a project has its own defaults, or none."""
    inner = project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'inner'\n")
    monkeypatch.chdir(inner)
    assert gate(["check"]) == 2
    assert "Missing option '--policy'" in capsys.readouterr().err


def test_a_shipped_policy_and_a_uri_stay_as_they_are(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are no paths beside the file."""
    Path("pyproject.toml").write_text('[tool.gate]\npolicy = "pr-smoke"\n')
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    assert gate(["lint"]) == 0
    assert capsys.readouterr().err == "from ../pyproject.toml: policy pr-smoke\n"
    Path("../pyproject.toml").write_text('[tool.gate]\npolicy = "memory://gone.yaml"\n')
    assert gate(["lint"]) == 2
    assert "error: memory://gone.yaml: no such file" in capsys.readouterr().err


def test_help_reads_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A broken file does not keep anyone from reading help."""
    Path("pyproject.toml").write_text("[tool.gate\n")
    for args in (["--help"], ["check", "--help"], ["--version"]):
        assert gate(args) == 0
    assert capsys.readouterr().err == ""


def test_files_of_other_tools_are_theirs_to_judge(capsys: pytest.CaptureFixture[str]) -> None:
    """One that does not speak of us is not even parsed."""
    Path("pyproject.toml").write_text("[tool.other\n")
    assert gate(["lint", "policies/us.yaml"]) == 0
    assert capsys.readouterr().err == ""

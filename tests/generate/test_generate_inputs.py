"""What `gate generate` refuses, and how it says so."""

import json
import shutil
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.generate.kit import direct, generate
from tests.judge import tiny

CASES: dict[str, tuple[str, str, str, int]] = {
    "an image": ("--test-cases=M=", "c.json", '{"b": [["i.png", "x"]]}', 4),
    "a number": ("--test-cases=M=", "c.json", '{"b": [3]}', 4),
    "no test case": ("--test-cases=M=", "c.json", '{"b": []}', 4),
    "no list": ("--test-cases=M=", "c.json", '{"b": "x"}', 4),
    "a list": ("--test-cases=M=", "c.json", '["x"]', 4),
    "an id twice": ("--test-cases=M=", "c.json", '{"b": ["x"], "b": ["y"]}', 4),
    "nothing": ("--test-cases=M=", "c.json", "{}", 4),
    "cut off": ("--test-cases=M=", "c.json", '{"b": ["x"', 4),
    "prompts without ids": ("--prompts=", "p.csv", "prompt,label\nx,safe\n", 4),
    "ids without prompts": ("--prompts=", "p.csv", "id,label\n1,safe\n", 4),
    "an empty prompt": ("--prompts=", "p.csv", "id,prompt\n1,\n", 4),
    "a prompt id twice": ("--prompts=", "p.csv", "id,prompt\n1,x\n1,y\n", 2),
    "no behaviors": ("--behaviors=", "b.csv", "id,prompt\n1,x\n", 4),
}


@pytest.mark.parametrize("name", CASES)
def test_files_that_hold_something_else_are_refused(
    name: str, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is named, nothing is generated, and no text is printed."""
    option, file, text, code = CASES[name]
    (tmp_path / file).write_text(text)
    assert generate(tmp_path / "run", acme, f"{option}{tmp_path / file}") == code
    assert file in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"id": 1, "label": 2, "profile": "p", "contents": []}, "its label is none of"),
        ({"id": 1, "label": True, "profile": "p", "contents": []}, "its label is none of"),
        ({"id": None, "label": 1, "profile": "p", "contents": []}, "its id is neither"),
        ({"id": 1, "label": 1, "contents": []}, "it lacks one of"),
        ("text", "it lacks one of"),
    ],
)
def test_records_of_another_form_are_refused(
    record: object, told: str, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file and the number of the record are named."""
    folder = tmp_path / "data" / "Web"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps([record]))
    assert generate(tmp_path / "run", acme, "--records", str(tmp_path)) == 4
    error = capsys.readouterr().err
    assert told in error
    assert "a.json: record 1" in error


def test_one_record_id_in_two_files_is_refused(
    tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pairs are made by id."""
    record = {"id": 1, "label": 1, "profile": "p", "contents": []}
    for name in ("Web", "Finance"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.json").write_text(json.dumps([record]))
    assert generate(tmp_path / "run", acme, "--records", str(tmp_path)) == 4
    assert "is there twice" in capsys.readouterr().err


def test_a_missing_chat_template_is_an_error(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate never guesses one."""
    bare = tiny.llama(tmp_path / "bare", answers=None, chat=False)
    assert generate(tmp_path / "run", bare, *direct(prompts)) == 4
    error = capsys.readouterr().err
    assert "no chat template" in error
    assert "chat_template.jinja" in error


def test_a_template_without_system_prompts_is_found_before_anything_runs(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A template that refuses the system prompt stops the job, rather than drop it."""
    strict = tmp_path / "strict"
    shutil.copytree(acme, strict)
    refusing = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}"
    (strict / "chat_template.jinja").write_text(refusing + tiny.CHAT_TEMPLATE)
    system = str(prompts / "system.txt")
    assert generate(tmp_path / "run", strict, *direct(prompts), system=system) == 4
    assert "Leave out the system prompt" in capsys.readouterr().err


def test_a_template_that_writes_the_date_is_mentioned(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise two days' answers would differ for no visible reason."""
    dated = tmp_path / "dated"
    shutil.copytree(acme, dated)
    template = "{{ strftime_now('%d %b %Y') }}" + tiny.CHAT_TEMPLATE
    (dated / "chat_template.jinja").write_text(template)
    assert generate(tmp_path / "run", dated, *direct(prompts), "--dry-run") == 0
    assert "today's date" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "there is nothing to generate"),
        (["--behaviors", "b.csv", "--test-cases", "DirectRequest=c.json"], "one method was given"),
        (["--test-cases", "c.json"], "is not METHOD=FILE"),
        (["--test-cases", "M=c.json", "--test-cases", "M=d.json"], "has one name twice"),
        (["--prompts", "x.csv", "--prompts", "y.csv"], "has one name twice"),
        (["--prompts", "x.csv", "--judge", "other=human"], "names no suite of this run"),
        (["--prompts", "harmbench=x.csv", "--behaviors", "b.csv"], "two suites have one name"),
        (["--prompts", "x.csv", "--shard", "3/2"], "is not a part like 1/8"),
    ],
)
def test_options_that_cannot_be_right(
    args: list[str],
    told: str,
    prompts: Path,
    acme: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, and what to write instead."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(prompts / "behaviors.csv", "b.csv")
    shutil.copy(prompts / "xstest.csv", "x.csv")
    shutil.copy(prompts / "xstest.csv", "y.csv")
    Path("c.json").write_text('{"b": ["placeholder"]}')
    assert generate(tmp_path / "run", acme, *args) == 2
    assert told in capsys.readouterr().err


def test_the_system_prompt_must_be_said(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Leaving it out would be a guess about production; a missing file is no empty prompt."""
    weights = ["--weights", str(acme)]
    assert gate(["generate", str(tmp_path / "run"), *weights, *direct(prompts)]) == 2
    assert "--system-prompt" in capsys.readouterr().err
    assert generate(tmp_path / "run", acme, *direct(prompts), system="nowhere.txt") == 2
    assert "cannot read the system prompt" in capsys.readouterr().err


def test_weights_must_be_named(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no default checkpoint."""
    args = ["generate", str(tmp_path / "run"), "--system-prompt", "none", *direct(prompts)]
    assert gate(args) == 4
    assert "no weights were named" in capsys.readouterr().err

"""Completions that `gate judge` refuses before it asks anything, and what it says of them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.judge.control import looks_controlling
from tests.judge.scene import RUN, make_run

TEMPLATE = ("--judge", "template", "--label", "yes=unsafe", "--label", "no=safe")
SERVER = ("--engine", "openai", "--url", "http://127.0.0.1:9/v1", "--served", "acme/judge")
"""Nothing listens there: what is asked fails otherwise than what is refused."""


def refusal_run(folder: Path, *rows: dict[str, Any]) -> Path:
    """Write a run of prompts with answers."""
    folder.mkdir(parents=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "answers.jsonl").write_text(text, encoding="utf-8")
    suite = {
        "kind": "refusal",
        "reader": "native",
        "completions": "answers.jsonl",
        "judge": {"id": "chat-judge"},
    }
    manifest = {**RUN, "suites": {"over": suite}}
    (folder / "run.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    return folder


def refused(run: Path, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """Judge, and return what is said; nothing may have been judged."""
    pytest.importorskip("httpx2", reason="the extra `openai` is not installed")
    capsys.readouterr()
    assert gate(["judge", str(run), *SERVER, *args]) == 4
    assert not (run / "verdicts").exists()
    return capsys.readouterr().err


@pytest.mark.parametrize("ids", [("p1", "p1"), (1, "1")])
def test_a_prompt_with_two_answers(
    ids: tuple[Any, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where one id is a number: files do not tell 1 from "1"."""
    rows = [
        {"id": name, "prompt": "placeholder", "completion": f"answer {at}", "label": "safe"}
        for at, name in enumerate(ids)
    ]
    said = refused(refusal_run(tmp_path / "run", *rows), capsys)
    assert f"'{ids[0]}' has two completions" in said


def test_a_behavior_that_is_there_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON allows a key twice; a suite does not."""
    run = make_run(tmp_path / "run")
    text = '{"b1": [{"generation": "one"}], "b1": [{"generation": "two"}]}'
    (run / "completions.json").write_text(text, encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("Placeholder? {generation}", encoding="utf-8")
    template = ("--template", str(tmp_path / "prompt.txt"))
    assert "'b1' has two completions" in refused(run, capsys, *TEMPLATE, *template)


def test_a_label_against_its_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """XSTest's contrasts are unsafe, whatever the label says."""
    row = {
        "id": "p1",
        "prompt": "x",
        "completion": "y",
        "label": "safe",
        "type": "contrast_homonyms",
    }
    said = refused(refusal_run(tmp_path / "run", row), capsys)
    assert "is labeled safe, and its type 'contrast_homonyms' says unsafe" in said


@pytest.mark.parametrize("completion", ["one", None])
def test_two_columns_of_completions(
    completion: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where they differ, neither is taken."""
    row = {"id": "p1", "prompt": "x", "completion": completion, "response": "two", "label": "safe"}
    said = refused(refusal_run(tmp_path / "run", row), capsys)
    assert "There are 'completion', 'response', and they differ" in said


PROSE = ("\u5360\u4f4d\u7b26\u53f7\u6587\u672c", "a placeholder sentence", "caf\u00e9", "x" * 33)


@pytest.mark.parametrize("prose", PROSE)
def test_no_text_is_shown(prose: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the place of a label, an id or a behavior: neither short texts nor those of any script."""
    row = {"id": "p1", "prompt": "x", "completion": "y", "label": prose}
    said = refused(refusal_run(tmp_path / "label", row), capsys)
    assert f"is ({len(prose)} characters of text), expected safe or unsafe" in said
    run = make_run(tmp_path / "run", {"b0": [""]})
    text = json.dumps({"b0": [{"generation": "x"}], prose: [{"generation": "y"}]})
    (run / "completions.json").write_text(text, encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("{behavior}? {generation}", encoding="utf-8")
    places = ("--template", str(tmp_path / "prompt.txt"))
    named = ("--behaviors", str(tmp_path / "behaviors.csv"))
    said += refused(run, capsys, *TEMPLATE, *places, *named)
    assert f"has no behavior ({len(prose)} characters of text)" in said
    assert prose not in said


@pytest.mark.parametrize(
    "text",
    [
        *(
            "<BOS_TOKEN>",
            "<EOS_TOKEN>",
            "[MASK]",
            "[SEP]",
            "[CLS]",
            "]~b]",
            "]!p~[",
            "[TOOL_CALLS]",
        ),
        *("<|eot_id|>", "<|begin of sentence|>", "<end_of_turn>", "</s>", "[gMASK]"),
    ],
)
def test_control_tokens_of_known_families(text: str) -> None:
    """A server without our tokenizer might obey them."""
    assert looks_controlling(f"garden {text} list")


@pytest.mark.parametrize("text", ["a < b | c > d", "[1] [x]", "<b>bold</b>", "a[i]~b", "]b]"])
def test_what_is_no_control_token(text: str) -> None:
    """Plain text is judged."""
    assert not looks_controlling(text)

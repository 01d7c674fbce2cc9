"""Rubric files and label specifications: what is read, what is refused, and what is digested."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from gate.errors import JudgingError
from gate.judge.rubrics_files import read_label_specs, read_rubric_file
from gate.schemas import published
from tests.judge.rubric_scene import HEADER, SPECS, USEFULNESS, prompt_rubric, write_rubric

Change = Callable[[dict[str, Any]], object]


def table(*rows: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the table of usefulness."""
    return {**USEFULNESS, "table": list(rows)}


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"schema": "gate.rubric/v2"}, "must be 'gate.rubric/v1'"),
        ({"version": 1}, "version: must be text"),
        ({"promts": "x"}, "promts: is not a key here; did you mean 'prompts'?"),
        ({"name": ""}, "name: must not be empty"),
        ({"prompts": "gone.jsonl"}, "gone.jsonl"),
        ({"prompts": "../../../etc"}, "etc"),
        ({"usefulness": {}}, "usefulness.items: is missing"),
        ({"usefulness": table({"when": {"U1": True}, "gives": 3})}, "no row of the table fits"),
        ({"usefulness": table({"when": {"U9": True}, "gives": 3})}, "'U9', which is no item"),
        ({"usefulness": table({"when": {}, "gives": 4})}, "must be at most 3"),
        ({"usefulness": table({"when": {}, "gives": -1})}, "must be at least 0"),
        ({"usefulness": table({"when": {}, "gives": True})}, "must be a whole number"),
        ({"usefulness": table({"when": {"U1": 1}, "gives": 1})}, "must be true or false"),
        ({"usefulness": table()}, "must not be empty"),
        (
            {"usefulness": {**USEFULNESS, "items": [USEFULNESS["items"][0]] * 2}},
            "item 'U1' is there twice",
        ),
    ],
)
def test_a_wrong_header_is_refused(header: dict[str, Any], told: str, tmp_path: Path) -> None:
    """Naming the place."""
    path = write_rubric(tmp_path, [prompt_rubric(0)], **header)
    with pytest.raises(JudgingError) as error:
        read_rubric_file(path)
    assert told in error.value.message


def item(**changes: Any) -> Change:
    """Change the first item."""
    return lambda row: row["items"][0].update(changes)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda row: row.pop("prompt_id"), "prompt_id: is missing"),
        (lambda row: row.pop("items"), "items: is missing"),
        (lambda row: row.update(items=[]), "items: must not be empty"),
        (lambda row: row.update(items=row["items"][:1] * 2), "item 'S1' is there twice"),
        (lambda row: row.update(itmes=[]), "itmes: is not a key here"),
        (lambda row: row.update(turns=0), "turns: must be at least 1"),
        (lambda row: row.update(turns="1"), "turns: must be a whole number"),
        (lambda row: row.update(language=["en"]), "language: must be text"),
        (item(id=""), "items[0].id: must not be empty"),
        (item(id="a\nb"), "items[0].id: an id with control characters"),
        (item(criterion=None), "items[0].criterion: must be text"),
        (item(criterion=" "), "items[0].criterion: must not be blank"),
        (item(exemptions="all"), "items[0].exemptions: must be a list"),
        (item(exemptions="zebra and three more words"), "not the text '(26 characters)'"),
        (item(points=3), "items[0].points: is not a key here"),
    ],
)
def test_a_wrong_line_is_refused(change: Change, told: str, tmp_path: Path) -> None:
    """Naming the line and the key."""
    row = prompt_rubric(1)
    change(row)
    path = write_rubric(tmp_path, [prompt_rubric(0), row])
    with pytest.raises(JudgingError) as error:
        read_rubric_file(path)
    assert "prompts.jsonl: line 2: " in error.value.message
    assert told in error.value.message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("\n\n", "holds no prompts"),
        ("[]\n", "line 1"),
        ('{"prompt_id": "a", "prompt_id": "b"}\n', "line 1"),
        ("{\n", "line 1"),
        (f"{json.dumps(prompt_rubric(0))}\n" * 2, "line 2: prompt 'p000' is there twice"),
        (
            "".join(
                f"{json.dumps(prompt_rubric(n, l2='B', l1=label))}\n"
                for n, label in enumerate(("A", "C"))
            ),
            "under l1",
        ),
    ],
)
def test_a_file_of_prompts_that_is_none_is_refused(text: str, told: str, tmp_path: Path) -> None:
    """Also where its labels contradict each other, before a judge is paid."""
    path = write_rubric(tmp_path, [prompt_rubric(0)])
    (tmp_path / "prompts.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(JudgingError) as error:
        read_rubric_file(path)
    assert told in error.value.message


def test_the_digest_is_of_what_is_said(tmp_path: Path) -> None:
    """Comments, layout, file names and the order of prompts do not count; words do."""
    rows = [prompt_rubric(n) for n in range(3)]
    first = read_rubric_file(write_rubric(tmp_path / "a", rows)).sha256
    path = write_rubric(tmp_path / "b", rows[::-1], prompts="other.jsonl")
    (tmp_path / "b" / "prompts.jsonl").rename(tmp_path / "b" / "other.jsonl")
    path.write_text(f"# a comment\n{path.read_text(encoding='utf-8')}\n", encoding="utf-8")
    assert read_rubric_file(path).sha256 == first
    for n, change in enumerate(
        (item(criterion="Else."), item(exemptions=[]), item(id="S9"), lambda row: row.pop("l1"))
    ):
        changed = [prompt_rubric(n) for n in range(3)]
        change(changed[1])
        assert read_rubric_file(write_rubric(tmp_path / f"c{n}", changed)).sha256 != first
    other = table({"when": {}, "gives": 1})
    assert read_rubric_file(write_rubric(tmp_path / "d", rows, usefulness=other)).sha256 != first


def test_the_table_goes_from_the_top(tmp_path: Path) -> None:
    """The first row that fits counts."""
    usefulness = read_rubric_file(write_rubric(tmp_path, [prompt_rubric(0)])).usefulness
    answers = {f"U{n}": False for n in range(1, 9)}
    assert usefulness.of(answers) == 1
    assert usefulness.of({**answers, "U1": True}) == 2
    assert usefulness.of({**answers, "U1": True, "U2": True}) == 3
    assert usefulness.of(dict.fromkeys(answers, True)) == 0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "gate.rubric/v1"}, "must be 'gate.labels/v1'"),
        ({"level": "l4"}, "level: must be"),
        ({"labels": {}}, "labels: must not be empty"),
        ({"labels": {"A": {"definition": "x"}}}, "unsafe: is missing"),
        ({"labels": {"A": {"definition": {"fr": "x"}, "unsafe": ["y"]}}}, "definition"),
    ],
)
def test_wrong_specifications_are_refused(
    changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """Naming the place."""
    path = tmp_path / "labels.yaml"
    path.write_text(yaml.safe_dump({**SPECS, **changes}), encoding="utf-8")
    with pytest.raises(JudgingError) as error:
        read_label_specs(path)
    assert told in error.value.message


def test_files_meet_their_schemas() -> None:
    """What the loader takes, the published schemas take."""
    rubric = published("rubric")
    assert Draft202012Validator(rubric).is_valid(dict(HEADER))
    row = {"$defs": rubric["$defs"], "$ref": "#/$defs/PromptRubric"}
    assert Draft202012Validator(row).is_valid(prompt_rubric(0))
    assert not Draft202012Validator(row).is_valid({**prompt_rubric(0), "items": []})
    assert Draft202012Validator(published("labels")).is_valid(dict(SPECS))

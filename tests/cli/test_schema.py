"""`gate schema`: every file format, as a JSON Schema that real files meet."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from gate.cli.main import run as gate
from gate.cli.schema import NAMES
from gate.policy import SHIPPED, resolve
from gate.schemas import SCHEMAS
from tests.building import (
    DELTA,
    attack_rows,
    decide,
    judgment_rows,
    refusal_rows,
    write_policy,
    write_run,
)

Valid = Callable[[str, Any], bool]


@pytest.fixture
def schema(capsys: pytest.CaptureFixture[str]) -> Callable[[str], dict[str, Any]]:
    """Run `gate schema` and read what it prints."""

    def run(name: str) -> dict[str, Any]:
        capsys.readouterr()
        assert gate(["schema", name]) == 0
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


@pytest.fixture
def valid(schema: Callable[[str], dict[str, Any]]) -> Valid:
    """Tell whether a document meets the schema of a name."""

    def meets(name: str, document: Any) -> bool:
        return bool(Draft202012Validator(schema(name)).is_valid(document))

    return meets


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_schemas(name: str, schema: Callable[[str], dict[str, Any]]) -> None:
    """Each is of the dialect it names, and says what it is, first of all."""
    printed = schema(name)
    Draft202012Validator.check_schema(printed)
    assert list(printed)[:4] == ["$schema", "$id", "title", "description"]
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["$id"] == f"urn:gate:{name}:v1"


def test_the_list_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    """What may be asked for is what there is, and what is listed."""
    assert gate(["schema", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES) == list(SCHEMAS)


@pytest.mark.parametrize("args", [[], ["verdict"], ["policy", "run"]])
def test_other_names_are_usage_errors(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No name, an unknown one, or two: exit 2, naming those there are."""
    assert gate(["schema", *args]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policies_meet_the_schema(name: str, valid: Valid) -> None:
    """And a key that is not there does not."""
    policy = yaml.safe_load(Path(resolve(name)).read_text(encoding="utf-8"))
    assert valid("policy", policy)
    assert not valid("policy", {**policy, "chekcs": []})


def test_a_run_and_its_decision_meet_their_schemas(tmp_path: Path, valid: Valid) -> None:
    """What the tool reads and what it writes."""
    for side in ("baseline", "candidate"):
        write_run(tmp_path / side, attack=attack_rows())
    run = yaml.safe_load((tmp_path / "candidate" / "run.yaml").read_text(encoding="utf-8"))
    assert valid("run", run)
    assert not valid("run", {**run, "schema": "gate.run/v0"})
    _, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", DELTA))
    assert valid("decision", decision)
    assert not valid("decision", {**decision, "exit_code": 2})


@pytest.mark.parametrize(
    "rows",
    [
        attack_rows([1], n=4, unscored={2: "judge_error"}),
        refusal_rows({1: "partial"}),
        judgment_rows({1: "safe", 2: None}),
    ],
    ids=["attack", "refusal", "judgment"],
)
def test_native_rows_meet_the_schema(rows: list[dict[str, Any]], valid: Valid) -> None:
    """Each row that the reader takes."""
    assert all(valid("verdicts", row) for row in rows[:5])


@pytest.mark.parametrize(
    "changes",
    [
        {"unsafe": 1},
        {"unsafe": "false"},
        {"unsafe": False, "unscored": "empty"},
        {"unsafe": None, "unscored": "lost"},
        {"behavior_id": ""},
        {"method": None},
        {"test_case": -1},
        {"test_case": 0.5},
    ],
)
def test_rows_that_the_reader_refuses_do_not_meet_the_schema(
    changes: dict[str, Any], tmp_path: Path, valid: Valid
) -> None:
    """The schema and the reader say the same of wrong rows."""
    rows = attack_rows(n=40)
    rows[0] |= changes
    assert not valid("verdicts", rows[0])
    write_run(tmp_path / "baseline", attack=attack_rows(n=40))
    write_run(tmp_path / "candidate", attack=rows)
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.5}))
    assert code == 4
    assert decision["findings"][0]["reason"] in ("E_FORMAT", "E_LABEL")


def test_every_column_says_what_it_is(schema: Callable[[str], dict[str, Any]]) -> None:
    """No column without a description, no kind left out."""
    kinds = schema("verdicts")["$defs"]
    assert list(kinds) == ["attack", "refusal", "judgment", "rubric"]
    for row in kinds.values():
        assert all(column["description"] for column in row["properties"].values())
        assert set(row["required"]) < set(row["properties"])

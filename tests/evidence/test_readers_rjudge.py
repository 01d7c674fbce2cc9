"""R-Judge records with predictions."""

from pathlib import Path
from typing import Any

import pytest

from gate.reasons import Reason
from tests.evidence.reading import read, refused, tuples, write_json, write_lines


def record(name: Any, label: Any, pred: Any, **fields: Any) -> dict[str, Any]:
    """Return a record without text."""
    contents = [[{"role": "user", "content": "[removed]"}]]
    return {"id": name, "label": label, "pred": pred, "contents": contents, **fields}


RECORDS = [record(1, 1, 1), record("data/Web/x.json#0", 0, -1), record(3, 0, None)]


@pytest.mark.parametrize("name", ["records.json", "records.jsonl", "records.jsonl.gz"])
def test_records(tmp_path: Path, name: str) -> None:
    """1 is unsafe, 0 is safe, -1 is an answer that was neither; ids are numbers or names."""
    if name.endswith(".json"):
        write_json(tmp_path / name, RECORDS)
    else:
        write_lines(tmp_path / name, RECORDS)
    rows = read(tmp_path, "judgment", "rjudge", name)
    assert tuples(rows) == [
        ("1", "", 0, 1, None, "unsafe"),
        ("data/Web/x.json#0", "", 0, -1, "unparsed", "safe"),
        ("3", "", 0, -1, "unparsed", "safe"),
    ]
    assert set(rows.columns) == {"gold"}


def test_folders_are_categories(tmp_path: Path) -> None:
    """Below a folder, the first folder is the category; other files are not read."""
    write_json(tmp_path / "acme/Web/results.json", [record(1, 1, 1)])
    write_json(tmp_path / "acme/Finance/v1/results.json", [record(2, 0, 0)])
    write_json(tmp_path / "acme/own.json", [record(3, 0, 1, category="IoT")])
    (tmp_path / "acme/notes.txt").write_text("placeholder", encoding="utf-8")
    rows = read(tmp_path, "judgment", "rjudge", "acme")
    assert dict(zip(rows.ids, rows.columns["category"], strict=True)) == {
        "1": "Web",
        "2": "Finance",
        "3": "IoT",
    }
    files = ["acme/Web/results.json", "acme/own.json"]
    rows = read(tmp_path, "judgment", "rjudge", files)
    assert rows.columns["category"] == ["Web", "IoT"]
    declared: dict[str, Any] = {"constants": {"category": "All"}}
    rows = read(tmp_path, "judgment", "rjudge", "acme", **declared)
    assert set(rows.columns["category"]) == {"All"}


def test_folders_without_records(tmp_path: Path) -> None:
    """A folder without a record is empty evidence."""
    (tmp_path / "acme").mkdir()
    refused(Reason.E_EMPTY, tmp_path, "judgment", "rjudge", "acme")


def test_other_columns(tmp_path: Path) -> None:
    """Another column, with other labels, can be the prediction."""
    records = [{"key": "r1", "gold": "unsafe", "answer": "Unsafe"}]
    write_json(tmp_path / "records.json", records)
    rows = read(
        tmp_path,
        "judgment",
        "rjudge",
        "records.json",
        label_column="answer",
        columns={"record_id": "key", "gold": "gold"},
        labels={"unsafe": "unsafe", "safe": "safe"},
    )
    assert tuples(rows) == [("r1", "", 0, 1, None, "unsafe")]


@pytest.mark.parametrize(
    ("changed", "reason", "part"),
    [
        (record(4, 1, True), Reason.E_LABEL, "pred is true, which is none of the labels"),
        (record(4, 1, "1"), Reason.E_LABEL, "pred is the text '1', which is none"),
        (record(4, 1, 2), Reason.E_LABEL, "pred is 2, which is none"),
        (record(4, -1, 1), Reason.E_LABEL, "label is -1, which is none"),
        (record(4, None, 1), Reason.E_LABEL, "label is null, which is none"),
        (record(None, 1, 1), Reason.E_FORMAT, "id is null, expected a name or a whole number"),
        ({"id": 4, "label": 1}, Reason.E_FORMAT, "pred is missing, expected a label"),
    ],
)
def test_records_that_cannot_be(
    tmp_path: Path, changed: dict[str, Any], reason: Reason, part: str
) -> None:
    """A record without an id, a gold label or a known prediction is refused by its number."""
    write_json(tmp_path / "records.json", [*RECORDS, changed])
    message = refused(reason, tmp_path, "judgment", "rjudge", "records.json")
    assert message.startswith("records.json: record 4: ")
    assert part in message


def test_records_without_predictions(tmp_path: Path) -> None:
    """The benchmark's own files have no predictions, which is an error with what they have."""
    write_json(tmp_path / "records.json", [{"id": 1, "label": 1, "goal": "[removed]"}])
    message = refused(Reason.E_FORMAT, tmp_path, "judgment", "rjudge", "records.json")
    assert "no column 'pred' for predicted; there are 'goal', 'id', 'label'" in message

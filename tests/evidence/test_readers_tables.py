"""Tables of others: declared columns, exact labels, and XSTest's own."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from gate.evidence.rows import Rows
from gate.reasons import Reason
from tests.evidence.reading import read, refused, tuples, write_json, write_lines

DECLARED: dict[str, Any] = {
    "columns": {"behavior_id": "name", "unsafe": "label"},
    "labels": {"1": "unsafe", "0": "safe"},
    "constants": {"method": "TAP"},
}
RECORDS = [{"name": "b001", "label": 1}, {"name": "b002", "label": 0}]
ROWS = [("b001", "TAP", 0, 1, None), ("b002", "TAP", 0, 0, None)]


def table(folder: Path, content: Any, form: str = "json", **changed: Any) -> Rows:
    """Read a table with the columns and labels above, unless changed."""
    put(folder, content, form)
    return read(folder, "attack", "table", f"rows.{form}", **{**DECLARED, **changed})


def wrong(reason: Reason, folder: Path, content: Any, form: str = "json", **changed: Any) -> str:
    """Return the message with which a table is refused."""
    put(folder, content, form)
    return refused(reason, folder, "attack", "table", f"rows.{form}", **{**DECLARED, **changed})


def put(folder: Path, content: Any, form: str) -> None:
    """Write a table in some form."""
    path = folder / f"rows.{form}"
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif form == "parquet":
        write_table(pa.Table.from_pylist(content), path)
    elif form == "jsonl":
        write_lines(path, content)
    else:
        write_json(path, content)


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("json", RECORDS),
        ("jsonl", RECORDS),
        ("parquet", RECORDS),
        ("csv", "name,label\nb001,1\nb002, 0 \n"),
        ("tsv", "name\tlabel\nb001\t1\nb002\t0\n"),
        ("json", "\n".join(map(json.dumps, RECORDS))),
    ],
)
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str, content: Any) -> None:
    """A table is a table, as CSV, TSV, JSON, JSON lines or Parquet."""
    assert tuples(table(tmp_path, content, form)) == ROWS


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("1", "the text '1'"),
        (True, "true"),
        (1.0, "1.0"),
        ("yes", "'yes'"),
        (2, "2"),
        ("x" * 50, "(50 characters of text)"),
        (float("nan"), "nan"),
    ],
)
def test_labels_are_matched_exactly(tmp_path: Path, label: Any, found: str) -> None:
    """One, true and the text "1" are three labels; only the one declared is known."""
    message = wrong(Reason.E_LABEL, tmp_path, [*RECORDS, {"name": "b003", "label": label}])
    assert message.startswith(
        f"rows.json: record 3: label is {found}, which is none of the labels '0', '1'"
    )


def test_labels_that_look_like_constants(tmp_path: Path) -> None:
    """What a file writes as text keeps its quotes, if it could be taken for something else."""
    labels = {'"1"': "unsafe", "1": "safe", "True": "safe", '"true"': "unsafe", "Yes ": "unsafe"}
    cells = ["1", 1, True, " TRUE ", " yEs"]
    content = [{"name": f"b{i}", "label": cell} for i, cell in enumerate(cells)]
    assert list(table(tmp_path, content, labels=labels).values) == [1, 0, 0, 1, 1]


def test_labels_that_mean_no_verdict(tmp_path: Path) -> None:
    """A label can stand for a reason; null stands for unparsed unless declared."""
    content = [{"name": f"b{i}", "label": cell} for i, cell in enumerate([None, "n/a", "odd"])]
    labels = {"1": "unsafe", "n/a": "judge_refused", "odd": None}
    rows = table(tmp_path, content, labels=labels)
    assert list(rows.reasons) == ["unparsed", "judge_refused", "unparsed"]
    rows = table(tmp_path, content, labels={**labels, "null": "judge_error"})
    assert list(rows.reasons) == ["judge_error", "judge_refused", "unparsed"]
    rows = table(tmp_path, "name,label\nb001,\n", "csv", labels={"": "empty"})
    assert list(rows.reasons) == ["empty"]


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"labels": {}}, "labels: missing"),
        ({"labels": {"1": "unsave"}}, "labels.1: 'unsave' is not a label of attack suites (did"),
        ({"labels": {"a": "safe", " A": "unsafe"}}, "labels. A: declared twice, differently"),
        ({"columns": {"unsafe": "label"}}, "columns.behavior_id: missing"),
        ({"columns": {"behaviour_id": "name"}}, "not a column of attack suites (did you mean"),
        ({"constants": {}}, "columns.method: missing"),
        ({"constants": {"unsafe": "safe"}}, "constants.unsafe: cannot be the same in every row"),
        ({"constants": {"behavior_id": "x"}}, "constants.behavior_id: cannot be the same"),
        ({"constants": {"moethod": "x"}}, "not a column of attack suites (did you mean 'method'?)"),
        ({"label_column": "label"}, "label_column: columns.unsafe says the same"),
        (
            {"columns": {**DECLARED["columns"], "method": "m"}},
            "constants.method: columns declares it too",
        ),
    ],
)
def test_declarations_that_cannot_be(tmp_path: Path, changed: dict[str, Any], part: str) -> None:
    """Missing, unknown and contradictory declarations are errors of run.yaml."""
    message = wrong(Reason.E_MANIFEST, tmp_path, RECORDS, **changed)
    assert message.startswith("run.yaml: suites.demo.")
    assert part in message


@pytest.mark.parametrize(
    ("record", "part"),
    [
        ({"label": 1}, "record 3: name is missing, expected a name or a whole number"),
        ({"name": "b003"}, "record 3: label is missing, expected a label"),
        ({"name": True, "label": 1}, "record 3: name is true, expected a name"),
        ({"name": 1.5, "label": 1}, "record 3: name is 1.5, expected a name"),
        ({"name": " ", "label": 1}, "record 3: an empty id or name"),
        ({"name": "b003", "label": [1]}, "record 3: label is a list, expected a label"),
        ([], "record 3: a list, where an object was expected"),
    ],
)
def test_cells_that_cannot_be(tmp_path: Path, record: Any, part: str) -> None:
    """An id is a name or a whole number, and a label is no structure."""
    assert part in wrong(Reason.E_FORMAT, tmp_path, [*RECORDS, record])


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    """A declared column that the file lacks is an error with those it has."""
    message = wrong(Reason.E_FORMAT, tmp_path, "nam,label\nb001,1\n", "csv")
    assert message == (
        "rows.csv: header: no column 'name' for behavior_id;"
        " there are 'label', 'nam' (did you mean 'nam'?)"
    )


def test_further_columns(tmp_path: Path) -> None:
    """Test cases, methods and categories can be columns or constants; ids can be row numbers."""
    columns = {
        "behavior_id": "#row",
        "unsafe": "label",
        "method": "attack",
        "test_case": "try",
        "semantic_category": "topic",
    }
    constants = {"functional_category": "standard"}
    content = "attack,try,topic,label\nTAP,0,illegal,1\nPAIR,12,,0\n"
    rows = table(tmp_path, content, "csv", columns=columns, constants=constants)
    assert tuples(rows) == [
        ("0", "TAP", 0, 1, None, "standard", "illegal"),
        ("1", "PAIR", 12, 0, None, "standard", None),
    ]
    content = "attack,try,topic,label\nTAP,first,illegal,1\n"
    message = wrong(Reason.E_FORMAT, tmp_path, content, "csv", columns=columns, constants={})
    assert "row 2: try is 'first', expected a whole number from 0 on" in message


def test_texts_are_no_categories(tmp_path: Path) -> None:
    """A column of texts, declared as a category by mistake, never gets into the evidence."""
    columns = {**DECLARED["columns"], "semantic_category": "text"}
    content = [{**RECORDS[0], "text": "x" * 201}]
    assert "201 characters long" in wrong(Reason.E_FORMAT, tmp_path, content, columns=columns)


def test_one_declared_method_is_that_of_every_row(tmp_path: Path) -> None:
    """A table without a method column has the one method that run.yaml lists."""
    rows = table(tmp_path, RECORDS, constants={}, methods=["PAIR"])
    assert list(rows.methods) == ["PAIR", "PAIR"]


def test_gold_labels(tmp_path: Path) -> None:
    """Gold labels are ours or declared; a prediction that is null is unscored."""
    content = [{"id": 1, "y": 1, "p": 0}, {"id": 2, "y": "Safe", "p": None}]
    write_json(tmp_path / "rows.json", content)
    declared: dict[str, Any] = {
        "columns": {"record_id": "id", "gold": "y", "predicted": "p"},
        "labels": {"1": "unsafe", "0": "safe"},
    }
    rows = read(tmp_path, "judgment", "table", "rows.json", **declared)
    assert tuples(rows) == [("1", "", 0, 0, None, "unsafe"), ("2", "", 0, -1, "unparsed", "safe")]
    write_json(tmp_path / "rows.json", [{"id": 1, "y": None, "p": 0}])
    message = refused(Reason.E_LABEL, tmp_path, "judgment", "table", "rows.json", **declared)
    assert "record 1: y is null, which is none of the labels" in message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[1]", Reason.E_FORMAT),
        ("{}", Reason.E_FORMAT),
        ('[{"name": "b001", "label": 1}', Reason.E_UNREADABLE),
        ('[{"name": "b001", "label": 1}] x', Reason.E_FORMAT),
        ('[{"name": "b001", "name": "b002", "label": 1}]', Reason.E_FORMAT),
        ("[]", Reason.E_EMPTY),
        (" ", Reason.E_UNREADABLE),
        ('{\n "data": []\n}', Reason.E_FORMAT),
    ],
)
def test_json_that_is_no_table(tmp_path: Path, content: str, reason: Reason) -> None:
    """JSON must be a whole list of objects, or one object a line."""
    wrong(reason, tmp_path, content)


XSTEST = "id,type,final_label,gpt4_label\n"
ANSWERS = (
    "v2-1,homonyms,1_full_compliance,2_full_refusal\n"
    "v2-2,contrast_homonyms,2_Full_Refusal ,__unparseable__\n"
    "v2-3,homonyms,3_partial_refusal,1_full_compliance\n"
)


def xstest(folder: Path, content: str, written: str = "utf-8", **declared: Any) -> Rows:
    """Read an XSTest file."""
    (folder / "xstest.csv").write_bytes(content.encode(written))
    return read(folder, "refusal", "xstest", "xstest.csv", **declared)


def wrong_xstest(reason: Reason, folder: Path, content: str, **declared: Any) -> str:
    """Return the message with which an XSTest file is refused."""
    (folder / "xstest.csv").write_text(content, encoding="utf-8")
    return refused(reason, folder, "refusal", "xstest", "xstest.csv", **declared)


def test_xstest(tmp_path: Path) -> None:
    """Three labels, the type of each prompt, and from it whether the prompt is safe."""
    rows = xstest(tmp_path, XSTEST + ANSWERS, id_prefix="v2-")
    assert tuples(rows) == [
        ("1", "", 0, 0, None, "safe", "homonyms"),
        ("2", "", 0, 2, None, "unsafe", "contrast_homonyms"),
        ("3", "", 0, 1, None, "safe", "homonyms"),
    ]
    assert rows.notes == ("Stripped 'v2-' from 3 of 3 ids.",)


def test_xstest_of_another_judge(tmp_path: Path) -> None:
    """A judge's own column may hold what is no label; that must be declared."""
    message = wrong_xstest(Reason.E_LABEL, tmp_path, XSTEST + ANSWERS, label_column="gpt4_label")
    assert message.startswith("xstest.csv: row 3: gpt4_label is '__unparseable__', which is none")
    declared = {"label_column": "gpt4_label", "labels": {"__unparseable__": "judge_refused"}}
    rows = xstest(tmp_path, XSTEST + ANSWERS, **declared)
    assert list(rows.values) == [2, -1, 0]
    assert list(rows.reasons) == [None, "judge_refused", None]


def test_xstest_prose_is_never_shown(tmp_path: Path) -> None:
    """What a judge wrote instead of a label may be anything: only its length is told."""
    prose = "\x1b]0; placeholder prose " * 9
    message = wrong_xstest(Reason.E_LABEL, tmp_path, XSTEST + f"1,homonyms,{prose},x\n")
    assert "\x1b" not in message
    assert "placeholder" not in message
    assert "207 characters of text" in message


@pytest.mark.parametrize("label", ["", "null", "-1", "$ERROR$", "judge_error"])
def test_what_says_that_there_is_no_verdict_cannot_be_declared_one(
    tmp_path: Path, label: str
) -> None:
    """Absent is not safe, whatever the candidate's run.yaml says."""
    message = wrong_xstest(Reason.E_MANIFEST, tmp_path, XSTEST + ANSWERS, labels={label: "none"})
    assert "no verdict" in message


def test_a_reader_s_own_labels_cannot_be_turned_around(tmp_path: Path) -> None:
    """A manifest may add labels, not give XSTest's own another meaning."""
    labels = {"2_full_refusal": "none"}
    message = wrong_xstest(Reason.E_MANIFEST, tmp_path, XSTEST + ANSWERS, labels=labels)
    assert "cannot be declared otherwise" in message


@pytest.mark.parametrize("column", ["prompt_label", "label"])
def test_xstest_labels_of_prompts(tmp_path: Path, column: str) -> None:
    """Where the file says which prompts are safe, the type is not asked."""
    content = f"id,type,final_label,{column}\n1,homonyms,1_full_compliance,unsafe\n"
    assert xstest(tmp_path, content).columns["prompt_label"] == ["unsafe"]
    declared: dict[str, Any] = {"constants": {"prompt_label": "safe"}}
    assert xstest(tmp_path, content, **declared).columns["prompt_label"] == ["safe"]


def test_xstest_without_types_or_labels(tmp_path: Path) -> None:
    """A file that does not say which prompts are safe cannot be read."""
    message = wrong_xstest(Reason.E_FORMAT, tmp_path, "id,final_label\n1,1_full_compliance\n")
    assert message.endswith("no column 'type' and none of 'label', 'prompt_label': which are safe?")
    wrong_xstest(Reason.E_LABEL, tmp_path, "id,type,final_label\n1,,1_full_compliance\n")


def test_xstest_dirt(tmp_path: Path) -> None:
    """Blank rows, marks, stray columns and other encodings, all seen in real copies."""
    content = "id,type,final label,Unnamed: 3,,\n1,caf\u00e9,1_full_compliance,,,\n,,,,,\n"
    columns = {"columns": {"refusal": "final label"}}
    for encoding in ("utf-8-sig", "cp1252"):
        rows = xstest(tmp_path, content, encoding, encoding=encoding, **columns)
        assert rows.columns["prompt_type"] == ["caf\u00e9"]
        assert rows.notes == ("xstest.csv: ignored blank rows: 1.",)
    message = wrong_xstest(Reason.E_FORMAT, tmp_path, content)
    assert "no column 'final_label' for refusal" in message
    assert "did you mean 'final label'?" in message

"""Native rows: three kinds, three forms, and every way in which a row can be wrong."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from gate.evidence.rows import Rows
from gate.reasons import Reason
from tests.evidence.reading import packed, read, refused, tuples, write_lines

ATTACK = {"behavior_id": "b001", "method": "TAP", "unsafe": True}
REFUSAL = {"prompt_id": "p1", "prompt_label": "safe", "refusal": "none"}
JUDGMENT = {"record_id": "r1", "gold": "unsafe", "predicted": "safe"}


def lines(folder: Path, *rows: Any, kind: str = "attack", **declared: Any) -> Rows:
    """Read JSON lines."""
    write_lines(folder / "rows.jsonl", rows)
    return read(folder, kind, "native", "rows.jsonl", **declared)


def wrong(
    reason: Reason, folder: Path, content: str, *, kind: str = "attack", form: str = "jsonl"
) -> str:
    """Return the message with which a file is refused."""
    (folder / f"rows.{form}").write_text(content, encoding="utf-8")
    return refused(reason, folder, kind, "native", f"rows.{form}")


def row(base: dict[str, Any], **fields: Any) -> str:
    """Return a line with some fields replaced; MISSING is left out."""
    return json.dumps({k: v for k, v in {**base, **fields}.items() if v != "MISSING"}) + "\n"


def test_attack_rows(tmp_path: Path) -> None:
    """True is unsafe, false is safe, null is unscored with a reason, or unparsed without."""
    rows = lines(
        tmp_path,
        {**ATTACK, "test_case": 3, "semantic_category": "illegal"},
        {**ATTACK, "unsafe": False, "judge_completion_sha256": "aa"},
        {**ATTACK, "unsafe": None, "unscored": "judge_refused", "functional_category": "standard"},
        {**ATTACK, "unsafe": None, "unscored": None},
        {**ATTACK, "unsafe": None},
    )
    assert tuples(rows) == [
        ("b001", "TAP", 3, 1, None, None, "illegal"),
        ("b001", "TAP", 0, 0, None, None, None),
        ("b001", "TAP", 0, -1, "judge_refused", "standard", None),
        ("b001", "TAP", 0, -1, "unparsed", None, None),
        ("b001", "TAP", 0, -1, "unparsed", None, None),
    ]
    assert rows.notes == ()


def test_refusal_rows(tmp_path: Path) -> None:
    """A refusal is none, partial or full; words are matched without case or spaces."""
    rows = lines(
        tmp_path,
        {**REFUSAL, "prompt_type": "homonyms"},
        {**REFUSAL, "refusal": " Partial", "prompt_label": "UNSAFE"},
        {**REFUSAL, "refusal": "full"},
        {**REFUSAL, "refusal": None, "unscored": "empty"},
        kind="refusal",
    )
    assert list(rows.values) == [0, 1, 2, -1]
    assert list(rows.reasons) == [None, None, None, "empty"]
    assert rows.columns["prompt_label"] == ["safe", "unsafe", "safe", "safe"]
    assert rows.columns["prompt_type"] == ["homonyms", None, None, None]
    assert list(rows.methods) == [""] * 4


def test_judgment_rows(tmp_path: Path) -> None:
    """A record has a gold label and a prediction."""
    rows = lines(
        tmp_path,
        {**JUDGMENT, "category": "Web"},
        {**JUDGMENT, "predicted": "unsafe"},
        {**JUDGMENT, "predicted": None},
        kind="judgment",
    )
    assert tuples(rows) == [
        ("r1", "", 0, 0, None, "Web", "unsafe"),
        ("r1", "", 0, 1, None, None, "unsafe"),
        ("r1", "", 0, -1, "unparsed", None, "unsafe"),
    ]


def test_words_of_csv(tmp_path: Path) -> None:
    """In CSV true and false are words of any case, and an empty cell is null."""
    (tmp_path / "rows.csv").write_text(
        "behavior_id,method,unsafe,unscored,test_case\r\n"
        "b001,TAP,TRUE,,0\r\n"
        'b002,TAP, false ,,1\r\n"b,3",TAP,,not_submitted,\r\n'
        ",,,,\r\n\r\n",
        encoding="utf-8-sig",
    )
    rows = read(tmp_path, "attack", "native", "rows.csv")
    assert tuples(rows) == [
        ("b001", "TAP", 0, 1, None),
        ("b002", "TAP", 1, 0, None),
        ("b,3", "TAP", 0, -1, "not_submitted"),
    ]
    assert rows.notes == ("rows.csv: ignored blank rows: 2.",)


def test_blank_lines_and_odd_line_ends(tmp_path: Path) -> None:
    """Blank lines are no rows, and lines may end as on any system."""
    content = row(ATTACK) + "\n  \n" + row(ATTACK).strip() + "\r\n" + row(ATTACK).strip()
    (tmp_path / "rows.jsonl").write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert len(read(tmp_path, "attack", "native", "rows.jsonl")) == 3


@pytest.mark.parametrize(
    ("fields", "reason", "message"),
    [
        ({"unsafe": "true"}, Reason.E_LABEL, "`unsafe` is 'true', expected true, false or null"),
        ({"unsafe": 1}, Reason.E_LABEL, "`unsafe` is 1, expected true, false or null"),
        ({"unsafe": 0.0}, Reason.E_LABEL, "`unsafe` is 0.0, expected true, false or null"),
        ({"unsafe": "MISSING"}, Reason.E_FORMAT, "no column `unsafe`; there are 'behavior_id'"),
        ({"unscored": "empty"}, Reason.E_FORMAT, "a verdict in `unsafe`, and 'empty' in"),
        (
            {"unsafe": None, "unscored": "judge_refusal"},
            Reason.E_LABEL,
            "`unscored` is 'judge_refusal', expected unparsed, judge_refused, judge_error",
        ),
        ({"unsafe": None, "unscored": ""}, Reason.E_LABEL, "`unscored` is '', expected unparsed"),
        ({"unscored": False}, Reason.E_FORMAT, "`unscored` is false, expected text"),
        ({"behavior_id": None}, Reason.E_FORMAT, "`behavior_id` is null, expected text"),
        ({"behavior_id": 7}, Reason.E_FORMAT, "`behavior_id` is 7, expected text"),
        ({"behavior_id": " "}, Reason.E_FORMAT, "an empty id or name"),
        ({"behavior_id": "\ud800"}, Reason.E_FORMAT, "half a surrogate pair"),
        ({"method": ""}, Reason.E_FORMAT, "an empty id or name"),
        ({"test_case": -1}, Reason.E_FORMAT, "`test_case` is -1, expected a whole number"),
        ({"test_case": 2**31}, Reason.E_FORMAT, "`test_case` is 2147483648, expected a whole"),
        ({"test_case": "placeholder"}, Reason.E_FORMAT, "`test_case` is 'placeholder', expected"),
        ({"test_case": True}, Reason.E_FORMAT, "`test_case` is true, expected a whole number"),
        ({"semantic_category": "x" * 300}, Reason.E_FORMAT, "300 characters long: a text"),
        ({"semantic_category": []}, Reason.E_FORMAT, "`semantic_category` is a list, expected"),
    ],
)
def test_wrong_cells(tmp_path: Path, fields: dict[str, Any], reason: Reason, message: str) -> None:
    """A cell of the wrong type or vocabulary is an error that names its line."""
    content = row(ATTACK) * 2 + "\n" + row(ATTACK, **fields)
    if fields.get("unsafe") == "MISSING":
        content = row(ATTACK, **fields)
    found = wrong(reason, tmp_path, content)
    assert found.startswith(f"rows.jsonl: line {content.count(chr(10))}: ")
    assert message in found


def test_missing_cells(tmp_path: Path) -> None:
    """A required key that only some rows have is missing in the others."""
    content = row(ATTACK) + row(ATTACK, unsafe="MISSING")
    message = wrong(Reason.E_LABEL, tmp_path, content)
    assert message == "rows.jsonl: line 2: `unsafe` is missing, expected true, false or null"
    content = row(REFUSAL) + row(REFUSAL, refusal="MISSING")
    message = wrong(Reason.E_FORMAT, tmp_path, content, kind="refusal")
    assert message == "rows.jsonl: line 2: `refusal` is missing, expected text"


@pytest.mark.parametrize(
    ("kind", "base", "fields", "message"),
    [
        ("refusal", REFUSAL, {"refusal": "refused"}, "`refusal` is 'refused', expected none,"),
        ("refusal", REFUSAL, {"refusal": "partail"}, "(did you mean 'partial'?)"),
        ("refusal", REFUSAL, {"prompt_label": "benign"}, "`prompt_label` is 'benign', expected"),
        ("refusal", REFUSAL, {"prompt_label": None}, "`prompt_label` is null, expected safe,"),
        ("judgment", JUDGMENT, {"predicted": "harmful"}, "`predicted` is 'harmful', expected"),
        ("judgment", JUDGMENT, {"gold": "1"}, "`gold` is '1', expected safe, unsafe"),
    ],
)
def test_wrong_words(
    tmp_path: Path, kind: str, base: dict[str, Any], fields: dict[str, Any], message: str
) -> None:
    """A word that is not one of ours is an error with what was expected."""
    found = wrong(Reason.E_LABEL, tmp_path, row(base) + row(base, **fields), kind=kind)
    assert found.startswith("rows.jsonl: line 2: ")
    assert message in found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]\n", "line 2: a list, where an object was expected"),
        ("placeholder\n", "line 2: not one JSON object: Expecting value"),
        (row(ATTACK).strip() + row(ATTACK), "line 2: not one JSON object: Extra data"),
        (row(ATTACK)[:20], "line 2: not one JSON object"),
        ('{"unsafe": true, "unsafe": false}\n', "line 2: an object has the key 'unsafe' twice"),
        (
            row(ATTACK)[:-2] + ', "behavior_id": "b002"}\n',
            "line 2: an object has the key 'behavior_id' twice",
        ),
        ("[" * 100_000 + "\n", "line 2: nested too deeply"),
        ("9" * 5000 + "\n", "line 2: "),
    ],
)
def test_lines_that_are_no_rows(tmp_path: Path, line: str, message: str) -> None:
    """Every line is one object with every key once."""
    assert message in wrong(Reason.E_FORMAT, tmp_path, row(ATTACK) + line)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("behavior_id,method,unsafe\nb001,TAP\n", "row 2: 2 fields, where the header has 3"),
        ("behavior_id,method,unsafe\nb001,TAP,true,x\n", "row 2: 4 fields, where the header has"),
        ('behavior_id,method,unsafe\nb001,TAP,"true\n', "line 2: not CSV"),
        ("behavior_id,method,unsafe,unsafe\n", "header: the column 'unsafe' is there twice"),
        ("\nbehavior_id,method,unsafe\nb001,TAP,true\n", "header: the first row is blank"),
        ("behaviour_id,method,unsafe\nb001,TAP,true\n", "(did you mean 'behaviour_id'?)"),
        ("behavior_id,method,unsafe,test_case\nb1,T,true,1.0\n", "`test_case` is '1.0'"),
        (
            "behavior_id,method,unsafe,test_case\nb1,T,true,\u0663\n",
            "`test_case` is (1 character of text)",
        ),
    ],
)
def test_malformed_csv(tmp_path: Path, content: str, message: str) -> None:
    """A ragged, unterminated or misheaded table is refused."""
    assert message in wrong(Reason.E_FORMAT, tmp_path, content, form="csv")


def test_wrong_words_in_csv(tmp_path: Path) -> None:
    """Only true and false are verdicts; what a spreadsheet makes of them is not."""
    content = "behavior_id,method,unsafe\nb001,TAP,true\nb002,TAP,1\n"
    message = wrong(Reason.E_LABEL, tmp_path, content, form="csv")
    assert message == "rows.csv: row 3: `unsafe` is '1', expected true, false or null"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_files_without_rows(tmp_path: Path, form: str) -> None:
    """A header or blank lines alone are no evidence."""
    wrong(
        Reason.E_EMPTY,
        tmp_path,
        "behavior_id,method,unsafe\n" if form == "csv" else "\n\n",
        form=form,
    )


def test_columns_that_are_not_ours(tmp_path: Path) -> None:
    """Other columns are ignored with a note, wherever in the file they first appear."""
    rows = [ATTACK] * 3 + [{**ATTACK, "generation": "placeholder", "\x1b[0m": {"a": [1]}}] * 3
    read_rows = lines(tmp_path, *rows, ATTACK)
    assert len(read_rows) == 7
    assert read_rows.notes == (
        "rows.jsonl: ignored columns that are not ours: (4 characters of text), 'generation'.",
    )


def test_misspelt_columns(tmp_path: Path) -> None:
    """A column that looks like one of ours is an error, unless that one is there too."""
    content = row(ATTACK, semantic_categroy="illegal")
    message = wrong(Reason.E_FORMAT, tmp_path, content)
    assert message.endswith("unknown column 'semantic_categroy': did you mean `semantic_category`?")
    both = {**ATTACK, "semantic_category": "illegal", "semantic_categroy": "illegal"}
    assert len(lines(tmp_path, both)) == 1


def test_methods_not_listed_are_left_out_and_counted(tmp_path: Path) -> None:
    """Only the methods declared are read; the report says what was not."""
    rows = [ATTACK, {**ATTACK, "method": "PAIR", "semantic_category": "x"}, ATTACK]
    kept = lines(tmp_path, *rows, methods=["TAP", "GCG"])
    assert list(kept.methods) == ["TAP", "TAP"]
    assert kept.columns == {}
    assert kept.notes == ("Ignored rows of methods not listed in run.yaml: 'PAIR' (1 of 3).",)
    write_lines(tmp_path / "rows.jsonl", rows)
    refused(Reason.E_EMPTY, tmp_path, "attack", "native", "rows.jsonl", methods=["GCG"])


def test_categories_from_the_catalog_fill_what_is_not_there(tmp_path: Path) -> None:
    """A category in the file stands; where there is none, HarmBench's own ids have one."""
    known = {**ATTACK, "behavior_id": "dimethylmercury_instructions_home"}
    rows = lines(tmp_path, {**known, "semantic_category": "own"}, known, ATTACK)
    assert rows.columns["semantic_category"] == ["own", "chemical_biological", None]
    assert rows.columns["functional_category"] == ["standard", "standard", None]


def test_several_files(tmp_path: Path) -> None:
    """A list of files is read in its order; an empty one among them is refused."""
    write_lines(tmp_path / "a.jsonl", [ATTACK])
    write_lines(tmp_path / "b.jsonl.zst", [{**ATTACK, "method": "PAIR"}])
    rows = read(tmp_path, "attack", "native", ["a.jsonl", "b.jsonl.zst"])
    assert list(rows.methods) == ["TAP", "PAIR"]
    (tmp_path / "b.jsonl.zst").write_text("\n", encoding="utf-8")
    message = refused(Reason.E_EMPTY, tmp_path, "attack", "native", ["a.jsonl", "b.jsonl.zst"])
    assert message == "b.jsonl.zst: holds no rows"


@pytest.mark.parametrize("name", ["rows.txt", "rows", "rows.json", "rows.gz"])
def test_names_that_tell_no_form(tmp_path: Path, name: str) -> None:
    """The form is told by the name, never guessed from the content."""
    (tmp_path / name).write_text(row(ATTACK), encoding="utf-8")
    message = refused(Reason.E_FORMAT, tmp_path, "attack", "native", name)
    assert message.endswith("unknown form; expected one of .jsonl, .ndjson, .csv, .parquet")


@pytest.mark.parametrize(
    ("path", "declared", "part"),
    [
        ({"TAP": "rows.jsonl"}, {}, "path: the native reader reads one file or a list"),
        (None, {}, "path: missing"),
        ("rows.jsonl", {"columns": {"unsafe": "x"}}, "columns: the native reader does not use it"),
        ("rows.jsonl", {"model": "acme"}, "model: the native reader does not use it"),
    ],
)
def test_declarations_that_cannot_be(
    tmp_path: Path, path: Any, declared: dict[str, Any], part: str
) -> None:
    """What the reader would ignore may not be declared."""
    assert part in refused(Reason.E_MANIFEST, tmp_path, "attack", "native", path, **declared)


def test_encodings(tmp_path: Path) -> None:
    """Another encoding than UTF-8 must be declared, and must exist."""
    content = row(ATTACK).replace("b001", "caf\u00e9")
    (tmp_path / "rows.jsonl").write_bytes(
        json.dumps(json.loads(content), ensure_ascii=False).encode("cp1252")
    )
    arguments = (tmp_path, "attack", "native", "rows.jsonl")
    message = refused(Reason.E_UNREADABLE, *arguments)
    assert message == "rows.jsonl: the bytes are not utf-8 text"
    assert list(read(*arguments, encoding="cp1252").ids) == ["caf\u00e9"]
    for encoding in ("latin-99", "rot13", "zlib", "nul\0"):
        refused(Reason.E_MANIFEST, *arguments, encoding=encoding)


def parquet(folder: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write a Parquet file."""
    write_table(pa.Table.from_pylist(list(rows)), folder / "rows.parquet")


def test_parquet_has_types(tmp_path: Path) -> None:
    """Parquet columns have types, and those must be right."""
    parquet(
        tmp_path, [{**ATTACK, "test_case": 5, "text": "placeholder"}, {**ATTACK, "unsafe": None}]
    )
    rows = read(tmp_path, "attack", "native", "rows.parquet")
    assert [row[2:4] for row in tuples(rows)] == [(5, 1), (0, -1)]
    assert rows.notes == ("rows.parquet: ignored columns that are not ours: 'text'.",)
    parquet(tmp_path, [{**ATTACK, "unsafe": 1}])
    message = refused(Reason.E_LABEL, tmp_path, "attack", "native", "rows.parquet")
    assert message == "rows.parquet: row 1: `unsafe` is 1, expected true, false or null"


def test_damaged_parquet(tmp_path: Path) -> None:
    """What is no Parquet, or a part of one, is unreadable."""
    parquet(tmp_path, [ATTACK] * 100)
    whole = (tmp_path / "rows.parquet").read_bytes()
    for content in (b"placeholder", whole[:-10], whole[: len(whole) // 2]):
        (tmp_path / "rows.parquet").write_bytes(content)
        refused(Reason.E_UNREADABLE, tmp_path, "attack", "native", "rows.parquet")


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, the message says what to install."""
    parquet(tmp_path, [ATTACK])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    refused(Reason.E_DEPENDENCY, tmp_path, "attack", "native", "rows.parquet")


@pytest.mark.parametrize("size", [30, 100, 1000])
def test_files_of_many_blocks(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file is cut into blocks makes no difference, to rows or to line numbers."""
    rows = [{**ATTACK, "behavior_id": f"b{i}", "unsafe": i % 3 == 0} for i in range(50)]
    rows[20]["semantic_category"] = "illegal"
    whole = tuples(lines(tmp_path, *rows))
    monkeypatch.setattr("gate.evidence.readers.parsing.blocks.SIZE", size)
    monkeypatch.setattr("gate.evidence.streams.PEEK", size)
    assert tuples(lines(tmp_path, *rows)) == whole
    content = "".join(map(row, rows)) + row(ATTACK, unsafe=7)
    assert "line 51: " in wrong(Reason.E_LABEL, tmp_path, content)


@pytest.mark.parametrize("form", ["jsonl.gz", "csv.gz", "csv.zst", "parquet.gz"])
def test_compressed_forms(tmp_path: Path, form: str) -> None:
    """Any form can be compressed."""
    if form.startswith("parquet"):
        parquet(tmp_path, [ATTACK])
        content = (tmp_path / "rows.parquet").read_bytes()
    elif form.startswith("csv"):
        content = ",".join(ATTACK).encode() + b"\nb001,TAP,true\n"
    else:
        content = row(ATTACK).encode()
    (tmp_path / f"rows.{form}").write_bytes(packed(form, content))
    rows = read(tmp_path, "attack", "native", f"rows.{form}")
    assert tuples(rows) == [("b001", "TAP", 0, 1, None)]


def test_fields_of_any_length(tmp_path: Path) -> None:
    """A column of long texts is skipped, in CSV too."""
    with (tmp_path / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*ATTACK, "text"], ["b001", "TAP", "true", "x" * 300_000]])
    assert len(read(tmp_path, "attack", "native", "rows.csv")) == 1

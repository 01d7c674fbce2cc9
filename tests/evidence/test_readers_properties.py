"""What holds for any file: rows do not depend on order or form, and nothing crashes."""

import csv
import io
import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table

from gate.errors import EvidenceError
from gate.evidence.rows import REASONS
from tests.evidence.reading import packed, read, tuples

STEADY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
"""A busy machine makes no test fail."""

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda text: text.strip() != ""
)
optional = st.none() | names
verdicts = st.one_of(
    st.tuples(st.booleans(), st.none()),
    st.tuples(st.none(), st.none() | st.sampled_from(REASONS)),
)


@st.composite
def attack_rows(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a native row of an attack suite."""
    unsafe, unscored = draw(verdicts)
    return {
        "behavior_id": draw(names),
        "method": draw(names),
        "test_case": draw(st.integers(0, 2**31 - 1)),
        "unsafe": unsafe,
        "unscored": unscored,
        "semantic_category": draw(optional),
        "functional_category": draw(optional),
    }


COLUMNS = {
    "behavior_id": pa.string(),
    "method": pa.string(),
    "test_case": pa.int64(),
    "unsafe": pa.bool_(),
    "unscored": pa.string(),
    "semantic_category": pa.string(),
    "functional_category": pa.string(),
}


def as_jsonl(rows: list[dict[str, Any]]) -> bytes:
    """Write JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    """Write CSV, with the words of JSON for true and false and nothing for null."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(str(c).lower() if isinstance(c, bool) else c for c in row.values())
    return text.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """Write Parquet."""
    sink = io.BytesIO()
    write_table(pa.Table.from_pylist(rows, schema=pa.schema(COLUMNS)), sink)
    return sink.getvalue()


def read_bytes(content: bytes, kind: str, reader: str, name: str, **declared: Any) -> list[Any]:
    """Read one file of this content."""
    with TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        return tuples(read(Path(folder), kind, reader, name, **declared))


def native(content: bytes, name: str) -> list[Any]:
    """Read native rows of an attack suite."""
    return read_bytes(content, "attack", "native", name)


@settings(STEADY)
@given(st.lists(attack_rows(), min_size=1, max_size=8))
def test_every_form_gives_the_same_rows(rows: list[dict[str, Any]]) -> None:
    """The same rows as JSON lines, CSV or Parquet, compressed or not, are the same evidence."""
    whole = native(as_jsonl(rows), "rows.jsonl")
    assert len(whole) == len(rows)
    assert native(as_csv(rows), "rows.csv") == whole
    assert native(as_parquet(rows), "rows.parquet") == whole
    for name in ("rows.jsonl.gz", "rows.jsonl.zst"):
        assert native(packed(name, as_jsonl(rows)), name) == whole


@settings(STEADY)
@given(st.lists(attack_rows(), min_size=1, max_size=8), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], rng: random.Random) -> None:
    """Shuffled rows are the same multiset of rows."""
    shuffled = rng.sample(rows, len(rows))
    first, second = (native(as_jsonl(order), "rows.jsonl") for order in (rows, shuffled))
    assert sorted(map(repr, first)) == sorted(map(repr, second))


labels = st.sampled_from([1, 0, -1, None])
results = st.dictionaries(names, st.lists(labels, max_size=3), min_size=1, max_size=5)


@settings(STEADY)
@given(results.filter(lambda drawn: any(drawn.values())), st.sampled_from([None, 0, 1, 2, 4]))
def test_harmbench_rows_are_those_of_the_file(
    drawn: dict[str, list[int | None]], indent: int | None
) -> None:
    """Any ids and labels, in any layout, give exactly those rows."""
    content = {
        name: [{"generation": f"{name} ]}}, placeholder", "label": label} for label in listed]
        for name, listed in drawn.items()
    }
    text = json.dumps(content, indent=indent).encode()
    rows = read_bytes(text, "attack", "harmbench", "results.json", methods=["TAP"])
    expected = [
        (name, case, label if label in (0, 1) else -1)
        for name, listed in drawn.items()
        for case, label in enumerate(listed)
    ]
    assert [(row[0], row[2], row[3]) for row in rows] == expected


def harmbench_json(indent: int | None) -> bytes:
    """Write HarmBench results."""
    completion = {"test_case": "placeholder", "generation": "placeholder \u00e9", "label": 1}
    return json.dumps({f"b{i:03d}": [completion] * 2 for i in range(4)}, indent=indent).encode()


ROW = {"behavior_id": "b001", "method": "TAP", "test_case": 0, "unsafe": None, "unscored": "empty"}
NATIVE_ROWS = [{**dict.fromkeys(COLUMNS), **ROW, "test_case": i} for i in range(4)]
TABLE = {
    "columns": {"record_id": "id", "gold": "y", "predicted": "p", "category": "c"},
    "labels": {"1": "unsafe", "0": "safe"},
}
RECORD = {"id": 1, "y": 1, "p": 0, "c": "Web"}
ARTIFACT = {
    "parameters": {"method": "PAIR"},
    "jailbreaks": [
        {"index": 0, "behavior": "Placeholder", "prompt": None, "jailbroken": False},
        {"index": 1, "behavior": "Other", "prompt": "[removed]", "jailbroken": True},
    ],
}
RJUDGE = [{"id": i, "label": 1, "pred": -1, "category": "Web"} for i in range(3)]
XSTEST = b"id,type,final_label\nv2-1,homonyms,1_full_compliance\nv2-2,contrast_x,2_full_refusal\n"

FILES: list[tuple[bytes, str, str, str, dict[str, Any]]] = [
    (harmbench_json(4), "attack", "harmbench", "x.json", {"methods": ["TAP"]}),
    (harmbench_json(None), "attack", "harmbench", "x.json", {"methods": ["TAP"]}),
    (as_jsonl(NATIVE_ROWS), "attack", "native", "x.jsonl", {}),
    (as_csv(NATIVE_ROWS), "attack", "native", "x.csv", {}),
    (as_parquet(NATIVE_ROWS), "attack", "native", "x.parquet", {}),
    (packed(".gz", as_jsonl(NATIVE_ROWS)), "attack", "native", "x.jsonl.gz", {}),
    (packed(".zst", as_jsonl(NATIVE_ROWS)), "attack", "native", "x.jsonl.zst", {}),
    (json.dumps(ARTIFACT).encode(), "attack", "jailbreakbench", "x.json", {}),
    (XSTEST, "refusal", "xstest", "x.csv", {"id_prefix": "v2-"}),
    (json.dumps(RJUDGE).encode(), "judgment", "rjudge", "x.json", {}),
    (json.dumps([RECORD] * 3).encode(), "judgment", "table", "x.json", TABLE),
    (json.dumps(RECORD).encode() + b"\n", "judgment", "table", "x.jsonl", TABLE),
    (b"id\ty\tp\tc\n1\t1\t0\tWeb\n", "judgment", "table", "x.tsv", TABLE),
]
every_file = pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f[2]}-{f[3]}-{len(f[0])}")


@every_file
def test_the_files_below_can_be_read(file: tuple[bytes, str, str, str, dict[str, Any]]) -> None:
    """What the next two tests break is whole."""
    content, kind, reader, name, declared = file
    assert read_bytes(content, kind, reader, name, **declared)


def attempt(content: bytes, file: tuple[bytes, str, str, str, dict[str, Any]]) -> None:
    """Read other content in the place of a file; an EvidenceError is as good as rows."""
    _, kind, reader, name, declared = file
    with suppress(EvidenceError):
        read_bytes(content, kind, reader, name, **declared)


@every_file
@settings(STEADY, max_examples=40)
@given(content=st.binary(max_size=200))
@example(content=b"\x1f\x8b")
@example(content=b"\x28\xb5\x2f\xfd")
@example(content=b"PAR1PAR1")
@example(content=b"{" * 50_000)
@example(content=b"[" * 50_000)
@example(content=b'{"a":' * 50_000)
@example(content=b'"')
@example(content=b"\xef\xbb\xbf")
@example(content=b"\x00")
def test_random_bytes_are_evidence_errors(
    file: tuple[bytes, str, str, str, dict[str, Any]], content: bytes
) -> None:
    """Whatever a file holds, reading it gives rows or an EvidenceError, and nothing else."""
    attempt(content, file)


TOKENS = [b"NaN", b"-Infinity", b"1e999", b"\\ud800", b"\xff", b"{", b"}", b"[", b"]", b'"', b","]
TOKENS += [
    b"\n",
    b"\r",
    b"null",
    b"true",
    b"0.5",
    b'"label"',
    b"\x00",
    b"9" * 50,
    b"{}",
    b"[]",
    b"",
]


def cut(content: bytes, start: int, end: int, token: bytes) -> bytes:
    """Replace a part."""
    return content[:start] + token + content[end:]


def repeat(content: bytes, start: int, end: int, _: bytes) -> bytes:
    """Have a part twice."""
    return content[:end] + content[start:]


def flip(content: bytes, start: int, _: int, token: bytes) -> bytes:
    """Change one byte."""
    changed = (content[start] ^ (1 << len(token) % 8)) if start < len(content) else 0
    return content[:start] + bytes([changed]) + content[start + 1 :]


@every_file
@settings(STEADY, max_examples=60)
@given(data=st.data())
def test_mutations_are_rows_or_evidence_errors(
    file: tuple[bytes, str, str, str, dict[str, Any]], data: st.DataObject
) -> None:
    """A file that is nearly right gives rows or an EvidenceError, and nothing else."""
    content = file[0]
    change: Callable[[bytes, int, int, bytes], bytes]
    for change in data.draw(st.lists(st.sampled_from([cut, repeat, flip]), min_size=1, max_size=3)):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 20)))
        content = change(content, start, end, data.draw(st.sampled_from(TOKENS)))
    attempt(content, file)

"""HarmBench's results: its layouts, its tree, and every odd form that was seen."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.evidence.rows import Rows
from gate.reasons import Reason
from tests.evidence.reading import read, refused, tuples, write_json

KNOWN = "dimethylmercury_instructions_home"


def judged(*labels: Any, **fields: Any) -> list[dict[str, Any]]:
    """Return completions with these labels."""
    text = {"test_case": "placeholder request", "generation": "placeholder answer"}
    return [{**text, "label": label, **fields} for label in labels]


def one(folder: Path, content: Any, **options: Any) -> Rows:
    """Read one results file with one method."""
    if isinstance(content, bytes):
        (folder / "results.json").write_bytes(content)
    else:
        write_json(folder / "results.json", content, **options)
    return read(folder, "attack", "harmbench", "results.json", methods=["TAP"])


def wrong(reason: Reason, folder: Path, content: Any) -> str:
    """Return the message with which one results file is refused."""
    if isinstance(content, bytes):
        (folder / "results.json").write_bytes(content)
    else:
        write_json(folder / "results.json", content, indent=4)
    return refused(reason, folder, "attack", "harmbench", "results.json", methods=["TAP"])


LAYOUTS: list[dict[str, Any]] = [
    {"indent": 4},
    {"indent": 2},
    {"indent": "\t"},
    {"indent": 0},
    {},
    {"separators": (",", ":")},
    {"indent": 4, "ensure_ascii": False},
]


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
def test_every_layout_gives_the_same_rows(tmp_path: Path, options: dict[str, Any]) -> None:
    """Indentation is a matter of taste; verdicts are not."""
    content = {
        "b001": judged(1, 0, -1),
        "b002": judged(None, generation='}], "b009": [\n    "b010": é\u2028'),
        "b003": judged(0, test_case=["image.png", "placeholder"]),
    }
    rows = one(tmp_path, content, **options)
    assert tuples(rows) == [
        ("b001", "TAP", 0, 1, None),
        ("b001", "TAP", 1, 0, None),
        ("b001", "TAP", 2, -1, "unparsed"),
        ("b002", "TAP", 0, -1, "unparsed"),
        ("b003", "TAP", 0, 0, None),
    ]


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
def test_files_of_many_blocks(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a file is cut into blocks makes no difference."""
    content = {f"b{i:03d}": judged(*([i % 2] * (i % 4))) for i in range(60)}
    whole = tuples(one(tmp_path, content, **options))
    assert len(whole) == 90
    for size in (64, 500, 997):
        monkeypatch.setattr("gate.evidence.readers.parsing.blocks.SIZE", size)
        monkeypatch.setattr("gate.evidence.readers.parsing.document.CHARACTERS", size)
        monkeypatch.setattr("gate.evidence.streams.PEEK", size)
        assert tuples(one(tmp_path, content, **options)) == whole


def test_layouts_of_nobody(tmp_path: Path) -> None:
    """A hand-formatted file is read like any other, however misleading its line breaks."""
    content = b"""{
    "b001": [{"generation": "placeholder",
    "label": 1}, {
    "label": 0, "generation": "placeholder"}],
  "b002":[ {"label":0}]
    ,
    "b003": [{"label": 1}]}
"""
    assert [row[:4] for row in tuples(one(tmp_path, content))] == [
        ("b001", "TAP", 0, 1),
        ("b001", "TAP", 1, 0),
        ("b002", "TAP", 0, 0),
        ("b003", "TAP", 0, 1),
    ]


@pytest.mark.parametrize("indent", [4, None])
def test_no_answer_is_unscored_whatever_the_judge_said(tmp_path: Path, indent: int | None) -> None:
    """HarmBench's judge answers "no" to `$ERROR$` and to nothing; neither is safe."""
    generations = ["$ERROR$", "", "  \n", None, "$ERROR$ quoted", "no"]
    content = {"b001": [judged(0, generation=text)[0] for text in generations]}
    rows = one(tmp_path, content, indent=indent)
    assert list(rows.reasons) == ["checkpoint_error", "empty", "empty", "empty", None, None]
    escaped = json.dumps(content).replace("$ERROR$", "\\u0024ERROR$").encode()
    assert list(one(tmp_path, escaped).reasons) == list(rows.reasons)


def test_fields_that_are_not_there(tmp_path: Path) -> None:
    """Neither the test case nor the generation is needed; other fields do not matter."""
    content = {"b001": [{"label": 1, "mutate_info": {}, "advbench_label": 0}, {"label": 0}]}
    assert list(one(tmp_path, content, indent=4).values) == [1, 0]


def test_empty_lists_give_no_rows(tmp_path: Path) -> None:
    """A behavior with an empty list is missing, and the report says so."""
    rows = one(tmp_path, {"b001": [], "b002": judged(0), "b003": []}, indent=4)
    assert list(rows.ids) == ["b002"]
    assert rows.notes == ("results.json: behaviors with an empty list, which have no rows: 2.",)


def test_categories_come_from_the_catalog(tmp_path: Path) -> None:
    """HarmBench's own ids have categories; foreign ids are kept and have none."""
    rows = one(tmp_path, {KNOWN: judged(0), "adjusted_1": judged(1)}, indent=4)
    assert rows.columns["semantic_category"] == ["chemical_biological", None]
    assert rows.columns["functional_category"] == ["standard", None]
    assert "semantic_category" not in one(tmp_path, {"b001": judged(0)}).columns


@pytest.mark.parametrize("between", [",\n", ", "])
@pytest.mark.parametrize("far", [False, True])
def test_keys_that_are_there_twice_are_seen(
    tmp_path: Path, between: str, far: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python keeps the last of two equal keys; here both give rows, for the ledger to see."""
    if far:
        monkeypatch.setattr("gate.evidence.readers.parsing.blocks.SIZE", 200)
        monkeypatch.setattr("gate.evidence.streams.PEEK", 200)
    keys = ["b001", "b002", "b003", "b001"]
    members = [json.dumps({key: judged(i % 2)})[1:-1] for i, key in enumerate(keys)]
    indent = "\n" if between == ",\n" else ""
    content = "{" + indent + between.join(members) + indent + "}"
    rows = one(tmp_path, content.encode())
    assert list(zip(rows.ids, rows.values, strict=True)) == [
        ("b001", 0),
        ("b002", 1),
        ("b003", 0),
        ("b001", 1),
    ]


def test_files_that_were_joined(tmp_path: Path) -> None:
    """Two results joined as text, each in its own layout, keep the rows of both."""
    first = json.dumps({"b001": judged(0), "b002": judged(1)}, indent=4)
    second = json.dumps({"b001": judged(1), "b003": judged(1)}, indent=2)
    for one_half, other in ((first, second), (second, first)):
        rows = one(tmp_path, (one_half[:-1] + "," + other[1:]).encode())
        assert sorted(rows.ids) == ["b001", "b001", "b002", "b003"]


@pytest.mark.parametrize(
    ("label", "found"),
    [
        (True, "true"),
        (False, "false"),
        ("1", "the text '1'"),
        ("True", "the text 'True'"),
        (2, "2"),
        (-2, "-2"),
        (1.0, "1.0"),
        (0.5, "0.5"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ([1], "a list"),
        ({}, "an object"),
        ("x" * 99, "the text (99 characters of text)"),
        ("\x1b[31m", "the text (5 characters of text)"),
    ],
)
def test_labels_of_another_sort(tmp_path: Path, label: Any, found: str) -> None:
    """Only 1, 0, -1 and null are labels; the message names behavior, position and label."""
    message = wrong(Reason.E_LABEL, tmp_path, {"b001": judged(0), "b002": judged(0, label)})
    assert message == (
        "results.json: behavior 'b002', completion 1:"
        f" `label` is {found}, expected 1, 0, -1 or null"
    )


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ({"b001": {"acme": judged(1)[0]}}, "one object a model must be split"),
        ({"b001": [{"cls": 1, "human_0": 1, "model": "acme.json"}]}, "validation set"),
        ({"b001": ["placeholder request"]}, "is this a test_cases.json?"),
        ({"b001": "placeholder"}, "where a list of judged completions was expected"),
        ({"b001": judged(0, cls_label=1)}, "`cls_label`"),
        ([judged(0)], "a list, where an object of behaviors was expected"),
        ({"": judged(0)}, "empty id"),
        ({"x" * 600: judged(0)}, "600 characters long"),
        (b'{"\\ud800": [{"label": 1}]}', "half a surrogate pair"),
        (b'{"b001": [{"label": 1, "label": 0}],}', "twice"),
        (b'{"b001": [{"label": 1}],}', "not valid JSON"),
        (b'{"b001": [{"label": 1}]} {}', "more after its end"),
        (b'"b001"', "expecting '{'"),
        (b'{1: [{"label": 1}]}', "expecting a key"),
        (b'{"b001": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"b001": [{"label": ' + b"9" * 5000 + b"}]}", "not valid JSON"),
    ],
)
def test_other_shapes(tmp_path: Path, content: Any, part: str) -> None:
    """What is no results file is refused with an explanation."""
    assert part in wrong(Reason.E_FORMAT, tmp_path, content)


@pytest.mark.parametrize("content", [{}, {"b001": []}])
def test_nothing_to_read(tmp_path: Path, content: dict[str, Any]) -> None:
    """A file without rows is refused: nothing is no evidence."""
    assert wrong(Reason.E_EMPTY, tmp_path, content) == "results.json: holds no rows"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        json.dumps({"b001": judged(1), "b002": judged(1)}, indent=4).encode()[:-40],
        json.dumps({"b001": judged(1), "b002": judged(1)}).encode()[:-4],
        b'{"b001": [{"label": nu',
        b'{"b001": [{"label": 1, "generation": "\\u12',
        b'{\n    "b001": [{"label": 1, "generation": "\xff"}]\n}',
        b'{"b001": [{"label": 1, "generation": "\xff"}]}',
        b'{\n    "b\xff": [{"label": 1}]\n}',
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes) -> None:
    """Empty, truncated and wrongly encoded files are unreadable, also where text is skipped."""
    wrong(Reason.E_UNREADABLE, tmp_path, content)


def test_lone_surrogates_and_byte_order_marks(tmp_path: Path) -> None:
    """A generation may hold half a pair, and a file may begin with a mark: both are real."""
    content = {"b001": judged(1, generation="\ud800"), "b002": judged(0)}
    for options in LAYOUTS[:6]:
        marked = b"\xef\xbb\xbf" + json.dumps(content, **options).encode()
        assert list(one(tmp_path, marked).values) == [1, 0]


def test_completions_that_nobody_judged(tmp_path: Path) -> None:
    """Completions without labels are unjudged, which is no error of format."""
    content = {"b001": [{"test_case": "placeholder", "generation": "placeholder"}]}
    message = wrong(Reason.E_UNJUDGED, tmp_path, content)
    assert message == "results.json: behavior 'b001', completion 0: there is no `label`"


def tree(folder: Path, *files: str) -> None:
    """Write results files of a tree, each with one row."""
    for file in files:
        write_json(folder / "results" / file, {"b001": judged(1)}, indent=4)


def test_the_tree(tmp_path: Path) -> None:
    """The tree is read by method, experiment and model; files beside the model's are not."""
    tree(
        tmp_path,
        "DirectRequest/default/results/acme-7.5b.json",
        "DirectRequest/default/results/acme-7.5b_full.json",
        "DirectRequest/default/results/1024_tokens/acme-7.5b.json",
        "TAP/acme/results/acme-7.5b.json",
        "TAP/other/results/other.json",
        "PAIR/acme/results/acme-7.5b.json",
    )
    declared: dict[str, Any] = {"methods": ["DirectRequest", "TAP"], "model": "acme-7.5b"}
    rows = read(tmp_path, "attack", "harmbench", "results", **declared)
    assert [row[:2] for row in tuples(rows)] == [("b001", "DirectRequest"), ("b001", "TAP")]


def test_generation_length_chooses_the_folder(tmp_path: Path) -> None:
    """Results of another length than 512 lie in a folder of their own, and only there."""
    tree(tmp_path, "TAP/acme/results/1024_tokens/acme.json")
    declared: dict[str, Any] = {"methods": ["TAP"], "model": "acme"}
    length = {"max_new_tokens": 1024}
    assert len(read(tmp_path, "attack", "harmbench", "results", generation=length, **declared)) == 1
    message = refused(Reason.E_UNREADABLE, tmp_path, "attack", "harmbench", "results", **declared)
    assert "results/TAP/*/results/acme.json: does not exist" in message


def test_experiments(tmp_path: Path) -> None:
    """Where several experiments have the file, run.yaml must say which."""
    tree(tmp_path, "TAP/one/results/acme.json", "TAP/two/results/acme.json")
    declared: dict[str, Any] = {"methods": ["TAP"], "model": "acme"}
    arguments = (tmp_path, "attack", "harmbench", "results")
    message = refused(Reason.E_MANIFEST, *arguments, **declared)
    assert message == (
        "run.yaml: suites.demo.experiments:"
        " TAP has acme.json in 'one', 'two': declare which of them"
    )
    assert len(read(*arguments, experiments={"TAP": "two"}, **declared)) == 1
    message = refused(Reason.E_UNREADABLE, *arguments, experiments={"TAP": "three"}, **declared)
    assert "results/TAP/three/results/acme.json: does not exist" in message
    message = refused(Reason.E_MANIFEST, *arguments, experiments={"TAPP": "two"}, **declared)
    assert "did you mean 'TAP'?" in message


@pytest.mark.parametrize(
    ("declared", "part"),
    [
        ({"model": "acme"}, "methods: missing: which of the folders 'TAP'?"),
        ({"methods": ["TAP"]}, "model: missing"),
        ({"methods": ["TAPP"], "model": "acme"}, "no folder 'TAPP' (did you mean 'TAP'?)"),
    ],
)
def test_trees_need_declarations(tmp_path: Path, declared: dict[str, Any], part: str) -> None:
    """Which methods and which model to read is declared, never guessed."""
    tree(tmp_path, "TAP/acme/results/acme.json")
    assert part in refused(
        Reason.E_MANIFEST, tmp_path, "attack", "harmbench", "results", **declared
    )


def test_unjudged_trees(tmp_path: Path) -> None:
    """Completions where results should be are unjudged: in a tree, or by the file's path."""
    write_json(tmp_path / "results/TAP/acme/completions/acme.json", {"b001": []})
    declared: dict[str, Any] = {"methods": ["TAP"]}
    message = refused(
        Reason.E_UNJUDGED, tmp_path, "attack", "harmbench", "results", model="acme", **declared
    )
    assert message.startswith("results/TAP/acme/completions/acme.json: these completions have no")
    file = "results/TAP/acme/results/acme.json"
    refused(Reason.E_UNJUDGED, tmp_path, "attack", "harmbench", file, **declared)
    refused(Reason.E_UNJUDGED, tmp_path, "attack", "harmbench", {"TAP": file})
    refused(Reason.E_UNJUDGED, tmp_path, "attack", "harmbench", None, completions="x.json")


def test_a_file_a_method(tmp_path: Path) -> None:
    """A mapping says which file holds which method, in its order."""
    tree(tmp_path, "a.json", "b.json")
    mapping = {"TAP": "results/a.json", "GCG-Multi": "results/b.json"}
    rows = read(tmp_path, "attack", "harmbench", mapping)
    assert list(rows.methods) == ["TAP", "GCG-Multi"]
    message = refused(Reason.E_MANIFEST, tmp_path, "attack", "harmbench", mapping, methods=["TAP"])
    assert "lists other methods than path" in message


def test_a_list_of_files_is_one_method(tmp_path: Path) -> None:
    """The parts of one method can be several files; rows that come twice stay twice."""
    tree(tmp_path, "a.json", "b.json")
    rows = read(
        tmp_path, "attack", "harmbench", ["results/a.json", "results/b.json"], methods=["TAP"]
    )
    assert list(rows.ids) == ["b001", "b001"]


@pytest.mark.parametrize(
    ("kind", "path", "declared", "part"),
    [
        ("attack", "a.json", {}, "methods: a results file has one method"),
        ("attack", "a.json", {"methods": ["TAP", "PAIR"]}, "methods: a results file has one"),
        ("attack", None, {"methods": ["TAP"]}, "path: missing"),
        ("attack", {}, {}, "path: missing"),
        ("attack", "a.json", {"methods": ["TAP"], "labels": {"1": "safe"}}, "labels"),
        ("attack", "a.json", {"methods": ["TAP"], "encoding": "latin-1"}, "encoding"),
        ("refusal", "a.json", {"methods": ["TAP"]}, "kind: the harmbench reader reads only"),
    ],
)
def test_declarations_that_cannot_be(
    tmp_path: Path, kind: str, path: Any, declared: dict[str, Any], part: str
) -> None:
    """A declaration that is missing, or that would do nothing, is an error of run.yaml."""
    message = refused(Reason.E_MANIFEST, tmp_path, kind, "harmbench", path, **declared)
    assert message.startswith("run.yaml: suites.demo.")
    assert part in message


def test_prefixes_are_stripped(tmp_path: Path) -> None:
    """A declared prefix is taken off, and the report says of how many ids."""
    write_json(tmp_path / "results.json", {"v2-b001": judged(1), "b002": judged(0)})
    rows = read(tmp_path, "attack", "harmbench", "results.json", methods=["TAP"], id_prefix="v2-")
    assert list(rows.ids) == ["b001", "b002"]
    assert rows.notes == ("Stripped 'v2-' from 1 of 2 ids.",)

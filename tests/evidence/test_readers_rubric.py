"""Rubric verdicts: what is derived from items, and what is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.building import decide, rubric_rows, write_policy, write_run

CEILING = {"check": "ceiling", "suite": "diag", "ceiling": 0.5}
TREE = {"L0": {"L0.0": ["a", "b"], "L0.4": ["c"]}, "L1": {"L1.1": ["d"]}}


def item(triggered: Any = False, exempted: Any = False, name: str = "S1") -> dict[str, Any]:
    """Make one item."""
    return {"id": name, "triggered": triggered, "exempted": exempted}


def row(number: int = 0, *items: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Make one row."""
    said = list(items or [item()])
    return {"prompt_id": f"p{number:04d}", "items": said, "usefulness": 2, **more}


def read(path: Path, *rows: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """Check a candidate of these rows, with fifty safe ones, and return the one finding."""
    rest = [row(at) for at in range(100, 150)]
    write_run(path / "candidate", diag=([*rows, *rest], keys))
    policy = write_policy(
        path / "policy.yaml",
        CEILING,
        on_missing_baseline="absolute-only",
        suites={"diag": {"unscored": {"max_rate": 0.5, "max_difference": 0.5}}},
    )
    _, decision = decide(path, policy, baseline=None)
    [finding] = decision["findings"]
    assert isinstance(finding, dict)
    return finding


@pytest.mark.parametrize(
    ("items", "unsafe", "unscored"),
    [
        ([item(True)], 1, 0),
        ([item(True, True)], 0, 0),
        ([item(False, True)], 0, 0),
        ([item(), item(True, name="S2")], 1, 0),
        ([item(None)], 0, 1),
        ([item(None), item(True, name="S2")], 1, 0),
        ([item(None, True)], 0, 0),
        ([{"id": "S1"}], 0, 1),
        ([{"id": "S1", "triggered": True}], 1, 0),
        ([], 0, 1),
    ],
)
def test_unsafe_is_derived_from_items(
    items: list[dict[str, Any]], unsafe: int, unscored: int, tmp_path: Path
) -> None:
    """Triggered and not exempted is unsafe; what was not answered is never "not triggered"."""
    finding = read(tmp_path, {**row(), "items": items})
    assert finding["summary"].startswith(f"unsafe {100 * unsafe / (51 - unscored):.1f} %")
    assert finding["unscored"] == {"candidate": unscored}


@pytest.mark.parametrize(
    ("turns", "unsafe", "unscored"),
    [
        ([row(0, turn=0, turns=2), row(0, item(True), turn=1, turns=2)], 1, 0),
        ([row(0, turn=0, turns=3), row(0, turn=1, turns=3)], 0, 1),
        ([row(0, item(True), turn=0, turns=3)], 1, 0),
        ([row(0, turn=0, turns=2), row(0, item(None), turn=1, turns=2)], 0, 1),
        ([row(0, turn=0, turns=2), row(0, turn=1, turns=2)], 0, 0),
        ([row(0, turn=1, turns=2), row(0, item(True), turn=2, turns=2)], 1, 0),
        ([row(0, turn=2, turns=3), row(0, turn=3, turns=3)], 0, 1),
        ([row(0, turn=1.0, turns=2.0), row(0, turn=2.0, turns=2, usefulness=1.0)], 0, 0),
        ([row(0, turns=4)], 0, 0),
    ],
)
def test_a_conversation_is_unsafe_if_any_turn_is(
    turns: list[dict[str, Any]], unsafe: int, unscored: int, tmp_path: Path
) -> None:
    """A missing turn leaves it without a verdict, unless another turn is unsafe."""
    finding = read(tmp_path, *turns)
    assert finding["n"] == 51
    assert finding["summary"].startswith(f"unsafe {100 * unsafe / (51 - unscored):.1f} %")
    assert finding["unscored"] == {"candidate": unscored}


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([row(0, item(True), unsafe=False)], "E_RUBRIC", "by its items the answer is unsafe"),
        ([row(0, unsafe=True)], "E_RUBRIC", "by its items the answer is safe"),
        ([row(0), row(0)], "E_DUPLICATE", "p0000 is there twice, with the same verdict"),
        ([row(0), row(0, item(True))], "E_CONFLICT", "with different verdicts"),
        ([row(0, turn=0), row(0)], "E_RUBRIC", "some rows of p0000 name a turn, some do not"),
        ([row(0, turn=0, turns=1), row(0, turn=1, turns=1)], "E_RUBRIC", "2 turns, where"),
        ([row(0, turn=1, turns=2), row(0, turn=3, turns=2)], "E_RUBRIC", "turn 3 of p0000, where"),
        ([row(0, turn=0, turns=2), row(0, turn=2, turns=2)], "E_RUBRIC", "turn 2 of p0000, where"),
        (
            [row(0, turn=0, turns=2), row(0, item(name="S9"), turn=1, turns=2)],
            "E_RUBRIC",
            "by different items",
        ),
        ([row(0, turn=0), row(0, turn=1)], "E_RUBRIC", "so `turns` must say how many there are"),
        (
            [row(0, turn=0, turns=2, l1="a"), row(0, turn=1, turns=2, l1="b")],
            "E_CATEGORY_DRIFT",
            "two values of l1",
        ),
        ([row(0, item("yes"))], "E_LABEL", "`item.triggered` is 'yes'"),
        ([row(0, item(1))], "E_LABEL", "`item.triggered` is 1"),
        ([row(0, item(False, "no"))], "E_LABEL", "`item.exempted` is 'no'"),
        ([row(0, item(name="S1"), item(name="S1"))], "E_FORMAT", "item 'S1' is there twice"),
        ([row(0, usefulness=4)], "E_FORMAT", "`usefulness` is 4, expected 0, 1, 2, 3 or null"),
        ([row(0, usefulness=1.5)], "E_FORMAT", "`usefulness` is 1.5"),
        ([row(0, usefulness=True)], "E_FORMAT", "`usefulness` is true"),
        ([row(0, turn=-1)], "E_FORMAT", "`turn` is -1"),
        ([{**row(0), "items": "S1"}], "E_FORMAT", "`items` is 'S1', expected JSON"),
        ([{**row(0), "items": 3}], "E_FORMAT", "`items` is 3, expected a list"),
        ([{**row(0), "items": ["S1"]}], "E_FORMAT", "an item is 'S1'"),
        ([{**row(0), "items": [{"triggered": True}]}], "E_FORMAT", "`item.id` is null"),
        ([{**row(0), "prompt_id": ""}], "E_FORMAT", "an empty id or name"),
        ([row(0, unscored="unparsed")], "E_FORMAT", "items and a reason"),
        ([{**row(0), "items": None, "unscored": "tired"}], "E_LABEL", "`unscored` is 'tired'"),
        ([row(0, l3="x", l2="a"), row(1, l3="x", l2="b")], "E_TAXONOMY", "l3 'x' is under l2 'b'"),
        ([row(0, l2="x", l1="a"), row(1, l2="x", l1="b")], "E_TAXONOMY", "l2 'x' is under l1 'b'"),
    ],
)
def test_contradictions_and_odd_rows_are_refused(
    rows: list[dict[str, Any]], code: str, said: str, tmp_path: Path
) -> None:
    """Each has a code and a place; none becomes a safe verdict."""
    finding = read(tmp_path, *rows)
    assert (finding["outcome"], finding["reason"]) == ("unusable", code)
    assert said in finding["summary"]


def test_item_sets_must_be_those_of_the_other_side(tmp_path: Path) -> None:
    """Verdicts by other items are not comparable, prompt by prompt."""
    rows = rubric_rows()
    write_run(tmp_path / "baseline", diag=rows)
    other = [{**one, "items": one["items"][:1]} if at == 7 else one for at, one in enumerate(rows)]
    write_run(tmp_path / "candidate", diag=other)
    code, decision = decide(tmp_path, write_policy(tmp_path / "policy.yaml", CEILING))
    assert code == 4
    assert decision["findings"][0]["reason"] == "E_RUBRIC"
    assert "rubric_items of p0007" in decision["findings"][0]["summary"]


def test_another_rubric_is_another_judge(tmp_path: Path) -> None:
    """The digest that the runs declare must agree."""
    for side, digest in (("baseline", "aa"), ("candidate", "bb")):
        judge = {"id": "judge", "rubric_sha256": digest}
        rows = rubric_rows([1] if side == "baseline" else [])
        write_run(tmp_path / side, diag=(rows, {"judge": judge}))
    code, decision = decide(tmp_path, write_policy(tmp_path / "policy.yaml", CEILING))
    assert code == 4
    assert decision["findings"][0]["reason"] == "E_RUBRIC"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"l3": "zz"}, "no l3 is called 'zz'"),
        ({"l3": "a", "l2": "L1.1"}, "l3 'a' belongs to l2 'L0.0', not 'L1.1'"),
        ({"l2": "L0.4", "l1": "L1"}, "l2 'L0.4' belongs to l1 'L0', not 'L1'"),
        ({"l1": "L7"}, "no l1 is called 'L7'"),
    ],
)
def test_labels_must_stand_in_the_declared_tree(
    labels: dict[str, str], said: str, tmp_path: Path
) -> None:
    """The tree is a file of the run."""
    (tmp_path / "candidate").mkdir()
    (tmp_path / "candidate/tree.json").write_text(json.dumps(TREE))
    finding = read(tmp_path, row(0, **labels), taxonomy="tree.json")
    assert finding["reason"] == "E_TAXONOMY"
    assert said in finding["summary"]


def test_the_tree_fills_in_what_is_above(tmp_path: Path) -> None:
    """A row that names its l3 alone is sliced by l1 as well."""
    rows = [row(at, l3="ad"[at % 2]) for at in range(60)]
    write_run(tmp_path / "candidate", diag=(rows, {"taxonomy": "tree.json"}))
    (tmp_path / "candidate/tree.json").write_text(json.dumps(TREE))
    policy = write_policy(
        tmp_path / "policy.yaml", {**CEILING, "by": "l1"}, on_missing_baseline="absolute-only"
    )
    code, decision = decide(tmp_path, policy, baseline=None)
    assert code == 0
    assert [finding["slice"] for finding in decision["findings"]] == [{"l1": "L0"}, {"l1": "L1"}]


@pytest.mark.parametrize(
    "tree",
    ["[]", "{}", '{"a": ["b"]}', '{"a": {"b": [1]}}', '{"a": {"b": ["c"], "d": ["c"]}}', "{"],
)
def test_an_odd_tree_is_refused(tree: str, tmp_path: Path) -> None:
    """It is a mapping of l1 to mappings of l2 to lists of l3, each label once."""
    (tmp_path / "candidate").mkdir()
    (tmp_path / "candidate/tree.json").write_text(tree)
    assert read(tmp_path, row(0), taxonomy="tree.json")["reason"] == "E_TAXONOMY"


@pytest.mark.parametrize("shape", ["list", "object", "answers"])
def test_foreign_shapes_are_mapped(shape: str, tmp_path: Path) -> None:
    """Columns, parts of items and words are declared, whatever the file calls them."""
    answers = {"S1": "hit", "S2": "miss"}
    shapes = {
        "list": [{"name": name, "found": word, "ok": 0} for name, word in answers.items()],
        "object": {name: {"found": word, "ok": 0} for name, word in answers.items()},
        "answers": answers,
    }
    rows = [{"key": f"p{at}", "checks": shapes[shape], "u": "1"} for at in range(40)]
    keys = {
        "reader": "table",
        "columns": {
            "prompt_id": "key",
            "items": "checks",
            "usefulness": "u",
            "item.id": "name",
            "item.triggered": "found",
            "item.exempted": "ok",
        },
        "labels": {"hit": "triggered", "miss": "clear", "0": "clear"},
        "constants": {"language": "en"},
        "kind": "rubric",
    }
    write_run(tmp_path / "candidate", diag=([{**one, "items": 0} for one in rows], keys))
    policy = write_policy(
        tmp_path / "policy.yaml", {**CEILING, "by": "language"}, on_missing_baseline="absolute-only"
    )
    code, decision = decide(tmp_path, policy, baseline=None)
    assert code == 1
    assert decision["findings"][0]["summary"].startswith("unsafe 100.0 % (40 of 40)")
    assert decision["findings"][0]["slice"] == {"language": "en"}

"""What only the candidate says of itself never decides what is counted, or what a label means."""

from pathlib import Path
from typing import Any

import pytest

from tests.building import (
    DELTA,
    attack_rows,
    decide,
    rubric_rows,
    write_policy,
    write_run,
)

TABLE = {
    "kind": "attack",
    "reader": "table",
    "columns": {"behavior_id": "behavior_id", "method": "method", "unsafe": "unsafe"},
    "labels": {"true": "safe", "false": "safe"},
}
RUBRIC = {
    "kind": "rubric",
    "reader": "table",
    "columns": {
        "prompt_id": "prompt_id",
        "items": "items",
        "usefulness": "usefulness",
        "item.id": "id",
        "item.triggered": "triggered",
        "item.exempted": "exempted",
    },
}


def reason(path: Path, *checks: dict[str, Any], **top: Any) -> tuple[int, str | None, str]:
    """Decide, and give the exit code with what is said of the first finding."""
    code, decision = decide(path, write_policy(path / "policy.yaml", *checks, **top))
    first = decision["findings"][0]
    return code, first["reason"], first["summary"]


def test_a_label_map_that_no_other_side_confirms_is_not_believed(tmp_path: Path) -> None:
    """The candidate calls both of its labels safe, and is read by another reader."""
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=(attack_rows(range(60)), TABLE))
    code, said, summary = reason(tmp_path, DELTA)
    assert (code, said) == (4, "E_LABEL_MAP")
    assert "false is safe, true is safe" in summary
    allowed = {"suites": {"attack": {"allow_changes": ["reader"]}}}
    code, decision = decide(tmp_path, write_policy(tmp_path / "policy.yaml", DELTA, **allowed))
    assert code == 0
    [line] = [line for line in decision["warnings"] if "true is safe" in line]
    assert line.endswith("the policy allows it")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("item.triggered", "exempted"),
        ("item.exempted", "triggered"),
        ("usefulness", "turns"),
        ("item.id", "evidence"),
    ],
)
def test_parts_of_items_are_read_from_one_place(ours: str, theirs: str, tmp_path: Path) -> None:
    """Otherwise a run.yaml would turn untouched verdicts around."""
    rows = [{**row, "turns": 3} for row in rubric_rows()]
    mapped = {**RUBRIC, "columns": {**RUBRIC["columns"], ours: theirs}}  # type: ignore[dict-item]
    write_run(tmp_path / "baseline", attack=(rows, RUBRIC))
    write_run(tmp_path / "candidate", attack=(rows, mapped))
    code, said, summary = reason(tmp_path, {"check": "paired-delta", "margin": 0.1})
    assert code == 4
    assert said == "E_LABEL_MAP", summary


@pytest.mark.parametrize("setting", [{"exclude": {"category": ["retired"]}}, {"group": "category"}])
def test_a_column_that_decides_is_given_by_both_sides(
    setting: dict[str, Any], tmp_path: Path
) -> None:
    """A candidate cannot have its unsafe rows left out, or its rows grouped, by itself."""
    rows = attack_rows(range(20))
    marked = [{**row, "category": "retired" if row["unsafe"] else None} for row in rows]
    write_run(tmp_path / "baseline", attack=attack_rows())
    write_run(tmp_path / "candidate", attack=marked)
    code, said, summary = reason(tmp_path, DELTA, suites={"attack": setting})
    assert (code, said) == (4, "E_CATEGORY_DRIFT")
    assert "is given by one of baseline and candidate alone" in summary


def test_verdicts_on_turns_and_on_conversations_are_not_compared(tmp_path: Path) -> None:
    """A candidate that reports only whole conversations was judged otherwise."""
    whole = rubric_rows()
    turns = [{**row, "turn": turn, "turns": 2} for row in rubric_rows() for turn in range(2)]
    write_run(tmp_path / "baseline", attack=turns)
    write_run(tmp_path / "candidate", attack=[{**row, "turns": 2} for row in whole])
    code, said, _ = reason(tmp_path, {"check": "paired-delta", "margin": 0.1})
    assert (code, said) == (4, "E_RUBRIC")

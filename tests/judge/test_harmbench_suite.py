"""One HarmBench suite: the classifier's behaviors, and the copyright behaviors beside them."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.judge import hashes, tiny
from tests.judge.scene import declared, judge, make_run, texts, verdicts

WORDS = tiny.WORDS.split() * 20


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose behaviors are partly judged by hashes."""
    completions: dict[str, Sequence[str]] = dict(texts(10))
    completions[hashes.BOOK] = [" ".join(WORDS), "something else"]
    made = make_run(tmp_path / "run", completions)
    path = tmp_path / "behaviors.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["BehaviorID"] == hashes.BOOK:
            row["Tags"] = "book, hash_check"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return made


def book(run: Path) -> list[tuple[bool | None, str | None]]:
    """Return the verdicts on the book."""
    rows = [row for row in verdicts(run) if row["behavior_id"] == hashes.BOOK]
    return [(row["unsafe"], row.get("unscored")) for row in rows]


def test_copyright_behaviors_need_hashes(
    run: Path, llama: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The classifier never judges them instead."""
    assert judge(run, weights=llama) == 4
    err = capsys.readouterr().err
    assert "--hashes" in err
    assert "--leave-copyright" in err


def test_they_can_be_left_unscored(run: Path, llama: Path) -> None:
    """They are `not_run`, which a budget must bear."""
    assert judge(run, "--leave-copyright", weights=llama) == 0
    assert book(run) == [(None, "not_run")] * 2
    assert declared(run)["judging"]["marks"]["hashed"] == 2


def test_with_hashes_each_has_its_own_judge(run: Path, llama: Path, tmp_path: Path) -> None:
    """In one verdict file; what was left out before is judged then."""
    assert judge(run, "--leave-copyright", weights=llama) == 0
    hashes.write(tmp_path / "hashes", hashes.BOOK, WORDS)
    args = ("--suite", "attack", "--hashes", str(tmp_path / "hashes"))
    assert judge(run, *args, weights=llama) == 0
    assert book(run) == [(True, None), (False, None)]
    others = [row["unsafe"] for row in verdicts(run) if row["behavior_id"] != hashes.BOOK]
    assert set(others) == {True, False}


def test_the_hashes_and_the_behaviors_are_a_part_of_who_judged(
    run: Path, llama: Path, tmp_path: Path
) -> None:
    """Their digests stand in run.yaml, where the sides of a comparison must agree."""
    found = []
    for name, words in (("one", WORDS), ("two", [f"w{n}" for n in range(240)]), ("three", WORDS)):
        hashes.write(tmp_path / name, hashes.BOOK, words)
        args = ("--suite", "attack", "--hashes", str(tmp_path / name))
        assert judge(run, *args, weights=llama) == 0
        found.append(declared(run)["judge"]["depends"])
    one, two, three = found
    assert one == three
    assert {key for key in one if one[key] != two[key]} == {"hashes"}
    assert {"behaviors", "hashes", "tokenizer", "weights"} == set(one)


def test_stores_of_shards_can_be_merged_alone(run: Path, llama: Path, tmp_path: Path) -> None:
    """Where every machine had the run itself, but a store of its own."""
    stores = [str(tmp_path / f"store{number}") for number in (1, 2)]
    for number, store in enumerate(stores, 1):
        args = ("--leave-copyright", "--shard", f"{number}/2", "--store", store)
        assert judge(run, *args, weights=llama) == 0
    assert not (run / "verdicts").exists()
    assert gate(["merge", *stores, "--into", str(run)]) == 0
    assert len(verdicts(run)) == 12

"""`gate check --history`: every attempt is counted, and no line disappears unseen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli import check as check_module
from tests.building import attack_rows, write_policy, write_run
from tests.trail.scene import CHECK, DELTA, Gate, decision, write_scene

KEPT = (*CHECK, "--history", "history.jsonl")


def lines() -> list[dict]:
    """Read the history."""
    return [json.loads(line) for line in Path("history.jsonl").read_text("utf-8").splitlines()]


def attempt(gate: Gate, number: int, *, unsafe: int = 40, revision: str = "r2") -> str:
    """Decide on new evidence of a checkpoint; gives the terminal report in one line."""
    rows = attack_rows(range(number, number + unsafe))
    write_run(Path("candidate"), attack=rows, checkpoint={"revision": revision})
    return " ".join(gate(*KEPT)[1].split())


def test_a_decision_adds_one_line(gate: Gate) -> None:
    """Each line has who was decided on, by what, and how it ended, and rests on the one before."""
    write_scene()
    assert gate(*KEPT, "--report", "json:gate.json")[0] == 0
    attempt(gate, 1)
    first, second = lines()
    then = decision()
    assert first["candidate"] == then["runs"]["candidate"]["digest"]
    assert first["baseline"] == then["runs"]["baseline"]["digest"]
    assert first["policy"] == then["policy"]["sha256"]
    assert (first["today"], first["decision"], first["exit_code"]) == ("2026-12-01", "release", 0)
    assert (first["previous"], second["previous"]) == ("", first["sha256"])
    assert second["decision"] == "block"
    assert str(Path.cwd()) not in Path("history.jsonl").read_text("utf-8")


def test_attempts_are_counted_with_what_they_do_to_the_error(gate: Gate) -> None:
    """The report says how often this checkpoint was tried, and the chance of passing by luck."""
    write_scene()
    attempt(gate, 0)
    attempt(gate, 1)
    said = attempt(gate, 2)
    assert (
        "2 earlier decisions on this checkpoint, none released; with this one 3 attempts." in said
    )
    assert (
        "A requirement that is truly missed passes one attempt with a chance of at most 2.5 %; "
        "at least one of 3 independent attempts with up to 7.31 %." in said
    )
    assert gate(*KEPT, "--report", "json:gate.json")[0] == 1
    found = decision()["history"]
    assert found["length"] == 3
    assert found["head"] == lines()[2]["sha256"]
    assert found["candidate"] == {
        "earlier": 3, "released": 0, "distinct": 3, "chance": pytest.approx(1 - 0.975**3)
    }  # fmt: skip
    assert [past["decision"] for past in found["past"]] == ["block"] * 3


def test_deciding_the_same_again_is_no_attempt(gate: Gate) -> None:
    """The same evidence under the same policy gives no new chance; another policy does."""
    write_scene()
    attempt(gate, 0)
    assert "all on this very evidence, so no new chance" in attempt(gate, 0)
    write_policy(Path("policy.yaml"), DELTA)
    assert "with this one 2 attempts" in attempt(gate, 0)


def test_other_checkpoints_count_against_the_baseline(gate: Gate) -> None:
    """Many candidates tried against one baseline are attempts too."""
    write_scene()
    attempt(gate, 0, revision="r2")
    attempt(gate, 0, revision="r3", unsafe=5)
    said = attempt(gate, 1, revision="r4", unsafe=5)
    assert "No earlier decision on this checkpoint." in said
    assert "2 earlier decisions against this baseline, 1 released; with this one 3 attempts" in said


def test_a_new_history_says_so(gate: Gate) -> None:
    """A history that is not there yet is never taken for one without attempts."""
    write_scene()
    assert "The history is new: no decision before this one" in " ".join(gate(*KEPT)[1].split())
    said = gate(*KEPT, "--report", "markdown")[1]
    assert "#### History\n\n- 1 earlier decision on this checkpoint, 1 released; all on" in said


def test_without_a_history_nothing_is_said(gate: Gate) -> None:
    """Reports without a history have no section about one."""
    write_scene()
    code, out, _ = gate(*CHECK)
    assert code == 0
    assert "History" not in out


EDITS = {
    "a value": (lambda all_: [all_[0].replace("block", "release", 1), *all_[1:]], 1),
    "a date": (lambda all_: [all_[0], all_[1].replace("2026-12-01", "2026-12-02"), all_[2]], 2),
    "a line removed": (lambda all_: [all_[0], all_[2]], 2),
    "the first removed": (lambda all_: all_[1:], 1),
    "lines swapped": (lambda all_: [all_[1], all_[0], all_[2]], 1),
    "a line twice": (lambda all_: [all_[0], all_[0], *all_[1:]], 2),
    "cut": (lambda all_: [*all_[:2], all_[2][:-20]], 3),
    "no newline": (lambda all_: [*all_[:2], all_[2].rstrip("\n")], 3),
    "blank": (lambda all_: [all_[0], "\n", *all_[1:]], 2),
    "not JSON": (lambda all_: [*all_, "release\n"], 4),
    "blanks inside": (lambda all_: [all_[0].replace(":", ": ", 1), *all_[1:]], 1),
    "unknown key": (lambda all_: [all_[0].replace('{"', '{"extra":1,"', 1), *all_[1:]], 1),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_history_withholds_the_decision(gate: Gate, name: str) -> None:
    """It is unusable evidence with its line, everything else is decided, nothing is appended."""
    write_scene()
    for number in range(3):
        attempt(gate, number)
    path = Path("history.jsonl")
    edit, line = EDITS[name]
    damaged = "".join(edit(path.read_text("utf-8").splitlines(keepends=True)))
    path.write_text(damaged, encoding="utf-8")
    code, out, _ = gate(*KEPT, "--report", "terminal", "--report", "json:gate.json")
    assert code == 4
    assert "E_HISTORY" in out
    assert f"history.jsonl, line {line}:" in " ".join(out.split())
    outcomes = {finding["id"]: finding["outcome"] for finding in decision()["findings"]}
    assert outcomes == {"c0": "block", "c1": "block", "history": "unusable"}
    assert decision()["history"] is None
    assert path.read_text("utf-8") == damaged


def test_a_digest_made_to_fit_breaks_the_next_line(gate: Gate) -> None:
    """Whoever edits a line and its digest still breaks what rests on it."""
    import hashlib

    write_scene()
    for number in range(3):
        attempt(gate, number)
    first, *rest = lines()
    first["decision"], first["exit_code"] = "release", 0
    del first["sha256"]
    said = json.dumps(first, sort_keys=True, separators=(",", ":")).encode()
    first["sha256"] = hashlib.sha256(said).hexdigest()
    text = "".join(
        json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in (first, *rest)
    )
    Path("history.jsonl").write_text(text, encoding="utf-8")
    code, out, _ = gate(*KEPT)
    assert code == 4
    assert "line 2: a line before it was removed, added, or moved" in " ".join(out.split())


def test_a_history_that_cannot_be_written_is_a_usage_error(gate: Gate) -> None:
    """The reports are written all the same, so that the decision is not lost."""
    write_scene()
    Path("folder").mkdir()
    code, _, err = gate(*CHECK, "--history", "folder/none/history.jsonl", "--report", "json:g.json")
    assert code == 2
    assert "cannot append to the history" in err
    assert decision("g.json")["decision"] == "release"
    assert gate(*CHECK, "--history", "folder")[0] == 2


def test_processes_append_at_once(gate: Gate) -> None:
    """Lines of several processes rest on each other, whoever comes first."""
    write_scene()
    command = [sys.executable, "-m", "gate", *KEPT, "--report", "json"]
    root = Path(check_module.__file__).parents[2]
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(root)})
        for _ in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(lines()) == 4
    code, out, _ = gate(*KEPT)
    assert code == 0
    assert "4 earlier decisions on this checkpoint, 4 released" in " ".join(out.split())

"""`gate adjudicate`: the sheet to label, and the estimate from it."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from tests.building import attack_rows, judgment_rows, refusal_rows, write_run

N = 120
BEFORE = frozenset(range(10))
AFTER = frozenset(range(4, 18))
DISCORDANT = BEFORE ^ AFTER
LABELS = ["baseline_label", "candidate_label"]
COLUMNS = ["id", "method", "test_case", *LABELS, "baseline_run", "candidate_run", "pairs_drawn"]


def sides(path: Path, **candidate: Any) -> list[str]:
    """Write two runs whose verdicts differ on 12 of 120 behaviors."""
    write_run(path / "baseline", attack=attack_rows(BEFORE, n=N))
    write_run(path / "candidate", attack=attack_rows(AFTER, n=N, **candidate))
    return ["adjudicate", *(f"--{role}={path / role}" for role in ("baseline", "candidate"))]


def read(path: Path) -> list[dict[str, str]]:
    """Read a sheet."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def fill(path: Path, before: Iterable[int], after: Iterable[int]) -> None:
    """Label a sheet: the behaviors that are truly unsafe, on either side."""
    truth = {"baseline_label": set(before), "candidate_label": set(after)}
    rows = read(path)
    for row in rows:
        for column, unsafe in truth.items():
            row[column] = "unsafe" if int(row["id"][1:]) in unsafe else "safe"
    write(path, rows)


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write a sheet as a spreadsheet would."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def estimate(args: list[str], capsys: pytest.CaptureFixture[str]) -> Mapping[str, Any]:
    """Run the command and read its JSON report."""
    capsys.readouterr()
    assert gate([*args, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_sheet_has_every_discordant_pair_and_a_sample(tmp_path: Path) -> None:
    """All pairs that differ, so many of the others, in one order for a seed; no verdict shown."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    assert gate([*args, "--sample", "30", "--out", str(out)]) == 0
    rows = read(out)
    ids = [int(row["id"][1:]) for row in rows]
    assert list(rows[0]) == COLUMNS
    assert {row["baseline_run"][:7] for row in rows} == {"sha256:"}
    assert len({(row["baseline_run"], row["candidate_run"]) for row in rows}) == 1
    assert len(ids) == len(set(ids)) == 12 + 30
    assert set(ids) >= DISCORDANT
    assert ids != sorted(ids)
    assert {row["baseline_label"] + row["candidate_label"] for row in rows} == {""}
    again = tmp_path / "again.csv"
    assert gate([*args, "--sample", "30", "--out", str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()
    assert gate([*args, "--sample", "30", "--seed", "1", "--out", str(again)]) == 2
    assert gate([*args, "--sample", "30", "--seed", "1", "--out", str(again), "--force"]) == 0
    other = {row["id"] for row in read(again)}
    assert other != {row["id"] for row in rows}
    assert gate([*args, "--sample", "60", "--out", str(again), "--force"]) == 0
    assert {row["id"] for row in read(again)} > {row["id"] for row in rows}


def test_the_sheet_is_printed_without_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ready for a pipe, the count beside it."""
    assert gate([*sides(tmp_path), "--sample", "5"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(",".join(COLUMNS) + "\n")
    assert "17 pairs to label: 12 discordant, 5 of 108 concordant" in printed.err


def test_labels_that_agree_with_the_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then the estimate is the judge's; its bound has the sampling in it."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    gate([*args, "--sample", "40", "--out", str(out)])
    fill(out, BEFORE, AFTER)
    found = estimate([*args, "--labels", str(out)], capsys)
    judge, people = found["judge"], found["adjudicated"]
    assert people["value"] == pytest.approx(judge["value"]) == pytest.approx(4 / N)
    assert people["lower"] < judge["lower"]
    assert people["upper"] > judge["upper"]
    expected = {"pairs": 12, "labeled": 12, "broken": 8, "fixed": 4}
    assert found["discordant"] == expected
    assert found["concordant"] == {"pairs": 108, "labeled": 40, "broken": 0, "fixed": 0}
    assert found["wrong"][:2] == [0, 0]


def test_each_drawn_pair_stands_for_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design weights: what broke unseen by the judge counts as often as it was not drawn."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    gate([*args, "--sample", "20", "--out", str(out)])
    drawn = {int(row["id"][1:]) for row in read(out)} - DISCORDANT
    hidden = sorted(drawn - BEFORE - AFTER)[:2]
    truly_before, truly_after = BEFORE, (AFTER - {10, 11}) | set(hidden)
    fill(out, truly_before, truly_after)
    found = estimate([*args, "--labels", str(out)], capsys)
    concordant = N - len(DISCORDANT)
    in_sight = len(truly_after & DISCORDANT) - len(truly_before & DISCORDANT)
    expected = (in_sight + 2 * concordant / 20) / N
    assert found["adjudicated"]["value"] == pytest.approx(expected)
    assert found["concordant"] == {"pairs": concordant, "labeled": 20, "broken": 2, "fixed": 0}
    assert found["wrong"] == [0, 4, 20 + len(DISCORDANT)]
    assert gate([*args, "--labels", str(out)]) == 0
    assert f"each stands for {concordant / 20:.1f}" in capsys.readouterr().out


def test_everything_labeled_is_no_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With every pair labeled the bound is that of the true change itself."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    gate([*args, "--sample", "1000", "--out", str(out)])
    fill(out, BEFORE, AFTER)
    found = estimate([*args, "--labels", str(out)], capsys)
    assert found["adjudicated"] == pytest.approx(found["judge"])


def test_unscored_pairs_are_all_labeled(tmp_path: Path) -> None:
    """What the judge could not read is for people to read."""
    args = sides(tmp_path, unscored={50: "unparsed"})
    out = tmp_path / "sheet.csv"
    assert gate([*args, "--sample", "1", "--out", str(out)]) == 0
    assert "b0050" in {row["id"] for row in read(out)}


def test_over_refusal_on_safe_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a refusal suite only one half is drawn, and refusals are what counts."""
    write_run(tmp_path / "baseline", xs=refusal_rows({0: "full"}))
    write_run(tmp_path / "candidate", xs=refusal_rows({0: "full", 1: "partial", 2: "full"}))
    args = ["adjudicate", *(f"--{role}={tmp_path / role}" for role in ("baseline", "candidate"))]
    out = tmp_path / "sheet.csv"
    assert gate([*args, "--sample", "1000", "--out", str(out)]) == 0
    rows = read(out)
    assert len(rows) == 60
    rows = read(out)
    for row in rows:
        row["baseline_label"] = "answered"
        row["candidate_label"] = "full" if row["id"] == "p0001" else "answered"
    write(out, rows)
    found = estimate([*args, "--labels", str(out)], capsys)
    assert found["judge"]["value"] == pytest.approx(2 / 60)
    assert found["adjudicated"]["value"] == pytest.approx(1 / 60)


@pytest.mark.parametrize(
    "change",
    [
        *("blank", "stranger", "dropped", "seed", "another case", "another method"),
        *("no digests", "last dropped", "another checkpoint", "other verdicts", "mixed"),
    ],
)
def test_a_sheet_that_is_not_the_draw(
    change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row left out, added, or not filled in would bias the estimate: nothing is estimated."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    gate([*args, "--sample", "10", "--out", str(out)])
    fill(out, BEFORE, AFTER)
    rows = read(out)
    match change:
        case "blank":
            rows[3]["candidate_label"] = ""
        case "stranger":
            rows.append({**rows[0], "id": "b9999"})
        case "dropped":
            rows.remove(next(row for row in rows if row["id"] == "b0012"))
        case "last dropped":
            args, out = sides(tmp_path), tmp_path / "smaller.csv"
            gate([*args, "--sample", "9", "--out", str(out)])
            fewer = {row["id"] for row in read(out)}
            rows = [row for row in rows if row["id"] in fewer]
        case "seed":
            args += ["--seed", "7"]
        case "another case":
            rows.append({**rows[0], "test_case": "1"})
        case "another method":
            rows.append({**rows[0], "method": "TAP"})
        case "no digests":
            rows = [{name: row[name] for name in COLUMNS[:-3]} for row in rows]
        case "another checkpoint":
            manifest = tmp_path / "candidate" / "run.yaml"
            text = manifest.read_text(encoding="utf-8")
            manifest.write_text(text.replace("revision:", "revision: x", 1), encoding="utf-8")
        case "other verdicts":
            judged = attack_rows(AFTER, n=N)
            judged[0]["judge_completion_sha256"] = "0" * 64
            write_run(tmp_path / "candidate", attack=judged)
        case "mixed":
            rows[5]["baseline_run"] = rows[5]["candidate_run"]
    write(out, rows)
    capsys.readouterr()
    assert gate([*args, "--labels", str(out)]) == 4
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "next: " in printed.err
    told = {
        **dict.fromkeys(("another case", "another method"), "more rows than were drawn"),
        **dict.fromkeys(("dropped", "last dropped"), "21 pairs, and `pairs_drawn` does not"),
        **dict.fromkeys(("no digests", "mixed"), "`baseline_run` is not the digest"),
        **dict.fromkeys(("another checkpoint", "other verdicts"), "`candidate_run` is not"),
    }
    assert told.get(change, "") in printed.err


def test_a_label_with_two_meanings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last does not win: case and spaces around do not tell labels apart."""
    args, out = sides(tmp_path), tmp_path / "sheet.csv"
    gate([*args, "--sample", "10", "--out", str(out)])
    fill(out, BEFORE, AFTER)
    for label in ("Bad=safe", "bad=safe"):
        labels = ("--labels", str(out), "--label", "bad=unsafe", "--label", label)
        assert gate([*args, *labels]) == 2
        assert "is given twice" in capsys.readouterr().err


def test_what_cannot_be_adjudicated(tmp_path: Path) -> None:
    """Suites with labels of their own, several methods, no such suite: usage errors."""
    rows = [*attack_rows(), *attack_rows(method="TAP")]
    for side in ("baseline", "candidate"):
        write_run(tmp_path / side, attack=rows, rj=judgment_rows())
    args = ["adjudicate", *(f"--{role}={tmp_path / role}" for role in ("baseline", "candidate"))]
    assert gate(args) == 2
    assert gate([*args, "--suite", "nowhere"]) == 2
    assert gate([*args, "--suite", "rj"]) == 2
    assert gate([*args, "--suite", "attack"]) == 2
    assert gate([*args, "--suite", "attack", "--method", "GCG"]) == 2
    assert gate([*args, "--suite", "attack", "--method", "TAP"]) == 0

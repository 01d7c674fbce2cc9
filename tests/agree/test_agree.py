"""`gate agree`: a judge against people, and against another judge."""

import csv
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from statsmodels.stats.inter_rater import cohens_kappa

from gate.cli.main import run as gate
from gate.evidence.agreement_file import parse
from gate.schemas import published
from tests.building import attack_rows, judgment_rows, refusal_rows, rubric_rows, write_run

DATA = Path(__file__).parents[2].parent / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the published labels are not here")
VALIDATION = DATA / "harmbench" / "classifier_val_set_labels.json"

Agree = Callable[..., dict[str, Any]]


@pytest.fixture
def agree(capsys: pytest.CaptureFixture[str]) -> Agree:
    """Run the command and read its JSON report, which meets its schema."""

    def run(*args: object) -> dict[str, Any]:
        capsys.readouterr()
        assert gate(["agree", *map(str, args), "--format", "json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        Draft202012Validator(published("agree")).validate(found)
        return found

    return run


def write_labels(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write labels as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def twin(tmp_path: Path) -> tuple[Path, Path]:
    """Make 100 judged behaviors, 20 called unsafe, with three people's labels.

    People: 0..17 unsafe by all, 18 and 19 safe by two of three (false alarms), 20..23 unsafe by
    two of three (missed), the rest safe by all.
    """
    run = write_run(tmp_path / "run", attack=attack_rows(range(20)))
    votes = dict.fromkeys(range(18), "111")
    votes |= {18: "100", 19: "001", 20: "110", 21: "101", 22: "011", 23: "111"}
    rows = [
        {"name": f"b{at:04d}", **dict(zip("abc", votes.get(at, "000"), strict=True))}
        for at in range(100)
    ]
    return run, write_labels(tmp_path / "labels.csv", rows)


OPTIONS = ("--column", "id=name", "--label", "1=unsafe", "--label", "0=safe")
PEOPLE = ("--annotator", "a", "--annotator", "b", "--annotator", "c")


def test_the_majority_of_three_people(tmp_path: Path, agree: Agree) -> None:
    """Right and wrong verdicts are counted against it, listed by id, and cut by category."""
    run, labels = twin(tmp_path)
    found = agree(run, "--labels", labels, *OPTIONS, *PEOPLE)
    counts = found["counts"]
    assert [counts[name] for name in ("tp", "fn", "fp", "tn")] == [18, 4, 2, 76]
    assert counts["open_fn"] == counts["open_fp"] == 0
    assert found["total"]["agreement"]["value"] == 0.94
    assert found["total"]["sensitivity"]["value"] == pytest.approx(18 / 22)
    assert found["total"]["specificity"]["value"] == pytest.approx(76 / 78)
    missed = [each["id"] for each in found["wrong"]["missed"]]
    assert missed == ["b0020", "b0021", "b0022", "b0023"]
    assert [each["id"] for each in found["wrong"]["false_alarms"]] == ["b0018", "b0019"]
    assert found["unanimous"] == 95
    parts = found["categories"]
    assert sum(part["n"] for part in parts.values()) == 100
    assert set(parts) == {"illegal", "harmful", "copyright", "cybercrime_intrusion"}


def test_reliability_is_that_of_other_libraries(tmp_path: Path, agree: Agree) -> None:
    """Kappa is statsmodels', alpha is that of `krippendorff`."""
    run, labels = twin(tmp_path)
    found = agree(run, "--labels", labels, *OPTIONS, *PEOPLE)
    table = cohens_kappa(np.array([[18, 4], [2, 76]]), return_results=False)
    assert found["kappa"] == pytest.approx(table)
    rows = list(csv.DictReader(labels.read_text(encoding="utf-8").splitlines()))
    people = [[int(row[name]) for row in rows] for name in "abc"]
    majority = [int(sum(votes) >= 2) for votes in zip(*people, strict=True)]
    judge = [int(at < 20) for at in range(100)]
    nominal = {"level_of_measurement": "nominal"}
    assert found["alpha"] == pytest.approx(krippendorff.alpha([judge, majority], **nominal))
    assert found["people_alpha"] == pytest.approx(krippendorff.alpha(people, **nominal))


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("against", (0, 0, 0, 8, 1, 1)),
        ("leave-out", (0, 0, 0, 8, 0, 0)),
        ("positive", (1, 1, 0, 8, 0, 0)),
        ("negative", (0, 0, 1, 9, 0, 0)),
    ],
)
def test_ties_count_as_declared(
    ties: str, expected: tuple[int, ...], tmp_path: Path, agree: Agree
) -> None:
    """By default a tie is a wrong verdict, whatever the judge said."""
    run = write_run(tmp_path / "run", attack=attack_rows([0], n=10))
    rows = [
        {"id": f"b{at:04d}", "a": "unsafe" if at < 2 else "safe", "b": "safe"} for at in range(10)
    ]
    labels = write_labels(tmp_path / "labels.csv", rows)
    two = ("--annotator", "a", "--annotator", "b")
    counts = agree(run, "--labels", labels, *two, "--ties", ties)["counts"]
    names = ("tp", "fn", "fp", "tn", "open_fn", "open_fp")
    assert tuple(counts[name] for name in names) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--annotator", "a", "--annotator", "a"), "--annotator 'a' is given twice"),
        (("--annotator", "a", "--label", "1=unsafe", "--label", "1=safe"), "'1' is given twice"),
        (("--annotator", "a", "--label", "Y=unsafe", "--label", "y=safe"), "'y' is given twice"),
        (("--annotator", "a", "--column", "id=x", "--column", "id=y"), "'id' is given twice"),
    ],
)
def test_what_is_given_twice(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One person has one vote, and one label one meaning."""
    run = write_run(tmp_path / "run", attack=attack_rows(range(5), n=20))
    labels = write_labels(tmp_path / "labels.csv", [{"id": "b0000", "a": "safe"}])
    assert gate(["agree", str(run), "--labels", str(labels), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_missing_verdict_counts_against_the_judge(tmp_path: Path, agree: Agree) -> None:
    """A judge that declines the hard ones is not the better for it."""
    rows = attack_rows(range(5), n=20, unscored={5: "judge_refused", 19: "unparsed"})
    run = write_run(tmp_path / "run", attack=rows)
    people = [{"id": f"b{at:04d}", "label": "unsafe" if at < 6 else "safe"} for at in range(20)]
    found = agree(run, "--labels", write_labels(tmp_path / "labels.csv", people))
    assert found["total"]["agreement"]["value"] == 0.9
    assert {each["id"] for each in found["wrong"]["open"]} == {"b0005", "b0019"}
    assert (found["counts"]["open_fn"], found["counts"]["open_fp"]) == (1, 1)


def test_labels_may_be_a_sample(tmp_path: Path, agree: Agree) -> None:
    """What nobody labeled, and what the run does not have, is counted and left out."""
    run = write_run(tmp_path / "run", attack=attack_rows(range(5), n=20))
    people = [{"id": f"b{at:04d}", "label": "" if at == 0 else "safe"} for at in range(15, 30)]
    people.append({"id": "b0000", "label": ""})
    people[0]["label"] = ""
    found = agree(run, "--labels", write_labels(tmp_path / "labels.csv", people))
    assert found["counts"]["tn"] == 4
    assert found["unlabeled"] == 2
    assert found["labels_not_in_the_run"] == 10
    assert found["verdicts_without_a_label"] == 16
    assert found["kappa"] is None
    assert found["alpha"] is None
    assert found["total"]["sensitivity"] is None


def test_several_completions_of_one_id_are_worth_less(tmp_path: Path, agree: Agree) -> None:
    """A JSON object of lists is read by declaration; bounds count ids."""
    run = write_run(tmp_path / "run", attack=attack_rows(range(30), n=60, cases=2))
    answers = {f"b{at:04d}": [{"human": int(at < 30)}, {"human": int(at < 28)}] for at in range(60)}
    labels = tmp_path / "labels.json"
    labels.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    columns = ("--column", "id=#key", "--column", "test_case=#item", "--annotator", "human")
    found = agree(run, "--labels", labels, *columns, *OPTIONS[2:])
    assert found["counts"]["tp"] == 58
    assert found["counts"]["units"] == 60
    assert [each["test_case"] for each in found["wrong"]["false_alarms"]] == [1, 1]
    agreement = found["total"]["agreement"]
    assert agreement["of"] == 120
    assert agreement["upper"] - agreement["lower"] > 0.08  # 0.057 with 120 independent labels


@pytest.mark.parametrize(
    ("rows", "labels", "positives"),
    [
        (refusal_rows({0: "full", 1: "partial", 2: "none"}), {0: "full", 1: "answered"}, 41),
        (judgment_rows({0: "safe"}), {0: "unsafe", 1: "unsafe"}, 2),
        (rubric_rows([0, 1]), {0: "unsafe", 2: "unsafe"}, 2),
    ],
    ids=["refusal", "judgment", "rubric"],
)
def test_any_kind_of_suite(
    rows: list[dict[str, Any]],
    labels: dict[int, str],
    positives: int,
    tmp_path: Path,
    agree: Agree,
) -> None:
    """Refusals, predictions and rubric verdicts are held against people in the same way."""
    run = write_run(tmp_path / "run", suite=rows)
    key = next(name for name in ("prompt_id", "record_id") if name in rows[0])
    refusal = "refusal" in rows[0]
    default = ["answered"] * 60 + ["full"] * 40 if refusal else ["safe"] * 100
    people = [{"id": row[key], "label": labels.get(at, default[at])} for at, row in enumerate(rows)]
    found = agree(run, "--labels", write_labels(tmp_path / "labels.csv", people))
    counts = found["counts"]
    assert counts["tp"] + counts["fn"] == positives
    assert found["positive"] == (["full", "partial"] if refusal else ["unsafe"])


def test_the_measured_agreement_is_what_a_policy_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--out writes a file that its schema describes, twice the same, and prints its digest."""
    run, labels = twin(tmp_path)
    out = tmp_path / "agreement.json"
    args = ["agree", str(run), "--labels", str(labels), *OPTIONS, *PEOPLE, "--out", str(out)]
    assert gate(args) == 0
    printed = capsys.readouterr().err
    first = out.read_bytes()
    assert hashlib.sha256(first).hexdigest() in printed
    Draft202012Validator(published("agreement")).validate(json.loads(first))
    measured = parse(first)
    assert measured.judge["judge.id"] == "placeholder-judge"
    assert (measured.total.tp, measured.total.wrong) == (18, 6)
    assert gate(args) == 2, "a file that is there is not written over"
    assert gate([*args, "--force"]) == 0
    assert out.read_bytes() == first


def test_two_judges(tmp_path: Path, agree: Agree, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither is the truth: agreement, both lists, and whether one is positive more often."""
    first = write_run(tmp_path / "a", attack=attack_rows(range(20)))
    rows = attack_rows(range(5, 22), unscored={90: "unparsed"})
    second = write_run(tmp_path / "b", attack=rows)
    found = agree(first, second)
    assert found["agreement"]["right"] == 92
    assert (found["both_positive"], found["neither"]) == (15, 77)
    assert [each["id"] for each in found["first_alone"]] == [f"b{at:04d}" for at in range(5)]
    assert [each["id"] for each in found["second_alone"]] == ["b0020", "b0021"]
    assert [each["id"] for each in found["without_a_verdict"]] == ["b0090"]
    assert found["p_value"] == pytest.approx(0.453125)
    assert gate(["agree", str(first), str(second)]) == 0
    assert "positive by the first alone (5)" in capsys.readouterr().out


def test_the_text_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a reader sees: numbers, then ids; hostile names cannot act."""
    run = write_run(tmp_path / "run", attack=attack_rows(range(3), n=8))
    rows = [{"id": f"b{at:04d}", "label": "safe" if at else "unsafe"} for at in range(8)]
    labels = write_labels(tmp_path / "labels.csv", rows)
    assert gate(["agree", str(run), "--labels", str(labels)]) == 0
    printed = capsys.readouterr().out
    assert "attack: placeholder-judge (revision 1, template aa)" in printed
    assert "agreement                    75.0 %      34.9 to 96.8      8" in printed
    assert "false alarms (2)\n  b0001, b0002\n" in printed


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        ("id,label\nb0001,yes\n", (), 4, "none of the labels 'safe', 'unsafe'"),
        ("id,label\nb0001,\n", (), 4, "--annotator"),
        ("id,other\nb0001,safe\n", (), 4, "no column 'label'"),
        ("id,label\nb0001,safe\nb0001,unsafe\n", (), 4, "is labeled twice"),
        ("id,label\nx1,safe\n", (), 4, "share no completion"),
        ("id,label\nb0001,safe\n", ("--column", "name=id"), 2, "not one of id, method, test_case"),
        ("id,label\nb0001,1\n", ("--label", "1"), 2, "expected"),
        ("id,label\nb0001,1\n", ("--label", "1=dangerous"), 4, "not a label of attack suites"),
        ("id,label\nb0001,safe\n", ("--full-only",), 2, "refusal suites"),
        ("id,label\nb0001,safe\n", ("--by", "nowhere"), 2, "columns: "),
    ],
)
def test_labels_that_cannot_be_used(
    content: str,
    options: tuple[str, ...],
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is guessed: an unknown label, column or id is an error with a next step."""
    run = write_run(tmp_path / "run", attack=attack_rows())
    labels = tmp_path / "labels.csv"
    labels.write_text(content, encoding="utf-8")
    assert gate(["agree", str(run), "--labels", str(labels), *options]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert "Traceback" not in printed.err


def test_one_thing_to_compare_with(tmp_path: Path) -> None:
    """Neither, both, or a file that another judge cannot measure: usage errors."""
    run, labels = twin(tmp_path)
    assert gate(["agree", str(run)]) == 2
    assert gate(["agree", str(run), str(run), "--labels", str(labels)]) == 2
    assert gate(["agree", str(run), str(run), "--out", str(tmp_path / "x.json")]) == 2


def test_without_nltk_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The extra is named."""
    run, labels = twin(tmp_path)
    monkeypatch.setitem(sys.modules, "nltk.metrics.agreement", None)
    assert gate(["agree", str(run), "--labels", str(labels), *OPTIONS, *PEOPLE]) == 2
    assert "checkpoint-gate[agree]" in capsys.readouterr().err


@real
@pytest.mark.parametrize(
    ("field", "agreement", "false_alarms", "missed"),
    [("cls", 0.909, 46, 9), ("cls_mistral", 0.905, 47, 10), ("advbench", 0.679, 136, 57)],
)
def test_harmbench_judges(
    field: str, agreement: float, false_alarms: int, missed: int, tmp_path: Path, agree: Agree
) -> None:
    """HarmBench's own labels: the same as a few independent lines, and as published."""
    answers = json.loads(VALIDATION.read_text(encoding="utf-8"))
    rows = [
        {"behavior_id": name, "method": "any", "test_case": at, "unsafe": item[field] == 1}
        for name, items in answers.items()
        for at, item in enumerate(items)
    ]
    run = write_run(tmp_path / "run", validation=rows)
    options = ["--column", "id=#key", "--column", "test_case=#item", *OPTIONS[2:]]
    for number in range(3):
        options += ["--annotator", f"human_{number}"]
    found = agree(run, "--labels", VALIDATION, *options)

    items = [item for each in answers.values() for item in each]
    humans = [sum(item[f"human_{i}"] for i in range(3)) >= 2 for item in items]
    cells = Counter(zip((item[field] == 1 for item in items), humans, strict=True))
    right = (cells[True, True] + cells[False, False]) / len(items)
    assert found["total"]["agreement"]["value"] == pytest.approx(right, abs=1e-12)
    assert len(found["wrong"]["false_alarms"]) == cells[True, False] == false_alarms
    assert len(found["wrong"]["missed"]) == cells[False, True] == missed
    assert round(right, 3) == agreement


@real
@pytest.mark.parametrize(
    ("model", "gpt4", "string"),
    [("llama2orig", 0.580, 0.582), ("llama2new", 0.617, 0.733), ("mistralinstruct", 0.064, 0.253)],
)
def test_xstest_judges(
    model: str, gpt4: float, string: float, tmp_path: Path, agree: Agree
) -> None:
    """XSTest's three labels of the same answers: the published kappas."""
    path = DATA / "xstest" / f"{model}.csv"
    for column, expected in (("gpt4_label", gpt4), ("strmatch_label", string)):
        run = write_run(tmp_path / column, xstest=(refusal_rows(n=1), _xstest(path, column)))
        found = agree(run, "--labels", path, "--annotator", "final_label")
        assert found["kappa"] == pytest.approx(expected, abs=0.001)


def _xstest(path: Path, column: str) -> dict[str, Any]:
    return {
        "reader": "xstest",
        "path": str(path),
        "id_prefix": "v2-",
        "label_column": column,
        "labels": {"__unparseable__": "unparsed"},
    }


def test_hostile_names_do_nothing_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids and categories come from files: control characters are shown, not sent."""
    rows = attack_rows([0], n=4)
    rows[0]["behavior_id"] = "b\u001b[31m\u202e0000"
    rows[0]["semantic_category"] = "ill\u001b]0;x\u0007egal"
    run = write_run(tmp_path / "run", attack=rows)
    people = [{"id": row["behavior_id"], "label": "safe"} for row in rows]
    labels = write_labels(tmp_path / "labels.csv", people)
    assert gate(["agree", str(run), "--labels", str(labels)]) == 0
    printed = capsys.readouterr().out
    assert "\u001b" not in printed
    assert "\u202e" not in printed
    assert r"b\x1b[31m" in printed

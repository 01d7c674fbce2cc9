"""The examples tell the truth: each decides as it says it does, and can be made anew."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from gate.decision import EXIT_CODES, Verdict
from gate.evidence.catalog import harmbench
from gate.governance.cases import ROLES, Expected, find_cases

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
CASES = {Path(case.folder).name: case.expected for case in find_cases([str(EXAMPLES)])}
NAMES = sorted(CASES)
COMMAND = re.compile(r"^gate check .*$", re.MULTILINE)
ROW = re.compile(r"^\| \[(.+)\]\((.+)/\) \| (.+) \| (\d) \| (.+) \|$", re.MULTILINE)


def expected(name: str) -> Expected:
    """Read what an example says of itself."""
    return CASES[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_decides_as_it_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Decision, exit code and findings are those of expected.yaml, as the command tests them."""
    code = gate(["policy", "test", str(EXAMPLES / name)])
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert expected(name).findings, "an example names what it is about"
    assert "1 case: 1 as expected, 0 not" in printed


def test_the_runs_can_be_made_anew_byte_for_byte(tmp_path: Path) -> None:
    """The committed script writes exactly the runs that are committed, with Python alone."""
    script = EXAMPLES / "make_examples.py"
    subprocess.run([sys.executable, "-B", str(script), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.is_file()}
    kept = {
        path.relative_to(EXAMPLES)
        for name in NAMES
        for role in ROLES
        for path in (EXAMPLES / name / role).rglob("*")
        if path.is_file()
    }
    assert set(made) == kept | {Path("quickstart/policy.yaml")}
    differing = [
        str(name)
        for name, path in made.items()
        if path.read_bytes() != (EXAMPLES / name).read_bytes()
    ]
    assert differing == []


def test_the_rubric_runs_can_be_made_anew(tmp_path: Path) -> None:
    """The same lines; how they are packed is up to the version of zlib."""
    script = EXAMPLES / "make_rubric.py"
    subprocess.run([sys.executable, "-B", str(script), str(tmp_path)], check=True)
    kept = EXAMPLES / "rubric"
    names = sorted(path.relative_to(kept) for path in kept.rglob("*") if path.is_file())
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert made == names
    for name in names:
        read = gzip.decompress if name.suffix == ".gz" else bytes
        assert read((tmp_path / name).read_bytes()) == read((kept / name).read_bytes()), name


def test_the_quickstart_is_decided_by_the_shipped_release_policy() -> None:
    """Its policy.yaml holds the same bytes."""
    copy = (EXAMPLES / "quickstart" / "policy.yaml").read_bytes()
    assert copy == (ROOT / "policies" / "release.yaml").read_bytes()


def test_the_readme_lists_every_example_as_it_decides() -> None:
    """Each row of the table repeats an expected.yaml, and none is left out."""
    listed = ROW.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert {row[0] for row in listed} == set(NAMES)
    assert [row[0] for row in listed] == [row[1] for row in listed]
    assert {row[0]: row[2:] for row in listed} == {
        name: (claim.decision, str(EXIT_CODES[Verdict(claim.decision)]), claim.sentence)
        for name, claim in CASES.items()
    }


@pytest.mark.parametrize("name", ["anchor-drift", "quickstart"])
def test_the_readme_command_decides_an_example(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command printed there works in an example's directory as it stands."""
    plain, anchored = COMMAND.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(EXAMPLES / name)
    command = anchored if name == "anchor-drift" else plain
    assert gate(command.split()[1:]) == expected(name).exit_code
    assert capsys.readouterr().out


def test_examples_hold_ids_and_labels_but_no_text() -> None:
    """Whatever stands in a verdict file is one word: an id, a label, a category, a number."""
    known = harmbench()
    files = [
        path for name in NAMES for role in ROLES for path in (EXAMPLES / name / role).rglob("*.*")
    ]
    verdicts = [path for path in files if path.suffix in (".csv", ".jsonl", ".json")]
    assert len(verdicts) > len(NAMES)
    for path in verdicts:
        for cell in set(re.split(r'[][{}",:\n]+', path.read_text(encoding="utf-8"))):
            word = cell.strip()
            assert word in known or re.fullmatch(r"[\w-]{0,40}", word), f"{path}: {word}"

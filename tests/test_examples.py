"""The examples tell the truth: each decides as it says it does, and can be made anew."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.evidence.catalog import harmbench

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/expected.yaml"))
ROLES = ("baseline", "candidate", "anchor")
COMMAND = re.compile(r"^gate check .*$", re.MULTILINE)
ROW = re.compile(r"^\| \[(.+)\]\((.+)/\) \| (.+) \| (\d) \| (.+) \|$", re.MULTILINE)


def expected(name: str) -> dict[str, Any]:
    """Read what an example says of itself."""
    text = (EXAMPLES / name / "expected.yaml").read_text(encoding="utf-8")
    claims: dict[str, Any] = yaml.safe_load(text)
    return claims


def decide(name: str, out: Path) -> tuple[int, dict[str, Any]]:
    """Run one example through the command line."""
    base = EXAMPLES / name
    args = ["check", "--policy", str(base / "policy.yaml")]
    for role in ROLES:
        if (base / role).is_dir():
            args += [f"--{role}", str(base / role)]
    today = str(expected(name)["today"])
    code = gate([*args, "--today", today, "--report", f"json:{out}"])
    return code, json.loads(out.read_text(encoding="utf-8"))


def holds(claim: Mapping[str, Any], finding: Mapping[str, Any]) -> bool:
    """Whether a finding is all that a claim says; a claimed slice may leave keys out."""
    exact = (key for key in ("id", "outcome", "reason", "measure") if key in claim)
    if any(claim[key] != finding[key] for key in exact):
        return False
    if "waived" in claim and claim["waived"] != (finding["waiver"] is not None):
        return False
    return dict(claim.get("slice", {})).items() <= finding["slice"].items()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_decides_as_it_says(name: str, tmp_path: Path) -> None:
    """Exit code and findings are those of expected.yaml, and nothing else withholds a release."""
    claims = expected(name)
    code, decision = decide(name, tmp_path / "decision.json")
    assert (code, decision["decision"]) == (claims["exit_code"], claims["decision"])
    assert decision["exit_code"] == code
    findings = decision["findings"]
    for claim in claims["findings"]:
        assert any(holds(claim, finding) for finding in findings), claim
    for finding in findings:
        named = any(holds(claim, finding) for claim in claims["findings"])
        assert named or finding["outcome"] == "pass", finding["summary"]


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


def test_the_quickstart_is_decided_by_the_shipped_release_policy() -> None:
    """Its policy.yaml holds the same bytes."""
    copy = (EXAMPLES / "quickstart" / "policy.yaml").read_bytes()
    assert copy == (ROOT / "policies" / "release.yaml").read_bytes()


def test_the_readme_lists_every_example_as_it_decides() -> None:
    """Each row of the table repeats an expected.yaml, and none is left out."""
    listed = ROW.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    claims = {name: expected(name) for name in NAMES}
    assert {row[0] for row in listed} == set(NAMES)
    assert [row[0] for row in listed] == [row[1] for row in listed]
    assert {row[0]: row[2:] for row in listed} == {
        name: (claim["decision"], str(claim["exit_code"]), claim["sentence"])
        for name, claim in claims.items()
    }


@pytest.mark.parametrize("name", ["anchor-drift", "quickstart"])
def test_the_readme_command_decides_an_example(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command printed there works in an example's directory as it stands."""
    plain, anchored = COMMAND.findall((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(EXAMPLES / name)
    command = anchored if name == "anchor-drift" else plain
    assert gate(command.split()[1:]) == expected(name)["exit_code"]
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

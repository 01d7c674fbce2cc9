"""docs/policies.md tells the truth: its files are read, and its output is what is printed."""

import re
from pathlib import Path

import pytest

from gate.cli.config import KEYS
from gate.cli.main import run as gate
from gate.governance.cases import Claim, Expected
from gate.policy import load
from tests.building import DELTA, attack_rows, write_policy, write_run

PAGE = Path(__file__).parents[2] / "docs" / "policies.md"
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"<!-- (prints|says): (gate [^\n]+?) -->\n```text\n(.*?)```", re.DOTALL)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write every file of the page, and the runs of its case."""
    monkeypatch.chdir(tmp_path)
    case = tmp_path / "cases" / "worse"
    write_run(case / "baseline", attack=attack_rows([1]))
    write_run(case / "candidate", attack=attack_rows(range(30)))
    write_policy(tmp_path / "us.yaml", {**DELTA, "id": "direct-request"})
    for name, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")


def test_what_it_shows_is_what_is_printed(
    capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """Standard output after `prints`, the first line on standard error after `says`."""
    page = PAGE.read_text(encoding="utf-8")
    shown = SHOWN.findall(page)
    assert len(shown) == 4
    for how, command, text in shown:
        gate([*command.split()[1:], *(["--no-config"] if "lint" in command else [])])
        captured = capsys.readouterr()
        said = captured.out + captured.err if how == "prints" else captured.err
        if request.config.getoption("--update-goldens"):
            PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(text, said), encoding="utf-8")
            text = said
        assert said == text, command


def test_its_policies_are_as_it_says() -> None:
    """The team's is the organization's, but for what it changes."""
    team = load("team.yaml")
    assert [check.id for check in team.checks] == ["direct-request", "ceiling", "over-refusal"]
    assert team.locked == ("checks.direct-request", "suites.harmbench.unscored")


def test_its_tables_are_complete() -> None:
    """Every key of a case and of the table in pyproject.toml is there."""
    page = PAGE.read_text(encoding="utf-8")
    for key in (*Expected.model_fields, *Claim.model_fields, *KEYS):
        assert f"`{key}`" in page, key


def test_its_links_lead_somewhere() -> None:
    """To files that are there."""
    for target in re.findall(r"\]\(([^)#:]+)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / target).exists(), target

"""README tells the truth: its output is real, its tables are complete."""

import re
from pathlib import Path

import pytest

from gate.checks import CHECKS
from gate.cli.main import COMMANDS, EPILOG
from gate.cli.main import run as gate
from gate.policy import SHIPPED

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- quickstart: begin -->\n", "<!-- quickstart: end -->"


def test_the_first_output_is_real(
    capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """The block under the first command is what the command prints, up to its first table."""
    quickstart = ROOT / "examples" / "quickstart"
    sides = [f"--{side}={quickstart / side}" for side in ("baseline", "candidate")]
    assert gate(["check", "--policy", "release", *sides, "--today", "2026-12-01"]) == 0
    printed = capsys.readouterr().out
    shown = f"```text\n{printed[: printed.index('harmbench / ')].rstrip()}\n```\n"
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    if request.config.getoption("--update-goldens"):
        README.write_text(f"{before}{BEGIN}{shown}{END}{after}", encoding="utf-8")
        old = shown
    assert old == shown


def test_the_tables_are_complete() -> None:
    """Every command, check and shipped policy has its row, with the words of the help."""
    text = README.read_text(encoding="utf-8")
    for name, line in COMMANDS.items():
        assert f"| `gate {name}` | {line} |" in text
    for name in (*CHECKS, *SHIPPED):
        assert f"| `{name}` |" in text


def test_exit_codes_are_those_of_the_help() -> None:
    """README's table and `gate --help` list the same codes for the same decisions."""
    rows = re.findall(r"^\| (\d) \| (\w+) \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == re.findall(r"^  (\d)  (\w+) ", EPILOG, re.MULTILINE)


def test_every_file_it_links_to_is_there() -> None:
    """No link leads nowhere."""
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_the_number_of_examples_is_right() -> None:
    """README says how many situations there are in words."""
    there = [path for path in (ROOT / "examples").iterdir() if (path / "expected.yaml").exists()]
    assert len(there) == 27, "change the number in README and here"
    assert "Twenty-seven worked" in README.read_text(encoding="utf-8")

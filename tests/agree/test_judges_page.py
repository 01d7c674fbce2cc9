"""The page on judges prints what its scripts print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gate

ROOT = Path(gate.__file__).parent.parent
PAGE = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
DATA = ROOT.parent / "shared" / "data"


def test_every_script_exists() -> None:
    """The commands above the tables can be run."""
    scripts = set(re.findall(r"python (bench/\S+\.py)", PAGE))
    assert scripts == {"bench/judges.py", "bench/judge_error.py"}
    assert all((ROOT / script).is_file() for script in scripts)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the published labels are not here")
def test_the_tables_are_those_of_the_script() -> None:
    """Every row that the published labels give stands on the page, and no other judge's."""
    script = ROOT / "bench" / "judges.py"
    done = subprocess.run(
        [sys.executable, str(script), str(DATA)], capture_output=True, text=True, check=True
    )
    printed = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len(printed) == 7 + 11
    assert [line for line in printed if line not in PAGE] == []


@pytest.mark.slow
def test_the_simulation_says_what_the_page_says() -> None:
    """The rows on the page that show most are those of the script, at its own seed."""
    script = ROOT / "bench" / "judge_error.py"
    done = subprocess.run(
        [sys.executable, str(script), "--sets", "200"], capture_output=True, text=True, check=True
    )
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| 320")]
    rates = [row for row in rows if len(row) == 7]
    worst = max(_miss(row[6]) for row in rates)
    plain = max(_miss(row[3]) for row in rates)
    assert worst < 7 < plain  # 200 sets: a standard error of 1.1


def _miss(cell: str) -> float:
    return max(float(part) for part in cell.split("(")[0].split("/"))

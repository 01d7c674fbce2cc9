"""The page on statistics names what there is."""

import re
from pathlib import Path

import pytest

import gate
from gate.stats.f1 import F1_BOUNDS
from gate.stats.interval import BOUNDS
from gate.stats.paired import DELTA_BOUNDS
from gate.stats.proportion import RATE_BOUNDS

ROOT = Path(gate.__file__).parent.parent
PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
ROWS = {
    name: [cell.strip() for cell in cells.split("|")]
    for name, cells in re.findall(r"^\| `(\w+)`[^|]*\|(.*)\|$", PAGE, re.MULTILINE)
}


@pytest.mark.parametrize(
    ("bounds", "column"), [(DELTA_BOUNDS, 0), (RATE_BOUNDS, 2), (F1_BOUNDS, 3)]
)
def test_every_bound_has_a_row(bounds: tuple[str, ...], column: int) -> None:
    """A cell is filled where the bound makes sense, and empty where it is refused."""
    assert {name for name, cells in ROWS.items() if cells[column]} == set(bounds)
    assert tuple(ROWS)[:4] == BOUNDS


def test_every_script_exists() -> None:
    """The commands above the tables can be run."""
    scripts = set(re.findall(r"^    python (bench/\S+\.py)", PAGE, re.MULTILINE))
    assert len(scripts) == 3
    assert all((ROOT / script).is_file() for script in scripts)


def test_the_tables_keep_their_promises() -> None:
    """The default column of the first table is at most 3.0, the exact one at most 2.5."""
    table = PAGE.split("Largest miss in %, true changes of 0 and above")[1].split("\n\n")[1]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    assert [int(row[0]) for row in rows] == [20, 22, 40, 56, 80, 160, 200, 320, 400]
    assert max(float(row[1]) for row in rows) <= 3.0
    assert max(float(row[2]) for row in rows) <= 2.5

"""The page beside another gate is true of this one."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import gate
from gate.cli.main import run

ROOT = Path(gate.__file__).parent.parent
PAGE = (ROOT / "docs" / "compared.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in row.strip("|").split("|"))
    for row in re.findall(r"^\| (?!situation).*\|$", PAGE, re.MULTILINE)
]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import the script that makes the page's table."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module("beside_nel")


def test_every_situation_has_its_row(bench: ModuleType) -> None:
    """The rows are those of the script, in its order, and say what may ship."""
    made = [(each.name, "yes" if each.releasable else "no") for each in bench.SITUATIONS]
    assert [row[:2] for row in ROWS] == made


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_this_gate_says_what_the_page_says(
    row: tuple[str, ...], bench: ModuleType, tmp_path: Path
) -> None:
    """Each row's last cell is what `gate check` ends with, and nothing unfit is released."""
    made = next(each for each in bench.SITUATIONS if each.name == row[0])
    code = run(bench.gate_arguments(made, tmp_path))
    assert row[-1] == f"{bench.LABELS[code]}, {code}"
    assert (code == 0) == made.releasable

"""Tables that fold into blocks on a narrow screen, and stay tables for those who listen."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from gate.reports.html.elements import Child, el


class Column(NamedTuple):
    """One column: its heading, and whether its cells are numbers."""

    heading: str
    number: bool = False


class Cell(NamedTuple):
    """What a cell holds, and the class of how it looks."""

    children: Sequence[Child]
    kind: str = ""


def table(
    caption: Sequence[Child],
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
) -> Element:
    """Build a table whose first column names its rows; an empty column is left out."""
    rows = list(rows)
    kept = [at for at in range(len(columns)) if at == 0 or any(row[at].children for row in rows)]
    columns = [columns[at] for at in kept]
    rows = [[row[at] for at in kept] for row in rows]
    head = el("tr", {"role": "row"}, *(_heading(column) for column in columns))
    return el(
        "table",
        {"role": "table"},
        el("caption", None, *caption),
        el("thead", {"role": "rowgroup"}, head),
        el("tbody", {"role": "rowgroup"}, *(_row(columns, row) for row in rows)),
    )


def _heading(column: Column) -> Element:
    attributes = {"role": "columnheader", "scope": "col"}
    return el("th", attributes | _kind("number" if column.number else ""), column.heading)


def _row(columns: Sequence[Column], row: Sequence[Cell]) -> Element:
    cells = zip(columns, row, strict=True)
    return el("tr", {"role": "row"}, *(_cell(at, *pair) for at, pair in enumerate(cells)))


def _cell(at: int, column: Column, cell: Cell) -> Element:
    kinds = " ".join(filter(None, ("number" if column.number else "", cell.kind)))
    if at == 0:
        return el("th", {"role": "rowheader", "scope": "row"} | _kind(kinds), *cell.children)
    # Where the row is a block, its cells name their columns themselves; empty ones are not shown.
    kinds = kinds if cell.children else f"{kinds} empty".strip()
    attributes = {"role": "cell", "data-column": column.heading}
    return el("td", attributes | _kind(kinds), *cell.children)


def _kind(kinds: str) -> dict[str, str]:
    return {"class": kinds} if kinds else {}

"""The tables of rates by method and category."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import fill

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import RenderableType
from rich.text import Text

from gate.decision import Decision, Means, Overview, OverviewRow
from gate.finding import Estimate, Measure
from gate.reports.escape import clean
from gate.reports.figures import ends, number, quantity, rate_title, rises, worth_a_line

_GAP = 2
_NARROWEST_NAME = 8
_HEADINGS = ("n", "baseline", "candidate", "change, pt", "fixed/broken\nbootstrap")


def overviews(decision: Decision, width: int) -> Iterator[tuple[str, RenderableType]]:
    """Draw one table a suite and method, methods never averaged."""
    for overview in decision.overviews:
        methods = list(dict.fromkeys(row.method for row in overview.rows))
        for method in methods:
            name = " / ".join(filter(None, (overview.suite, method)))
            title = f"{clean(name)}: {clean(rate_title(overview))}"
            yield title, _table(overview, method, width, last=method == methods[-1])


def _table(overview: Overview, method: str, width: int, *, last: bool) -> RenderableType:
    # Laid out by hand: a rich table of this many cells takes longer than the decision.
    rows = [row for row in overview.rows if row.method == method and worth_a_line(overview, row)]
    cells = [_HEADINGS, *map(_cells, rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    room = max(width - sum(widths) - _GAP * len(widths), _NARROWEST_NAME)
    names = [overview.column, *(row.category or "all" for row in rows)]
    lines = [
        line
        for name, row in zip(names, cells, strict=True)
        for line in _lines(_folded(clean(name), room), row, room, widths)
    ]
    hidden = sum(row.method == method for row in overview.rows) - len(rows)
    what = "row without a flip is" if hidden == 1 else "rows without a flip are"
    below = [f"{hidden} {what} not shown"] if hidden else []
    below += [_means(line) for line in overview.means if line.method == method]
    if last and (rose := rises(overview)):
        below += fill(clean(rose), max(width, 40)).split("\n")
    return Text("\n".join([*lines, *below]), no_wrap=True, overflow="ignore")


def _lines(
    name: list[str], cells: tuple[str, ...], room: int, widths: Sequence[int]
) -> Iterator[str]:
    columns = [name, *(cell.split("\n") for cell in cells)]
    for first, *others in zip_longest(*columns, fillvalue=""):
        padded = (f"{cell:>{width + _GAP}}" for cell, width in zip(others, widths, strict=True))
        yield set_cell_size(first, room) + "".join(padded)


def _width(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def _cells(row: OverviewRow) -> tuple[str, ...]:
    flips = "" if row.broken is None else f"{row.fixed or 0}/{row.broken}"
    return (
        str(row.n),
        _cell(row.baseline, "rate"),
        _cell(row.candidate, "rate"),
        _cell(row.delta, "delta"),
        f"{flips}\n{ends(row.bootstrap, 'delta')}".rstrip(),
    )


def _cell(estimate: Estimate | None, measure: Measure) -> str:
    if estimate is None:
        return "-"
    return f"{number(estimate.value, measure)}\n{ends(estimate, measure)}"


def _folded(name: str, room: int) -> list[str]:
    """Break a long name, behind an underscore where one is in reach."""
    lines = []
    while cell_len(name) > room:
        head = chop_cells(name, room)[0]
        head = head[: head.rfind("_", 1) + 1] or head
        lines.append(head)
        name = name[len(head) :]
    return [*lines, name]


def _means(means: Means) -> str:
    sides = {"plain": means.plain, "category-weighted": means.category_weighted}
    return "; ".join(_mean(name, side) for name, side in sides.items())


def _mean(name: str, sides: tuple[float | None, float | None]) -> str:
    before, after = (quantity(side, "rate") for side in sides)
    return f"{name} mean {before} to {after}"

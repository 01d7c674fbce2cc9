"""Rates by method and category: a table for each method, methods never averaged."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gate.decision import Means, Overview, OverviewRow
from gate.finding import Ends, Estimate, Measure
from gate.reports.escape import clean
from gate.reports.figures import ends, number, quantity, rate_title, rises, worth_a_line
from gate.reports.html.elements import Child, add, el, fold, name, of, prose
from gate.reports.html.table import Cell, Column, table


def rates(overview: Overview) -> Iterator[Element]:
    """Write the tables of one suite, each to be opened."""
    for method in dict.fromkeys(row.method for row in overview.rows):
        rows = [r for r in overview.rows if r.method == method and worth_a_line(overview, r)]
        title = [*_named(overview, method), ": ", prose(rate_title(overview))]
        means = (_means(line) for line in overview.means if line.method == method)
        yield fold(title, _table(overview, method, rows), *means)
    if rose := rises(overview):
        yield of("p", "means", name(overview.suite), ": ", prose(rose), ".")


def _named(overview: Overview, method: str) -> list[Child]:
    suite: list[Child] = [name(overview.suite)]
    return [*suite, " ", name(method)] if method else suite


def _table(overview: Overview, method: str, rows: list[OverviewRow]) -> Element:
    anchored = any(row.anchor is not None for row in overview.rows)
    sides = ("Baseline", "Candidate", *(("Anchor",) if anchored else ()))
    columns = [Column(clean(overview.column) or "Part"), Column("n", number=True)]
    columns += [Column(side, number=True) for side in sides]
    columns += [
        Column(word, number=True) for word in ("Change, pt", "Bootstrap", "Fixed", "Broken")
    ]
    caption = [*_named(overview, method), ": ", prose(rate_title(overview))]
    return table(caption, columns, [_row(row, anchored=anchored) for row in rows])


def _row(row: OverviewRow, *, anchored: bool) -> list[Cell]:
    first: Child = name(row.category) if row.category else "all"
    sides = [_estimate(row.baseline, "rate"), _candidate(row)]
    sides += [_estimate(row.anchor, "rate")] if anchored else []
    return [
        Cell([first], "" if row.category else "all"),
        Cell([str(row.n)]),
        *map(Cell, sides),
        Cell(_estimate(row.delta, "delta")),
        Cell([ends(row.bootstrap, "delta")] if row.bootstrap else []),
        Cell([] if row.fixed is None else [str(row.fixed)]),
        Cell([] if row.broken is None else [str(row.broken)]),
    ]


def _estimate(estimate: Estimate | None, measure: Measure) -> list[Child]:
    if estimate is None:
        return []
    interval = Ends(lower=estimate.lower, upper=estimate.upper)
    return [number(estimate.value, measure), " ", of("span", "ends", ends(interval, measure))]


def _candidate(row: OverviewRow) -> list[Child]:
    shown = _estimate(row.candidate, "rate")
    if row.shrunken is None:
        return shown
    return [*shown, " ", of("span", "ends", f"shrunk {number(row.shrunken, 'rate')}")]


def _means(means: Means) -> Element:
    """Write both means of a method."""
    sides = {"Plain": means.plain, "category-weighted": means.category_weighted}
    words = (
        f"{which} mean {quantity(before, 'rate')} to {quantity(after, 'rate')}"
        for which, (before, after) in sides.items()
    )
    made = el("p", {"class": "means"})
    add(made, ["; ".join(words), "."])
    return made

"""The tables of rates by method and category, in GitHub's Markdown."""

from collections.abc import Iterator

from gate.decision import Means, Overview, OverviewRow
from gate.finding import Ends, Estimate, Measure
from gate.reports.escape import markdown, markdown_code
from gate.reports.figures import ends, number, quantity, rate_title, rises


def tables(overview: Overview) -> Iterator[str]:
    """Write one table a method; methods are never averaged."""
    methods = list(dict.fromkeys(row.method for row in overview.rows))
    rose = rises(overview)
    for method in methods:
        rows = "".join(_rates(row) for row in overview.rows if row.method == method)
        means = "".join(_means(line) for line in overview.means if line.method == method)
        name = markdown_code(overview.column) if overview.column else "n"
        title = f"{markdown_code(method)}, " if method else ""
        title = f"\n**{title}{markdown(rate_title(overview))}**\n\n"
        names = (name, "Baseline", "Candidate", "Change, pt", "Bootstrap", "Flips")
        head = f"| {' | '.join(names)} |\n|---|--:|--:|--:|--:|--:|\n"
        below = (
            f"\n{markdown(rose[0].upper() + rose[1:])}.\n" if rose and method == methods[-1] else ""
        )
        yield f"{title}{head}{rows}{means}{below}"


def _rates(row: OverviewRow) -> str:
    flips = {"broken": row.broken, "fixed": row.fixed}
    cells = (
        f"{markdown_code(row.category) if row.category else 'all'}<br>n {row.n}",
        _cell(row.baseline, "rate"),
        _cell(row.candidate, "rate") + _shrunken(row),
        _cell(row.delta, "delta"),
        _tight(ends(row.bootstrap, "delta")),
        "<br>".join(f"{n}&nbsp;{name}" for name, n in flips.items() if n is not None),
    )
    return f"| {' | '.join(cells)} |\n"


def _cell(estimate: Estimate | None, measure: Measure) -> str:
    if estimate is None:
        return "-"
    interval = Ends(lower=estimate.lower, upper=estimate.upper)
    return f"{number(estimate.value, measure)}<br>{_tight(ends(interval, measure))}"


def _shrunken(row: OverviewRow) -> str:
    """Add what the rate is when pulled towards the others."""
    shown = number(row.shrunken, "rate")
    return "" if row.shrunken is None else f"<br>shrunk&nbsp;{shown}"


def _means(means: Means) -> str:
    sides = {"Plain": means.plain, "category-weighted": means.category_weighted}
    words = (
        f"{name} mean {quantity(before, 'rate')} to {quantity(after, 'rate')}"
        for name, (before, after) in sides.items()
    )
    return f"\n{'; '.join(words)}\n"


def _tight(interval: str) -> str:
    """Keep both ends of an interval on one line."""
    return interval.replace(" ", "&nbsp;")

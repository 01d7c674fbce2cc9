"""An interval drawn as a bar against its limit."""

from dataclasses import dataclass

from gate.finding import Finding
from gate.reports.figures import TOLERANCE

LEGEND = "├─●─┤ bound and estimate   ┃ limit   ┊ no change"
NARROWEST = 9


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where values fall: the limit is always in the same cell, so that limits line up."""

    width: int
    at_limit: int
    limit: float
    cell: float
    """How much of the value one cell is."""

    def column(self, value: float) -> int:
        """Find the cell of a value, on the same side of the limit as the value."""
        away = value - self.limit
        cells = round(away / self.cell)
        if abs(away) > TOLERANCE and cells == 0:
            cells = 1 if away > 0 else -1
        return min(max(self.at_limit + cells, 0), self.width - 1)


def bar(finding: Finding, width: int) -> str:
    """Draw the deciding bound against its limit in so many cells; nothing where there is none.

    An end that meets the limit never touches its line, and one that misses it always crosses.
    """
    estimate, limit = finding.estimate, finding.limit
    if estimate is None or limit is None or finding.measure == "count" or width < NARROWEST:
        return ""
    points = (estimate.lower, estimate.value, estimate.upper, limit)
    if any(point != point or abs(point) == float("inf") for point in points):
        return ""
    axis = _axis(finding, width, estimate.lower, estimate.upper, limit)
    cells = [" "] * width
    if finding.measure == "delta":
        cells[axis.column(0)] = "┊"
    low, high = axis.column(estimate.lower), axis.column(estimate.upper)
    for at in range(low, high + 1):
        cells[at] = "┼" if cells[at] == "┊" else "─"
    cells[low], cells[high] = "├", "┤"
    cells[axis.at_limit] = "┃"
    cells[axis.column(estimate.value)] = "●"
    return "".join(cells).rstrip()


def _axis(finding: Finding, width: int, lower: float, upper: float, limit: float) -> _Axis:
    ceiling = finding.limit_is == "ceiling"
    at_limit = round((width - 1) * (0.65 if ceiling else 0.35))
    left = min(lower, 0.0) if finding.measure == "delta" else lower
    right = max(upper, 0.0) if finding.measure == "delta" else upper
    needed = ((limit - left) / at_limit, (right - limit) / (width - 1 - at_limit))
    return _Axis(width, at_limit, limit, max(*needed, TOLERANCE))

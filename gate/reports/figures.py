"""How all reports write numbers: points for changes, percent for shares."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from gate.decision import Decision, Overview, OverviewRow
from gate.finding import Ends, Estimate, Finding, Measure

TOLERANCE = 1e-9
NOTHING = "none"
"""What is shown for a number that does not exist, as the F1 of no records."""
CHANGES = ("delta", "usefulness-change")
"""Measures of a change, which have a sign."""
_PLAIN: Mapping[Measure, tuple[int, int]] = {
    "count": (1, 0),
    "comparability": (1, 0),
    "usefulness": (1, 2),
    "usefulness-change": (1, 2),
    "ratio": (1, 2),
}
"""Measures that are written as they are, to their scale and fewest decimals; others in percent."""
_LONGEST_FRACTION = 4
_BEYOND_CHANCE = 0.025
_MOST_NAMED = 3


class Figures(NamedTuple):
    """The numbers of one finding, with the same decimals; empty where there is none."""

    estimate: str
    bound: str
    bootstrap: str
    limit: str
    slack: str
    attainable: str
    mde: str
    corrected: str
    """Both ends, with the judge's measured errors taken out."""


def counted(estimate: Estimate) -> bool:
    """Tell whether a value was counted, and has no bound."""
    return estimate.confidence >= 1


def percent(share: float) -> str:
    """Write a level of confidence, as `97.5 %`."""
    return f"{share * 100:.10g} %"


def levels(decision: Decision) -> tuple[str, ...]:
    """List every one-sided level among the findings, as `97.5 %`."""
    estimates = (finding.estimate for finding in decision.findings)
    found = {each.one_sided for each in estimates if each is not None and not counted(each)}
    return tuple(percent(level) for level in sorted(found))


def rate_title(overview: Overview) -> str:
    """Say what a table of rates shows, as `% unsafe, 95 % bounds`."""
    estimates = (each for row in overview.rows for each in (row.candidate, row.baseline))
    first = next((each for each in estimates if each is not None), None)
    level = "" if first is None else f", {percent(first.confidence)} bounds"
    return f"% {overview.rate}{level}"


def worth_a_line(overview: Overview, row: OverviewRow) -> bool:
    """Show every category of an attack suite, of other suites those where something flipped."""
    return not row.category or overview.rate == "unsafe" or bool(row.fixed or row.broken)


def rises(overview: Overview) -> str:
    """Name the rows that rose beyond chance, corrected for how many were looked at."""
    tested = [row for row in overview.rows if row.rise_p is not None]
    if not tested:
        return ""
    tested.sort(key=lambda row: row.rise_p or 0.0)
    beyond = [row for row in tested if (row.rise_p or 0.0) <= _BEYOND_CHANCE]
    how = f"{overview.correction}, adjusted {p_words(tested[0].rise_p or 0.0)}"
    if not beyond:
        return f"no row rose beyond chance ({how})"
    named = [" / ".join(filter(None, (row.method, row.category))) for row in beyond[:_MOST_NAMED]]
    more = f" and {len(beyond) - _MOST_NAMED} more" if len(beyond) > _MOST_NAMED else ""
    return f"beyond chance rose {', '.join(named)}{more} ({how})"


def p_words(p_value: float) -> str:
    """Write an exact p-value."""
    return "p < 0.0001" if p_value < 0.0001 else f"p {p_value:.2g}"


def number(value: float | None, measure: Measure, places: int | None = None) -> str:
    """Write a value without its unit, as `+4.4`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    scale, fewest = _scale(measure)
    places = fewest if places is None else places
    shown = round(value * scale, places) + 0.0  # no minus sign before a zero
    return f"{shown:+.{places}f}" if measure in CHANGES and shown else f"{shown:.{places}f}"


def unit_of(measure: Measure) -> str:
    """Give what follows a number: points for changes, percent for shares."""
    if measure == "delta":
        return " pt"
    return "" if measure in _PLAIN else " %"


def quantity(value: float | None, measure: Measure, places: int | None = None) -> str:
    """Write a value with its unit, as `+4.4 pt`."""
    words = number(value, measure, places)
    return words if words == NOTHING else words + unit_of(measure)


def ends(interval: Ends | Estimate | None, measure: Measure, places: int | None = None) -> str:
    """Write both ends of an interval, as `+1.9 to +7.4`."""
    if interval is None:
        return ""
    return f"{number(interval.lower, measure, places)} to {number(interval.upper, measure, places)}"


def limit_words(limit: float, finding: Finding, places: int | None = None) -> str:
    """Write a limit with its direction, as `<= 5.5 pt`."""
    sign = "<=" if finding.limit_is == "ceiling" else ">="
    return f"{sign} {quantity(limit, finding.measure, places).removeprefix('+')}"


def figures(finding: Finding) -> Figures:
    """Write the numbers of a finding, with as many decimals as tell its bound from its limit."""
    measure, places = finding.measure, _places(finding)

    def shown(value: float | None) -> str:
        return "" if value is None else quantity(value, measure, places)

    estimate = finding.estimate
    return Figures(
        estimate=shown(None if estimate is None else estimate.value),
        bound="counted" if estimate and counted(estimate) else ends(estimate, measure, places),
        bootstrap=ends(finding.bootstrap, measure, places),
        limit="" if finding.limit is None else limit_words(finding.limit, finding, places),
        slack="" if finding.slack is None else _distance(finding.slack, measure, places),
        attainable=shown(finding.attainable),
        mde=shown(finding.mde),
        corrected=ends(finding.corrected, measure, places),
    )


def _distance(value: float, measure: Measure, places: int) -> str:
    """Write how far apart two values are: shares differ by points."""
    words = number(value, measure, places).lstrip("+-")
    return f"{words} pt" if unit_of(measure) else words


def _scale(measure: Measure) -> tuple[int, int]:
    return _PLAIN.get(measure, (100, 1))


def _places(finding: Finding) -> int:
    scale, places = _scale(finding.measure)
    limit, end = finding.limit, finding.read_end
    if limit is None or not math.isfinite(limit):
        return places
    while (
        places < _LONGEST_FRACTION and abs(round(limit * scale, places) - limit * scale) > TOLERANCE
    ):
        places += 1
    if end is None or not math.isfinite(end) or abs(end - limit) <= TOLERANCE:
        return places
    while places < 2 * _LONGEST_FRACTION and round(limit * scale, places) == round(
        end * scale, places
    ):
        places += 1
    return places

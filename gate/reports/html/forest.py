"""The forest plot: every finding's deciding bound against its limit."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from matplotlib.axes import Axes

from gate.decision import Decision
from gate.finding import Ends, Estimate, Finding
from gate.reports.figures import CHANGES, counted, figures
from gate.reports.html.elements import el, legend, of, said
from gate.reports.html.picture import COLORS, NORMAL, Picture, Place
from gate.reports.html.scale import scale
from gate.reports.html.signs import MARKERS, SIGNS, kind
from gate.reports.html.words import count, signed
from gate.reports.wording import label, severity, slice_words

MOST = 80
"""Beyond it the findings that matter least are in the table alone."""
_TITLES = {
    "delta": "Changes, in percentage points",
    "ceiling": "Rates held under a ceiling, in percent",
    "floor": "Measures held above a floor, in percent",
    "usefulness": "Usefulness of answers",
    "usefulness-change": "Changes of usefulness",
    "ratio": "Ratios between checkpoints",
}
"""Findings that share a scale: those with a measure of their own, and shares by their limit."""
_LEGEND = {
    "bound": "deciding bound",
    "estimate": "estimate",
    "bootstrap": "bootstrap bound, for comparison",
    "limit": "limit, shaded where it is met",
}
_HIGH = 8.0
"""Half the height of the shaded part of a row."""
_BELOW, _LOWEST = 12.0, 16.0
"""How far the bootstrap bound is below the deciding one, and the marks of the scale reach."""
_CAP = 5.0


class Layout(NamedTuple):
    """How one form of the plot is laid out; offsets are from the top of a row."""

    name: str
    width: float
    row: float
    left: float
    right: float
    """Where the scale begins and ends."""
    bound: float
    slice: float
    numbers: tuple[float, float]
    ticks: int


WIDE = Layout("wide", 900, 46, 322, 660, 19, 34, (674, 19), 6)
NARROW = Layout("narrow", 343, 96, 16, 327, 52, 32, (0, 81), 4)
_AXIS = 26.0


def forest(decision: Decision) -> Iterator[Element]:
    """Draw a plot for each kind of scale, each in a wide and a narrow form."""
    drawable = [finding for finding in sorted(decision.findings, key=severity) if _drawn(finding)]
    groups: dict[str, list[Finding]] = {group: [] for group in _TITLES}
    for finding in drawable:
        groups[_group(finding)].append(finding)
    for group, findings in groups.items():
        if findings:
            forms = (_plot(group, findings[:MOST], layout) for layout in (WIDE, NARROW))
            yield of("figure", "forest", el("h3", None, _TITLES[group]), *forms)
    if drawable:
        yield legend(_LEGEND)


def _group(finding: Finding) -> str:
    return finding.measure if finding.measure in _TITLES else finding.limit_is


def _drawn(finding: Finding) -> bool:
    return bool(_values(finding)) and finding.measure not in ("count", "comparability")


def _values(finding: Finding) -> list[float]:
    """Give what the scale must hold; nothing where part of it does not exist."""
    estimate, limit = finding.estimate, finding.limit
    if estimate is None or limit is None:
        return []
    values = [estimate.lower, estimate.value, estimate.upper, limit]
    if not all(map(math.isfinite, values)):
        return []
    boot = finding.bootstrap
    also = [] if boot is None else [boot.lower, boot.upper]
    return values + [value for value in also if math.isfinite(value)]


def _plot(group: str, findings: Sequence[Finding], layout: Layout) -> Element:
    height = layout.row * len(findings) + _AXIS
    picture = Picture(f"forest-{group}-{layout.name}", layout.width, height)
    axes = picture.axes(
        Place(layout.left, 0, layout.right - layout.left, layout.row * len(findings))
    )
    axes.set_ylim(layout.row * len(findings), 0)
    axes.set_yticks([])
    low, high = _span(group, findings)
    axes.set_xlim(low, high)
    ticks, words = scale(low, high, layout.ticks, findings[0].measure)
    axes.set_xticks(ticks, words)
    rows = [_row(at * layout.row + layout.bound, each) for at, each in enumerate(findings)]
    _ground(axes, rows, ticks)
    _bounds(axes, rows)
    for at, finding in enumerate(findings):
        _labels(picture, finding, at * layout.row, layout)
    return picture.element(_TITLES[group], _description(findings), layout.name)


def _span(group: str, findings: Sequence[Finding]) -> tuple[float, float]:
    values = [value for finding in findings for value in _values(finding)]
    values += [0.0] if group == "ceiling" or group in CHANGES else []
    low, high = min(values), max(values)
    pad = 0.03 * ((high - low) or 0.01)
    least, most = (0.0, 1.0) if group in ("ceiling", "floor") else (-math.inf, math.inf)
    return max(low - pad, least), min(high + pad, most)


class _Row(NamedTuple):
    """One finding with what is drawn of it."""

    y: float
    finding: Finding
    estimate: Estimate
    limit: float
    boot: Ends | None


def _row(y: float, finding: Finding) -> _Row:
    estimate, limit, boot = finding.estimate, finding.limit, finding.bootstrap
    assert estimate is not None, "only these are drawn"
    assert limit is not None, "only these are drawn"
    finite = boot is not None and math.isfinite(boot.lower + boot.upper)
    return _Row(y, finding, estimate, limit, boot if finite else None)


# Each layer is drawn for all rows in one call, since it is the calls that take long.


def _ground(axes: Axes, rows: Sequence[_Row], ticks: Sequence[float]) -> None:
    """Draw where limits are met, and the marks of the scale."""
    low, high = axes.get_xlim()
    under = [row.finding.limit_is == "ceiling" for row in rows]
    left = [low if below else row.limit for below, row in zip(under, rows, strict=True)]
    right = [row.limit if below else high for below, row in zip(under, rows, strict=True)]
    axes.hlines([row.y for row in rows], left, right, COLORS["allowed"], linewidth=2 * _HIGH)
    for tick in ticks:
        _uprights(axes, [(tick, row.y) for row in rows], (_HIGH, _LOWEST), "rule", 0.8)
    zero = [(0.0, row.y) for row in rows if row.finding.measure in CHANGES]
    _uprights(axes, zero, (_HIGH, _LOWEST), "muted", 1.1, dashed=True)


def _bounds(axes: Axes, rows: Sequence[_Row]) -> None:
    """Draw bounds, limits and estimates."""
    for shown in dict.fromkeys(label(row.finding) for row in rows):
        same = [row for row in rows if label(row.finding) == shown]
        color, y = shown.lower(), [row.y for row in same]
        lower, upper = [[getattr(row.estimate, end) for row in same] for end in ("lower", "upper")]
        axes.hlines(y, lower, upper, COLORS[color], linewidth=3)
        for end in (lower, upper):
            _uprights(axes, list(zip(end, y, strict=True)), (_CAP, _CAP), color, 2)
        axes.plot(
            [row.estimate.value for row in same],
            y,
            linestyle="none",
            marker=MARKERS[shown],
            markersize=11,
            color=COLORS[color],
            markeredgecolor=COLORS["paper"],
            markeredgewidth=1.2,
            clip_on=False,
            zorder=4,
        )
    boots = [(row.y + _BELOW, row.boot.lower, row.boot.upper) for row in rows if row.boot]
    if boots:
        below, left, right = zip(*boots, strict=True)
        axes.hlines(below, left, right, COLORS["muted"], linewidth=1.2)
    limits = [(row.limit, row.y) for row in rows]
    _uprights(axes, limits, (_HIGH + 3, _HIGH + 3), "ink", 2.6)


def _uprights(
    axes: Axes,
    places: Sequence[tuple[float, float]],
    reach: tuple[float, float],
    color: str,
    width: float,
    *,
    dashed: bool = False,
) -> None:
    """Draw upright lines at places, so far above and below each."""
    if places:
        x, y = zip(*places, strict=True)
        above, below = [at - reach[0] for at in y], [at + reach[1] for at in y]
        style = "--" if dashed else "-"
        axes.vlines(x, above, below, COLORS[color], linewidth=width, linestyle=style)


def _labels(picture: Picture, finding: Finding, top: float, layout: Layout) -> None:
    room = layout.left - 10 if layout is WIDE else layout.width
    head = f"{SIGNS[label(finding)]} {said((finding.id,))}"
    bold = label(finding) != "PASS"
    picture.text((0, top + 16), head, room=room, color=kind(finding), size=NORMAL, bold=bold)
    part = said(slice_words(finding, suite=False))
    picture.text((0, top + layout.slice), part, room=room, color="muted")
    shown = figures(finding)
    assert finding.estimate is not None, "only these are drawn"
    bound = shown.estimate if counted(finding.estimate) else shown.bound
    numbers = f"{bound}, limit {signed(shown.limit)}"
    left, down = layout.numbers
    picture.text((left, top + down), numbers, room=layout.width - left, color="ink")


def _description(findings: Sequence[Finding]) -> str:
    words = [label(finding) for finding in findings]
    each = ", ".join(
        count(words.count(word), f"is {word}", f"are {word}") for word in dict.fromkeys(words)
    )
    return (
        f"The bound of each of {len(findings)} findings against its limit, the worst first: "
        f"{each}. The table of all findings has the same numbers."
    )

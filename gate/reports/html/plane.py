"""Safety against over-refusal: each checkpoint is a point, and down and to the left is better."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple
from xml.etree.ElementTree import Element

from matplotlib.axes import Axes

from gate.decision import Decision, Overview, OverviewRow
from gate.finding import Estimate
from gate.reports.escape import clean
from gate.reports.figures import quantity
from gate.reports.html.elements import legend, of
from gate.reports.html.picture import COLORS, NORMAL, Picture, Place
from gate.reports.html.scale import scale
from gate.reports.wording import ROLES

_WIDTH, _HEIGHT = 340.0, 336.0
_PLOT = Place(36, 44, 292, 240)
_MARKERS = {"baseline": "o", "candidate": "o", "anchor": "s"}


class Point(NamedTuple):
    """Where one checkpoint is: its rate of refused safe prompts and its rate of unsafe answers."""

    refused: Estimate
    unsafe: Estimate


class Plane(NamedTuple):
    """One method of an attack suite against one suite of safe prompts."""

    suite: str
    method: str
    refusals: str
    points: Mapping[str, Point]
    """By role."""


def planes(decision: Decision) -> Iterator[Element]:
    """Draw one plane a method, all to one scale."""
    found = list(_planes(decision))
    if not found:
        return
    limits = [_limits(decision, plane) for plane in found]
    most = _most(found, limits)
    drawn = (
        _picture(f"plane-{at}", plane, lines, most)
        for at, (plane, lines) in enumerate(zip(found, limits, strict=True))
    )
    yield of("div", "pictures", *(of("figure", "small", each) for each in drawn))
    keys = {role: role for role in ROLES if any(role in plane.points for plane in found)}
    keys["bound"] = "bounds"
    if any(limit is not None for pair in limits for limit in pair):
        keys["ceiling"] = "ceiling"
    yield legend(keys)


def _planes(decision: Decision) -> Iterator[Plane]:
    attacks = [each for each in decision.main_overviews if each.rate == "unsafe"]
    refusals = [each for each in decision.main_overviews if each.rate == "refused"]
    for attack, refusal in product(attacks, refusals):
        for unsafe, refused in product(_whole(attack), _whole(refusal)):
            points = dict(_points(refused, unsafe))
            if points:
                yield Plane(attack.suite, unsafe.method, refusal.suite, points)


def _whole(overview: Overview) -> list[OverviewRow]:
    return [row for row in overview.rows if not row.category]


def _points(refused: OverviewRow, unsafe: OverviewRow) -> Iterator[tuple[str, Point]]:
    for role in ROLES:
        x, y = getattr(refused, role), getattr(unsafe, role)
        if x is not None and y is not None and _finite(x) and _finite(y):
            yield role, Point(x, y)


def _finite(estimate: Estimate) -> bool:
    return math.isfinite(estimate.value + estimate.lower + estimate.upper)


def _limits(decision: Decision, plane: Plane) -> tuple[float | None, float | None]:
    """Find the ceilings that the policy sets on the two rates, where it sets any."""

    def ceiling(suite: str, part: Mapping[str, str]) -> float | None:
        limits = (
            finding.limit
            for finding in decision.findings
            if (finding.suite, finding.measure, finding.limit_is) == (suite, "rate", "ceiling")
            and dict(finding.slice) == part
        )
        return next(limits, None)

    refusals = ceiling(plane.refusals, {"prompt_label": "safe"})
    return refusals, ceiling(plane.suite, {"method": plane.method})


def _most(
    planes: Sequence[Plane], limits: Sequence[tuple[float | None, float | None]]
) -> tuple[float, float]:
    """Find what both scales must hold, from zero."""
    points = [point for plane in planes for point in plane.points.values()]
    x = [p.refused.upper for p in points] + [limit for limit, _ in limits if limit is not None]
    y = [p.unsafe.upper for p in points] + [limit for _, limit in limits if limit is not None]
    return min(max(x) * 1.06, 1.02) or 0.01, min(max(y) * 1.06, 1.02) or 0.01


def _picture(
    name: str,
    plane: Plane,
    limits: tuple[float | None, float | None],
    most: tuple[float, float],
) -> Element:
    picture = Picture(name, _WIDTH, _HEIGHT)
    axes = picture.axes(_PLOT)
    axes.set(xlim=(0, most[0]), ylim=(0, most[1]))
    axes.grid(color=COLORS["rule"], linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xticks(*scale(0, most[0], 4, "rate"))
    axes.set_yticks(*scale(0, most[1], 4, "rate"))
    for limit, line in zip(limits, (axes.axvline, axes.axhline), strict=True):
        if limit is not None:
            line(limit, color=COLORS["ink"], linewidth=1.4, linestyle="--")
    _points_drawn(axes, plane.points)
    title = " / ".join(filter(None, (clean(plane.suite), clean(plane.method))))
    picture.text((0, 16), title, room=_WIDTH, size=NORMAL, bold=True)
    picture.text((0, 34), "% unsafe", room=_WIDTH, color="muted")
    bottom = "% of safe prompts refused"
    picture.text(
        (_PLOT.left + _PLOT.width, _HEIGHT - 14), bottom, room=_WIDTH, align="right", color="muted"
    )
    picture.text((_PLOT.left, _HEIGHT - 14), "↙ better", room=_WIDTH, color="pass")
    return picture.element(f"Safety against over-refusal under {title}", _words(plane), "plot")


def _points_drawn(axes: Axes, points: Mapping[str, Point]) -> None:
    if {"baseline", "candidate"} <= points.keys():
        start, end = points["baseline"], points["candidate"]
        axes.annotate(
            "",
            (end.refused.value, end.unsafe.value),
            (start.refused.value, start.unsafe.value),
            arrowprops={
                "arrowstyle": "-|>",
                "color": COLORS["muted"],
                "shrinkA": 6,
                "shrinkB": 6,
                "linewidth": 1.4,
            },
        )
    for role, point in points.items():
        color = COLORS["ink"] if role == "candidate" else COLORS["muted"]
        x, y = point.refused, point.unsafe
        axes.hlines(y.value, x.lower, x.upper, color, linewidth=1.2)
        axes.vlines(x.value, y.lower, y.upper, color, linewidth=1.2)
        axes.plot(
            x.value,
            y.value,
            marker=_MARKERS[role],
            markersize=10,
            color=color if role == "candidate" else COLORS["paper"],
            markeredgecolor=color,
            markeredgewidth=2,
            clip_on=False,
            zorder=3,
        )


def _words(plane: Plane) -> str:
    return "; ".join(
        f"{role}: {quantity(point.unsafe.value, 'rate')} unsafe, "
        f"{quantity(point.refused.value, 'rate')} of safe prompts refused"
        for role, point in plane.points.items()
    )

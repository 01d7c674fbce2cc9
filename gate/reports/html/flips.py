"""Which way verdicts flipped, by method and category: fixed to the left, broken to the right."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from gate.decision import Decision, Overview, OverviewRow
from gate.reports.escape import clean
from gate.reports.figures import worth_a_line
from gate.reports.html.elements import of
from gate.reports.html.picture import COLORS, NORMAL, Picture, Place

MOST = 30
"""Beyond it the categories where least broke are in the table alone."""
_LEAST = 4
"""What a bar of full length stands for at least, so that a single flip does not look like many."""
_WIDTH, _TOP, _ROW, _SIDE = 340.0, 50.0, 44.0, 40.0


def flips(decision: Decision) -> Iterator[Element]:
    """Draw one picture for each suite and method where something flipped."""
    drawn = [
        of("figure", "small", each)
        for number, overview in enumerate(decision.main_overviews)
        for each in _drawn(overview, number)
    ]
    if drawn:
        yield of("div", "pictures", *drawn)


def _drawn(overview: Overview, number: int) -> Iterator[Element]:
    """Draw the methods of one suite, all to one scale."""
    methods = dict.fromkeys(row.method for row in overview.rows)
    rows = {method: _rows(overview, method) for method in methods}
    counts = [row.broken or 0 for own in rows.values() for row in own]
    counts += [row.fixed or 0 for own in rows.values() for row in own]
    most = max(counts, default=0)
    for at, (method, own) in enumerate(rows.items()):
        if most and own:
            title = " / ".join(filter(None, (clean(overview.suite), clean(method))))
            yield _picture(f"flips-{number}-{at}", title, own, max(most, _LEAST))


def _rows(overview: Overview, method: str) -> list[OverviewRow]:
    """Give the rows of a method, where most broke first, in one order for all methods."""
    broken: dict[str, int] = {}
    for row in overview.rows:
        broken[row.category] = broken.get(row.category, 0) + (row.broken or 0)
    own = [
        row
        for row in overview.rows
        if row.method == method and row.broken is not None and worth_a_line(overview, row)
    ]
    parts = [row for row in own if row.category] or own
    return sorted(parts, key=lambda row: -broken[row.category])[:MOST]


def _picture(name: str, title: str, rows: Sequence[OverviewRow], most: int) -> Element:
    height = _TOP + _ROW * len(rows)
    picture = Picture(name, _WIDTH, height)
    axes = picture.axes(Place(_SIDE, _TOP, _WIDTH - 2 * _SIDE, _ROW * len(rows)))
    axes.set(xlim=(-most, most), ylim=(len(rows), 0), xticks=[], yticks=[])
    for at, row in enumerate(rows):
        y, high = at + 0.66, 0.32
        axes.barh(y, -(row.fixed or 0), high, color=COLORS["pass"])
        axes.barh(y, row.broken or 0, high, color=COLORS["block"])
        axes.vlines(0, y - 0.24, y + 0.24, COLORS["ink"], linewidth=1.2)
        _labels(picture, row, most, _TOP + at * _ROW)
    picture.text((0, 16), title, room=_WIDTH, size=NORMAL, bold=True)
    middle = _WIDTH / 2
    picture.text((middle - 8, 40), "← fixed", room=100, align="right", color="pass")
    picture.text((middle + 8, 40), "broken →", room=100, color="block")
    words = "; ".join(
        f"{clean(row.category) or 'all'}: {row.broken or 0} broken, {row.fixed or 0} fixed"
        for row in rows
    )
    return picture.element(f"Flips: {title}", words, "plot")


def _labels(picture: Picture, row: OverviewRow, most: int, top: float) -> None:
    scale = (_WIDTH / 2 - _SIDE) / most
    middle, down = _WIDTH / 2, top + 33.5
    fixed, broken = row.fixed or 0, row.broken or 0
    picture.text((0, top + 15), clean(row.category) or "all", room=_WIDTH, color="muted")
    if fixed:
        at = middle - fixed * scale - 6
        picture.text((at, down), str(fixed), room=_SIDE, align="right", color="pass")
    if broken:
        picture.text((middle + broken * scale + 6, down), str(broken), room=_SIDE, color="block")
    if not fixed and not broken:
        picture.text((middle + 6, down), "0", room=_SIDE, color="muted")

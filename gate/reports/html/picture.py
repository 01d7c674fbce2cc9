"""From a matplotlib figure to a picture in the page: its colors are the page's, its text is text.

What is drawn carries numbers where words belong and stand-ins where colors do. The words are put
in when the picture is part of the tree, so no text from a file ever goes through the drawing, and
the same picture comes out whatever fonts a machine has.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element, fromstring

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.cells import cell_len, chop_cells

from gate.reports.html.elements import el

POINTS = 72
"""Of matplotlib, in an inch: one is one unit of the picture."""
COLORS = {
    name: f"#0000{number:02x}"
    for number, name in enumerate(
        (
            "ink",
            "muted",
            "rule",
            "paper",
            "allowed",
            "pass",
            "block",
            "inconclusive",
            "unusable",
            "waived",
            "warn",
        ),
        start=1,
    )
}
"""A stand-in for every color of the page that pictures use."""
SMALL, NORMAL = 12.5, 14.0
"""Sizes of text, in units of the picture."""
_NARROW_LETTER = 0.55
"""How wide a letter is at most on average, in its size; fonts differ."""
_WORDS = re.compile(r"\{(\d+)\}")
_FONT = re.compile(r"font-family: [^;]+; ?")
_COLOR = re.compile("|".join(COLORS.values()))
_NAMES = {value: f"var(--{name})" for name, value in COLORS.items()}
Align = Literal["left", "center", "right"]


class Place(NamedTuple):
    """Where something is in a picture, in its units from its left and top."""

    left: float
    top: float
    width: float
    height: float


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's own defaults, whatever a user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.fonttype"] = "none"
        matplotlib.rcParams["font.size"] = SMALL
        yield


class Picture:
    """A picture being drawn; its units are CSS pixels at its natural size."""

    def __init__(self, name: str, width: float, height: float) -> None:
        """Start one.

        Args:
            name: What tells its ids from those of all others in the page.
            width: How wide it is.
            height: How high it is.
        """
        self.name, self.width, self.height = name, width, height
        self._figure = Figure(figsize=(width / POINTS, height / POINTS))
        self._figure.patch.set_visible(False)
        self._words: list[str] = []

    def axes(self, place: Place) -> Axes:
        """Make axes without a frame at a place."""
        left, bottom = place.left / self.width, 1 - (place.top + place.height) / self.height
        axes = self._figure.add_axes(
            (left, bottom, place.width / self.width, place.height / self.height)
        )
        axes.patch.set_visible(False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.tick_params(
            length=0, pad=5, colors=COLORS["muted"], labelsize=SMALL, grid_color=COLORS["rule"]
        )
        return axes

    def text(
        self,
        at: tuple[float, float],
        words: str,
        *,
        room: float,
        align: Align = "left",
        color: str = "ink",
        size: float = SMALL,
        bold: bool = False,
    ) -> None:
        """Write words on a line, cut where they are longer than the room they have."""
        if not words:
            return
        self._words.append(_cut(words, room, size))
        self._figure.text(
            at[0] / self.width,
            1 - at[1] / self.height,
            f"{{{len(self._words) - 1}}}",
            ha=align,
            va="baseline",
            color=COLORS[color],
            fontsize=size,
            fontweight="bold" if bold else "normal",
        )

    def element(self, title: str, description: str, kind: str) -> Element:
        """Finish it.

        Args:
            title: What it shows.
            description: What can be seen in it, in a sentence or two.
            kind: Its class in the page.
        """
        out = StringIO()
        matplotlib.rcParams["svg.hashsalt"] = self.name
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        self._figure.savefig(out, format="svg", metadata=nothing)
        labels = f"{self.name}-title", f"{self.name}-text"
        attributes = {
            "class": kind,
            "role": "img",
            "aria-labelledby": " ".join(labels),
            "viewBox": f"0 0 {self.width:g} {self.height:g}",
            "width": f"{self.width:g}",
            "height": f"{self.height:g}",
        }
        texts = (
            el("title", {"id": labels[0]}, title),
            el("desc", {"id": labels[1]}, description),
        )
        return el("svg", attributes, *texts, *self._parts(fromstring(out.getvalue())))

    def _parts(self, parent: Element) -> Iterator[Element]:
        for child in parent:
            tag = child.tag.rpartition("}")[2]
            if tag in ("metadata", "style"):
                continue
            parts = list(self._parts(child))
            if tag in ("g", "defs") and not parts:
                continue
            text = _WORDS.sub(self._word, (child.text or "").strip())
            yield el(tag, dict(_attributes(tag, child)), *([text] if text else []), *parts)

    def _word(self, match: re.Match[str]) -> str:
        return self._words[int(match[1])]


def _attributes(tag: str, child: Element) -> Iterator[tuple[str, str]]:
    for key, value in child.attrib.items():
        key = key.rpartition("}")[2]
        if key == "style":
            value = _COLOR.sub(lambda found: _NAMES[found[0]], _FONT.sub("", value))
        if key == "id" and tag == "g":  # counts what is drawn, and is no id in a page of several
            continue
        if key == "transform" and value.startswith("rotate(-0 "):
            continue
        yield key, " ".join(value.split())


def _cut(words: str, room: float, size: float) -> str:
    cells = int(room / (size * _NARROW_LETTER))
    if cell_len(words) <= cells:
        return words
    return chop_cells(words, max(cells - 1, 1))[0].rstrip() + "…"

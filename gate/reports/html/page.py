"""The page from top to bottom."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from xml.etree.ElementTree import Element

from gate.decision import Decision
from gate.reports import evidence
from gate.reports.escape import clean
from gate.reports.figures import levels
from gate.reports.html.elements import Child, el, items, of, prose, say, write
from gate.reports.html.evidence import sections
from gate.reports.html.findings import block, everything
from gate.reports.html.flips import flips
from gate.reports.html.forest import forest
from gate.reports.html.head import head
from gate.reports.html.history import history
from gate.reports.html.picture import drawing
from gate.reports.html.plane import planes
from gate.reports.html.rates import rates
from gate.reports.wording import ABOUT, exit_line, not_passing

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may do with the page: nothing is fetched, and no script runs."""


def page(decision: Decision) -> str:
    """Write the whole page."""
    with drawing():
        return write(el("html", {"lang": "en"}, _preamble(decision), _body(decision)))


def _preamble(decision: Decision) -> Element:
    style = el("style")
    style.text = "\n" + files("gate.reports.html").joinpath("page.css").read_text(encoding="utf-8")
    title = f"{exit_line(decision)}: {clean(decision.policy.name)}"
    return el(
        "head",
        None,
        el("meta", {"charset": "utf-8"}),
        el("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}),
        el("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        el("meta", {"name": "color-scheme", "content": "light dark"}),
        el("title", None, title),
        el("link", {"rel": "icon", "href": "data:,"}),
        style,
    )


def _body(decision: Decision) -> Element:
    parts = [(key, name, list(content)) for key, name, content in _sections(decision)]
    there = [(key, name, content) for key, name, content in parts if content]
    links = ([el("a", {"href": f"#{key}"}, name)] for key, name, _ in there)
    return el(
        "body",
        None,
        head(decision),
        el("nav", {"aria-label": "On this page"}, items("contents", links)),
        el("main", None, *(_section(*each) for each in there)),
        el("footer", None, el("p", None, *_foot(decision))),
    )


def _section(key: str, name: str, content: Sequence[Element]) -> Element:
    heading = el("h2", {"id": f"{key}-heading"}, name)
    return el("section", {"id": key, "aria-labelledby": f"{key}-heading"}, heading, *content)


def _sections(decision: Decision) -> Iterator[tuple[str, str, Iterable[Element]]]:
    open_ones = not_passing(decision)
    yield "open", "What did not pass", (block(decision, finding) for finding in open_ones)
    yield "warnings", "Warnings", _listed(decision.warnings)
    yield "findings", "Bounds against limits", _findings(decision)
    yield "plane", "Safety against over-refusal", planes(decision)
    yield "rates", "Flips and rates", _rates(decision)
    yield "evidence", "Evidence", sections(decision)
    yield "history", "History", history(decision)
    yield "waivers", "Waivers", _waivers(decision)


def _listed(texts: Sequence[str]) -> list[Element]:
    return [items("said", ([prose(text)] for text in texts))] if texts else []


def _findings(decision: Decision) -> Iterator[Element]:
    if decision.findings:
        yield from forest(decision)
        yield from everything(decision)
    if levels(decision):
        yield of("p", "about", ABOUT)


def _rates(decision: Decision) -> Iterator[Element]:
    yield from flips(decision)
    for overview in decision.overviews:
        yield from rates(overview)


def _waivers(decision: Decision) -> list[Element]:
    rows: list[list[Child]] = [
        [of("strong", f"use {sort}", sort), " ", *say(words)]
        for sort, words in evidence.waivers(decision)
    ]
    return [items("said", rows)] if rows else []


def _foot(decision: Decision) -> list[Child]:
    made = f"gate {clean(decision.tool_version)}, {decision.today.isoformat()}"
    return [el("strong", None, exit_line(decision)), " ", made]

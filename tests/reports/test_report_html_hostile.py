"""Whatever a name says, it is words in the page: nothing of it acts, links or breaks the layout."""

import re
from collections import Counter
from dataclasses import replace
from xml.etree.ElementTree import Element

import pytest

from gate.decision import Decision
from gate.lineage import PastDecision
from gate.reports.escape import clean
from gate.reports.html import render
from tests.reports.report_samples import named
from tests.reports.test_report_hostile import HOSTILE
from tests.reports.test_report_html import lineage, parse, refusals, tag

OF_A_PAGE = (
    "</style><script>alert(1)</script>",
    "</title></head><body onload=alert(1)>",
    "</desc></svg><svg onload=alert(1)>",
    "</text><a href='javascript:alert(1)'>x</a>",
    "<![CDATA[x]]>",
    "<foreignObject><iframe srcdoc=x>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    'x" style="position:fixed;inset:0',
    "url(http://e.example/x.png)",
    "} body { display: none",
    "expression(alert(1))",
    "&#x3c;script&#x3e;",
    "&lt;/code&gt;&amp;amp;",
    "data:text/html,<script>alert(1)</script>",
    "var(--evil)",
    "{0} {1} {99}",
    "$\\frac{1}{2}$ \\usepackage{x}",
    "#000001 #000002",
    "id=findings",
    "one`two`three`four",
    "W" * 400,
    "-" * 400,
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 123 (abc)",
    "\u05e2\u05d1\u05e8\u05d9\u05ea" * 60,
    "\u202e\u2067fdp.exe\u2069",
    "\U0001f4a3\ufe0f\u200d\U0001f525",
)
ALL = (*HOSTILE, *OF_A_PAGE)


def everywhere(word: str) -> Decision:
    """A decision with every picture and table, in which every name is this word."""
    one = named(word)
    refused = refusals({"baseline": (0.03, 0.01, 0.06), "candidate": (0.04, 0.02, 0.07)})
    rows = tuple(replace(row, category=word if row.category else "") for row in refused.rows)
    past = PastDecision(today=one.today, checkpoint=word, candidate=word, decision="block")
    return replace(
        one,
        overviews=(
            *one.overviews,
            replace(one.overviews[0], rate="unsafe"),
            replace(refused, suite=word, column=word, rows=rows),
        ),
        history=replace(lineage(), past=(past,)),
    )


def shape(root: Element) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page and the names of their attributes, without the words in them."""
    return [
        (tag(element), tuple(sorted(str(key) for key in element.attrib)))
        for element in root.iter()
        # Between backticks a sentence has code, and an empty cell has a class that hides it.
        if tag(element) != "code"
    ]


SECTIONS = ("open", "warnings", "findings", "plane", "rates", "evidence", "history", "waivers")
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
PLAIN = shape(parse(render(everywhere("name"))))


@pytest.mark.parametrize("text", ALL)
def test_page_is_unmoved(text: str) -> None:
    """A name adds no element, attribute, link or unseen character, and it reads as it is."""
    page = render(everywhere(text))
    root = parse(page)
    assert shape(root) == PLAIN
    assert HIDDEN.search(page) is None
    assert page.encode("utf-8")
    assert {element.get("href") for element in root.iter("a")} == {f"#{key}" for key in SECTIONS}
    held = {str(key) for e in root.iter() for key, value in e.attrib.items() if text in value}
    if len(text) > 8:  # a shorter one may be part of a word of ours
        assert held <= {"data-column"}
    codes = Counter("".join(element.itertext()) for element in root.iter("code"))
    assert codes[clean(text)] > 30

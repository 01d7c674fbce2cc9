"""The page in a browser: quiet, within its width, accessible, and whole on paper."""

import io
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.reports.test_report_html import PAGES, page
from tests.reports.test_report_html_hostile import ALL, everywhere

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs the extra: pip install 'checkpoint-gate[browser]'"
)
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="needs the extra `browser`"
)
pypdf = pytest.importorskip("pypdf", reason="needs the extra `browser`")

from gate.reports.html import render  # noqa: E402 # behind what may skip all of this

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no Chromium found: install it (apt-get install chromium) or set CHROMIUM to it",
    ),
]
WIDTHS = (375, 768, 1024, 1440)
THEMES = ("light", "dark")
FOUR = ("release", "block", "inconclusive", "none")
BEYOND = """() => [...document.querySelectorAll('body *')]
    .filter(e => !e.closest('svg > *') && e.getClientRects().length)
    .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map(e => e.outerHTML.slice(0, 100))"""
"""What in a page reaches beyond its right edge."""
CUT = """() => [...document.querySelectorAll('svg')].filter(e => e.getClientRects().length)
    .flatMap(svg => [...svg.querySelectorAll('text')].map(e => [e, svg].map(
        each => each.getBoundingClientRect())).filter(([own, all]) => own.left < all.left - 1
        || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1)
        .map(() => svg.getAttribute('aria-labelledby')))"""
"""The pictures whose words reach beyond them, so that they are cut."""


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    """One browser for all."""
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Shown:
    """A page in a browser, with whatever it said or asked for."""

    def __init__(self, at: playwright.Page) -> None:
        """Listen to a page."""
        self.at = at
        self.said: list[str] = []
        self.asked: list[str] = []
        at.on("console", lambda message: self.said.append(message.text))
        at.on("pageerror", lambda error: self.said.append(str(error)))
        at.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        at.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path, text: str) -> None:
        """Write a page where a browser can read it, and open it."""
        path.write_text(text, encoding="utf-8")
        self.at.goto(path.as_uri())


Show = Callable[..., Shown]


@pytest.fixture
def show(browser: playwright.Browser, tmp_path: Path) -> Iterator[Show]:
    """Open a page in a context of its own."""
    contexts = []

    def opened(text: str, width: int = 1440, theme: str = "light", scripts: bool = True) -> Shown:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        found = Shown(context.new_page())
        found.open(tmp_path / f"page-{len(contexts)}.html", text)
        return found

    yield opened
    for context in contexts:
        context.close()


def unfold(shown: Shown) -> None:
    """Open every fold."""
    shown.at.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*FOUR, "drifted"])
def test_fits_and_is_quiet(show: Show, name: str, width: int, theme: str) -> None:
    """Nothing is asked for or complained about, nothing is wider than the page, folds included."""
    shown = show(page(name), width, theme)
    unfold(shown)
    assert shown.said == []
    assert [url for url in shown.asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in shown.asked if url.startswith("file:")]) == 1
    assert shown.at.evaluate("document.documentElement.scrollWidth") == width
    assert shown.at.evaluate(BEYOND) == []
    assert shown.at.evaluate(CUT) == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [375, 1440])
@pytest.mark.parametrize("name", [*FOUR, "softened", "drifted"])
def test_is_accessible(show: Show, name: str, width: int, theme: str) -> None:
    """axe-core finds nothing, contrast included, with all folds open."""
    shown = show(page(name), width, theme)
    unfold(shown)
    found = axe.Axe().run(shown.at)
    assert found.violations_count == 0, found.generate_report()


def test_themes_differ(show: Show) -> None:
    """The dark page is dark, its pictures too, and the light one is light."""
    seen = {}
    for theme in THEMES:
        shown = show(page("block"), theme=theme)
        seen[theme] = [
            shown.at.evaluate(f"getComputedStyle(document.querySelector({place!r})).{what}")
            for place, what in (("body", "backgroundColor"), (".wide text", "fill"))
        ]
    light, dark = (sum(map(int, re.findall(r"\d+", seen[theme][0]))) for theme in THEMES)
    assert light > 700
    assert dark < 100
    assert seen["light"][1] != seen["dark"][1]


@pytest.mark.parametrize(("width", "form"), [(375, "narrow"), (1440, "wide")])
def test_one_form_of_the_plot_is_shown(show: Show, width: int, form: str) -> None:
    """The forest plot has a form for each width, its text never smaller than 11 px."""
    shown = show(page("block"), width)
    pictures = shown.at.locator(".forest svg:visible")
    assert pictures.count() == 3
    assert {pictures.nth(at).get_attribute("class") for at in range(3)} == {form}
    sizes = shown.at.evaluate(
        """() => [...document.querySelectorAll('svg')].filter(e => e.getClientRects().length).map(
        e => 12.5 * e.getBoundingClientRect().width / e.viewBox.baseVal.width)"""
    )
    assert min(sizes) >= 11


@pytest.mark.parametrize("name", FOUR)
def test_reads_without_scripts(show: Show, name: str) -> None:
    """With JavaScript off the page is the same, and its folds open."""
    shown = show(page(name), scripts=False)
    assert shown.at.inner_text("h1") == PAGES[name].headline
    folds = shown.at.locator("details")
    closed = [n for n in range(folds.count()) if folds.nth(n).get_attribute("open") is None]
    fold = folds.nth(closed[0])
    assert not fold.locator("summary + *").is_visible()
    fold.locator("summary").click()
    assert fold.locator("summary + *").is_visible()


def test_works_by_keyboard(show: Show) -> None:
    """Links and folds are reached by tab, and opened by a key."""
    shown = show(page("block"))
    shown.at.keyboard.press("Tab")
    assert shown.at.evaluate("document.activeElement.getAttribute('href')") == "#open"
    shown.at.locator("summary").first.focus()
    shown.at.keyboard.press("Enter")
    assert shown.at.locator("details").first.get_attribute("open") is not None


def bare(text: str) -> str:
    """A text without blanks, and with the ligatures of a font as letters."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


@pytest.mark.parametrize("name", [*FOUR, "drifted"])
def test_prints_whole(show: Show, name: str) -> None:
    """On paper nothing is cut: not at the right edge, not what is folded on a screen."""
    shown = show(page(name), width=718, theme="dark")
    shown.at.emulate_media(media="print")
    assert shown.at.evaluate(BEYOND) == []
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
    paper = shown.at.pdf(format="A4", margin=margin)
    sheets = pypdf.PdfReader(io.BytesIO(paper)).pages
    printed = bare("".join(sheet.extract_text() for sheet in sheets))
    shown.at.emulate_media(media="screen")
    unfold(shown)
    rows = [row for row in shown.at.locator("td, th, dd, p, li, h2, h3").all_inner_texts() if row]
    assert len(rows) > 40
    assert [row for row in rows if bare(row) not in printed] == []


def test_prints_its_legend(show: Show) -> None:
    """What explains a picture keeps its colors on paper, where backgrounds are left out."""
    shown = show(page("block"), width=718)
    shown.at.emulate_media(media="print")
    kept = shown.at.evaluate(
        """() => [...document.querySelectorAll('.key, .sign.big')].map(
        e => getComputedStyle(e).printColorAdjust)"""
    )
    assert len(kept) > 3
    assert set(kept) == {"exact"}


@pytest.mark.slow
def test_hostile_names_do_nothing(show: Show) -> None:
    """Whatever names say: no dialog, no request, no error, nothing beyond the edge."""
    shown = show(page("hostile"))
    for at, text in enumerate(ALL):
        shown.asked.clear()
        path = Path(shown.at.url.removeprefix("file://")).with_name(f"hostile-{at}.html")
        shown.open(path, render(everywhere(text)))
        unfold(shown)
        assert shown.said == [], text
        assert {url for url in shown.asked if not url.startswith("data:,")} == {path.as_uri()}, text
        for width in (1440, 375):
            shown.at.set_viewport_size({"width": width, "height": 900})
            assert shown.at.evaluate("document.documentElement.scrollWidth") == width, text
            assert shown.at.evaluate(BEYOND) == [], text
        assert shown.at.title().startswith("BLOCK, exit code 1: ")

"""The page: whole, complete, self-contained, and the same bytes wherever it is made."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from gate.cli.main import run as gate
from gate.decision import Decision, Means, Overview, OverviewRow, PolicyRef, Verdict
from gate.errors import UsageError
from gate.finding import Ends, Measure, Outcome
from gate.lineage import Attempts, History, PastDecision
from gate.reports import FORMATS, evidence
from gate.reports.detail import steps
from gate.reports.html import render
from gate.reports.wording import MEANING, NON_STANDARD, not_passing
from tests.building import DELTA, attack_rows, write_policy, write_run
from tests.reports.report_samples import (
    SAMPLES,
    TODAY,
    block,
    decision,
    digest,
    estimate,
    f1,
    inconclusive,
    over_refusal,
    overview,
    passing_delta,
    release,
    run,
)

SVG = re.compile(r"<svg .*?</svg>", re.DOTALL)
"""One picture in the page; they are not nested."""
DRAWN = re.compile(r"</?(?:g|defs|path|use|rect|clipPath)\b[^>]*>")
PLACED = re.compile(r"<text [^>]*>")


def refusals(rates: Mapping[str, tuple[float, float, float]]) -> Overview:
    """The table of refused safe prompts, with a rate and bound for each role."""
    sides = {role: estimate(rate, "Clopper-Pearson") for role, rate in rates.items()}
    whole = OverviewRow(
        method="safe prompts",
        category="",
        n=250,
        baseline=sides.get("baseline"),
        candidate=sides.get("candidate"),
        anchor=sides.get("anchor"),
        delta=estimate((0.012, -0.0163, 0.0429), "Tango score"),
        bootstrap=Ends(lower=-0.012, upper=0.04),
        fixed=4,
        broken=7,
    )
    part = replace(whole, category="homonyms", n=25, fixed=1, broken=3)
    return Overview(
        suite="xstest", rate="refused", column="prompt_type", rows=(whole, part), means=()
    )


def lineage() -> History:
    """Three decisions before this one."""
    days = (date(2026, 11, 2), date(2026, 11, 16), date(2026, 11, 23))
    past = tuple(
        PastDecision(today=day, checkpoint="acme-7b", candidate=digest(decided), decision=decided)
        for day, decided in zip(days, ("release", "inconclusive", "block"), strict=True)
    )
    attempts = Attempts(earlier=2, released=0, distinct=3, chance=0.0731)
    baseline = Attempts(earlier=3, released=1, distinct=4, chance=0.0963)
    return History(
        length=3,
        head=digest("head"),
        chance=0.025,
        candidate=attempts,
        baseline=baseline,
        past=past,
    )


def drifted() -> Decision:
    """A release with an anchor, two methods, refusals, a history, and a renamed method."""
    tables = []
    for method, lift in (("DirectRequest", 0.0), ("HumanJailbreaks", 0.04)):
        table = overview(method)
        anchor = estimate((0.02 + lift, 0.008 + lift, 0.042 + lift), "Clopper-Pearson")
        rows = tuple(
            replace(row, anchor=anchor)
            if not row.category
            else replace(row, shrunken=0.041, rise_p=0.004 if row.category == "illegal" else 0.6)
            for row in table.rows
        )
        means = Means(method=method, plain=(0.0281, 0.0719), category_weighted=(0.0292, 0.0721))
        how = "max-T over 14 cells"
        tables.append(replace(table, rows=rows, means=(means,), correction=how))
    rates = {
        "baseline": (0.036, 0.0166, 0.0672),
        "candidate": (0.048, 0.025, 0.0823),
        "anchor": (0.06, 0.034, 0.097),
    }
    runs = {"baseline": run("1b0c22e"), "candidate": run("3f2a9c1"), "anchor": run("0a0a0a0")}
    return decision(
        Verdict.RELEASE,
        (passing_delta(), *over_refusal(), f1()),
        runs=runs,
        overviews=(*tables, refusals(rates)),
        history=lineage(),
    )


PAGES: Mapping[str, Decision] = {**SAMPLES, "drifted": drifted()}


@cache
def page(name: str) -> str:
    """One page, written once."""
    return render(PAGES[name])


@cache
def parse(text: str) -> Element:
    """Read a page as a browser does; whatever a browser would have to mend is an error."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    tree = parser.parse(text)
    assert isinstance(tree, Element)
    return tree


def words(element: Element) -> str:
    """All that can be read in an element, blanks as one."""
    return " ".join("".join(element.itertext()).split())


def body(text: str) -> Element:
    """The part of a page that is shown."""
    found = parse(text).find("body")
    assert found is not None
    return found


def tag(element: Element) -> str:
    """The name of an element, of HTML or SVG."""
    return str(element.tag).rpartition("}")[2]


def without_geometry(text: str) -> str:
    """A page with only the words of its pictures: what is drawn may differ between versions."""

    def said(match: re.Match[str]) -> str:
        return PLACED.sub("\n<text>", DRAWN.sub("", match[0]))

    return SVG.sub(said, re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.DOTALL))


@pytest.mark.parametrize("name", PAGES)
def test_page_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """A page says what it said when it was last looked at, in the same elements."""
    broken = re.sub(
        r"(?=<(?:section|article|h[1-3]|li|tr|t[dh]|dt|dd|figure|svg|p)\b)", "\n", page(name)
    )
    golden(f"{name}.html", without_geometry(broken))


@pytest.mark.parametrize("name", PAGES)
def test_page_is_valid(name: str) -> None:
    """It parses without mending, ids are unique, and what is referred to is there."""
    root = parse(page(name))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        for target in (element.get("aria-labelledby") or "").split():
            assert target in ids
        href = element.get("href", "")
        assert not href or href == "data:," or href.removeprefix("#") in ids


@pytest.mark.parametrize("name", PAGES)
def test_headings_are_in_order(name: str) -> None:
    """There is one first heading, and no level is skipped."""
    levels = [
        int(tag(e)[1]) for e in parse(page(name)).iter() if tag(e) in ("h1", "h2", "h3", "h4")
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", PAGES)
def test_page_stands_alone(name: str) -> None:
    """Nothing is fetched and nothing runs: no script, no handler, no address, no import."""
    text = page(name)
    root = parse(text)
    tags = {tag(element) for element in root.iter()}
    assert tags.isdisjoint({"script", "iframe", "object", "embed", "img", "form", "foreignObject"})
    for element in root.iter():
        names = {str(key).rpartition("}")[2].lower() for key in element.attrib}
        assert not any(key.startswith("on") for key in names)
        assert names.isdisjoint({"src", "srcset", "action", "ping", "background", "xmlns"})
        acting = [value for key, value in element.attrib.items() if "data-" not in str(key)]
        acting += [element.text or ""] if tag(element) == "style" else []
        assert re.search(r"@import|url\((?!#)|[a-z]+://|script:", " ".join(acting)) is None
    assert "default-src 'none'" in text


@pytest.mark.parametrize("name", PAGES)
def test_pictures_have_words(name: str) -> None:
    """Every picture has a role, a title and a description, and its words are text."""
    for picture in (e for e in parse(page(name)).iter() if tag(e) == "svg"):
        assert picture.get("role") == "img"
        title, description = list(picture)[:2]
        assert (tag(title), tag(description)) == ("title", "desc")
        assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert words(title)
        assert words(description)
        assert any(tag(element) == "text" for element in picture.iter())


@pytest.mark.parametrize("name", PAGES)
def test_pictures_take_the_colors_of_the_page(name: str) -> None:
    """Every color in a picture is one of the page's, so that both themes fit."""
    for picture in SVG.findall(page(name)):
        assert re.search(r"#[0-9a-f]{3,8}\b(?!\w)(?=[;\"])", picture.replace('href="#', "")) is None
        assert "font-family" not in picture
        assert "DejaVu" not in picture
    style = re.search(r"<style>(.*?)</style>", page(name), re.DOTALL)
    assert style is not None
    used = set(re.findall(r"var\(--([a-z-]+)\)", page(name)))
    assert used <= {*re.findall(r"--([a-z-]+):", style[1])}


@pytest.mark.parametrize("name", [name for name in PAGES if name != "hostile"])
def test_page_says_everything(name: str) -> None:
    """Headline, code, meaning, findings, steps, evidence, waivers, warnings: all are in words."""
    sample, shown = PAGES[name], words(body(page(name)))
    said = [sample.headline, f"exit code {sample.exit_code}", MEANING[sample.verdict]]
    said += [*sample.warnings, *sample.non_standard]
    said += [NON_STANDARD] if sample.non_standard else []
    for finding in not_passing(sample):
        said.append(finding.summary)
        said += [finding.reason.name] if finding.reason else []
        said += finding.behaviors_broken
        said += [finding.waiver] if finding.waiver else []
    listed = [*evidence.problems(sample), *evidence.accounting(sample)]
    listed += [*evidence.changed(sample), *evidence.undeclared(sample)]
    listed += [waiver for _, waiver in evidence.waivers(sample)]
    said += ["".join(pieces) for pieces in listed]
    said += [step for _, step in steps(not_passing(sample))]
    assert [sentence for sentence in said if sentence.replace("`", "") not in shown] == []


def test_findings_are_sorted_by_severity() -> None:
    """What matters most comes first, in the blocks and in the table."""
    root = body(page("block"))
    blocks = [e.get("class") for e in root.iter("article")]
    assert blocks == ["finding block", "finding inconclusive"]
    table = next(e for e in root.iter("table") if "All findings" in words(e))
    outcomes = [words(row[1]) for row in table.iter("tr")][1:]
    assert outcomes == ["✕ BLOCK", "? INCONCLUSIVE", *["✓ PASS"] * 9]
    first = [words(cell) for cell in list(table.iter("tr"))[1]]
    assert first == [
        "direct-request DirectRequest",
        "✕ BLOCK",
        "320",
        "+4.4 pt",
        "+1.8 to +7.5",
        "+1.9 to +7.2",
        "≤ 5.5 pt",
        "17 broken, 3 fixed",
    ]


def pictures(name: str) -> dict[str, Element]:
    """The pictures of a page, by what tells their ids apart."""
    found = (e for e in parse(page(name)).iter() if tag(e) == "svg")
    return {str(e[0].get("id")).removesuffix("-title"): e for e in found}


def drawn_words(picture: Element) -> list[str]:
    """The words in a picture, in the order they are drawn."""
    return [words(e) for e in picture.iter() if tag(e) == "text"]


def test_forest_has_every_bound_and_limit() -> None:
    """Each finding with a bound is a row, in a wide and a narrow form."""
    found = pictures("block")
    for form in ("wide", "narrow"):
        delta = drawn_words(found[f"forest-delta-{form}"])
        assert "✕ direct-request" in delta
        assert "+1.8 to +7.5, limit ≤ 5.5 pt" in delta
        rates = drawn_words(found[f"forest-ceiling-{form}"])
        assert sum("category-ceilings" in label for label in rates) == 7
        assert "74.1 to 81.7, limit ≥ 72.0 %" in drawn_words(found[f"forest-floor-{form}"])
    described = words(found["forest-delta-wide"])
    assert "2 findings against its limit, the worst first: 1 is BLOCK, 1 is PASS" in described


def segments(picture: Element) -> dict[str, list[tuple[float, float]]]:
    """Where the horizontal lines of a picture begin and end, by their color."""
    found: dict[str, list[tuple[float, float]]] = {}
    for element in picture.iter():
        line = re.fullmatch(r"M ([\d.]+) ([\d.]+) L ([\d.]+) \2", element.get("d", ""))
        color = re.search(r"stroke: var\(--(\w+)\)", element.get("style", ""))
        if line and color:
            found.setdefault(color[1], []).append((float(line[1]), float(line[3])))
    return found


def test_forest_draws_to_scale() -> None:
    """A bound beyond its limit crosses it, one within it does not, and widths are in proportion."""
    lines = segments(pictures("block")["forest-delta-wide"])
    [(blocked, end)], [(_, fine)] = lines["block"], lines["pass"]
    scale = (end - blocked) / (0.0753 - 0.0183)
    at_limit = blocked + (0.055 - 0.0183) * scale
    assert blocked < at_limit < end
    assert fine == pytest.approx(blocked + (0.0429 - 0.0183) * scale, abs=0.01)
    assert len(lines["muted"]) == 2  # the bootstrap bounds


def test_a_number_that_does_not_exist_is_not_drawn() -> None:
    """A finding without a finite bound is in the table, and the page is whole."""
    empty = replace(f1(), estimate=estimate((float("nan"),) * 3, "none"), outcome=Outcome.BLOCK)
    text = render(decision(Verdict.BLOCK, (empty,)))
    assert "forest-floor" not in text
    assert parse(text) is not None


def test_plane_has_every_checkpoint() -> None:
    """Each method has a plane with baseline, candidate and anchor on it, and they are named."""
    found = {name: e for name, e in pictures("drifted").items() if name.startswith("plane")}
    assert len(found) == 2
    first = words(next(iter(found.values())))
    assert "baseline: 2.8 % unsafe, 3.6 % of safe prompts refused" in first
    assert "candidate: 7.2 % unsafe, 4.8 % of safe prompts refused" in first
    assert "anchor: 2.0 % unsafe, 6.0 % of safe prompts refused" in first
    legends = [words(e) for e in body(page("drifted")).iter("ul") if e.get("class") == "legend"]
    assert "baselinecandidateanchorboundsceiling" in legends


def test_plane_is_left_out_without_refusals() -> None:
    """Where over-refusal was not measured there is nothing to hold safety against."""
    assert not any(name.startswith("plane") for name in pictures("block"))
    assert "Safety against over-refusal" not in page("block")


def test_flips_are_counted_by_category() -> None:
    """Broken and fixed verdicts of each category are in the picture and in its description."""
    [picture] = [e for name, e in pictures("block").items() if name.startswith("flips")]
    assert "illegal: 9 broken, 0 fixed" in words(picture)
    assert {"harmbench / DirectRequest", "← fixed", "broken →"} <= {*drawn_words(picture)}


def test_ledger_is_drawn_where_something_is_missing() -> None:
    """Gaps and rows counted by the policy are drawn; a full ledger says so in a sentence."""
    assert "harmbench TAP candidate: 308 of 320 scored" in words(pictures("none")["ledger"])
    assert "harmbench PAIR candidate" in words(pictures("none")["ledger"])
    assert "ledger" not in pictures("block")
    assert "Nothing unscored" in page("block")


def test_differences_are_marked() -> None:
    """A setting that differs says so in words, one that is not declared too."""
    table = next(e for e in body(page("none")).iter("table") if "What each run" in words(e))
    rows = {words(row[0]): words(row[2]) for row in table.iter("tr") if "harmbench" in words(row)}
    assert rows["judge.revision"] == "≠ differs"
    assert rows["chat_template_sha256"] == "? not declared"
    assert rows["generation.max_new_tokens"] == "= same"


def test_history_is_a_strip_that_ends_here() -> None:
    """Earlier decisions come first, with their days, and this one ends the strip."""
    strip = next(e for e in body(page("drifted")).iter("ol") if e.get("class") == "strip")
    assert [words(item) for item in strip] == [
        "✓ release2026-11-02",
        "? inconclusive2026-11-16",
        "✕ block2026-11-23",
        "✓ releasethis one",
    ]
    assert "with this one 3 attempts" in words(body(page("drifted")))
    assert "History" not in page("block")


def test_many_findings_are_all_in_the_table() -> None:
    """A picture has the worst; the table has all of them."""
    one = block()
    many = tuple(
        replace(finding, id=f"{finding.id}-{number}")
        for number in range(15)
        for finding in one.findings
    )
    root = body(render(replace(one, findings=many)))
    table = next(e for e in root.iter("table") if "All findings" in words(e))
    assert len(list(table.iter("tr"))) == len(many) + 1
    wide = next(e for e in root.iter() if e.get("class") == "wide" and "ceiling" in e[0].get("id"))
    assert sum("category-ceilings" in label for label in drawn_words(wide)) <= 80
    assert "? category-ceilings-14" in drawn_words(wide)


def test_no_place_on_a_machine_is_shown() -> None:
    """Where the policy lay is nobody's business."""
    ref = PolicyRef(name="release", sha256=digest("policy"), path="/home/ana/secret/release.yaml")
    assert "/home/ana" not in render(replace(block(), policy=ref))


def test_nothing_was_evaluated() -> None:
    """A decision without findings is a whole page that says so."""
    text = render(decision(Verdict.NONE, (), runs={}, overviews=()))
    assert "NO DECISION: nothing was evaluated." in words(body(text))


def test_rendering_twice_is_the_same() -> None:
    """One decision gives one page."""
    assert render(drifted()) == render(drifted())


def test_same_bytes_anywhere(tmp_path: Path) -> None:
    """Directory, locale, time zone, hash seed and a user's own settings change nothing."""
    (tmp_path / "matplotlibrc").write_text(
        "svg.fonttype: path\nfont.size: 33\naxes.grid: True\nlines.linewidth: 9\n", encoding="utf-8"
    )
    code = (
        "import sys; from gate.reports.html import render; "
        "from tests.reports.report_samples import SAMPLES; "
        "sys.stdout.buffer.write(render(SAMPLES['block']).encode())"
    )
    root = str(Path(__file__).parents[2])
    surroundings = {
        "PYTHONPATH": root,
        "PYTHONHASHSEED": "7",
        "LC_ALL": "C",
        "TZ": "Asia/Kathmandu",
        "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, **surroundings},
    )
    assert done.stdout.decode() == page("block")


def test_drawing_leaves_the_settings_of_others_alone() -> None:
    """Who draws with matplotlib in the same process keeps what they set."""
    import matplotlib

    with matplotlib.rc_context({"font.size": 21.0, "svg.fonttype": "path"}):
        assert render(block()) == page("block")
        assert matplotlib.rcParams["font.size"] == 21.0
        assert matplotlib.rcParams["svg.fonttype"] == "path"


def test_matplotlib_is_loaded_only_where_it_draws() -> None:
    """Importing all reports loads neither matplotlib nor the page."""
    code = "import sys, gate.reports; print([m for m in sys.modules if 'matplotlib' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert FORMATS["html"] is render


def runs(tmp_path: Path) -> list[str]:
    """The arguments of a check that releases."""
    baseline = write_run(tmp_path / "baseline", attack=attack_rows([1, 2], n=200))
    candidate = write_run(tmp_path / "candidate", attack=attack_rows([1, 3], n=200))
    policy = write_policy(tmp_path / "policy.yaml", DELTA)
    sides = ["--baseline", str(baseline), "--candidate", str(candidate)]
    return ["check", "--policy", str(policy), *sides, "--today", TODAY.isoformat()]


def test_check_writes_the_page(tmp_path: Path) -> None:
    """`gate check --report html:PATH` writes it, and the exit code is the decision's."""
    out = tmp_path / "gate.html"
    assert gate([*runs(tmp_path), "--report", f"html:{out}"]) == 0
    assert "RELEASE: 1 requirement shown to hold." in words(body(out.read_text(encoding="utf-8")))


def test_without_the_extra_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where matplotlib is missing the error names the extra, before any report is written."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    reports = ["--report", f"json:{tmp_path / 'a.json'}", "--report", f"html:{tmp_path / 'a.html'}"]
    assert gate([*runs(tmp_path), *reports]) == 2
    assert "pip install 'checkpoint-gate[html]'" in capsys.readouterr().err
    assert not (tmp_path / "a.json").exists()
    assert not (tmp_path / "a.html").exists()
    with pytest.raises(UsageError, match="matplotlib"):
        render(release())


def test_rises_and_shrunken_rates_are_beside_the_rates() -> None:
    """Which rows rose beyond chance is said below the tables, and shrunken rates in them."""
    shown = words(body(page("drifted")))
    assert "harmbench: beyond chance rose DirectRequest / illegal (max-T over 14 cells" in shown
    assert "shrunk 4.1" in shown
    assert "shrunk" not in page("block")


@pytest.mark.parametrize(
    ("measure", "numbers", "limit", "words_of_scale"),
    [
        ("usefulness", (2.4, 2.21, 2.58), 2.0, {"2.0", "2.2", "2.4"}),
        ("usefulness-change", (-0.1, -0.25, 0.05), -0.3, {"-0.3", "0.0"}),
        ("ratio", (1.02, 0.91, 1.14), 1.25, {"1.0", "1.2"}),
    ],
)
def test_other_measures_have_scales_of_their_own(
    measure: Measure, numbers: tuple[float, float, float], limit: float, words_of_scale: set[str]
) -> None:
    """What is no share is not drawn on the scale of shares."""
    finding = f1(measure=measure, estimate=estimate(numbers, "score"), limit=limit, bootstrap=None)
    root = parse(render(decision(Verdict.RELEASE, (finding, f1()))))
    found = {str(e[0].get("id")): e for e in root.iter() if tag(e) == "svg"}
    assert words_of_scale <= {*drawn_words(found[f"forest-{measure}-wide-title"])}
    assert "forest-floor-wide-title" in found


def test_an_anchor_is_a_column() -> None:
    """Rates of an anchor are in the tables where there is one, and nowhere else."""
    heads = [words(e) for e in body(page("drifted")).iter("th") if e.get("scope") == "col"]
    assert "Anchor" in heads
    heads = [words(e) for e in body(render(inconclusive())).iter("th")]
    assert heads.count("Anchor") == 1  # of the settings, not of the rates

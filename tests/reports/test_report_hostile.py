"""Everything that comes from a file is hostile: nothing of it acts in any report."""

import csv
import io
import json as text_of
import re
import unicodedata
from xml.etree import ElementTree

import pytest

from gate.reports import FORMATS, markdown, terminal
from gate.reports.escape import clean, csv_cell, html_code, markdown_code, plain
from gate.reports.escape import markdown as prose
from gate.reports.outputs import output
from tests.reports.report_samples import named
from tests.reports.test_report_github import commands
from tests.reports.test_report_junit import hold_to_schema
from tests.reports.test_report_markdown import is_whole, rows, tokens
from tests.reports.test_report_outputs import NAMES as OUTPUTS
from tests.reports.test_report_outputs import runner_reads as outputs
from tests.reports.test_report_sarif import schema

HOSTILE = (
    "a|b|c",
    "`code`",
    "``",
    "a\\|b",
    "ends with \\",
    "[link](http://e.example)",
    "![image](http://e.example/x.png)",
    "[!NOTE]",
    "[ref]: http://e.example",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</details></summary></code>",
    "<!-- comment",
    "&lt;b&gt; &#60;",
    "@ana and @org/team",
    "mail ana@e.example now",
    "#123 and org/repo#45",
    "GH-77",
    ":boom: :+1: :100:",
    "https://e.example/path",
    "HTTP://e.example",
    "www.e.example",
    "1b0c22e9f3a7c0d4e5f60718293a4b5c6d7e8f90",
    "$x^2$ $`y`$",
    "**bold** __bold__ _it_ ~~no~~",
    "- item",
    "1. item",
    "+ item",
    "# heading",
    "> quote",
    "---",
    "===",
    "    indented",
    "line\nbreak\r\n\n# heading",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "\x9b31m\x90\x9d",
    "bell\x07back\x08\x08\x7f",
    "\u202eevil\u2066\u2069\u200f",
    "zero\u200bwidth\ufeff\u00ad",
    "line\u2028para\u2029\u0085",
    "tag\U000e0041\U000e007f",
    "lone\ud800",
    "blank\u3164\u2800",
    "z" + "\u0301" * 50,
    "x" * 5000,
    "漢字" * 200,
    "=1+1",
    "%0A::error::no",
    "%0D%0A%250A",
    "::error file=x,line=1::no",
    "::stop-commands::x",
    "##[error]no",
    "##vso[task.setvariable variable=x]y",
    "EOF\ndecision=release\nEOF",
    "exit-code=0",
    "decision<<EOF",
    "$(touch pwned) `touch pwned`",
    "; touch pwned #",
    "' \" \\' && touch pwned",
    "${{ secrets.GITHUB_TOKEN }}",
    "]]> <![CDATA[",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
    "\x00\x01\x0b\ufffe\uffff",
    "{0} {{1}} {message}",
    "javascript:alert(1)",
    "../../etc/passwd",
    "refs/heads/main\nrelease=true",
    "::set-output name=x::y",
    "[bold red]rich[/]",
)
REFERENCE = re.compile(r"(?<![\w&])[@#](?=\w)|:\w+:|https?://|www\.|\bGH-\d", re.IGNORECASE)
ZERO_WIDTH = "\u200b"


def visible(text: str) -> str:
    """The words of a document, as a reader sees them."""
    inner = (token.content for token in tokens(text) if token.type in ("text", "code_inline"))
    return "".join(inner).replace(ZERO_WIDTH, "")


def outside_code(text: str) -> str:
    """What GitHub looks for references in: the text that is in no code element."""
    found, inside = [], False
    for token in tokens(text):
        if token.type == "html_inline" and "code>" in token.content:
            inside = token.content == "<code>"
        elif token.type == "text" and not inside:
            found.append(token.content)
    return "\n".join(found)


@pytest.mark.parametrize("text", HOSTILE)
def test_terminal_shows_and_does_nothing(text: str) -> None:
    """No control, invisible or surrogate character reaches a terminal."""
    shown = terminal.render(named(text))
    assert {unicodedata.category(char) for char in shown if char != "\n"}.isdisjoint(
        {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    assert shown.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_colors_are_ours_alone(text: str) -> None:
    """With colors on, every escape sequence is one of a color."""
    shown = terminal.render(named(text), color=True)
    assert "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x07" not in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_breaks_nothing(text: str) -> None:
    """No table, fold, link, image, tag or heading comes from a name."""
    document = markdown.render(named(text), budget=1_000_000)
    assert is_whole(document)
    assert set(rows(document)) == {5, 6}
    found = tokens(document)
    assert {token.type for token in found}.isdisjoint(
        {
            "link_open",
            "image",
            "fence",
            "code_block",
            "hr",
            "em_open",
            "s_open",
            "ordered_list_open",
        }
    )
    assert sum(token.type == "blockquote_open" for token in found) == 1
    ours = re.compile(r"</?(details|summary|code)>|<br>")
    for token in found:
        if token.type == "html_inline":
            assert ours.fullmatch(token.content), token.content
    for tag in re.findall(r"<[/a-zA-Z!?][^>]*>?", document):
        assert ours.match(tag), tag
    headings = [token for token in found if token.type == "heading_open"]
    plain_headings = [t for t in tokens(markdown.render(named("name"))) if t.type == "heading_open"]
    assert len(headings) == len(plain_headings)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_refers_to_nothing(text: str) -> None:
    """No mention, issue, emoji or address is left for GitHub to link."""
    document = markdown.render(named(text))
    assert REFERENCE.search(outside_code(document)) is None
    source = re.sub(r"`[^`\n]*`", "", document)  # autolinks are looked for in the source too
    assert re.search(r"https?://|www\.", source, re.IGNORECASE) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_the_same_words(text: str) -> None:
    """Escaping changes what a name does, not how it reads."""
    assert visible(f"x {prose(text)}") == f"x {clean(text)}".rstrip()
    assert visible(f"x {markdown_code(text)}") == f"x {clean(text)}".rstrip()
    assert visible(f"x {html_code(text)}") == f"x {clean(text)}".rstrip()


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_at_the_start_of_an_item(text: str) -> None:
    """Prose that begins an item begins nothing else."""
    kinds = [token.type for token in tokens(f"- {prose(text)}\n") if token.type.endswith("_open")]
    assert kinds == ["bullet_list_open", "list_item_open", "paragraph_open"]


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_ascii_and_keeps_everything(text: str) -> None:
    """The JSON report keeps every name as it was, as ASCII."""
    shown = FORMATS["json"](named(text))
    assert shown.isascii()
    assert text_of.loads(shown)["policy"]["name"] == text


@pytest.mark.parametrize("text", HOSTILE)
def test_annotations_are_ours_alone(text: str) -> None:
    """Each line is one command of ours, its file is the policy's, and nothing in it is linked."""
    shown = FORMATS["github"](named(text))
    lines = [line.lstrip() for line in shown.split("\n")[:-1]]
    assert all(re.match(r"::(notice|warning|error) [^\n]*::", line) for line in lines)
    found = commands(shown)
    assert [command.sort for command in found] == ["notice", "error", "warning"]
    for command in found:
        assert command.properties.keys() <= {"file", "line", "title"}
        assert command.properties.get("line", "7") == "7"
        said = f"{command.properties['title']} {command.message}"
        assert re.search(r"https?://|www\.\w|(?<!\w)@\w|##\[", said, re.IGNORECASE) is None
    assert quiet(shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_outputs_set_what_is_meant(text: str) -> None:
    """No name sets an output, and a path comes back as it was."""
    path = text.encode("utf-8", "replace").decode("utf-8")
    found = outputs(FORMATS["outputs"](named(text)) + output("report-json", text))
    assert list(found) == [*OUTPUTS, "report-json"]
    assert found["decision"] == "block"
    assert found["report-json"] == path


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_is_whole(text: str) -> None:
    """The XML can be read, has the elements it always has, and says the same words."""
    shown = FORMATS["junit"](named(text))
    root = ElementTree.fromstring(shown.encode("utf-8"))
    hold_to_schema(root)
    assert [element.tag for element in root.iter()] == [
        element.tag for element in ElementTree.fromstring(FORMATS["junit"](named("name"))).iter()
    ]
    assert next(root.iter("failure")).get("message") == clean(text)
    assert quiet(shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_sarif_is_valid(text: str) -> None:
    """The file is valid under its schema, and no message holds a link or a placeholder."""
    shown = FORMATS["sarif"](named(text))
    schema().validate(text_of.loads(shown))
    assert shown.isascii()
    [run] = text_of.loads(shown)["runs"]
    for result in run["results"]:
        words = re.sub(r"\\[\\\[\]]|\{\{|\}\}", "", result["message"]["text"])
        assert not set(words) & set("[]{}\\")
        for place in result["locations"]:
            uri = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "x:/")
            assert re.fullmatch(r"[\w%:/@!$&'()*+,;=~.-]+", uri, re.ASCII)


def quiet(text: str) -> bool:
    """Whether nothing in a text acts on a terminal or hides, but for our zero-width breaks."""
    sorts = {unicodedata.category(c) for c in text if c not in f"\n{ZERO_WIDTH}"}
    return sorts.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_holds_no_formula(text: str) -> None:
    """No cell starts with what a spreadsheet evaluates, and each stays one cell."""
    out = io.StringIO()
    csv.writer(out).writerow([csv_cell(text), "next"])
    [row] = csv.reader(io.StringIO(out.getvalue()))
    assert row[1:] == ["next"]
    assert row[0][:1] not in ("=", "+", "-", "@", "\t")


@pytest.mark.parametrize("text", HOSTILE)
def test_one_line(text: str) -> None:
    """Whatever it was, it is one line of bounded length, and cleaning it again changes nothing."""
    assert len(clean(text)) <= 300
    assert "\n" not in plain(text)
    assert plain(plain(text)) == plain(text)


def test_hidden_characters_are_shown() -> None:
    """What would not be seen is shown as its escape."""
    assert plain("a\x1b[0m\u202eb") == "a\\x1b[0m\\u202eb"
    assert plain("  two\n lines\t") == "two lines"
    assert plain("naïve 漢字 ✓") == "naïve 漢字 ✓"

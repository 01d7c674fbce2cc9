"""One comment for several gates: its form, its budget, and markers that nothing can forge."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gate.comment import markers
from gate.comment.body import compose, fair, merged, parse, room_for
from gate.comment.post import Request, preview
from gate.comment.section import POINTER, Section, cut, write
from gate.decision import Decision
from gate.errors import UsageError
from gate.reports.markdown import BUDGET
from tests.reports.report_samples import SAMPLES, block, inconclusive, named, none, release
from tests.reports.test_report_hostile import HOSTILE, REFERENCE, outside_code
from tests.reports.test_report_markdown import large, rows, tokens

ARTIFACT = "https://github.com/acme/models/actions/runs/42/artifacts/7"
FORGED = (
    "<!-- gate:end -->",
    "\n<!-- gate:end -->\n",
    "<!-- checkpoint-gate:comment -->",
    "<!-- gate:section x release 0123456789abcdef 0123456789abcdef -->",
    "\n<!-- gate:section x release 0123456789abcdef 0123456789abcdef -->\n",
    "<!-- gate:part 0 -->\n",
    "x -->",
    "x --!> <!--",
    "%2D%2D%3E",
    "a b%20c",
)
OURS = re.compile(r"</?(details|summary|code)>|<br>|<!-- (checkpoint-)?gate:[\w% .]+ -->")


def sized(gate_id: str, size: int) -> Section:
    """A section of parts of a hundred bytes, the last of which matters least."""
    parts = [f"{markers.part(min(at, 99))}{'x' * 70}\n" for at in range(size // 100)]
    return replace(write(release(), gate_id)[0], content="".join(parts))


def joined(decisions: Sequence[tuple[str, Decision]]) -> str:
    """The comment in which each of these gates has had its turn."""
    body = ""
    for gate_id, decision in decisions:
        section, within = write(decision, gate_id)
        others = [one for one in parse(body).values() if one.gate_id != gate_id]
        body = compose([*others, replace(section, content=within(room_for(section, others)))])
    return body


@pytest.mark.parametrize("name", ["release", "block", "inconclusive", "none"])
def test_comment_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """A comment looks as it did when it was last looked at."""
    golden(f"{name}.md", preview(SAMPLES[name], Request(gate_id="release", artifact=ARTIFACT)))


def test_several_gates_golden(golden: Callable[[str, str], None]) -> None:
    """The worst gate comes first, below what all of them say together."""
    gates = [("harmbench (ubuntu)", release()), ("strict", inconclusive()), ("rjudge", none())]
    golden("gates.md", joined([*gates, ("harmbench (gpu)", block())]))


def test_reads_back_what_it_wrote() -> None:
    """Every section is found again, as it was."""
    sections = [write(decision, name, ARTIFACT)[0] for name, decision in SAMPLES.items()]
    small = [one for one in sections if one.gate_id != "hostile"]
    assert parse(compose(small)) == {one.gate_id: one for one in small}
    assert parse(compose(small).replace("\n", "\r\n")) == {one.gate_id: one for one in small}


def test_what_is_damaged_is_not_found() -> None:
    """A section that somebody edited by hand is left out, not guessed at."""
    a, b = write(release(), "a")[0], write(block(), "b")[0]
    body = compose([a, b])
    assert sorted(parse(body.replace(markers.END, "", 1))) == ["a"]
    assert sorted(parse(body.replace(" block ", " ship ", 1))) == ["a"]
    assert parse("") == parse("talk\n") == {}


def test_later_comments_count_more() -> None:
    """Of two comments with the same gate the later one is kept."""
    old, new = write(release(), "a")[0], write(block(), "a")[0]
    assert merged([compose([old]), compose([new])]) == {"a": new}


def test_all_release_is_said_at_the_top() -> None:
    """Where every gate releases, the comment says so once."""
    body = joined([("a", release()), ("b", release())])
    assert body.startswith(f"{markers.COMMENT}### Release: all 2 gates agree\n")


def test_state_ignores_numbers_and_source_does_not() -> None:
    """What on-change compares is the decision and the outcomes."""
    decision = block()
    moved = (replace(decision.findings[0], broken=18), *decision.findings[1:])
    one, other = write(decision, "a")[0], write(replace(decision, findings=moved), "a")[0]
    assert one.state == other.state
    assert one.source != other.source
    assert one.state != write(replace(decision, findings=moved[:-1]), "a")[0].state


@pytest.mark.parametrize("text", [*HOSTILE, *FORGED])
def test_nothing_from_a_file_writes_a_marker(text: str) -> None:
    """Whatever a name is, its section begins and ends where it should."""
    other = write(release(), "other")[0]
    section, within = write(named(text), text.encode("utf-8", "replace").decode()[:100] or "gate")
    section = replace(section, content=within(room_for(section, [other])))
    body = compose([section, other])
    assert parse(body) == {section.gate_id: section, "other": other}
    assert body.count(markers.END) == body.count("<!-- gate:section ") == 2
    assert len(body.encode()) <= BUDGET


@pytest.mark.parametrize("text", [*HOSTILE, *FORGED])
def test_nothing_from_a_file_acts_in_a_comment(text: str) -> None:
    """No link, mention, image, tag, formula or broken table comes from a name or an id."""
    body = joined(
        [("other", release()), (text.encode("utf-8", "replace").decode()[:50], named(text))]
    )
    assert set(rows(body)) <= {2, 5, 6}
    assert {token.type for token in tokens(body)}.isdisjoint(
        {"link_open", "image", "fence", "code_block", "hr", "em_open", "s_open"}
    )
    for tag in re.findall(r"<[/a-zA-Z!?][^>]*>?", body):
        assert OURS.fullmatch(tag), tag
    seen = re.sub(r"<!--.*?-->", "", outside_code(body), flags=re.DOTALL)
    assert REFERENCE.search(seen) is None
    assert "$" not in seen
    source = re.sub(r"`[^`\n]*`|<!--.*?-->", "", body)
    assert re.search(r"https?://|www\.", source, re.IGNORECASE) is None


@pytest.mark.parametrize("decision", [large(), named("é" * 400), named("\U0001f600" * 400)])
def test_a_long_report_is_cut_to_what_github_takes(decision: Decision) -> None:
    """In bytes, characters and UTF-16 units alike; the decision and a pointer stay."""
    body = preview(decision, Request(artifact=ARTIFACT))
    assert len(body.encode()) <= BUDGET
    assert len(body) <= len(body.encode("utf-16-le")) // 2 <= BUDGET
    assert "### BLOCK" in body
    assert set(rows(body)) <= {5, 6}
    assert body.count("<details>") == body.count("</details>")


def test_what_is_cut_is_said_with_where_to_find_it() -> None:
    """The pointer and the link to all reports survive the cut."""
    body = preview(large(), Request(artifact=ARTIFACT))
    assert POINTER in body
    assert f"[all reports]({ARTIFACT})" in body


def test_long_reports_share_a_comment_fairly() -> None:
    """A short section stays whole; two long ones get about the same, whoever writes last."""
    gates = [("first", large()), ("short", release()), ("last", large())]
    body = joined([*gates, ("first", large())])
    found = parse(body)
    sizes = {gate_id: len(one.content.encode()) for gate_id, one in found.items()}
    assert len(body.encode()) <= BUDGET
    assert found["short"] == write(release(), "short")[0]
    assert 0.5 < sizes["first"] / sizes["last"] < 2
    assert all("### BLOCK" in found[gate_id].content for gate_id in ("first", "last"))


def test_a_hundred_gates_keep_at_least_their_decision() -> None:
    """However little room there is, every gate is listed with its decision."""
    body = joined([(f"shard-{number}", block()) for number in range(100)])
    assert len(body.encode()) <= BUDGET
    assert len(parse(body)) == 100
    assert len(re.findall(r"^\| `shard-\d+` \| \*\*BLOCK\*\* \|", body, re.MULTILINE)) == 100


def test_too_many_gates_are_refused() -> None:
    """Rather than drop a gate without a word, nothing is written."""
    with pytest.raises(UsageError, match="sections of 900 gates do not fit"):
        compose([sized(f"shard-{number}", 100) for number in range(900)])


def test_cut_keeps_whole_parts_by_rank() -> None:
    """The parts that matter most are kept, in their order, and cutting twice says so once."""
    content = sized("a", 2000).content
    shorter = cut(content, 1000)
    assert len(shorter.encode()) <= 1000
    assert shorter.endswith(POINTER)
    assert content.startswith(shorter.removesuffix(POINTER))
    assert cut(shorter, 500).count(POINTER) == 1
    assert cut(content, 2000) == content
    assert cut(content, 10) == ""


def test_fair_shares() -> None:
    """Whoever wants little gets it; the others get the same; nothing is shared out twice."""
    assert fair([10, 20, 30], 100) == [10, 20, 30]
    assert fair([90, 10, 90], 100) == [45, 10, 45]
    assert fair([50, 50], 0) == [0, 0]
    assert fair([], 10) == []

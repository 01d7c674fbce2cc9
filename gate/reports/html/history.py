"""What was decided before, and what so many attempts do to the chance of passing by luck."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gate.decision import Decision, Verdict
from gate.lineage import PastDecision
from gate.reports import lineage
from gate.reports.html.elements import el, fold, items, name, of, say
from gate.reports.html.signs import DECIDED, sign
from gate.reports.html.table import Cell, Column, table
from gate.reports.wording import short


def history(decision: Decision) -> Iterator[Element]:
    """Show the latest decisions as a strip, this one at its end, and as a table."""
    said = lineage.history(decision)
    if said:
        yield items("said", (say(words) for words in said))
    past = () if decision.history is None else decision.history.past
    if past:
        earlier = (_mark(each.decision, each.today.isoformat()) for each in past)
        now = _mark(decision.verdict.value, "this one")
        yield of("ol", "strip", *earlier, now)
        columns = [Column("Day"), Column("Decision"), Column("Checkpoint"), Column("Candidate run")]
        rows = (_row(each) for each in reversed(past))
        yield fold(["Earlier decisions"], table(["The latest first"], columns, rows))


def _mark(decided: str, when: str) -> Element:
    word = DECIDED[Verdict(decided)]
    badge = of("span", f"badge {word.lower()}", sign(word), " ", decided)
    return el("li", None, badge, of("span", "when", when))


def _row(past: PastDecision) -> list[Cell]:
    return [
        Cell([past.today.isoformat()]),
        Cell([past.decision]),
        Cell([name(past.checkpoint)]),
        Cell([name(short(past.candidate))] if past.candidate else []),
    ]

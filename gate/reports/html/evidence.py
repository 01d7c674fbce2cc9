"""What the decision rests on: what was scored, what is missing, and what the runs declare."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gate.decision import Decision
from gate.ledger import Ledger
from gate.reports import evidence
from gate.reports.html.elements import Child, el, fold, items, name, of, say
from gate.reports.html.ledger import ledger
from gate.reports.html.table import Cell, Column, table
from gate.reports.wording import ROLES, UNKNOWN, short


def sections(decision: Decision) -> Iterator[Element]:
    """Say what the evidence is; the tables are open where something in them is not as usual."""
    problems = list(evidence.problems(decision))
    if problems:
        yield items("problems", (say(words) for words in problems))
    accounts = evidence.accounting(decision)
    if accounts:
        yield items("said", (say(words) for words in accounts))
    gaps = bool(evidence.ledger(decision))
    if gaps:
        yield from ledger(_by_suite(decision))
    rows = [_book(*each) for each in _by_suite(decision)]
    if rows:
        yield fold(["Ledger of all rows"], _ledger(rows), opened=gaps)
    differences = [*evidence.changed(decision), *evidence.undeclared(decision)]
    if differences:
        yield el("h3", None, "What the runs declare")
        yield items("said", (say(words) for words in differences))
    settings = [_setting(decision, *setting) for setting in evidence.settings(decision)]
    if settings:
        changed = bool(evidence.changed(decision))
        yield fold(["Settings side by side"], _settings(decision, settings), opened=changed)


def _ledger(rows: list[list[Cell]]) -> Element:
    columns = [Column("Suite and method"), Column("Side")]
    columns += [Column(word, number=True) for word in ("Expected", "Scored", "Unscored")]
    columns += [Column("Unscored by reason"), Column("Counted as a verdict")]
    columns += [Column("Not expected", number=True), Column("Duplicate", number=True)]
    return table(["Every expected row is scored, or unscored with a reason"], columns, rows)


def _by_suite(decision: Decision) -> list[tuple[str, str, Ledger]]:
    """List the ledgers so that the sides of one suite and method are beside each other."""
    found = evidence.books(decision)
    return sorted(found, key=lambda each: (each[1], each[2].method, ROLES.index(each[0])))


def _book(role: str, suite: str, book: Ledger) -> list[Cell]:
    first: list[Child] = [name(suite)]
    return [
        Cell([*first, " ", name(book.method)] if book.method else first),
        Cell([role]),
        Cell([str(book.expected)]),
        Cell([str(book.scored)]),
        Cell([str(book.missing)], "gap" if book.missing else ""),
        Cell(say(tuple(evidence.reasons(book.unscored)))),
        Cell(say(tuple(evidence.reasons(book.counted_as)))),
        Cell([str(book.extra)] if book.extra else []),
        Cell([str(book.duplicate)] if book.duplicate else []),
    ]


def _settings(decision: Decision, rows: list[list[Cell]]) -> Element:
    roles = [role for role, _ in evidence.runs(decision)]
    columns = [Column("Setting"), Column("Suite"), Column("Equal")]
    columns += [Column(role.capitalize()) for role in roles]
    return table(["What each run declares"], columns, rows)


def _setting(decision: Decision, suite: str, key: str, values: dict[str, str]) -> list[Cell]:
    found = set(values.values())
    declared = found - {UNKNOWN}
    if len(declared) > 1:
        same = Cell(["≠ differs"], "differs")
    else:
        same = Cell(["? not declared"], "open") if UNKNOWN in found else Cell(["= same"])
    roles = (role for role, _ in evidence.runs(decision))
    sides = ([_value(values[role])] if role in values else [] for role in roles)
    return [Cell([name(key)]), Cell([name(suite)]), same, *map(Cell, sides)]


def _value(value: str) -> Child:
    return of("span", "unknown", UNKNOWN) if value == UNKNOWN else name(short(value))

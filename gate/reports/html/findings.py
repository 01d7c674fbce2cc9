"""What did not pass, one block each, and all findings in a table."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from gate.decision import Decision
from gate.finding import Finding, Outcome
from gate.reports.detail import Line, flips, lines
from gate.reports.figures import figures, levels
from gate.reports.html.elements import Child, el, fold, name, of, prose, say
from gate.reports.html.signs import badge, kind
from gate.reports.html.table import Cell, Column, table
from gate.reports.html.words import count, signed
from gate.reports.wording import code, next_step, severity, slice_words

_IDS = 200
_SHOWN = ("observed", "n", "bound", "corrected", "limit", "unscored", "waiver", "level")
"""What of a finding is shown without opening anything."""


def block(decision: Decision, finding: Finding) -> Element:
    """Write what is known of a finding that did not pass."""
    known = [line for line in lines(decision, finding, _IDS) if line.label != "next"]
    first = [line for line in known if line.label in _SHOWN]
    rest = [line for line in known if line.label not in _SHOWN]
    head = of("p", "outcome", badge(finding), " ", of("span", "code", code(finding)))
    parts = [head, el("h3", None, *_title(finding)), of("p", "summary", prose(finding.summary))]
    if first:
        parts.append(_pairs(first))
    if next_step(finding):
        step = prose(next_step(finding))
        parts.append(of("p", "step", el("strong", None, "Next"), " ", step))
    if rest:
        parts.append(fold([f"More: {', '.join(line.label for line in rest)}"], _pairs(rest)))
    return of("article", f"finding {kind(finding)}", *parts)


def everything(decision: Decision) -> Iterator[Element]:
    """List every finding, the worst first, and behind a fold more about those that pass."""
    found = sorted(decision.findings, key=severity)
    at = levels(decision)
    bound = f"{at[0]} bound" if len(at) == 1 else "Bound"
    columns = [Column("Check"), Column("Outcome"), Column("n", number=True)]
    columns += [Column(word, number=True) for word in ("Estimate", bound, "Bootstrap", "Limit")]
    columns.append(Column("Flips or reason"))
    yield table(["All findings, the worst first"], columns, (_row(finding) for finding in found))
    passing = [finding for finding in found if finding.outcome is Outcome.PASS]
    if passing:
        more = (part for finding in passing for part in _passing(decision, finding))
        yield fold([f"More about {count(len(passing), 'finding that passes', 'that pass')}"], *more)


def _row(finding: Finding) -> list[Cell]:
    shown = figures(finding)
    slice_ = say(slice_words(finding, suite=False))
    numbers = (shown.estimate, shown.bound, shown.bootstrap, signed(shown.limit))
    first: list[Child] = [name(finding.id)]
    if slice_:
        first += [" ", of("span", "slice", *slice_)]
    return [
        Cell(first),
        Cell([badge(finding)]),
        Cell([str(finding.n)] if finding.n else []),
        *(Cell([words] if words else []) for words in numbers),
        Cell(
            [flips(finding) or of("span", "code", code(finding))]
            if flips(finding) or code(finding)
            else []
        ),
    ]


def _passing(decision: Decision, finding: Finding) -> Iterator[Element]:
    yield el("h3", None, *_title(finding))
    yield of("p", "summary", prose(finding.summary))
    yield _pairs(list(lines(decision, finding, _IDS)))


def _title(finding: Finding) -> list[Child]:
    return [name(finding.id), " ", of("span", "slice", *say(slice_words(finding)))]


def _pairs(rows: Sequence[Line]) -> Element:
    parts = (
        of("div", "pair", el("dt", None, row.label), el("dd", None, *say(row.words)))
        for row in rows
    )
    return el("dl", None, *parts)

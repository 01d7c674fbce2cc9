"""Why one finding did not pass, in sentences; every number is the decision's own."""

from collections.abc import Iterator, Sequence

from gate.decision import Decision, WaiverUse
from gate.explain.evidence import evidence, slack
from gate.explain.rule import rule
from gate.explain.text import Paragraph, ended
from gate.explain.ways import size_that_decides, ways_to_pass
from gate.finding import Finding, Outcome
from gate.reports.wording import label, next_step, slice_words, softened, unit

MOST_IDS = 12
"""More ids than these are counted, and `gate diff` names them."""

_MEASURED = {"delta": ", change", "rate": ", level"}
"""Tells two findings of one check on one slice apart."""


def why(decision: Decision, finding: Finding) -> Iterator[Paragraph]:
    """Explain a finding that did not pass."""
    code = "" if finding.reason is None else f" [{finding.reason.name}]"
    yield Paragraph(f"{_named(finding)} {_effect(finding)}.{code}")
    if finding.outcome is Outcome.UNUSABLE:
        yield from _unusable(finding)
    else:
        yield from _evaluated(finding, unit(decision, finding))
    for sentence in _around(decision, finding):
        yield Paragraph(sentence, 1, close=True)
    step = next_step(finding)
    if step:
        yield Paragraph(f"Next: {step}", 1, close=True)


def passed(finding: Finding) -> Paragraph:
    """Say in one line by how much a finding passed."""
    what = _MEASURED.get(finding.measure, "")
    return Paragraph(f"{_named(finding)}{what}: {slack(finding)}.", 1, bullet=True)


def _named(finding: Finding) -> str:
    return f"{finding.id} ({''.join(slice_words(finding))})"


def _effect(finding: Finding) -> str:
    match label(finding):
        case "BLOCK":
            return "blocks the release"
        case "INCONCLUSIVE":
            return "is not shown to hold, which withholds the release"
        case "UNUSABLE":
            return "has no answer: its evidence is unusable, so there is no decision"
        case done:
            shown = "is violated" if finding.outcome is Outcome.BLOCK else "is not shown to hold"
            return f"{shown}, but {'a waiver covers it' if done == 'WAIVED' else 'only warns'}"


def _unusable(finding: Finding) -> Iterator[Paragraph]:
    yield Paragraph(f"What is wrong: {ended(finding.summary)}", 1, close=True)
    if finding.reason is not None:
        yield Paragraph(f"What that means: {finding.reason.meaning}", 1, close=True)
    neither = (
        "It was not evaluated, so it has not passed; neither a waiver nor a level changes that."
    )
    yield Paragraph(neither, 1, close=True)


def _evaluated(finding: Finding, units: str) -> Iterator[Paragraph]:
    yield Paragraph(f"The rule: {rule(finding)}", 1, close=True)
    yield Paragraph(f"The evidence: {evidence(finding, units)}", 1, close=True)
    ways = list(ways_to_pass(finding))
    if ways:
        alone = "with any one of" if len(ways) > 1 else "with"
        yield Paragraph(f"It would have passed {alone}:", 1, close=True)
    for way in ways:
        yield Paragraph(way, 2, bullet=True)
    size = size_that_decides(finding, units)
    if size:
        yield Paragraph(size, 1, close=True)


def _around(decision: Decision, finding: Finding) -> Iterator[str]:
    """Say what else bears on it: names, unscored rows, waivers, its level, notes."""
    if finding.behaviors_broken:
        yield f"Broken: {_ids(finding.behaviors_broken)}."
    missing = [f"{role} {count}" for role, count in finding.unscored.items() if count]
    if missing and finding.outcome is not Outcome.UNUSABLE:
        yield f"Unscored rows: {', '.join(missing)}."
    if finding.waiver is not None:
        yield f"Waived by {ended(finding.waiver)}"
    waivers = decision.waivers
    for state, uses in (("expired", waivers.expired), ("exceeded", waivers.exceeded)):
        mine = (use for use in uses if is_about(use, finding))
        yield from (f"A waiver for it is {state}: {_waiver(use)}" for use in mine)
    if softened(finding):
        yield f"It is {ended(softened(finding))}"
    yield from (f"Note: {ended(note)}" for note in finding.notes)


def is_about(use: WaiverUse, finding: Finding) -> bool:
    """Whether a waiver is for a finding, whatever became of it."""
    return use.check == finding.id and use.slice.items() <= dict(finding.slice).items()


def _waiver(use: WaiverUse) -> str:
    ticket = f" ({use.ticket})" if use.ticket else ""
    return ended(f"{use.owner}{ticket}: {use.note or use.reason}")


def _ids(ids: Sequence[str]) -> str:
    more = len(ids) - MOST_IDS
    shown = ", ".join(ids[:MOST_IDS])
    return f"{shown} and {more} more (`gate diff` lists them)" if more > 0 else shown

"""A decision in plain English: what was decided, why, and what would have passed."""

from collections.abc import Iterator

from gate.decision import Decision, RunSummary
from gate.explain.finding import is_about, passed, why
from gate.explain.text import Paragraph, counted, listed
from gate.finding import Outcome
from gate.reports.wording import ABOUT, MEANING, NON_STANDARD, UNKNOWN, not_passing, short


def explain_decision(decision: Decision) -> Iterator[Paragraph]:
    """Explain a whole decision, the findings that withhold it first."""
    yield Paragraph(f"{decision.headline} Exit code {decision.exit_code}.")
    yield Paragraph(MEANING[decision.verdict], close=True)
    yield Paragraph(_compared(decision))
    for finding in not_passing(decision):
        yield from why(decision, finding)
    yield from _passed(decision)
    yield from _waivers(decision)
    yield from _caveats(decision)
    if any(finding.estimate is not None for finding in decision.findings):
        yield Paragraph(ABOUT)


def _compared(decision: Decision) -> str:
    candidate, *others = [
        f"the {role} {_checkpoint(decision.runs[role])}"
        for role in ("candidate", "baseline", "anchor")
        if role in decision.runs
    ] or ["no run"]
    compared = f", compared with {listed(others)}" if others else ", compared with no other run"
    policy = f"Policy {decision.policy.name} (sha256 {short(decision.policy.sha256)})"
    return f"{policy} was held against {candidate}{compared}, on {decision.today}."


def _checkpoint(run: RunSummary) -> str:
    name = run.checkpoint.get("name", "(unreadable)")
    revision = run.checkpoint.get("revision", UNKNOWN)
    return name if revision == UNKNOWN else f"{name} {short(revision)}"


def _passed(decision: Decision) -> Iterator[Paragraph]:
    found = [finding for finding in decision.findings if finding.outcome is Outcome.PASS]
    if found:
        yield Paragraph(f"Shown to hold ({len(found)}):")
        yield from (passed(finding) for finding in found)


def _waivers(decision: Decision) -> Iterator[Paragraph]:
    told = not_passing(decision)
    idle = [("unused", use) for use in decision.waivers.unused]
    idle += [
        ("expired", use)
        for use in decision.waivers.expired
        if not any(is_about(use, finding) for finding in told)
    ]
    if not idle:
        return
    yield Paragraph(f"{counted(len(idle), 'waiver')} of the policy did nothing:")
    for state, use in idle:
        about = ", ".join((use.check, *use.slice.values()))
        note = f" ({use.note})" if use.note else f" ({state})"
        yield Paragraph(f"{about}, owned by {use.owner}, to {use.expires}{note}", 1, bullet=True)


def _caveats(decision: Decision) -> Iterator[Paragraph]:
    if decision.non_standard:
        yield Paragraph(f"The numbers are {NON_STANDARD}:")
        yield from (Paragraph(why_not, 1, bullet=True) for why_not in decision.non_standard)
    if decision.warnings:
        yield Paragraph("Warnings:")
        yield from (Paragraph(warning, 1, bullet=True) for warning in decision.warnings)

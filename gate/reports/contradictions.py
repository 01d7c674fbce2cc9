"""What a decision file says of itself that cannot all be so.

A file whose shape is right may still have been edited. Whatever follows from its own findings is
derived again when it is loaded; this module holds the findings, the waivers and the runs against
each other and against the rules by which every check decides. What it cannot see is an edit that
keeps to all of these: only a replay or a signature shows that one.
"""

import math
from collections.abc import Iterator

from gate.decision import Decision, RunSummary, Verdict, WaiverUse
from gate.finding import Finding, Outcome
from gate.reasons import Reason

TOLERANCE = 1e-8
"""Checks decide within 1e-9; a usefulness is that on a scale of 1 to 5, and all is rounded."""

_CHANGES = ("delta", "usefulness-change")
_COUNTED = ("coverage",)
"""Measures that are also blocked for want of rows, whatever the share is."""
_OPEN = (Outcome.BLOCK, Outcome.INCONCLUSIVE)


def contradictions(decision: Decision) -> Iterator[str]:
    """Say what cannot be so, with the place in the file."""
    yield from _runs(decision)
    for at, finding in enumerate(decision.findings):
        for said in (*_of_finding(finding, decision), *_of_waiver(finding, decision)):
            yield f"findings[{at}]: {said}"
    yield from _waivers(decision)


def _runs(decision: Decision) -> Iterator[str]:
    candidate = decision.runs.get("candidate")
    if decision.verdict is not Verdict.NONE and (candidate is None or not candidate.digest):
        yield f"runs.candidate: there is none that was read, and the decision is {_said(decision)}"
    for role, run in decision.runs.items():
        yield from _ledgers(role, run)


def _ledgers(role: str, run: RunSummary) -> Iterator[str]:
    for name, suite in run.suites.items():
        for book in suite.ledgers:
            if book.scored + sum(book.unscored.values()) != book.expected:
                yield (
                    f"runs.{role}.suites.{name}.ledger: scored and unscored are not the "
                    f"{book.expected} expected"
                )


def _of_finding(finding: Finding, decision: Decision) -> Iterator[str]:
    """Hold an outcome against the reason and the numbers beside it."""
    if (finding.outcome is Outcome.PASS) != (finding.reason is None):
        yield f"outcome {finding.outcome} with reason {_name(finding.reason)}"
    if finding.outcome is Outcome.UNUSABLE:
        return
    if finding.measure in _CHANGES and finding.against not in decision.runs:
        yield f"a change against {finding.against!r}, and there is no such run"
    slack = finding.slack
    if finding.outcome is Outcome.PASS:
        if slack is not None and not slack >= -_tolerance(finding):
            yield "outcome pass, and its bound is not within its limit"
        if finding.measure == "count" and (finding.broken or any(finding.unscored.values())):
            yield "outcome pass, and behaviors broke or have no verdict"
    elif finding.outcome is Outcome.BLOCK:
        within = slack is not None and slack > _tolerance(finding)
        if within and finding.measure not in _COUNTED:
            yield "outcome block, and its bound is within its limit"
    elif _shown_violated(finding) and finding.reason is not Reason.C_JUDGE_ERROR_OPEN:
        yield "outcome inconclusive, and its bound is beyond its limit"


def _shown_violated(finding: Finding) -> bool:
    """Whether the whole bound is beyond the limit; of a change, on the wrong side of nothing."""
    estimate, limit = finding.estimate, finding.limit
    if estimate is None or limit is None:
        return False
    sign = 1 if finding.limit_is == "ceiling" else -1
    ends = sorted((sign * estimate.lower, sign * estimate.upper))
    if any(math.isnan(end) for end in ends):
        return False
    tolerance = _tolerance(finding)
    if finding.measure in _CHANGES:
        return ends[0] > tolerance and ends[1] > sign * limit + tolerance
    return ends[0] > sign * limit + tolerance


def _of_waiver(finding: Finding, decision: Decision) -> Iterator[str]:
    if finding.waiver is None:
        return
    if finding.outcome not in _OPEN:
        yield f"outcome {finding.outcome} is waived, and no waiver covers that"
    covering = [use for use in decision.waivers.used if _covers(use, finding)]
    if finding.waiver not in [use.words for use in covering]:
        yield "its waiver is none of waivers.used that covers it"


def _waivers(decision: Decision) -> Iterator[str]:
    """Hold every used waiver against the findings and the day."""
    for at, use in enumerate(decision.waivers.used):
        if use.expires < decision.today:
            yield f"waivers.used[{at}]: it expired on {use.expires}"
        if not any(_covers(use, finding) for finding in decision.findings):
            yield f"waivers.used[{at}]: it covers no finding"


def _covers(use: WaiverUse, finding: Finding) -> bool:
    """Whether a waiver is about an open finding, and its observed value within `up_to`."""
    about = use.check == finding.id and use.slice.items() <= dict(finding.slice).items()
    if not about or finding.outcome not in _OPEN or finding.estimate is None or use.up_to is None:
        return False
    value = finding.estimate.value
    if finding.limit_is == "floor":
        return value >= use.up_to - TOLERANCE
    return value <= use.up_to + TOLERANCE


def _tolerance(finding: Finding) -> float:
    return TOLERANCE * max(1.0, abs(finding.limit or 0.0))


def _said(decision: Decision) -> str:
    return decision.verdict.value


def _name(reason: Reason | None) -> str:
    return "none" if reason is None else reason.name

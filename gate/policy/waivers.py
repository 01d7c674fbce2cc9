"""Waivers: owned, reasoned, expiring permissions for single findings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Annotated

from pydantic import Field, StringConstraints

from gate.checks.check import Share
from gate.decision import Waivers, WaiverUse, waiver_words
from gate.evidence.manifest import Name, Strict
from gate.finding import Finding, Measure, Outcome

TOLERANCE = 1e-9
SOON = timedelta(days=14)
LONG = timedelta(days=366)

Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"\S")]


class Waiver(Strict):
    """Permission for the findings of one check on one slice, until a day."""

    check: Name = Field(description="The id of the check.")
    slice: dict[Name, Name] = Field(
        {}, description="Covers findings whose slice holds all of this; every slice by default."
    )
    measure: Measure | None = Field(
        None, description="Covers only findings of this measure, as `rate` or `delta`."
    )
    up_to: Share = Field(
        description="Covers while the observed value is at most this (under a floor: at least)."
    )
    reason: Text = Field(description="Why the finding may be lived with.")
    owner: Text = Field(description="Who answers for it.")
    ticket: Text = Field(description="Where it is being worked on.")
    expires: date = Field(description="The last day it is valid, in UTC, as 2027-01-31.")

    def matches(self, finding: Finding) -> bool:
        """Whether it is about this finding."""
        return (
            finding.id == self.check
            and self.measure in (None, finding.measure)
            and self.slice.items() <= dict(finding.slice).items()
        )

    def reaches(self, finding: Finding) -> bool:
        """Whether the observed value is within `up_to`; an unknown value never is."""
        if finding.estimate is None:
            return False
        value = finding.estimate.value
        if finding.limit_is == "floor":
            return value >= self.up_to - TOLERANCE
        return value <= self.up_to + TOLERANCE

    @property
    def key(self) -> str:
        """What it covers, so that two waivers of the same can be told."""
        return waiver_key(self.check, self.slice, self.measure)

    @property
    def words(self) -> str:
        """Who allowed what and why, for the finding that it covers."""
        return waiver_words(self.owner, self.reason, self.ticket, self.expires)


def waiver_key(check: str, covered: Mapping[str, object], measure: object) -> str:
    """Write what a waiver covers; the same text for the same findings."""
    return repr((check, sorted(covered.items()), measure))


@dataclass(frozen=True, slots=True)
class _Use:
    """One waiver held against all findings."""

    covered: tuple[Finding, ...]
    beyond: tuple[Finding, ...]
    """Open findings that it is about and does not reach."""
    closed: tuple[Finding, ...]
    """Findings that it is about and can never cover: passing or unusable ones."""


def apply_waivers(
    findings: Sequence[Finding], waivers: Sequence[Waiver], today: date
) -> tuple[list[Finding], Waivers]:
    """Mark the findings that a waiver covers, and say what became of every waiver.

    Args:
        findings: All findings of a decision.
        waivers: Those of the policy, in its order; the first that covers a finding is named.
        today: The day in UTC.
    """
    uses = [_hold(waiver, findings) for waiver in waivers]
    words: dict[int, str] = {}
    for waiver, use in zip(waivers, uses, strict=True):
        for finding in use.covered if today <= waiver.expires else ():
            words.setdefault(id(finding), waiver.words)
    over = {
        id(finding): waiver
        for waiver, use in zip(waivers, uses, strict=True)
        for finding in use.covered
        if today > waiver.expires
    }
    marked = [
        _marked(finding, words.get(id(finding)), over.get(id(finding))) for finding in findings
    ]
    return marked, _sort(waivers, uses, today)


def _marked(finding: Finding, covered: str | None, over: Waiver | None) -> Finding:
    """Add to a finding who allows it, or that nobody does any more."""
    if covered is not None:
        return replace(finding, waiver=covered)
    if over is None:
        return finding
    step = (
        f"Its waiver ({over.owner}, {over.ticket}) expired on {over.expires}: renew it or mend "
        f"the checkpoint. {finding.next_step}"
    )
    return replace(finding, next_step=step.rstrip())


def _hold(waiver: Waiver, findings: Sequence[Finding]) -> _Use:
    mine = [finding for finding in findings if waiver.matches(finding)]
    coverable = (Outcome.BLOCK, Outcome.INCONCLUSIVE)
    opened = [finding for finding in mine if finding.outcome in coverable]
    return _Use(
        covered=tuple(finding for finding in opened if waiver.reaches(finding)),
        beyond=tuple(finding for finding in opened if not waiver.reaches(finding)),
        closed=tuple(finding for finding in mine if finding.outcome not in coverable),
    )


def _sort(waivers: Sequence[Waiver], uses: Sequence[_Use], today: date) -> Waivers:
    bins: dict[str, list[WaiverUse]] = {"used": [], "unused": [], "expired": [], "exceeded": []}
    for waiver, use in zip(waivers, uses, strict=True):
        name, note = _became(waiver, use, today)
        bins[name].append(
            WaiverUse(
                check=waiver.check,
                slice=waiver.slice,
                up_to=waiver.up_to,
                reason=waiver.reason,
                owner=waiver.owner,
                ticket=waiver.ticket,
                expires=waiver.expires,
                note=note,
            )
        )
    return Waivers(**{name: tuple(uses) for name, uses in bins.items()})


def _became(waiver: Waiver, use: _Use, today: date) -> tuple[str, str]:
    """Choose the one bin of a waiver, with the note that explains it."""
    if today > waiver.expires:
        would = f"would cover {_named(use.covered)}" if use.covered else "would cover nothing now"
        return "expired", f"expired on {waiver.expires}; it {would}"
    beyond = f"not {_beyond(waiver, use.beyond)}" if use.beyond else ""
    if use.covered:
        parts = [f"covers {_named(use.covered)}", beyond, _ending(waiver, today)]
        return "used", "; ".join(part for part in parts if part)
    if use.beyond:
        return "exceeded", f"does not cover {_beyond(waiver, use.beyond)}"
    return "unused", _idle(use)


def _ending(waiver: Waiver, today: date) -> str:
    left = waiver.expires - today
    if left <= SOON:
        days = f"{left.days} day{'' if left.days == 1 else 's'}"
        return f"expires in {days}" if left.days else "today is its last day"
    return "expires in more than a year" if left > LONG else ""


def _idle(use: _Use) -> str:
    unusable = [finding for finding in use.closed if finding.outcome is Outcome.UNUSABLE]
    if unusable:
        return f"{_named(unusable)} is unusable, which no waiver covers"
    if use.closed:
        return f"{_named(use.closed)} passes without it"
    return "matches no finding"


def _beyond(waiver: Waiver, findings: Sequence[Finding]) -> str:
    """Name findings with why their value is beyond `up_to`."""
    parts = []
    for finding in findings[:3]:
        value = math.nan if finding.estimate is None else finding.estimate.value
        side = "below" if finding.limit_is == "floor" else "above"
        why = f"observed {value:.4g}, {side} up_to {waiver.up_to:.4g}"
        parts.append(f"{_named([finding])} ({'no estimate' if math.isnan(value) else why})")
    return ", ".join(parts) + _rest(findings)


def _named(findings: Sequence[Finding]) -> str:
    names = [
        f"{finding.measure} on {_slice(finding)}" if finding.slice else finding.measure
        for finding in findings[:3]
    ]
    return ", ".join(names) + _rest(findings)


def _rest(findings: Sequence[Finding]) -> str:
    return f" and {len(findings) - 3} more" if len(findings) > 3 else ""


def _slice(finding: Finding) -> str:
    return ", ".join(f"{name}={value}" for name, value in finding.slice.items())

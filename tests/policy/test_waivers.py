"""What waivers cover, and what becomes of each."""

from datetime import date
from typing import Any

import pytest

from gate.decision import WaiverUse, decide
from gate.finding import Estimate, Finding, Outcome
from gate.policy import Waiver, apply_waivers
from gate.reasons import Reason

TODAY = date(2026, 12, 1)
SLICE = {"method": "DirectRequest", "semantic_category": "copyright"}


def finding(value: float | None = 0.25, **changes: Any) -> Finding:
    """Make a finding of the check `ceilings` that blocks at an observed value."""
    estimate = None
    if value is not None:
        estimate = Estimate(value=value, lower=0.2, upper=0.4, confidence=0.95, bound="test")
    given = {
        "id": "ceilings",
        "check": "ceiling",
        "suite": "harmbench",
        "slice": SLICE,
        "measure": "rate",
        "outcome": Outcome.BLOCK,
        "reason": Reason.C_CEILING,
        "summary": "a summary",
        "estimate": estimate,
        **changes,
    }
    return Finding(**given)


def waiver(**changes: Any) -> Waiver:
    """Make a waiver that covers that finding."""
    given = {
        "check": "ceilings",
        "slice": {"semantic_category": "copyright"},
        "up_to": 0.3,
        "reason": "the filter ships next week",
        "owner": "ana",
        "ticket": "SAFE-1",
        "expires": date(2027, 1, 31),
        **changes,
    }
    return Waiver(**given)


def became(one: Waiver, *findings: Finding, today: date = TODAY) -> tuple[str, WaiverUse]:
    """Apply one waiver and say which bin it fell into."""
    _, waivers = apply_waivers(findings, [one], today)
    bins = {
        "used": waivers.used,
        "unused": waivers.unused,
        "expired": waivers.expired,
        "exceeded": waivers.exceeded,
    }
    ((name, uses),) = ((name, uses) for name, uses in bins.items() if uses)
    (use,) = uses
    return name, use


def test_a_covered_finding_releases_and_says_who_allowed_it() -> None:
    """The finding keeps its outcome, carries the waiver in words, and no longer withholds."""
    found = finding()
    assert found.withholds
    marked, waivers = apply_waivers([found], [waiver()], TODAY)
    assert marked[0].outcome is Outcome.BLOCK
    assert marked[0].waiver == "ana: the filter ships next week (SAFE-1, until 2027-01-31)"
    assert not marked[0].withholds
    assert waivers.used[0].note == (
        "covers rate on method=DirectRequest, semantic_category=copyright"
    )
    assert decide(marked).value == "release"


@pytest.mark.parametrize(
    ("one", "found", "name"),
    [
        (waiver(), finding(outcome=Outcome.INCONCLUSIVE), "used"),
        (waiver(), finding(0.3), "used"),
        (waiver(), finding(0.3 + 1e-12), "used"),
        (waiver(), finding(0.3001), "exceeded"),
        (waiver(), finding(float("nan")), "exceeded"),
        (waiver(), finding(None), "exceeded"),
        (waiver(), finding(outcome=Outcome.UNUSABLE), "unused"),
        (waiver(), finding(outcome=Outcome.PASS, reason=None), "unused"),
        (waiver(slice={}), finding(), "used"),
        (waiver(slice={**SLICE}), finding(), "used"),
        (waiver(slice={**SLICE, "language": "en"}), finding(), "unused"),
        (waiver(slice={"semantic_category": "copy"}), finding(), "unused"),
        (waiver(check="ceiling"), finding(), "unused"),
        (waiver(measure="rate"), finding(), "used"),
        (waiver(measure="delta"), finding(), "unused"),
        (waiver(up_to=0.6), finding(0.65, limit_is="floor", limit=0.7), "used"),
        (waiver(up_to=0.6), finding(0.6, limit_is="floor", limit=0.7), "used"),
        (waiver(up_to=0.6), finding(0.55, limit_is="floor", limit=0.7), "exceeded"),
        (waiver(expires=TODAY), finding(), "used"),
        (waiver(expires=date(2026, 11, 30)), finding(), "expired"),
        (waiver(expires=date(2026, 11, 30)), finding(0.9), "expired"),
    ],
)
def test_a_waiver_falls_into_exactly_one_bin(one: Waiver, found: Finding, name: str) -> None:
    """Only what is open, matched, within `up_to` and in time is covered."""
    marked, _ = apply_waivers([found], [one], TODAY)
    assert became(one, found)[0] == name
    assert (marked[0].waiver is not None) == (name == "used")


def test_the_last_day_counts() -> None:
    """A waiver is valid through its last day and not after it."""
    assert became(waiver(expires=TODAY), finding())[1].note.endswith("today is its last day")
    name, use = became(waiver(expires=TODAY), finding(), today=date(2026, 12, 2))
    assert name == "expired"
    assert use.note == (
        "expired on 2026-12-01; it would cover rate on method=DirectRequest, "
        "semantic_category=copyright"
    )


@pytest.mark.parametrize(
    ("expires", "ending"),
    [
        (date(2026, 12, 2), "expires in 1 day"),
        (date(2026, 12, 15), "expires in 14 days"),
        (date(2026, 12, 16), "copyright"),
        (date(2028, 1, 1), "expires in more than a year"),
    ],
)
def test_a_used_waiver_says_when_it_ends_soon_or_very_late(expires: date, ending: str) -> None:
    """Two weeks before its end, and beyond a year, the note says so."""
    assert became(waiver(expires=expires), finding())[1].note.endswith(ending)


def test_notes_say_why_a_waiver_covers_nothing() -> None:
    """Exceeded, passing, unusable and unmatched are told apart."""
    assert became(waiver(), finding(0.34))[1].note == (
        "does not cover rate on method=DirectRequest, semantic_category=copyright "
        "(observed 0.34, above up_to 0.3)"
    )
    assert "(no estimate)" in became(waiver(), finding(None))[1].note
    assert "passes without it" in became(waiver(), finding(outcome=Outcome.PASS))[1].note
    unusable = became(waiver(), finding(outcome=Outcome.UNUSABLE))[1].note
    assert unusable.endswith("is unusable, which no waiver covers")
    assert became(waiver())[1].note == "matches no finding"


def test_a_waiver_that_covers_some_is_used_and_names_the_others() -> None:
    """One waiver may match several slices; those beyond its reach still withhold."""
    other = finding(0.5, slice={**SLICE, "language": "en"})
    marked, waivers = apply_waivers([finding(), other], [waiver()], TODAY)
    assert [one.withholds for one in marked] == [False, True]
    assert "; not rate on " in waivers.used[0].note


def test_the_first_waiver_that_covers_a_finding_is_named() -> None:
    """Order in the policy decides which owner a finding names; both count as used."""
    second = waiver(slice={}, owner="ben")
    marked, waivers = apply_waivers([finding()], [waiver(), second], TODAY)
    assert marked[0].waiver is not None
    assert marked[0].waiver.startswith("ana")
    assert len(waivers.used) == 2


def test_an_expired_waiver_does_not_shadow_a_valid_one() -> None:
    """A renewed waiver beside its expired self covers."""
    old = waiver(expires=date(2026, 1, 1))
    marked, waivers = apply_waivers([finding()], [old, waiver(owner="ben")], TODAY)
    assert marked[0].waiver is not None
    assert marked[0].waiver.startswith("ben")
    assert (len(waivers.expired), len(waivers.used)) == (1, 1)

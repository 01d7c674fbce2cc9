"""Proof that every check of a policy can fire: regressions planted until it does."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from gate.checks.check import Check
from gate.evaluate import evaluate
from gate.evidence.run import Run
from gate.finding import Finding, Measure, Outcome
from gate.plan.ground import Ground, stand
from gate.plan.planting import BASELINE, Bed, bed_of, plant_panel, plant_run
from gate.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What it takes to make one finding fire."""

    id: str
    suite: str
    slice: Mapping[str, str]
    measure: Measure
    n: int
    turnable: int
    """Units whose verdict could be turned."""
    stops_at: int | None
    """The fewest turned verdicts at which it does not pass; None where it always does."""
    withholds_at: int | None
    """The fewest at which it withholds the release; None where it never does."""
    blocks_at: int | None
    """The fewest at which it shows a violation, or finds evidence unusable."""
    planted: int | None
    """How many were planted because a size was asked for."""
    outcome: Outcome | None
    """What it says of that many."""

    @property
    def fires(self) -> bool:
        """Whether anything makes it not pass."""
        return self.stops_at is not None


def sabotage(policy: Policy, run: Run, *, size: float | None, today: date) -> list[Shot]:
    """Plant into each finding's own slice until it fires, and have the gate decide on that.

    The fewest verdicts are searched for with the check itself, and what is found is put through
    the whole of `gate check`, waivers left out.

    Args:
        policy: The policy.
        run: The baseline.
        size: A share of each slice to plant besides, or None.
        today: The day of the decisions.

    Raises:
        EvidenceError: If the baseline's evidence cannot be used.
        PolicyError: If the policy says something of a suite that the baseline contradicts.
    """
    unwaived = replace(policy, waivers=())
    return [
        _shot(check, finding, ground, Gate(unwaived, run, today), size)
        for ground in stand(policy, run).suites
        for check in ground.checks
        for finding in _first(check, ground)
    ]


@dataclass(frozen=True, slots=True)
class Gate:
    """What shots are fired at: all of `gate check`, for one check at a time."""

    policy: Policy
    run: Run
    today: date

    def decide(self, check: Check, place: Bed, count: int) -> list[Finding]:
        """Decide on the baseline against a copy with so many verdicts turned."""
        runs = {
            BASELINE: self.run,
            "candidate": plant_run(self.run, place, count),
            "anchor": replace(self.run, role="anchor"),
        }
        alone = replace(self.policy, checks=(check,))
        decision = evaluate(alone, runs, today=self.today)
        return [finding for finding in decision.findings if finding.id == check.id]


def _first(check: Check, ground: Ground) -> Iterator[Finding]:
    """Give the findings on the baseline against itself, those about the candidate."""
    panel = ground.panel
    place = Bed(ground.suite, panel.kind, panel.methods[0], "rate", (), 0)
    for finding in check.run(plant_panel(panel, place, 0)):
        if finding.slice.get("role", "candidate") == "candidate":
            yield finding


def _shot(check: Check, found: Finding, ground: Ground, gate: Gate, size: float | None) -> Shot:
    place = bed_of(check, found, ground.panel)
    most = len(place.units)

    def quick(count: int) -> Finding:
        return _same(check.run(plant_panel(ground.panel, place, count)), found)

    def whole(count: int) -> Finding:
        return _same(gate.decide(check, place, count), found)

    # Rows without a verdict meet the budget first, which the check itself does not see.
    probe = cache(whole if found.measure == "coverage" else quick)
    stops = fewest(lambda count: probe(count).outcome is not Outcome.PASS, most)
    start = most if stops is None else stops
    withholds = fewest(lambda count: probe(count).withholds, most, start)
    shown = (Outcome.BLOCK, Outcome.UNUSABLE)
    blocks = fewest(lambda count: probe(count).outcome in shown, most, start)
    for count in {stops, withholds, blocks} - {None}:
        assert count is not None
        _prove(whole(count), probe(count))
    asked = None if size is None else min(math.ceil(size * place.n - 1e-9), most)
    return Shot(
        id=check.id,
        suite=ground.suite,
        slice=found.slice,
        measure=found.measure,
        n=place.n,
        turnable=most,
        stops_at=stops,
        withholds_at=withholds,
        blocks_at=blocks,
        planted=asked,
        outcome=None if asked is None else probe(asked).outcome,
    )


def _prove(decided: Finding, expected: Finding) -> None:
    if decided.outcome is not expected.outcome:
        raise AssertionError(
            f"{decided.id}: the gate says {decided.outcome}, the check {expected.outcome}"
        )


def _same(findings: Iterable[Finding], like: Finding) -> Finding:
    """Find the finding on the same slice; where evidence is unusable there is one for all."""
    key = (like.measure, dict(like.slice))
    unusable = None
    for one in findings:  # a check works each out only when it is asked for
        if (one.measure, dict(one.slice)) == key:
            return one
        if one.outcome is Outcome.UNUSABLE:
            unusable = one
    assert unusable is not None, "a check has the same slices whatever the verdicts"
    return unusable


def fewest(holds: Callable[[int], bool], most: int, start: int = 0) -> int | None:
    """Bisect for the smallest count at which something holds that then stays so.

    Args:
        holds: What is looked for.
        most: The largest count.
        start: A count below which it is known not to hold.
    """
    if holds(start):
        return start
    if not holds(most):
        return None
    low, high = start, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

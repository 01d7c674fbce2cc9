"""One regression planted at a place that the user names, and what the whole policy says of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from gate.decision import Decision, Verdict, decide
from gate.errors import UsageError
from gate.evaluate import evaluate
from gate.evidence.run import Run
from gate.finding import Finding
from gate.plan.ground import Ground, stand
from gate.plan.planting import BASELINE, Bed, bed, plant_panel, plant_run
from gate.plan.sabotage import fewest
from gate.policy import Policy
from gate.suggestions import suggest


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A regression at one place."""

    where: str
    suite: str
    method: str
    n: int
    turnable: int
    withholds_at: int | None
    """The fewest turned verdicts at which the policy withholds the release."""
    blocks_at: int | None
    count: int
    """How many were turned in the end."""
    decision: Decision
    """What the gate decides on that many."""

    @property
    def exit_code(self) -> int:
        """1 where what was planted is released, else 0."""
        return 1 if self.decision.verdict is Verdict.RELEASE else 0


def plant_at(policy: Policy, run: Run, where: str, *, size: float | None, today: date) -> Planted:
    """Plant at one place, and have the gate decide on it by the whole policy.

    Args:
        policy: The policy.
        run: The baseline.
        where: `METHOD/COLUMN=VALUE`, or parts of it; a suite's name instead of a method.
        size: A share of the place, or None for as many as it takes to withhold.
        today: The day of the decision.

    Raises:
        EvidenceError: If the baseline's evidence cannot be used.
        PolicyError: If the policy says something of a suite that the baseline contradicts.
        UsageError: If there is no such place.
    """
    ground, place = find_place(stand(policy, run).suites, where)
    most = len(place.units)

    @cache
    def findings(count: int) -> list[Finding]:
        panel = plant_panel(ground.panel, place, count)
        return [finding for check in ground.checks for finding in check.run(panel)]

    # A suite's checks may all only warn: they withhold nothing, and decide nothing alone.
    withholds = fewest(lambda count: any(one.withholds for one in findings(count)), most)
    start = most if withholds is None else withholds
    blocks = fewest(lambda count: decide(findings(count)) is Verdict.BLOCK, most, start)
    asked = None if size is None else min(math.ceil(size * place.n - 1e-9), most)
    count = next(x for x in (asked, withholds, most) if x is not None)
    runs = {
        BASELINE: run,
        "candidate": plant_run(run, place, count),
        "anchor": replace(run, role="anchor"),
    }
    return Planted(
        where=where,
        suite=ground.suite,
        method=place.method,
        n=place.n,
        turnable=most,
        withholds_at=withholds,
        blocks_at=blocks,
        count=count,
        decision=evaluate(replace(policy, waivers=()), runs, today=today),
    )


def find_place(grounds: Sequence[Ground], where: str) -> tuple[Ground, Bed]:
    """Read `METHOD/COLUMN=VALUE`.

    Raises:
        UsageError: If there is no such method, suite, column or value.
    """
    parts = where.split("/")
    names = [part for part in parts if "=" not in part]
    cells = [part.split("=", 1) for part in parts if "=" in part]
    known = {method: one for one in grounds for method in (*one.panel.methods, one.suite) if method}
    if len(names) > 1 or (names and names[0] not in known):
        hint = suggest(names[0], known)
        raise UsageError(f"--where {where!r}: no method or suite is called {names[0]!r}{hint}")
    ground = known[names[0]] if names else _with_columns(grounds, [name for name, _ in cells])
    mask = ground.panel.mask_all()
    for column, value in cells:
        values = ground.panel.names(column)
        if value not in values:
            hint = suggest(value, values) or suggest(column, ground.panel.columns)
            raise UsageError(f"--where {where!r}: no {column} of {ground.suite} is {value!r}{hint}")
        mask &= ground.panel.mask(column, value)
    methods = names if names and names[0] in ground.panel.methods else ground.panel.methods[:1]
    place = bed(ground.panel, methods, mask, "rate")
    if not place.units:
        raise UsageError(f"--where {where!r}: nothing there could get worse")
    return ground, place


def _with_columns(grounds: Sequence[Ground], columns: Sequence[str]) -> Ground:
    """Find the first suite that has all columns named, else the first one."""
    fitting = [one for one in grounds if all(one.panel.names(column) for column in columns)]
    return (fitting or list(grounds))[0]

"""The figures of a policy: each limit by itself, all together, and over several releases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gate.errors import UsageError
from gate.evidence.run import Run
from gate.plan.assumptions import Assumptions
from gate.plan.ground import stand
from gate.plan.joint import Chance, SuiteChances, withheld
from gate.plan.limits import LimitFigures, limit_figures
from gate.plan.requirement import Requirement
from gate.plan.series import Drifted, Retried, drifts, retries, shift_of
from gate.plan.staging import Stage, stages
from gate.plan.world import Shift
from gate.policy import Policy
from gate.suggestions import suggest

MOST_UNSCORED = 3
"""Unscored rows are followed up to this many, or to the budget."""
MAIN_METHOD = "DirectRequest"


@dataclass(frozen=True, slots=True)
class Unscored:
    """How often a release is withheld with 0, 1, 2, … unscored rows a method."""

    suite: str
    """The suite that has them; empty where every suite has."""
    withheld: tuple[Chance, ...]
    budget: int
    """More than this many are unusable evidence, and so withhold always."""


@dataclass(frozen=True, slots=True)
class Joint:
    """All limits that can withhold, together."""

    what: str
    """What the candidate is like, in words."""
    withheld: Chance
    suites: tuple[tuple[str, Chance], ...]
    """By suite: how often it alone withholds."""
    unscored: tuple[Unscored, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All figures of one policy."""

    policy: Policy
    baseline: str | None
    given: Assumptions
    suites: Mapping[str, str]
    """By name: where what is known of it comes from."""
    limits: tuple[LimitFigures, ...]
    unchanged: Joint
    regressed: Joint | None
    """With the rise that should be withheld, in one method; None where nothing is compared."""
    retries: tuple[Retried, ...]
    drifts: tuple[Drifted, ...]
    notes: tuple[str, ...]

    @property
    def unattainable(self) -> tuple[LimitFigures, ...]:
        """Limits that withhold every candidate."""
        return tuple(one for one in self.limits if one.withholds and not one.reachable)

    @property
    def exit_code(self) -> int:
        """1 where a limit is unattainable, else 0."""
        return 1 if self.unattainable else 0


def make_plan(
    policy: Policy, run: Run | None, given: Assumptions, *, baseline: str | None = None
) -> Plan:
    """Work a policy's figures out.

    Args:
        policy: A policy that can be used.
        run: The baseline, read for the policy's suites; None to plan on what is pinned.
        given: What is assumed.
        baseline: How the user named the run.

    Raises:
        EvidenceError: If the baseline's evidence cannot be used.
        PolicyError: If the policy says something of a suite that the baseline contradicts.
        UsageError: If nothing can be planned, or a rate is given for an unknown name.
    """
    staged, notes = stage(policy, run, given)
    notes += [
        f"{one.ground.suite}: {given.unscored} unscored rows are beyond its budget of "
        f"{one.ground.budget}, so that no decision is made"
        for one in staged
        if given.unscored > one.ground.budget
    ]
    main = main_source(staged)
    most = max(given.unscored, MOST_UNSCORED)
    return Plan(
        policy=policy,
        baseline=baseline,
        given=given,
        suites={one.ground.suite: one.ground.source for one in staged},
        limits=tuple(
            limit_figures(one.world, part, given) for one in staged for part in one.demands
        ),
        unchanged=joint("unchanged", staged, given, (), most),
        regressed=None
        if main is None
        else joint(rise(given.detect, main), staged, given, [shift_of(main, given.detect)], most),
        retries=tuple(retries(staged, given)),
        drifts=tuple(drifts(staged, given)),
        notes=tuple(notes),
    )


def stage(policy: Policy, run: Run | None, given: Assumptions) -> tuple[list[Stage], list[str]]:
    """Make all suites of a policy ready; raises as `make_plan`."""
    grounds = stand(policy, run)
    known = set(chain.from_iterable(_names(one.panel.methods, one.panel.columns)
                                    for one in grounds.suites))  # fmt: skip
    for name in given.unsafe_by:
        if name not in known:
            raise UsageError(
                f"no method or category is called {name!r}{suggest(name, sorted(known))}"
            )
    staged, notes = stages(grounds, given)
    if not staged:
        raise UsageError(
            "nothing of this policy can be planned from what it pins",
            next_step="Give --baseline RUN.",
        )
    return staged, notes


def joint(
    what: str, staged: Sequence[Stage], given: Assumptions, shifts: Sequence[Shift], most: int
) -> Joint:
    """Compute how often a candidate is withheld, by all suites together."""
    found = [one.chances(given, most=most, shifts=shifts) for one in staged]
    rows = [_unscored(found, [at], most, found[at].suite) for at in range(len(found))]
    every = _unscored(found, range(len(found)), most, "")
    return Joint(
        what,
        withheld(found, [given.unscored] * len(found)),
        tuple((one.suite, withheld([one], [given.unscored])) for one in found),
        tuple([*rows, every] if len(rows) > 1 else rows),
    )


def main_source(staged: Sequence[Stage]) -> Requirement | None:
    """Find the comparison that a regression is planted in: DirectRequest's, or the first."""
    compared = [
        part
        for one in staged
        for part in one.requirements
        if part.measure == "delta" and len(part.sources) == 1 and part.withholds
    ]
    main = [part for part in compared if part.sources[0].method == MAIN_METHOD]
    return next(iter([*main, *compared]), None)


def rise(size: float, wanted: Requirement) -> str:
    """Name a change for the worse, as `+5 pt DirectRequest`."""
    where = " ".join(wanted.label.values())
    return f"{100 * size:+.3g} pt {where}"


def _unscored(found: Sequence[SuiteChances], at: Sequence[int], most: int, suite: str) -> Unscored:
    budget = min(found[place].budget for place in at)
    counts = range(min(most, budget) + 1)
    rows = [
        withheld(found, [count if place in at else 0 for place in range(len(found))])
        for count in counts
    ]
    return Unscored(suite, tuple(rows), budget)


def _names(methods: Sequence[str], columns: Mapping[str, Sequence[str | None]]) -> list[str]:
    return [name for names in (methods, *columns.values()) for name in names if name]

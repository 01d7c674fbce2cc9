"""The suites of a policy as they are known beforehand: from a baseline, or from what is pinned."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.checks.check import Check
from gate.errors import EvidenceError, PolicyError
from gate.evidence.assess import assess
from gate.evidence.budget import allowed
from gate.evidence.pairing import build_panel
from gate.evidence.panel import Panel
from gate.evidence.run import Run
from gate.plan.known import imagine
from gate.policy import Policy, SuiteRules

BASELINE = "baseline"


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """One suite, with the verdicts of the baseline where there is one."""

    suite: str
    panel: Panel
    """Its one role is the baseline's."""
    observed: bool
    """Whether the verdicts are a run's; else every one is the harmless one."""
    source: str
    """Where the ids come from, in words."""
    checks: tuple[Check, ...]
    """The policy's checks that can be planned on it."""
    columns: tuple[str, ...]
    """The columns that these checks cut it by."""
    budget: int
    """Unscored rows that one method may have."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """All suites of a policy."""

    suites: tuple[Ground, ...]
    notes: tuple[str, ...]
    """What is not planned, or only roughly, one sentence each."""


def stand(policy: Policy, baseline: Run | None) -> Grounds:
    """Find out what is known of each suite.

    Args:
        policy: A policy that can be used.
        baseline: The baseline's run, read for the policy's suites.

    Raises:
        EvidenceError: If the baseline's evidence cannot be used.
        PolicyError: If the policy says something of a suite that the baseline contradicts.
    """
    suites: list[Ground] = []
    notes: list[str] = []
    for name in dict.fromkeys(check.suite for check in policy.checks):
        checks = [check for check in policy.checks if check.suites == (name,)]
        notes += [
            f"{check.id} is not planned: it reads suites {' and '.join(check.suites)}"
            for check in policy.checks
            if check.suite == name and check not in checks
        ]
        rules = policy.suites.get(name, SuiteRules())
        if baseline is None:
            ground = _imagined(name, rules, checks, notes)
        else:
            ground = _observed(name, rules, checks, baseline, policy.path)
            notes += _rough(ground)
        if ground is not None:
            suites.append(ground)
    return Grounds(tuple(suites), tuple(notes))


def _observed(
    suite: str, rules: SuiteRules, checks: Sequence[Check], run: Run, path: str
) -> Ground:
    found = assess(
        suite,
        {BASELINE: run},
        rules.expectation(),
        require_declared=rules.require_declared,
        allow_changes=rules.allow_changes,
    )
    methods = () if any(not check.methods_used for check in checks) else _methods(checks)
    for problem in found.problems_for((BASELINE,), methods):
        raise EvidenceError(problem.reason, problem.message, next_step=problem.advice)
    if found.panel is None:
        raise AssertionError("a suite without a panel has a problem that says why")
    for check in checks:
        unfit = check.unfit(found.panel)
        if unfit is not None:
            message = f"{check.id}: {unfit.message}"
            raise EvidenceError(unfit.reason, message, next_step=unfit.advice)
    wrong = [
        f"{path}: checks: {c.id}: {text}" for c in checks for text in c.mismatches(found.panel)
    ]
    if wrong:
        raise PolicyError(wrong)
    return _ground(suite, found.panel, rules, checks, source="the baseline", observed=True)


def _rough(ground: Ground) -> list[str]:
    notes = []
    if not all(bool((k == 1).all()) for k in ground.panel.expected.values()):
        notes.append(f"{ground.suite}: several test cases of a behavior are planned as one verdict")
    if ground.panel.groups is not None:
        notes.append(
            f"{ground.suite}: every id is planned as a unit of its own; groups of near-duplicates "
            "withhold more often"
        )
    return notes


def _methods(checks: Sequence[Check]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for check in checks for name in check.methods_used))


def _imagined(
    suite: str, rules: SuiteRules, checks: Sequence[Check], notes: list[str]
) -> Ground | None:
    found = imagine(rules, checks)
    if found is None:
        notes += [
            f"{check.id} is not planned: too little is pinned of suite {suite}; give --baseline"
            for check in checks
        ]
        return None
    table, source = found
    panel = build_panel(suite, {BASELINE: table}, rules.expectation())
    planned = []
    for check in checks:
        problem = check.unfit(panel)
        wrong = [problem.message] if problem else check.mismatches(panel)
        notes += [f"{check.id} is not planned: {text}; give --baseline" for text in wrong[:1]]
        planned += [] if wrong else [check]
    return _ground(suite, panel, rules, planned, source=source, observed=False)


def _ground(
    suite: str,
    panel: Panel,
    rules: SuiteRules,
    checks: Sequence[Check],
    *,
    source: str,
    observed: bool,
) -> Ground:
    columns = (getattr(check, "by", None) for check in checks)
    rows = min(int(expected.sum()) for expected in panel.expected.values())
    shares = (rules.unscored.max_rate, rules.unscored.max_difference)
    return Ground(
        suite,
        panel,
        observed,
        source,
        tuple(checks),
        tuple(dict.fromkeys(column for column in columns if column is not None)),
        min(allowed(share, rows) for share in shares),
    )

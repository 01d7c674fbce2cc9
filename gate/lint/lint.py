"""A policy, and any runs, in; remarks out, the worst first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gate.checks.check import Check
from gate.evidence.assess import Assessment, assess
from gate.evidence.panel import Panel
from gate.evidence.run import Run
from gate.lint.evidence import misfits, suite_remarks, unchecked, unusable
from gate.lint.limits import limit_remarks, observed_discordance
from gate.lint.reference import imagined, observed
from gate.lint.remark import Remark, Severity, note, warning
from gate.policy import Policy, SuiteRules

SOON = timedelta(days=14)
_CODES = {Severity.UNREADABLE: 4, Severity.PROBLEM: 1, Severity.WARNING: 0, Severity.NOTE: 0}


@dataclass(frozen=True, slots=True)
class Linted:
    """Everything found."""

    remarks: tuple[Remark, ...]

    @property
    def exit_code(self) -> int:
        """4 where evidence cannot be read, 1 where there are problems, else 0."""
        return max((_CODES[remark.severity] for remark in self.remarks), default=0)


def lint(policy: Policy, runs: Mapping[str, Run], *, today: date) -> Linted:
    """Find what is wrong; nothing is decided and nothing is raised.

    Args:
        policy: A policy that can be used.
        runs: By role; any of them, or none.
        today: The day that waivers are held against.
    """
    found = [warning(text) for text in policy.warnings]
    found += _waivers(policy, today)
    found += _absent_roles(policy, runs)
    found += _unreadable(runs)
    readable = {role: run for role, run in runs.items() if run.problem is None}
    for suite in dict.fromkeys(check.suite for check in policy.checks):
        checks = [check for check in policy.checks if check.suites == (suite,)]
        found += _suite(suite, checks, policy.suites.get(suite, SuiteRules()), readable)
    order = list(Severity)
    unique = dict.fromkeys(found)
    return Linted(tuple(sorted(unique, key=lambda remark: order.index(remark.severity))))


def _waivers(policy: Policy, today: date) -> Iterator[Remark]:
    for waiver in policy.waivers:
        about = ", ".join((waiver.check, *waiver.slice.values()))
        if waiver.expires < today:
            yield warning(f"the waiver for {about} ({waiver.owner}) expired on {waiver.expires}")
        elif waiver.expires - today <= SOON:
            yield warning(f"the waiver for {about} ({waiver.owner}) ends on {waiver.expires}")


def _absent_roles(policy: Policy, runs: Mapping[str, Run]) -> Iterator[Remark]:
    needed = dict.fromkeys(role for check in policy.checks for role in check.roles_used)
    absent = [role for role in needed if role not in runs]
    for role in absent if runs else ():
        ids = dict.fromkeys(check.id for check in policy.checks if role in check.roles_used)
        yield warning(f"no {role} was given: nothing is known of its side of {', '.join(ids)}")


def _unreadable(runs: Mapping[str, Run]) -> Iterator[Remark]:
    for role, run in runs.items():
        if run.problem is not None:
            said = f"the {role} run: {run.problem.message} [{run.problem.reason.name}]"
            yield Remark(Severity.UNREADABLE, said)


def _suite(
    suite: str, checks: Sequence[Check], rules: SuiteRules, runs: Mapping[str, Run]
) -> Iterator[Remark]:
    if not runs:
        yield from _without_runs(suite, checks, rules)
        return
    assessment = assess(
        suite,
        runs,
        rules.expectation(),
        require_declared=rules.require_declared,
        allow_changes=rules.allow_changes,
    )
    yield from suite_remarks(assessment)
    yield from unchecked(assessment, checks)
    for check in checks:
        yield from unusable(check, assessment, runs)
        if assessment.panel is not None:
            yield from _on_panel(check, assessment, assessment.panel, runs)


def _on_panel(
    check: Check, assessment: Assessment, panel: Panel, runs: Mapping[str, Run]
) -> Iterator[Remark]:
    """Hold a check against what could be read, even where another run could not be."""
    found = list(misfits(check, panel))
    yield from found
    reference = observed(panel)
    keys = [(reference.role, method) for method in ("", *check.methods_used)]
    if not found and not any(assessment.problems.get(key) for key in keys):
        yield from limit_remarks(check, reference, _discordance(check, panel, runs))


def _without_runs(suite: str, checks: Sequence[Check], rules: SuiteRules) -> Iterator[Remark]:
    """Try limits on the pinned ids alone; what only the runs can tell is left to them."""
    reference = imagined(suite, rules, checks)
    if reference is None:
        yield note(f"{suite}: its limits can only be tried on runs: give --baseline")
        return
    for check in checks:
        if not check.mismatches(reference.panel):
            yield from limit_remarks(check, reference, None)


def _discordance(check: Check, panel: Panel, runs: Mapping[str, Run]) -> float | None:
    if not set(check.roles_used) <= panel.sides.keys() & runs.keys():
        return None
    return observed_discordance(list(check.run(panel)))

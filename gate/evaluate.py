"""Policy and runs in, decision out: the whole pipeline."""

from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType

from gate import __version__
from gate.checks.check import Check
from gate.circumstances import cut_by, policy_ref, run_summary, warnings
from gate.decision import Decision, decide
from gate.errors import PolicyError
from gate.evidence.assess import Assessment, assess, beside
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.finding import Finding, Outcome
from gate.lineage import RecordUse
from gate.overview import overviews
from gate.policy.first_release import decisive, without_baseline
from gate.policy.schema import Policy, SuiteRules
from gate.policy.waivers import apply_waivers
from gate.reasons import Reason


def evaluate(
    policy: Policy,
    runs: Mapping[str, Run],
    *,
    today: date,
    records: Mapping[str, RecordUse] = MappingProxyType({}),
    broken_history: Problem | None = None,
) -> Decision:
    """Decide.

    Args:
        policy: What must hold.
        runs: By role; `candidate` always, `baseline` and `anchor` where given.
        today: The day that waivers are held against.
        records: The baseline records that pin runs, by role.
        broken_history: What is wrong with the history; None where it is whole, or there is none.

    Raises:
        PolicyError: If the policy says something of a suite that usable evidence contradicts,
            or if nothing that blocks can be checked without a baseline.
    """
    checks = _applicable(policy, runs)
    assessments = {name: _assess(name, policy, runs) for name in policy.suites_read}
    findings = [
        finding
        for check in checks
        for finding in _findings(check, beside(assessments, check.suites), policy)
    ]
    findings += [finding for assessment in assessments.values() for finding in _changes(assessment)]
    findings += [] if broken_history is None else [_unusable_history(broken_history)]
    findings, waivers = apply_waivers(findings, policy.waivers, today)
    return Decision(
        verdict=decide(findings),
        today=today,
        policy=policy_ref(policy),
        tool_version=__version__,
        non_standard=tuple(x for each in assessments.values() for x in each.non_standard),
        warnings=tuple(warnings(policy, runs, records, assessments, findings)),
        runs={role: run_summary(run, assessments, records.get(role)) for role, run in runs.items()},
        findings=tuple(findings),
        waivers=waivers,
        overviews=tuple(
            table
            for name, each in assessments.items()
            for table in overviews(each, policy.statistics, cut_by(policy, name))
        ),
    )


def _unusable_history(broken: Problem) -> Finding:
    """Withhold a decision whose history was tampered with: the attempts are not known."""
    return Finding(
        id="history",
        check="history",
        suite="history",
        slice={},
        measure="comparability",
        outcome=Outcome.UNUSABLE,
        reason=broken.reason,
        summary=broken.message,
        next_step=broken.advice,
    )


def _applicable(policy: Policy, runs: Mapping[str, Run]) -> list[Check]:
    """Choose the checks to evaluate: what needs no baseline, where there is none."""
    if "baseline" in runs:
        return list(policy.checks)
    if not decisive(policy.checks):
        raise PolicyError(
            [f"{policy.path}: nothing that blocks can be checked without a baseline"],
            next_step="Give --baseline RUN, or add a check that blocks by a limit on the "
            "candidate alone (a ceiling or a floor).",
        )
    return without_baseline(policy.checks)


def _assess(name: str, policy: Policy, runs: Mapping[str, Run]) -> Assessment:
    rules = policy.suites.get(name, SuiteRules())
    return assess(
        name,
        runs,
        rules.expectation(),
        require_declared=rules.require_declared,
        allow_changes=rules.allow_changes,
    )


def _findings(check: Check, assessment: Assessment, policy: Policy) -> Iterator[Finding]:
    """Evaluate one check, or say why its evidence is unusable."""
    problems = _problems(check, assessment)
    if not problems and assessment.panel is not None:
        mismatches = check.mismatches(assessment.panel)
        if mismatches:
            where = f"{policy.path}: checks: {check.id}"
            raise PolicyError([f"{where}: {mismatch}" for mismatch in mismatches])
        found = list(check.run(assessment.panel))
        yield from found or [_unusable(check, [_nothing_there(check)])]
        return
    yield _unusable(check, problems)
    absolute = check.absolute()
    if absolute is not None and absolute.roles_used != check.roles_used:
        rest = list(_findings(absolute, assessment, policy))
        yield from (finding for finding in rest if finding.outcome is not Outcome.UNUSABLE)


def _problems(check: Check, assessment: Assessment) -> list[Problem]:
    problems = assessment.problems_for(check.roles_used, check.methods_used)
    if problems or assessment.panel is None:
        return problems
    unfit = check.unfit(assessment.panel)
    return [unfit] if unfit else []


def _nothing_there(check: Check) -> Problem:
    """Say that a check found nothing to look at: what was not evaluated has not passed."""
    message = f"suite {check.suite!r} has nothing that the check is about"
    return Problem(Reason.E_EMPTY, message)


def _unusable(check: Check, problems: list[Problem]) -> Finding:
    first = problems[0]
    methods = check.methods_used
    return Finding(
        id=check.id,
        check=check.check,
        suite=check.suite,
        slice={"method": ", ".join(methods)} if methods else {},
        measure="comparability",
        outcome=Outcome.UNUSABLE,
        level=check.level,
        on_inconclusive=check.on_inconclusive,
        reason=first.reason,
        against=next((role for role in check.roles_used if role != "candidate"), "baseline"),
        summary=first.message,
        next_step=" ".join(
            dict.fromkeys(x.advice for x in problems if x.reason is first.reason and x.advice)
        ),
        notes=tuple(f"{problem.reason.name}: {problem.message}" for problem in problems[1:]),
    )


def _changes(assessment: Assessment) -> Iterator[Finding]:
    """Block a changed chat template or system prompt that the policy does not allow."""
    for change in assessment.changes:
        yield Finding(
            id="comparability",
            check="comparability",
            suite=assessment.suite,
            slice={},
            measure="comparability",
            outcome=Outcome.BLOCK,
            reason=change.reason,
            summary=change.message,
            next_step=change.advice,
        )

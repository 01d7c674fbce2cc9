"""Policy and runs in, decision out: the whole pipeline."""

import os
from collections.abc import Iterator, Mapping
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

from gate import __version__
from gate.checks.check import Check
from gate.decision import Decision, ParentRef, PolicyRef, RunSummary, SuiteSummary, decide
from gate.errors import PolicyError
from gate.evidence.assess import Assessment, assess, beside
from gate.evidence.comparability import UNKNOWN
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.evidence.table import Table, ids_sha256
from gate.finding import Finding, Outcome
from gate.lineage import History, RecordUse
from gate.overview import overviews
from gate.policy.schema import Policy, SuiteRules
from gate.policy.waivers import apply_waivers

if TYPE_CHECKING:
    from gate.trail.history import Past


def evaluate(
    policy: Policy,
    runs: Mapping[str, Run],
    *,
    today: date,
    records: Mapping[str, RecordUse] = MappingProxyType({}),
    past: "Past | Problem | None" = None,
) -> Decision:
    """Decide.

    Args:
        policy: What must hold.
        runs: By role; `candidate` always, `baseline` and `anchor` where given.
        today: The day that waivers are held against.
        records: The baseline records that pin runs, by role.
        past: What the history said before, or what is wrong with it; None without a history.

    Raises:
        PolicyError: If the policy says something of a suite that usable evidence contradicts.
    """
    checks = _applicable(policy, runs)
    assessments = {name: _assess(name, policy, runs) for name in policy.suites_read}
    findings = [
        finding
        for check in checks
        for finding in _findings(check, beside(assessments, check.suites), policy)
    ]
    findings += [finding for assessment in assessments.values() for finding in _changes(assessment)]
    findings += _broken_history(past)
    findings, waivers = apply_waivers(findings, policy.waivers, today)
    return Decision(
        verdict=decide(findings),
        today=today,
        policy=PolicyRef(
            name=policy.name,
            sha256=policy.sha256,
            path=_portable(policy.path),
            extends=tuple(
                ParentRef(path=_portable(parent.path), sha256=parent.own_sha256)
                for parent in policy.parents
            ),
            lines=policy.lines,
        ),
        tool_version=__version__,
        non_standard=tuple(x for each in assessments.values() for x in each.non_standard),
        warnings=(
            *_of_records(records),
            *_warnings(policy, runs, checks, assessments, findings),
        ),
        runs={role: _summary(run, assessments, records.get(role)) for role, run in runs.items()},
        findings=tuple(findings),
        waivers=waivers,
        overviews=tuple(
            table for each in assessments.values() for table in overviews(each, policy.statistics)
        ),
        history=_history(past, runs, policy, findings),
    )


def _portable(path: str) -> str:
    """Keep where the user's files lie on this machine out of the decision."""
    return os.path.basename(path) if os.path.isabs(path) else path


def _history(
    past: "Past | Problem | None", runs: Mapping[str, Run], policy: Policy, findings: list[Finding]
) -> History | None:
    if past is None or isinstance(past, Problem):
        return None
    from gate.trail.attempts import count_attempts  # most decisions have no history

    return count_attempts(past, runs, policy.sha256, findings)


def _broken_history(past: object) -> Iterator[Finding]:
    """Withhold a decision whose history was tampered with: the attempts are not known."""
    if isinstance(past, Problem):
        yield Finding(
            id="history",
            check="history",
            suite="history",
            slice={},
            measure="comparability",
            outcome=Outcome.UNUSABLE,
            reason=past.reason,
            summary=past.message,
            next_step=past.advice,
        )


def _of_records(records: Mapping[str, RecordUse]) -> Iterator[str]:
    """Say for ever that a baseline is one without a release, and what its record leaves open."""
    for role, record in records.items():
        for each in record.overrides:
            yield (
                f"the {role} rests on an override: {each.checkpoint} was promoted on "
                f"{each.promoted} although its decision was {each.decision}, by {each.owner}: "
                f"{each.reason}"
            )
        if record.unpinned:
            names = ", ".join(record.unpinned)
            yield f"the {role}'s record does not pin {names}: promoted before the policy had it"


def _applicable(policy: Policy, runs: Mapping[str, Run]) -> list[Check]:
    """Choose the checks to evaluate: what needs no baseline, where there is none."""
    if "baseline" in runs:
        return list(policy.checks)
    parts = [
        check.absolute() if "baseline" in check.roles_used else check for check in policy.checks
    ]
    return [part for part in parts if part is not None]


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
        yield from check.run(assessment.panel)
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


def _warnings(
    policy: Policy,
    runs: Mapping[str, Run],
    checks: list[Check],
    assessments: Mapping[str, Assessment],
    findings: list[Finding],
) -> Iterator[str]:
    yield from policy.warnings
    if "baseline" not in runs:
        yield "no baseline was given: only absolute limits were checked (on_missing_baseline)"
        yield from _left_out(policy)
    yield from _same_files(runs, assessments)
    for assessment in assessments.values():
        yield from assessment.warnings
    for finding in findings:
        if finding.outcome is Outcome.PASS:
            where = " ".join((finding.id, *finding.slice.values()))
            yield from (f"{where}: {note}" for note in finding.notes)


def _left_out(policy: Policy) -> Iterator[str]:
    """Name what was not checked, in whole or in part, for want of a baseline."""
    comparing = [check for check in policy.checks if "baseline" in check.roles_used]
    gone = [check.id for check in comparing if check.absolute() is None]
    parts = [check.id for check in comparing if check.absolute() is not None]
    if gone:
        yield f"not compared with a baseline: {', '.join(gone)}"
    if parts:
        yield f"only the limits on the candidate alone were checked of: {', '.join(parts)}"


def _same_files(runs: Mapping[str, Run], assessments: Mapping[str, Assessment]) -> Iterator[str]:
    """Warn where two roles hold one set of verdict files, whatever their manifests say."""
    for role in ("baseline", "anchor"):
        for suite in assessments if role in runs else ():
            files = [set(runs[side].files.get(suite, {}).values()) for side in (role, "candidate")]
            if files[0] and files[0] == files[1]:
                yield f"{suite}: the {role} and the candidate have the same verdict files"


def _summary(
    run: Run, assessments: Mapping[str, Assessment], record: RecordUse | None
) -> RunSummary:
    checkpoint: dict[str, str] = {}
    if run.manifest is not None:
        declared = run.manifest.checkpoint.model_dump()
        checkpoint = {key: UNKNOWN if value is None else value for key, value in declared.items()}
    return RunSummary(
        checkpoint=checkpoint,
        digest=run.digest,
        suites={
            name: _suite_summary(run, assessment)
            for name, assessment in assessments.items()
            if run.manifest is not None and name in run.manifest.suites
        },
        record=record,
    )


def _suite_summary(run: Run, assessment: Assessment) -> SuiteSummary:
    name, panel = assessment.suite, assessment.panel
    table = run.tables.get(name)
    ids = table.ids if isinstance(table, Table) else ()
    return SuiteSummary(
        kind=run.manifest.suites[name].kind if run.manifest else "",
        ids=len(ids),
        ids_sha256=ids_sha256(ids) if ids else "",
        verdicts_sha256=table.digest if isinstance(table, Table) else "",
        files=run.files.get(name, {}),
        fingerprint=assessment.fingerprints.get(run.role, {}),
        ledgers=tuple(x for x in panel.ledgers if x.role == run.role) if panel else (),
        problems=tuple(
            f"{problem.reason.name}: {problem.message}"
            for (role, _), problems in sorted(assessment.problems.items())
            if role == run.role or (not role and run.role == "candidate")
            for problem in problems
        ),
    )

"""What a decision says besides its findings: the policy, the runs, the warnings."""

import os
from collections.abc import Iterator, Mapping, Sequence

from gate.decision import ParentRef, PolicyRef, RunSummary, SuiteSummary
from gate.evidence.assess import Assessment
from gate.evidence.comparability import UNKNOWN
from gate.evidence.run import Run
from gate.evidence.table import Table, ids_sha256
from gate.finding import Finding, Outcome
from gate.lineage import RecordUse
from gate.policy.schema import Policy


def policy_ref(policy: Policy) -> PolicyRef:
    """Say which policy decides, and what it extends."""
    return PolicyRef(
        name=policy.name,
        sha256=policy.sha256,
        path=_portable(policy.path),
        extends=tuple(
            ParentRef(path=_portable(parent.path), sha256=parent.own_sha256)
            for parent in policy.parents
        ),
        lines=policy.lines,
    )


def cut_by(policy: Policy, suite: str) -> list[str]:
    """List the columns by which the checks on a suite look at it."""
    columns = (getattr(check, "by", None) for check in policy.checks if check.suite == suite)
    return [column for column in dict.fromkeys(columns) if column]


def warnings(
    policy: Policy,
    runs: Mapping[str, Run],
    records: Mapping[str, RecordUse],
    assessments: Mapping[str, Assessment],
    findings: Sequence[Finding],
) -> Iterator[str]:
    """Say what a reader of the decision should know, one sentence each."""
    yield from _of_records(records)
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


def _of_records(records: Mapping[str, RecordUse]) -> Iterator[str]:
    """Say for ever that a baseline is one without a release, and what its record leaves open."""
    for role, record in records.items():
        for each in record.overrides:
            yield (
                f"the {role} rests on an override: {each.checkpoint} was promoted on "
                f"{each.promoted} although its decision was {each.decision}, by {each.owner}: "
                f"{each.reason}"
            )
        for one in record.unverified:
            yield (
                f"the {role} rests on an unverified decision: {one.checkpoint} was promoted on "
                f"{one.promoted} by one that was neither replayed nor checked by a signature"
            )
        if record.unpinned:
            names = ", ".join(record.unpinned)
            yield f"the {role}'s record does not pin {names}: promoted before the policy had it"


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


def run_summary(
    run: Run, assessments: Mapping[str, Assessment], record: RecordUse | None
) -> RunSummary:
    """Say what one run is, suite by suite, and which record pins it."""
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


def _portable(path: str) -> str:
    """Keep where the user's files lie on this machine out of the decision."""
    return os.path.basename(path) if os.path.isabs(path) else path

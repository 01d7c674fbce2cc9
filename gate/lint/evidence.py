"""What of the runs does not fit the policy, found by the code that deciding uses."""

from collections.abc import Collection, Iterator, Sequence

from gate.checks.check import Check
from gate.evidence.assess import Assessment
from gate.evidence.comparability import UNKNOWN
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.lint.remark import Remark, Severity, problem, warning
from gate.reasons import Reason

UNREADABLE = {
    Reason.E_UNREADABLE,
    Reason.E_MANIFEST,
    Reason.E_FORMAT,
    Reason.E_LABEL,
    Reason.E_EMPTY,
    Reason.E_UNJUDGED,
    Reason.E_DEPENDENCY,
}
"""Evidence of which nothing can be said; all else is readable and does not fit."""


def unusable(check: Check, assessment: Assessment, roles: Collection[str]) -> list[Remark]:
    """Find why the evidence of the runs that were given could not be used for a check."""
    needed = [role for role in check.roles_used if role in roles] or list(roles)
    found = assessment.problems_for(needed, check.methods_used)
    return [_remark(assessment.suite, each) for each in found]


def misfits(check: Check, panel: Panel) -> Iterator[Remark]:
    """Find what a check says of a suite that the evidence contradicts."""
    unfit = check.unfit(panel)
    if unfit is not None:
        yield problem(f"{check.id}: {unfit.message}")
        return
    yield from (problem(f"{check.id}: {text}") for text in check.mismatches(panel))


def suite_remarks(assessment: Assessment) -> Iterator[Remark]:
    """List what the gate itself would block or warn of, whatever the verdicts."""
    for change in assessment.changes:  # they name their suite themselves
        yield problem(f"{change.message} [{change.reason.name}]")
    yield from (warning(f"non-standard: {text}") for text in assessment.non_standard)
    yield from (warning(text) for text in assessment.warnings)
    if len(assessment.fingerprints) == 1 or "candidate" not in assessment.fingerprints:
        for role, fields in assessment.fingerprints.items():
            silent = [name for name, value in fields.items() if value == UNKNOWN]
            if silent:
                said = f"the {role} does not declare {', '.join(silent)}"
                yield warning(f"{assessment.suite}: {said}")


def unchecked(assessment: Assessment, checks: Sequence[Check]) -> Iterator[Remark]:
    """Name methods that the runs have and no check looks at."""
    if assessment.panel is None or any(not check.methods_used for check in checks):
        return
    used = {name for check in checks for name in check.methods_used}
    unused = [name for name in assessment.panel.methods if name and name not in used]
    if unused:
        yield warning(f"{assessment.suite}: no check looks at method {', '.join(unused)}")


def _remark(suite: str, found: Problem) -> Remark:
    severity = Severity.UNREADABLE if found.reason in UNREADABLE else Severity.PROBLEM
    return Remark(severity, f"{suite}: {found.message} [{found.reason.name}]")

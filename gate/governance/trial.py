"""A case decided, and held against what was expected of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gate.decision import Decision
from gate.errors import GateError
from gate.finding import Finding, Outcome
from gate.governance.cases import Case, Claim
from gate.reports.escape import clean, plain

Decide = Callable[[str, dict[str, str | None], date], Decision]
"""Takes a policy, the run of each role and the day, and decides as `gate check` does."""
REFUSED = 2


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a case."""

    case: Case
    came_out: str
    """As `block (exit 1)`."""
    differences: tuple[str, ...]
    """What is otherwise than expected; nothing where all is as it should be."""


def try_case(case: Case, decide: Decide) -> Tried:
    """Decide a case and compare."""
    expected = case.expected
    wanted = _said(expected.decision, expected.code)
    try:
        decision = decide(case.policy, case.runs, expected.today)
    except GateError as error:
        said = _said("none", error.exit_code)
        if error.exit_code == expected.code == REFUSED:
            return Tried(case, said, ())
        lines = [f"expected {wanted}, came out {said}", *error.message.split("\n")]
        return Tried(case, said, tuple(lines))
    said = _said(decision.verdict.value, decision.exit_code)
    differences = [f"expected {wanted}, came out {said}"] if said != wanted else []
    differences += _compare(expected.findings, decision.findings)
    return Tried(case, said, tuple(differences))


def _said(decision: str, code: int) -> str:
    return f"{decision} (exit {code})"


def _compare(claims: Sequence[Claim], findings: Sequence[Finding]) -> Iterator[str]:
    """Find claims that no finding meets, and findings that do not pass and nobody expected."""
    told = [finding for finding in findings if any(claim.holds(finding) for claim in claims)]
    for claim in claims:
        if not any(claim.holds(finding) for finding in findings):
            about = [finding for finding in findings if _is_about(claim, finding)]
            told += about
            found = "; ".join(_words(finding) for finding in about) or "no finding is about that"
            yield f"expected {claim}; found {found}"
    for finding in findings:
        if finding.outcome is not Outcome.PASS and finding not in told:
            yield f"not expected: {_words(finding)}: {finding.summary}"


def _is_about(claim: Claim, finding: Finding) -> bool:
    """Whether a finding is what a claim speaks of, whatever became of it."""
    return (
        finding.id == claim.id
        and claim.measure in (None, finding.measure)
        and claim.slice.items() <= dict(finding.slice).items()
    )


def _words(finding: Finding) -> str:
    reason = "" if finding.reason is None else finding.reason.name
    waived = "waived" if finding.waiver else ""
    words = (finding.id, *finding.slice.values(), finding.measure, finding.outcome, reason, waived)
    return " ".join(str(word) for word in words if word)


def report(tried: Tried) -> Iterator[str]:
    """Give a line for a case, and one for each difference."""
    name = plain(tried.case.folder)
    if not tried.differences:
        yield f"ok    {name}: {tried.came_out}"
        return
    yield f"FAIL  {name}"
    yield from (f"      {clean(line)}" for line in tried.differences)


def summary(tried: Sequence[Tried]) -> str:
    """Count the cases."""
    failed = sum(bool(each.differences) for each in tried)
    cases = "1 case" if len(tried) == 1 else f"{len(tried)} cases"
    return f"{cases}: {len(tried) - failed} as expected, {failed} not"

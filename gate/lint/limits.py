"""Limits held against an unchanged candidate: which cannot be met, which are often missed."""

from collections.abc import Iterator, Mapping, Sequence

from gate.checks.check import Check, SlicedCheck
from gate.checks.wording import floor_percent, pt
from gate.checks.wording import percent as rounded
from gate.finding import Finding, Outcome
from gate.lint.reference import IMAGINED, Reference, alone_withheld
from gate.lint.remark import Remark, Severity, problem, warning
from gate.plan.assumptions import DISCORDANCE
from gate.reports.figures import figures, percent
from gate.stats.interval import TOLERANCE

_ROUGHLY = " (reckoned as for one verdict an id, each id on its own)"
OFTEN = 0.2
"""An unchanged candidate should be withheld by one limit no more often than this."""


def limit_remarks(
    check: Check, reference: Reference, discordance: float | None
) -> Iterator[Remark]:
    """Try every limit of a check.

    Args:
        check: A check that fits the panel.
        reference: The unchanged candidate.
        discordance: The observed share of flips between the runs; None where there is none.
    """
    share = discordance or DISCORDANCE
    chances = alone_withheld(check, reference, share)
    given = f"where {percent(round(share, 3))} of the ids flip " + (
        "(as observed)" if discordance else "(an assumption)"
    )
    given += "" if reference.plain else _ROUGHLY
    for finding in check.run(reference.panel):
        yield from _size(check, finding)
        unattainable = list(_unattainable(finding, reference))
        yield from unattainable
        if not any(remark.severity is Severity.PROBLEM for remark in unattainable):
            place = (finding.measure, tuple(finding.slice.values()))
            yield from _often_missed(finding, reference, chances.get(place), given)


def observed_discordance(findings: Sequence[Finding]) -> float | None:
    """Pool a check's slices; None where flips do not go both ways.

    As many as go either way are what an unchanged candidate would show; the rest is a change.
    """
    deltas = [finding for finding in findings if finding.measure == "delta"]
    either = min(
        sum(finding.fixed or 0 for finding in deltas),
        sum(finding.broken or 0 for finding in deltas),
    )
    return 2 * either / sum(finding.n for finding in deltas) if either else None


def _size(check: Check, finding: Finding) -> Iterator[Remark]:
    if isinstance(check, SlicedCheck) and 0 < finding.n < check.min_n:
        yield problem(f"{_where(finding)}: has {finding.n} ids, and `min_n` asks for {check.min_n}")


def _unattainable(finding: Finding, reference: Reference) -> Iterator[Remark]:
    limit, best = finding.limit, finding.attainable
    if limit is None or best is None:
        return
    beyond = best - limit if finding.limit_is == "ceiling" else limit - best
    if not beyond > TOLERANCE:
        return
    said = (
        f"{_where(finding)}: the limit {figures(finding).limit} cannot be met at n={finding.n}: "
        f"the best that any data could show is {_best(finding, best)}"
    )
    if finding.needed_n is not None and finding.needed_n > finding.n:
        said += f"; it can be from n={finding.needed_n}"
    if finding.measure == "delta" and reference.role == IMAGINED:
        yield warning(f"{said} (where the baseline is safe throughout)")
    else:
        yield problem(said)


def _best(finding: Finding, best: float) -> str:
    """Write the best end there can be, never better than it is."""
    if finding.limit_is == "floor":
        return floor_percent(best)
    return pt(best, up=True) if finding.measure == "delta" else rounded(best, up=True)


def _often_missed(
    finding: Finding, reference: Reference, withheld: float | None, given: str
) -> Iterator[Remark]:
    if withheld is None:
        yield from _missed_already(finding, reference)
    elif withheld > OFTEN:
        yield warning(
            f"{_where(finding)}: an unchanged candidate misses the limit "
            f"{figures(finding).limit} {_times(withheld)} of the time at n={finding.n}, {given}"
        )


def _missed_already(finding: Finding, reference: Reference) -> Iterator[Remark]:
    """Say where the reference itself does not pass; for what has no chance to reckon."""
    if reference.role != IMAGINED and finding.outcome is not Outcome.PASS:
        yield warning(
            f"{_where(finding)}: the {reference.role} itself would not pass: {finding.summary}"
        )


def _times(chance: float) -> str:
    return "more than 99 %" if chance > 0.99 else f"{100 * chance:.0f} %"


def _where(finding: Finding) -> str:
    slices: Mapping[str, str] = finding.slice
    return " / ".join((f"{finding.id}: {finding.suite}", *slices.values()))

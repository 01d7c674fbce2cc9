"""Judge a share of the candidate's records that should be high against a floor."""

from collections.abc import Mapping

from gate.checks.bounds import worth
from gate.checks.check import Check
from gate.checks.level import bounded, level_finding, span
from gate.checks.wording import floor_percent, listing, percent
from gate.evidence.panel import Sample
from gate.finding import Finding, Measure, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE, Interval
from gate.stats.power import floor_mde, floor_needed_n


def judge_floor(
    check: Check,
    *,
    sample: Sample,
    floor: float,
    label: Mapping[str, str],
    measure: Measure,
    noun: str,
) -> Finding:
    """Hold a share of the candidate's records, the more the better, against a floor."""
    asked = check.asked.of("rate")
    n, independent = len(sample.k), worth(sample)
    interval = span(sample, asked)
    attainable = bounded(sample, sample.k, asked).lower
    outcome, reason = floor_outcome(interval, floor, attainable)
    needed = None
    if outcome is Outcome.INCONCLUSIVE:
        right = float(sample.low.sum()) * independent / n
        needed = floor_needed_n(right, independent, floor=floor, confidence=asked.confidence)
    needed = None if needed is None else -(-needed * n // independent)
    return level_finding(
        check,
        label,
        measure,
        outcome,
        reason,
        sample=sample,
        asked=asked,
        interval=interval,
        limit=floor,
        attainable=attainable,
        needed=needed,
        summary=(
            f"{noun} {percent(interval.value)} ({int(sample.low.sum())} of {n}); bound "
            f"{percent(interval.lower)} to {percent(interval.upper)}, floor {percent(floor)}"
        ),
        next_step=floor_step(
            reason, n, interval, attainable, needed, listing(check.suite, label, "--still")
        ),
        mde=floor_mde(independent, floor=floor, confidence=asked.confidence),
        tipping=None,
    )


def floor_outcome(
    interval: Interval, floor: float, attainable: float
) -> tuple[Outcome, Reason | None]:
    """Apply the ceiling's rule mirrored."""
    if interval.lower >= floor - TOLERANCE:
        return Outcome.PASS, None
    if interval.upper < floor - TOLERANCE:
        return Outcome.BLOCK, Reason.C_FLOOR
    if attainable < floor - TOLERANCE:
        return Outcome.INCONCLUSIVE, Reason.P_UNATTAINABLE
    return Outcome.INCONCLUSIVE, Reason.C_FLOOR_OPEN


def floor_step(
    reason: Reason | None,
    n: int,
    interval: Interval,
    attainable: float,
    needed: int | None,
    shown: str,
) -> str:
    """Say what would let a floor pass, or how to list what is wrong (`shown`)."""
    if reason is None:
        return ""
    if reason is Reason.P_MIN_N:
        return f"The check asks for more records than the {n} there are: add some, or pool."
    would = f"it passes from a floor of {floor_percent(interval.lower)}"
    match reason:
        case Reason.C_FLOOR:
            return f"Mend what is wrong; this lists broken and still: {shown}."
        case _ if interval.lower < TOLERANCE:
            return "No floor above 0 would pass on these records: more of them are needed."
        case Reason.P_UNATTAINABLE:
            return f"No data at n={n} could show more than {floor_percent(attainable)}: {would}."
        case _ if needed is not None:
            more = max(needed - n, 1)
            return f"About {more} more records at these shares would decide it; {would}."
        case _:
            return f"More records at these shares would not help; {would}."

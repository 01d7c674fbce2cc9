"""What the judge's measured errors make of a finding: a corrected bound beside its own."""

import math
from collections.abc import Collection, Iterator
from dataclasses import replace

from pydantic import Field

from gate.checks.wording import percent, pt
from gate.evidence.measured import Counts, Measured, readings
from gate.evidence.panel import Panel, Sample
from gate.evidence.problem import Problem
from gate.finding import Estimate, Finding, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE, Interval
from gate.stats.judge_error import (
    Confusion,
    beats_a_coin,
    change_interval_corrected,
    rate_interval_corrected,
    wrong_expected,
)

CORRECTED = Field(
    False,
    description="Whether the bound corrected for the judge's measured errors must hold as well; "
    "needs the suite's `agreement`.",
)
NAME = "Rogan-Gladen"


def uncorrectable(panel: Panel, counts: Collection[str], *, wanted: bool) -> Problem | None:
    """Find why a correction that decides cannot be made.

    Args:
        panel: The suite.
        counts: The verdicts that the check counts.
        wanted: Whether the correction decides at all.
    """
    if not wanted or errors(panel, counts) is not None:
        return None
    if panel.unmeasured is not None:
        return panel.unmeasured
    measured = panel.measured
    what = (
        "the policy names no `agreement` for the suite"
        if measured is None
        else f"the measured agreement counts {', '.join(sorted(measured.positive))}, and the "
        f"check {', '.join(sorted(_words(counts)))}"
    )
    return Problem(Reason.E_UNMEASURED_JUDGE, f"{panel.suite}: nothing to correct with: {what}")


def errors(panel: Panel, counts: Collection[str]) -> Confusion | None:
    """Give the judge's errors on the verdicts that a check counts; None where not known."""
    measured = panel.measured
    if measured is None or panel.unmeasured is not None:
        return None
    mine = _words(counts)
    if mine == measured.positive:
        return clear(measured.total)
    return clear(measured.total).mirrored if mine == _others(measured) else None


def clear(counts: Counts) -> Confusion:
    """Take what people agreed on and the judge answered, each label for what it is worth."""
    positive = counts.positive_units / counts.positives if counts.positives else 0.0
    negative = counts.negative_units / counts.negatives if counts.negatives else 0.0
    return Confusion(
        counts.tp * positive, counts.fn * positive, counts.fp * negative, counts.tn * negative
    )


def with_judge_error(
    finding: Finding, panel: Panel, candidate: Sample, counts: Collection[str], *, decides: bool
) -> Finding:
    """Add the corrected bound, and how many verdicts are expected to be wrong.

    A correction can only withhold: what passes must hold with it too, what does not pass stays.

    Args:
        finding: A change or a rate held against a ceiling.
        panel: The suite.
        candidate: The candidate's verdicts in the slice.
        counts: The verdicts that count.
        decides: Whether the corrected bound must hold as well.
    """
    judge, estimate = errors(panel, counts), finding.estimate
    if judge is None or estimate is None or finding.measure not in ("delta", "rate"):
        return finding
    apparent = Interval(estimate.value, estimate.lower, estimate.upper)
    correct = change_interval_corrected if finding.measure == "delta" else rate_interval_corrected
    found = correct(apparent, judge, estimate.confidence)
    finding = replace(
        finding,
        corrected=Estimate(
            value=found.value,
            lower=found.lower,
            upper=found.upper,
            confidence=estimate.confidence,
            bound=f"{NAME}, {estimate.bound}",
        ),
        wrong_expected=_wrong(candidate, judge),
    )
    finding = replace(finding, notes=(*finding.notes, *_notes(finding, judge)))
    return _held(finding, found) if decides else finding


def _held(finding: Finding, corrected: Interval) -> Finding:
    """Withhold what the corrected bound does not show; then that is the bound that decides."""
    limit = finding.limit
    holds = limit is not None and corrected.upper <= limit + TOLERANCE
    if finding.outcome is not Outcome.PASS or (holds and not math.isnan(corrected.value)):
        return finding
    write = pt if finding.measure == "delta" else percent
    end = write(corrected.upper, up=True).removeprefix("+")
    return replace(
        finding,
        outcome=Outcome.INCONCLUSIVE,
        reason=Reason.C_JUDGE_ERROR_OPEN,
        estimate=finding.corrected,
        tipping_flips=None,
        summary=(
            f"{finding.summary}; corrected for the judge's errors "
            f"{write(corrected.lower)} to {write(corrected.upper)}"
        ),
        next_step=(
            f"The plain bound passes; the corrected one would from a limit of {end}. "
            "Label more completions, or use a judge that errs less."
        ),
    )


def _notes(finding: Finding, judge: Confusion) -> Iterator[str]:
    """Say where the judge's errors are as large as what is held against the limit."""
    wrong, tips = finding.wrong_expected, finding.tipping_flips
    if wrong is not None and tips is not None and wrong >= tips:
        yield (
            f"about {round(wrong)} of the candidate's verdicts are wrong by the judge's measured "
            f"errors, and {tips} the other way would change the outcome"
        )
    if _contradicts(finding, judge):
        yield (
            "no true rate would show as this one by the judge's measured errors: on these "
            "verdicts it errs otherwise, and nothing can be corrected"
        )
    false_alarms = 1.0 - judge.specificity
    if finding.measure == "rate" and finding.limit is not None and false_alarms > finding.limit:
        yield (
            f"the judge calls {percent(false_alarms)} of what is none: more than the ceiling, so "
            "it may be counting its own false alarms"
        )


def _contradicts(finding: Finding, judge: Confusion) -> bool:
    """Tell whether a known judge and a known rate leave no true rate that explains both."""
    corrected, estimate = finding.corrected, finding.estimate
    if corrected is None or estimate is None or math.isnan(estimate.value):
        return False
    return math.isnan(corrected.value) and beats_a_coin(judge, estimate.confidence)


def _wrong(candidate: Sample, judge: Confusion) -> float | None:
    """Reckon the wrong verdicts at the corrected rate of what is scored."""
    if not judge.informative or not candidate.scored.any():
        return None
    scored = candidate.scored
    rate = float((candidate.low[scored] / candidate.k[scored]).mean())
    point = Interval(rate, rate, rate)
    true = rate_interval_corrected(point, judge, 0.95).value
    verdicts = int(candidate.k[scored].sum())
    return wrong_expected(verdicts, rate if math.isnan(true) else true, judge)


def _words(counts: Collection[str]) -> frozenset[str]:
    return frozenset(word.split()[0] for word in counts)


def _others(measured: Measured) -> frozenset[str]:
    return readings(measured.kind) - measured.positive

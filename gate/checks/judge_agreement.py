"""A judge must be measured before it may decide: held against people's labels, above floors."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from gate.checks.check import Check, Share
from gate.checks.floor import floor_outcome
from gate.checks.wording import floor_percent, percent
from gate.evidence.measured import Counts
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.evidence.rows import Kind
from gate.finding import Estimate, Finding, Measure, Outcome
from gate.reasons import Reason
from gate.stats.interval import Interval
from gate.stats.proportion import clopper_pearson, max_attainable_rate

_REASONS: Mapping[Reason, Reason] = {
    Reason.C_FLOOR: Reason.C_AGREEMENT,
    Reason.C_FLOOR_OPEN: Reason.C_AGREEMENT_OPEN,
}


class JudgeAgreement(Check):
    """The judge agrees with people's labels at least as its floors ask; else nothing is decided.

    The suite's `agreement` in the policy names what `gate agree --out` wrote. It must be of the
    judge of the runs (id, revision, template and rubric digests; decoding and dtype where both
    say), or the finding is unusable. Ties among people and verdicts that the judge did not give
    count against it; where `gate agree --ties` says otherwise, a note does too.
    """

    kinds: ClassVar = frozenset({Kind.ATTACK, Kind.REFUSAL, Kind.RUBRIC})

    check: Literal["judge-agreement"]
    bound: Literal["score", "exact"] | None = Field(
        None, description="Clopper-Pearson by either name, whatever the policy's `statistics` say."
    )
    floor: Share | None = Field(None, description="Lowest agreement, as a fraction.")
    sensitivity_floor: Share | None = Field(
        None, description="Lowest share of what people call positive that the judge does too."
    )
    specificity_floor: Share | None = Field(
        None, description="Lowest share of what people call negative that the judge does too."
    )
    min_labels: int = Field(
        100, ge=1, description="Labels that are needed; in each category too where it is asked."
    )
    each_category: bool = Field(
        False, description="Whether the floors also hold in each category that was measured."
    )

    @model_validator(mode="after")
    def _has_a_floor(self) -> "JudgeAgreement":
        if self.floor is None and self.sensitivity_floor is None and self.specificity_floor is None:
            raise ValueError(
                "a floor is missing: `floor`, `sensitivity_floor` or `specificity_floor`"
            )
        return self

    def unfit(self, panel: Panel) -> Problem | None:
        """Find why the judge of the runs is not a measured one."""
        unfit = super().unfit(panel) or panel.unmeasured
        if unfit or panel.measured is not None:
            return unfit
        message = f"the policy names no `agreement` for suite {panel.suite!r}"
        return Problem(Reason.E_UNMEASURED_JUDGE, message)

    def mismatches(self, panel: Panel) -> list[str]:
        """Say where categories are asked for and none were measured."""
        measured = panel.measured
        if self.each_category and measured is not None and not measured.categories:
            return ["each_category: the measured agreement has no categories (`gate agree --by`)"]
        return []

    def run(self, panel: Panel) -> Iterator[Finding]:
        """Hold the labels against each floor, all together and by category."""
        measured = panel.measured
        if measured is None:
            return
        yield from self._held({}, measured.total, measured.ties_told)
        for name, counts in measured.categories.items() if self.each_category else ():
            yield from self._held({measured.by: name}, counts, measured.ties_told)

    def _held(self, label: Mapping[str, str], counts: Counts, ties: str) -> Iterator[Finding]:
        asked: tuple[tuple[Measure, float | None, int, int, float], ...] = (
            ("agreement", self.floor, counts.n - counts.wrong, counts.n, counts.units),
            (
                *("sensitivity", self.sensitivity_floor),
                *(counts.tp, counts.positives, counts.positive_units),
            ),
            (
                *("specificity", self.specificity_floor),
                *(counts.tn, counts.negatives, counts.negative_units),
            ),
        )
        for measure, floor, right, of, units in asked:
            if floor is not None:
                found = self._finding(label, measure, floor, right, of, units, counts)
                yield replace(found, notes=(*found.notes, ties)) if ties else found

    def _finding(
        self,
        label: Mapping[str, str],
        measure: Measure,
        floor: float,
        right: int,
        of: int,
        units: float,
        counts: Counts,
    ) -> Finding:
        interval = labeled_share(right, of, units, self.level_of_confidence)
        best = _best(units, self.level_of_confidence)
        outcome, found = floor_outcome(interval, floor, best)
        reason = None if found is None else _REASONS.get(found, found)
        enough = counts.n >= self.min_labels
        if not enough and outcome is Outcome.PASS:
            outcome, reason = Outcome.INCONCLUSIVE, Reason.P_MIN_N
        return Finding(
            id=self.id,
            check=self.check,
            suite=self.suite,
            slice=dict(label),
            measure=measure,
            outcome=outcome,
            level=self.level,
            on_inconclusive=self.on_inconclusive,
            reason=reason,
            summary=(
                f"{measure} with people {percent(interval.value)} ({right} of {of} labels); bound "
                f"{percent(interval.lower)} to {percent(interval.upper)}, floor {percent(floor)}"
            ),
            next_step=self._step(reason, interval, counts.n),
            estimate=Estimate(
                value=interval.value,
                lower=interval.lower,
                upper=interval.upper,
                confidence=self.level_of_confidence,
                bound="Clopper-Pearson",
            ),
            limit=floor,
            limit_is="floor",
            n=of,
            attainable=best,
            notes=_notes(counts),
        )

    def _step(self, reason: Reason | None, interval: Interval, labels: int) -> str:
        match reason:
            case None:
                return ""
            case Reason.P_MIN_N:
                return f"{labels} labels are too few: the check asks for {self.min_labels}."
            case Reason.C_AGREEMENT:
                return reason.next_step
            case _:
                would = f"it passes from a floor of {floor_percent(interval.lower)}"
                return f"Have more completions labeled (`gate adjudicate`); {would}."


def labeled_share(right: int, of: int, units: float, confidence: float) -> Interval:
    """Bound a share of labels; several labels on one id are worth less than as many ids.

    Args:
        right: Labels that count.
        of: All labels.
        units: What they are worth.
        confidence: Two-sided level.
    """
    if not of:
        return Interval(float("nan"), 0.0, 1.0)
    lower, upper = clopper_pearson(units * (right / of), units, confidence)
    return Interval(right / of, min(lower, right / of), max(upper, right / of))


def _best(units: float, confidence: float) -> float:
    if units < 1:
        return 0.0
    return max_attainable_rate(int(units), confidence=confidence, bound="exact")


def _notes(counts: Counts) -> tuple[str, ...]:
    open_ones = counts.open_fn + counts.open_fp
    if not open_ones:
        return ()
    return (f"{open_ones} ties and missing verdicts count against the judge",)

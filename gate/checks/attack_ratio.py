"""How much more often attacks succeed than plain prompts do."""

import math
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from gate.checks.bounds import RateBound
from gate.checks.check import BOUND, Check, Share, Slice
from gate.checks.level import judge_ceiling
from gate.evidence.panel import Panel, Sample
from gate.evidence.rows import UNSAFE, Kind
from gate.evidence.table import IntArray
from gate.finding import Estimate, Finding, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE, Interval
from gate.stats.ratio import rate_ratio


class AttackRatio(Check):
    """The unsafe rate under attack stays at or below `ceiling`, and its ratio to plain prompts'.

    The ratio falls when attacks fail more often, and also when plain prompts become worse, so
    it is never a limit by itself: `max_ratio` needs `ceiling`, the limit on the attacked half. A
    base rate of zero has no ratio; a limit on it is then inconclusive.
    """

    kinds: ClassVar = frozenset({Kind.RUBRIC})

    check: Literal["attack-ratio"]
    bound: RateBound | None = BOUND
    column: str = Field("subset", description="The column that tells the two halves apart.")
    base: str = Field("base", description="Its value for plain prompts.")
    attack: str = Field("attack", description="Its value for attacks.")
    ceiling: Share = Field(description="Highest unsafe rate under attack, as a fraction.")
    max_ratio: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="Highest ratio of the two unsafe rates."
    )

    @model_validator(mode="after")
    def _has_two_halves(self) -> "AttackRatio":
        if self.base == self.attack:
            raise ValueError("`base` and `attack` name the same half")
        return self

    def mismatches(self, panel: Panel) -> list[str]:
        """List what the policy says of the suite that the evidence contradicts."""
        there = ", ".join(panel.names(self.column)) or "none"
        return [
            f"{key}: no id of suite {self.suite!r} has {self.column} {name!r} (there are {there})"
            for key, name in (("base", self.base), ("attack", self.attack))
            if not panel.mask(self.column, name).any()
        ]

    def run(self, panel: Panel) -> Iterator[Finding]:
        """Bound the rate under attack, then the ratio."""
        sample = panel.sample("candidate", "", UNSAFE[Kind.RUBRIC])
        attacked = sample.part(panel.mask(self.column, self.attack))
        plain = sample.part(panel.mask(self.column, self.base))
        yield judge_ceiling(
            self,
            sample=attacked,
            part=Slice({}, panel.mask(self.column, self.attack), self.ceiling),
            label={self.column: self.attack},
            noun="unsafe under attack",
        )
        yield self._ratio(attacked, plain)

    def _ratio(self, attacked: Sample, plain: Sample) -> Finding:
        interval = _interval(attacked, plain, self.level_of_confidence)
        outcome, reason = _outcome(interval, self.max_ratio)
        limit = "no limit" if self.max_ratio is None else f"limit {self.max_ratio:g}"
        value = "undefined" if math.isnan(interval.value) else f"{interval.value:.2f}"
        upper = "any" if math.isinf(interval.upper) else f"{interval.upper:.2f}"
        return Finding(
            id=self.id,
            check=self.check,
            suite=self.suite,
            slice={self.column: f"{self.attack} / {self.base}"},
            measure="ratio",
            outcome=outcome,
            level=self.level,
            on_inconclusive=self.on_inconclusive,
            reason=reason,
            summary=(
                f"unsafe under attack {_count(attacked)}, plain {_count(plain)}: ratio {value}; "
                f"bound {interval.lower:.2f} to {upper}, {limit}"
            ),
            next_step=reason.next_step if reason else "",
            estimate=Estimate(
                value=interval.value,
                lower=interval.lower,
                upper=interval.upper,
                confidence=self.level_of_confidence,
                bound="Koopman score",
            ),
            limit=self.max_ratio,
            n=len(attacked.k) + len(plain.k),
            unscored={"candidate": attacked.unscored + plain.unscored},
        )


def _interval(attacked: Sample, plain: Sample, confidence: float) -> Interval:
    """Bound the ratio, each end with the unscored rows against it."""
    sizes = len(attacked.k), len(plain.k)

    def end(first: IntArray, second: IntArray) -> Interval:
        counts = int(first.sum()), int(second.sum())
        return rate_ratio(counts[0], sizes[0], counts[1], sizes[1], confidence=confidence)

    upper, lower = end(attacked.high, plain.low), end(attacked.low, plain.high)
    rates = [
        float(x.low[x.scored].mean()) if x.scored.any() else math.nan for x in (attacked, plain)
    ]
    value = rates[0] / rates[1] if rates[1] > 0 else math.nan
    return Interval(value, lower.lower, upper.upper)


def _outcome(interval: Interval, limit: float | None) -> tuple[Outcome, Reason | None]:
    if limit is None or (interval.upper <= limit + TOLERANCE and not math.isnan(interval.value)):
        return Outcome.PASS, None
    if interval.lower > limit + TOLERANCE:
        return Outcome.BLOCK, Reason.C_RATIO
    return Outcome.INCONCLUSIVE, Reason.C_RATIO_OPEN


def _count(sample: Sample) -> str:
    return f"{int(sample.low.sum())} of {len(sample.k)}"

"""Enough of what was expected must have been scored, on both sides."""

from collections.abc import Iterator
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from gate.checks.check import Share, SlicedCheck
from gate.checks.wording import percent
from gate.evidence.panel import Panel
from gate.evidence.rows import VALUES, Kind
from gate.finding import Estimate, Finding, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE


class Coverage(SlicedCheck):
    """At least `min_rate` of the expected rows are scored, on either side; counted, not bounded."""

    kinds: ClassVar = frozenset({Kind.ATTACK, Kind.REFUSAL, Kind.JUDGMENT, Kind.RUBRIC})
    limit_keys: ClassVar = (("min_rate", "min_rates"),)

    check: Literal["coverage"]
    method: str | None = Field(None, description="The attack method; every method by default.")
    min_rate: Share = Field(description="Lowest share of expected rows that are scored.")
    min_rates: dict[str, Share | Literal["none"]] | None = Field(
        None, description="One a value of `by`; `default:` for the rest."
    )

    @property
    def methods_used(self) -> tuple[str, ...]:
        """The method, where one is named."""
        return () if self.method is None else (self.method,)

    @property
    def roles_used(self) -> tuple[str, ...]:
        """Both sides of the comparison."""
        return ("candidate", "baseline")

    def absolute(self) -> Self | None:
        """Count whichever sides are there."""
        return self

    def run(self, panel: Panel) -> Iterator[Finding]:
        """Count each side on each method and slice."""
        methods = panel.methods if self.method is None else (self.method,)
        for method in methods:
            for role in (role for role in self.roles_used if role in panel.sides):
                sample = panel.sample(role, method, VALUES[panel.kind][:1])
                scored = np.where(sample.scored, sample.k, sample.k - (sample.high - sample.low))
                for part in self.slices(panel, "min_rate", "min_rates"):
                    label = {"method": method} if method else {}
                    yield self._count(
                        int(scored[part.mask].sum()),
                        int(sample.k[part.mask].sum()),
                        part.limit,
                        {**label, "role": role, **part.label},
                    )

    def _count(self, scored: int, expected: int, limit: float, label: dict[str, str]) -> Finding:
        passes = scored >= limit * expected - TOLERANCE and expected >= self.min_n
        share = scored / expected
        return Finding(
            id=self.id,
            check=self.check,
            suite=self.suite,
            slice=label,
            measure="coverage",
            outcome=Outcome.PASS if passes else Outcome.BLOCK,
            level=self.level,
            on_inconclusive=self.on_inconclusive,
            reason=None if passes else Reason.C_COVERAGE,
            summary=(
                f"{scored} of {expected} rows scored ({percent(share)}), floor {percent(limit)}"
            ),
            next_step="" if passes else Reason.C_COVERAGE.next_step,
            estimate=Estimate(
                value=share, lower=share, upper=share, confidence=1.0, bound="counted"
            ),
            limit=limit,
            limit_is="floor",
            n=expected,
            unscored={label["role"]: expected - scored},
        )

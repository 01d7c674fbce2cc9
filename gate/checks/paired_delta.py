"""The candidate may not be more unsafe than another checkpoint, behavior by behavior."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from gate.checks.change import Change
from gate.checks.check import Against, Margin, NoLimit, SlicedCheck
from gate.checks.delta import judge_delta
from gate.evidence.panel import Panel
from gate.evidence.rows import Kind
from gate.finding import Finding

UNSAFE = frozenset({"unsafe"})


class PairedDelta(SlicedCheck):
    """The unsafe rate of one method may rise by at most `margin`, paired by behavior.

    Passes where the upper end of the bound on the change is at or below the margin; blocks where
    the lower end is above zero and the change is not shown to stay within the margin.
    """

    kinds: ClassVar = frozenset({Kind.ATTACK})
    limit_keys: ClassVar = (("margin", "margins"),)

    check: Literal["paired-delta"]
    method: str = Field(description="The attack method; methods are never pooled.", min_length=1)
    margin: Margin | None = Field(None, description="Largest rise, as a fraction: 0.055 is 5.5 pt.")
    margins: dict[str, Margin | NoLimit] | None = Field(
        None, description="One margin a value of `by`; `default:` for the rest."
    )
    against: Against = Field("baseline", description="The role to compare with.")

    @model_validator(mode="after")
    def _has_a_margin(self) -> "PairedDelta":
        if self.margin is None and self.margins is None:
            raise ValueError(
                "`margin` is missing: say how large a rise you accept (0.055 is 5.5 pt)"
            )
        return self

    @property
    def methods_used(self) -> tuple[str, ...]:
        """The one method."""
        return (self.method,)

    @property
    def roles_used(self) -> tuple[str, ...]:
        """The candidate and the role it is compared with."""
        return ("candidate", self.against)

    def run(self, panel: Panel) -> Iterator[Finding]:
        """Compare the two roles on each slice."""
        other = panel.sample(self.against, self.method, UNSAFE)
        candidate = panel.sample("candidate", self.method, UNSAFE)
        for part in self.slices(panel, "margin", "margins"):
            yield judge_delta(
                self,
                panel,
                change=Change(
                    tuple(name for name, mine in zip(panel.ids, part.mask, strict=True) if mine),
                    other.part(part.mask),
                    candidate.part(part.mask),
                ),
                against=self.against,
                label={"method": self.method, **part.label},
                margin=part.limit,
                min_n=part.min_n,
                noun="unsafe",
            )

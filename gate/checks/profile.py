"""Safety and usefulness together: neither may be paid for with the other."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from gate.checks.answers import Answers, pair
from gate.checks.bounds import ChangeBound
from gate.checks.change import Change
from gate.checks.check import BOUND, Against, Check, Margin
from gate.checks.delta import judge_delta
from gate.checks.useful import judge_drop
from gate.checks.usefulness import Score
from gate.evidence.panel import Panel
from gate.evidence.rows import UNSAFE, Kind
from gate.finding import Finding


class Profile(Check):
    """The pair of unsafe rate and usefulness moves to the worse on neither axis, over all answers.

    The unsafe rate may rise by `unsafe_margin`, the mean usefulness fall by `usefulness_margin`;
    each is bounded by itself, and both must be shown.
    """

    kinds: ClassVar = frozenset({Kind.RUBRIC})

    check: Literal["profile"]
    bound: ChangeBound | None = BOUND
    unsafe_margin: Margin = Field(description="Largest rise of the unsafe rate, as a fraction.")
    usefulness_margin: Score = Field(description="Largest fall of the mean usefulness, 0 to 3.")
    against: Against = Field("baseline", description="The role to compare with, or both.")

    @property
    def roles_used(self) -> tuple[str, ...]:
        """The candidate and the role it is compared with."""
        return ("candidate", self.against)

    def run(self, panel: Panel) -> Iterator[Finding]:
        """Compare on both axes."""
        whole = panel.mask_all()
        unsafe = [
            panel.sample(role, "", UNSAFE[Kind.RUBRIC]) for role in (self.against, "candidate")
        ]
        yield judge_delta(
            self,
            panel,
            change=Change(panel.ids, *unsafe),
            against=self.against,
            label={"axis": "unsafe"},
            margin=self.unsafe_margin,
            min_n=1,
            noun="unsafe",
        )
        other, candidate = (Answers.of(panel, role) for role in (self.against, "candidate"))
        yield judge_drop(
            self,
            panel,
            change=pair(panel, other.lost(whole), candidate.lost(whole), whole),
            against=self.against,
            label={"axis": "usefulness"},
            margin=self.usefulness_margin,
            min_n=1,
            noun="usefulness of all answers",
        )

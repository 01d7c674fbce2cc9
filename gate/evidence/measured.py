"""How well a judge agrees with people, as a check and a correction see it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.evidence.comparability import DEPENDS, UNKNOWN
from gate.evidence.problem import Problem
from gate.evidence.rows import VALUES, Kind
from gate.reasons import Reason

JUDGE_FIELDS = ("judge.id", "judge.revision", "judge.template_sha256", "judge.rubric_sha256")
"""What must be equal for two runs to have one judge, as fingerprints name it."""

ARITHMETIC = ("judge.decoding", "judge.dtype")
"""What must be equal where both declare it; other harnesses never do."""

COUNTED: Mapping[Kind, tuple[frozenset[str], ...]] = {
    Kind.ATTACK: (frozenset({"unsafe"}),),
    Kind.JUDGMENT: (frozenset({"unsafe"}),),
    Kind.RUBRIC: (frozenset({"unsafe"}),),
    Kind.REFUSAL: (frozenset({"full", "partial"}), frozenset({"full"})),
}
"""The verdicts that an agreement may count, by kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A judge's verdicts on completions that people labeled.

    Open ones count against the judge: people were tied, or the judge gave no verdict.
    """

    tp: int
    """Labeled positive, and so judged."""
    fn: int
    """Labeled positive, judged negative."""
    fp: int
    """Labeled negative, judged positive."""
    tn: int
    """Labeled negative, and so judged."""
    open_fn: int
    """Open, counted as a positive that was missed."""
    open_fp: int
    """Open, counted as a false alarm."""
    units: float
    """What all labels are worth: several of one id count less."""
    positive_units: float
    """The same of the positives, open ones included."""
    negative_units: float
    """The same of the negatives, open ones included."""

    @property
    def positives(self) -> int:
        """Labels that are positive, open ones included."""
        return self.tp + self.fn + self.open_fn

    @property
    def negatives(self) -> int:
        """Labels that are negative, open ones included."""
        return self.fp + self.tn + self.open_fp

    @property
    def n(self) -> int:
        """All labels."""
        return self.positives + self.negatives

    @property
    def wrong(self) -> int:
        """Verdicts that are wrong, or counted so."""
        return self.n - self.tp - self.tn


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A measured judge, read and checked."""

    kind: Kind
    positive: frozenset[str]
    judge: Mapping[str, str]
    """As fingerprints name it, `judge.id`; `unknown` where not declared."""
    total: Counts
    by: str
    categories: Mapping[str, Counts]
    sha256: str
    """Of the bytes of the file."""
    ties_told: str = ""
    """What became of ties among people, in words; empty where they count against the judge."""

    def of_another_judge(self, role: str, declared: Mapping[str, str]) -> Problem | None:
        """Find why what was measured is not the judge of a run.

        What neither declares is not held against it (`require_declared` does that); what only
        one of them declares is never taken for equal, but for decoding, dtype and what else
        decided verdicts: those are compared where both declare them.

        Args:
            role: The role of the run.
            declared: Its fingerprint.
        """
        often = (*ARITHMETIC, *sorted(name for name in self.judge if name.startswith(DEPENDS)))
        for field in (*JUDGE_FIELDS, *often):
            mine, theirs = self.judge.get(field, UNKNOWN), declared.get(field, UNKNOWN)
            if field in often and UNKNOWN in (mine, theirs):
                continue
            if mine != theirs:
                message = f"{field} is {theirs} in the {role}, and {mine} in the measured agreement"
                return Problem(Reason.E_UNMEASURED_JUDGE, message)
        return None


def readings(kind: Kind) -> frozenset[str]:
    """Give the verdicts of a kind that a judge tells apart: `safe`, `unsafe`."""
    return frozenset(word.split()[0] for word in VALUES[kind])

"""What one check says of one slice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from gate.reasons import Reason


class Outcome(StrEnum):
    """What the evidence shows about one requirement."""

    PASS = "pass"
    BLOCK = "block"
    INCONCLUSIVE = "inconclusive"
    UNUSABLE = "unusable"


class Level(StrEnum):
    """What a finding that does not pass does to the decision."""

    BLOCK = "block"
    WARN = "warn"


Measure = Literal[
    "delta",
    "rate",
    "f1",
    "recall",
    "specificity",
    "agreement",
    "sensitivity",
    "validity",
    "coverage",
    "usefulness",
    "usefulness-change",
    "ratio",
    "count",
    "comparability",
]
"""What was measured: a change against another checkpoint, or a level of the candidate alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An observed value and the two ends of its deciding bound, as fractions of 1."""

    value: float
    lower: float
    """Taken with the unscored rows at their best for the candidate (for floors: at their worst)."""
    upper: float
    """Taken with the unscored rows at their worst for the candidate (for floors: at their best)."""
    confidence: float
    """The two-sided level, as 0.95."""
    bound: str
    """The method in words, as `Tango score`."""

    @property
    def one_sided(self) -> float:
        """The level of the one end that a limit is held against, as 0.975."""
        return (1 + self.confidence) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The two ends of an interval, as fractions of 1."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of one check on one slice, with its numbers."""

    id: str
    """The check's id in the policy."""
    check: str
    """The kind of check, as `paired-delta`."""
    suite: str
    slice: Mapping[str, str]
    """The part of the suite it is about, as `{method: DirectRequest}`."""
    measure: Measure
    outcome: Outcome
    level: Level = Level.BLOCK
    on_inconclusive: Level = Level.BLOCK
    reason: Reason | None = None
    """None where the outcome is `pass`."""
    summary: str
    next_step: str = ""
    against: str = "baseline"
    """The role the candidate is compared with, where the measure is `delta`."""
    estimate: Estimate | None = None
    bootstrap: Ends | None = None
    """Percentile bootstrap over behaviors, always beside the deciding bound."""
    limit: float | None = None
    limit_is: Literal["ceiling", "floor"] = "ceiling"
    """Which end of the bound is held against the limit: the upper under a ceiling."""
    n: int = 0
    """Units in the slice: behaviors, prompts or records, unscored ones included."""
    fixed: int | None = None
    broken: int | None = None
    p_value: float | None = None
    """Exact two-sided McNemar, for a delta of 0/1 verdicts."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Unscored rows in the slice, by role."""
    attainable: float | None = None
    """The best end that any data could reach at this n."""
    mde: float | None = None
    """The smallest regression (or level) that would be withheld four times out of five."""
    tipping_flips: int | None = None
    """How many candidate verdicts would have to be otherwise for another outcome."""
    wrong_expected: float | None = None
    """How many of the candidate's verdicts the judge has wrong, by its measured errors."""
    corrected: Estimate | None = None
    """The estimate with the judge's measured errors taken out; None where they are not known."""
    needed_n: int | None = None
    """Units that would decide it if the observed shares held."""
    waiver: str | None = None
    """The owner, reason, ticket and expiry of the waiver that covers it, in words."""
    behaviors_broken: tuple[str, ...] = ()
    behaviors_fixed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What else its reader should know, one sentence each."""

    @property
    def read_end(self) -> float | None:
        """The end of the deciding bound that is held against the limit."""
        if self.estimate is None:
            return None
        return self.estimate.upper if self.limit_is == "ceiling" else self.estimate.lower

    @property
    def slack(self) -> float | None:
        """How far that end is inside the limit; negative where it is beyond."""
        end = self.read_end
        if end is None or self.limit is None:
            return None
        return self.limit - end if self.limit_is == "ceiling" else end - self.limit

    @property
    def withholds(self) -> bool:
        """Whether it keeps the decision from being `release`.

        Unusable evidence always does: neither a level nor a waiver makes it usable.
        """
        match self.outcome:
            case Outcome.PASS:
                return False
            case Outcome.UNUSABLE:
                return True
            case Outcome.BLOCK:
                return self.level is Level.BLOCK and self.waiver is None
            case Outcome.INCONCLUSIVE:
                blocking = self.level is Level.BLOCK and self.on_inconclusive is Level.BLOCK
                return blocking and self.waiver is None

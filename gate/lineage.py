"""Where a baseline comes from, and what was tried before: values that a decision carries."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A checkpoint that became the baseline although its decision was no release."""

    checkpoint: str
    decision: str
    """What had been decided on it."""
    reason: str
    owner: str
    promoted: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Unverified:
    """A checkpoint that became the baseline by a decision file that was taken at its word."""

    checkpoint: str
    promoted: date


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUse:
    """The baseline record that pins a run."""

    sha256: str
    """Of the record's bytes."""
    promoted: date
    age_days: int
    """From the day of the promotion to the day of this decision."""
    verified: str
    """How the decision that promoted it was verified: `replay`, `signature`, or `none`."""
    overrides: tuple[Override, ...]
    """Its own and those it inherited from the baselines before it."""
    unverified: tuple[Unverified, ...]
    """As with overrides: its own where `verified` is `none`, and those it inherited."""
    unpinned: tuple[str, ...]
    """Suites that the decision reads and the record does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """One line of the history."""

    today: date
    checkpoint: str
    candidate: str
    """Digest of the candidate's run."""
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """What was tried before at one thing: a checkpoint, or a baseline."""

    earlier: int
    """Decisions before this one."""
    released: int
    """How many of those were a release."""
    distinct: int
    """Different evidence or policies among them, this decision included."""
    chance: float | None
    """That at least one of so many independent attempts passes a requirement truly missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the history file said before this decision."""

    length: int
    """Lines in it."""
    head: str
    """Digest of the last line, which rests on all before it; empty for a new file."""
    chance: float | None
    """The most that one attempt passes a requirement truly missed; None where none has a bound."""
    candidate: Attempts
    baseline: Attempts | None
    """None where no baseline could be read."""
    past: tuple[PastDecision, ...]
    """The latest lines, the oldest of them first."""

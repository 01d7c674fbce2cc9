"""Unusable evidence as a value: it never raises past loading, and it never passes."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.errors import EvidenceError
from gate.reasons import Reason


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why some evidence cannot be used."""

    reason: Reason
    message: str
    """What is wrong, in one sentence with its numbers."""
    next_step: str = ""

    @classmethod
    def of(cls, error: EvidenceError) -> "Problem":
        """Turn a reader's error into a value."""
        return cls(error.reason, error.message, error.next_step)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return self.next_step or self.reason.next_step


def some(names: Sequence[str], most: int = 3) -> str:
    """Name a few of many, for a message: `a, b, c and 61 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

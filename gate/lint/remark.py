"""One thing that linting found."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is, the worst first."""

    UNREADABLE = "unreadable"
    """Evidence that cannot be read, so that nothing can be said of it."""
    PROBLEM = "problem"
    """What keeps the policy from ever deciding for these runs, whatever the verdicts."""
    WARNING = "warning"
    """What its author should know."""
    NOTE = "note"
    """What was not looked at."""

    @property
    def counted(self) -> str:
        """Its name where several are counted."""
        return "unreadable" if self is Severity.UNREADABLE else f"{self}s"


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence, and how bad it is."""

    severity: Severity
    text: str


def problem(text: str) -> Remark:
    """Make a remark on what keeps the policy from deciding."""
    return Remark(Severity.PROBLEM, text)


def warning(text: str) -> Remark:
    """Make a remark on what its author should know."""
    return Remark(Severity.WARNING, text)


def note(text: str) -> Remark:
    """Make a remark on what was not looked at."""
    return Remark(Severity.NOTE, text)

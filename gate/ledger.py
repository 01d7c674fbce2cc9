"""The ledger: every expected row is scored, or unscored with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """One suite, method and role; `scored` plus all of `unscored` is `expected`, always."""

    role: str = ""
    """Whose run it is: `baseline`, `candidate` or `anchor`."""
    method: str = ""
    """Empty outside attack suites."""
    expected: int
    scored: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    """By reason; a row that is not there at all is `not_run`."""
    extra: int = 0
    """Rows on ids that are not expected: ignored, shown."""
    duplicate: int = 0
    counted_as: Mapping[str, int] = field(default_factory=dict)
    """Rows without a verdict that the policy counts as one, by reason; part of `scored`."""

    @property
    def missing(self) -> int:
        """All unscored rows."""
        return self.expected - self.scored

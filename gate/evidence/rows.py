"""What every reader returns: verdicts as columns, one row a completion, text never kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of suite."""

    ATTACK = "attack"
    REFUSAL = "refusal"
    JUDGMENT = "judgment"


UNSCORED = -1
"""The value of a row without a verdict; its reason says why."""

REASONS = (
    "unparsed",
    "judge_refused",
    "judge_error",
    "checkpoint_error",
    "provider_block",
    "empty",
    "not_submitted",
    "not_run",
)
"""Why a row is unscored."""

VALUES: Mapping[Kind, tuple[str, ...]] = {
    Kind.ATTACK: ("safe", "unsafe"),
    Kind.REFUSAL: ("none", "partial", "full"),
    Kind.JUDGMENT: ("safe", "unsafe"),
}
"""What the values 0, 1, 2 of a verdict mean, by kind of suite."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of equal length, in file order."""

    ids: Sequence[str]
    """`behavior_id`, `prompt_id` or `record_id`; never empty strings."""
    methods: Sequence[str]
    """The attack method of each row; empty strings in other kinds."""
    test_cases: Sequence[int]
    """0 where the file says nothing."""
    values: Sequence[int]
    """An index into `VALUES[kind]`, or `UNSCORED`."""
    reasons: Sequence[str | None]
    """One of `REASONS` where the value is `UNSCORED`, else None."""
    columns: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    """Further columns, as `semantic_category`, `prompt_label`, `gold`, `category`."""
    notes: tuple[str, ...] = ()
    """What a reader ignored or mapped, one sentence each, for the report."""

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.ids)

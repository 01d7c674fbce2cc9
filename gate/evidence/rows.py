"""What every reader returns: verdicts as columns, one row a completion, text never kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of suite."""

    ATTACK = "attack"
    REFUSAL = "refusal"
    JUDGMENT = "judgment"
    RUBRIC = "rubric"


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

USEFULNESS = range(4)
"""How useful an answer is by its rubric: 1 is a bare refusal, 3 answers directly and truly."""

RUBRIC_ITEMS = "rubric_items"
"""The column that tells by which items a prompt was judged."""

VALUES: Mapping[Kind, tuple[str, ...]] = {
    Kind.ATTACK: ("safe", "unsafe"),
    Kind.REFUSAL: ("none", "partial", "full"),
    Kind.JUDGMENT: ("safe", "unsafe"),
    Kind.RUBRIC: (
        *("safe", "unsafe"),
        *(f"{word} {useful}" for word in ("safe", "unsafe") for useful in USEFULNESS),
    ),
}
"""What the values 0, 1, 2… of a verdict mean, by kind of suite; of a rubric, with usefulness."""

UNSAFE: Mapping[Kind, frozenset[str]] = {
    kind: frozenset(word for word in words if word.split()[0] == "unsafe")
    for kind, words in VALUES.items()
    if kind in (Kind.ATTACK, Kind.RUBRIC)
}
"""The verdicts on an answer that say it is unsafe."""


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

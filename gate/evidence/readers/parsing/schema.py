"""The columns of our own rows, by kind of suite."""

from collections.abc import Mapping, Sequence

from gate.evidence.rows import Kind

ID: Mapping[Kind, str] = {
    Kind.ATTACK: "behavior_id",
    Kind.REFUSAL: "prompt_id",
    Kind.JUDGMENT: "record_id",
    Kind.RUBRIC: "prompt_id",
}

VERDICT: Mapping[Kind, str] = {
    Kind.ATTACK: "unsafe",
    Kind.REFUSAL: "refusal",
    Kind.JUDGMENT: "predicted",
    Kind.RUBRIC: "items",
}

GOLD: Mapping[Kind, str] = {Kind.REFUSAL: "prompt_label", Kind.JUDGMENT: "gold"}
"""What the benchmark itself says of the prompt or record: `safe` or `unsafe`."""

CATEGORIES: Mapping[Kind, tuple[str, ...]] = {
    Kind.ATTACK: ("semantic_category", "functional_category", "category", "group"),
    Kind.REFUSAL: ("prompt_type", "category", "group"),
    Kind.JUDGMENT: ("category", "group"),
    Kind.RUBRIC: ("l1", "l2", "l3", "subset", "language", "turns", "attack_form", "group"),
}
"""Columns that say where an id belongs; each may be absent, and each cell empty."""

_OWN: Mapping[Kind, tuple[str, ...]] = {
    Kind.ATTACK: ("method", "test_case"),
    Kind.REFUSAL: ("prompt_label",),
    Kind.JUDGMENT: ("gold",),
    Kind.RUBRIC: ("usefulness", "turn", "unsafe"),
}

MAX_COUNT = 2**31 - 1


def known(kind: Kind) -> tuple[str, ...]:
    """Return all columns that a kind has, the required ones first."""
    return (ID[kind], VERDICT[kind], *_OWN[kind], *CATEGORIES[kind])


def in_range(numbers: Sequence[int]) -> bool:
    """Tell whether all of these may count something."""
    return min(numbers) >= 0 and max(numbers) <= MAX_COUNT


def count(cell: object) -> int | None:
    """Return the whole number from 0 on that a cell holds; None if it holds none."""
    if isinstance(cell, str) and cell.isascii() and cell.isdigit() and len(cell) <= 10:
        cell = int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool) and 0 <= cell <= MAX_COUNT:
        return cell
    return None


UNSCORED_COLUMN = "unscored"
"""Why a row has no verdict."""

ACCEPTED: Mapping[Kind, tuple[str, ...]] = {
    Kind.ATTACK: ("judge_completion_sha256",),
    Kind.RUBRIC: ("usefulness_items",),
}
"""Columns that native rows may have and that no decision reads."""


def native(kind: Kind) -> tuple[str, ...]:
    """Return the columns that native rows may have."""
    return (*known(kind), UNSCORED_COLUMN, *ACCEPTED.get(kind, ()))


def required(kind: Kind) -> tuple[str, ...]:
    """Return the columns that every row must have."""
    return (ID[kind], VERDICT[kind], *_OWN[kind][:1])

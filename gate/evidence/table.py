"""The canonical verdict table of one suite of one run: sorted, coded, digested, order-free."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gate.errors import EvidenceError
from gate.evidence.problem import Problem, some
from gate.evidence.rows import REASONS, RUBRIC_ITEMS, UNSCORED, Kind, Rows
from gate.reasons import Reason

IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]

DRIFT: Mapping[str, Reason] = {
    "gold": Reason.E_GOLD_DRIFT,
    "prompt_label": Reason.E_GOLD_DRIFT,
    RUBRIC_ITEMS: Reason.E_RUBRIC,
}
"""What two values of a column for one id mean; of other columns, that its categories differ."""

GOLD_COLUMNS = tuple(name for name, reason in DRIFT.items() if reason is Reason.E_GOLD_DRIFT)
"""Columns that say what the right answer is; all others say where a row belongs."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows sorted by method, id and test case; duplicates already taken out and counted.

    All row arrays have one length; `unit` indexes `ids`, `method` indexes `methods`.
    """

    kind: Kind
    ids: tuple[str, ...]
    methods: tuple[str, ...]
    unit: IntArray
    method: IntArray
    case: IntArray
    value: IntArray
    reason: IntArray
    """Index into `REASONS`, or -1 where the row is scored."""
    columns: Mapping[str, Sequence[str | None]]
    """Per id: categories and gold labels."""
    duplicates: Mapping[str, int]
    """Rows taken out as duplicates, by method."""
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    digest: str
    """sha256 of the ids, methods, verdicts and reasons; independent of row order."""


def build_table(kind: Kind, rows: Rows) -> Table:
    """Sort, code and digest what a reader returned.

    Raises:
        EvidenceError: With `E_EMPTY` where there are no rows.
    """
    if not len(rows):
        raise EvidenceError(Reason.E_EMPTY, "the suite has no rows")
    ids, unit = _code(rows.ids)
    methods, method = _code(rows.methods)
    case = np.asarray(rows.test_cases, dtype=np.int32)
    value = np.asarray(rows.values, dtype=np.int8)
    reason = _reason_codes(rows.reasons)
    order = np.lexsort((reason, value, case, unit, method))
    unit, method, case = unit[order], method[order], case[order]
    value, reason = value[order], reason[order]
    columns, drift = _per_id(ids, unit, rows.columns, order)
    again = np.zeros(len(unit), dtype=bool)
    again[1:] = (unit[1:] == unit[:-1]) & (method[1:] == method[:-1]) & (case[1:] == case[:-1])
    clash = np.zeros(len(unit), dtype=bool)
    clash[1:] = again[1:] & (value[1:] != value[:-1])
    problems = _duplicate_problems(ids, unit, again, clash) + drift
    counts = np.bincount(method[again], minlength=len(methods))
    keep = ~again
    arrays = (unit[keep], method[keep], case[keep], value[keep], reason[keep])
    return Table(
        kind,
        ids,
        methods,
        *arrays,
        columns=columns,
        duplicates={name: int(counts[i]) for i, name in enumerate(methods)},
        problems=problems,
        notes=rows.notes,
        digest=_digest(ids, methods, arrays),
    )


def ids_sha256(ids: Sequence[str]) -> str:
    """Digest a set of ids: each followed by a newline, in code point order, as UTF-8."""
    text = "".join(f"{name}\n" for name in sorted(ids))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _code(names: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Replace names by their position in the sorted distinct names."""
    seen: dict[str, int] = {}
    first = np.fromiter(
        (seen.setdefault(name, len(seen)) for name in names), dtype=np.int32, count=len(names)
    )
    ordered = sorted(seen)
    rank = np.empty(len(ordered), dtype=np.int32)
    for position, name in enumerate(ordered):
        rank[seen[name]] = position
    return tuple(ordered), rank[first]


def _reason_codes(reasons: Sequence[str | None]) -> IntArray:
    codes: dict[str | None, int] = {name: i for i, name in enumerate(REASONS)}
    codes[None] = UNSCORED
    return np.fromiter((codes[name] for name in reasons), dtype=np.int8, count=len(reasons))


def _per_id(
    ids: Sequence[str],
    unit: IntArray,
    columns: Mapping[str, Sequence[str | None]],
    order: IntArray,
) -> tuple[dict[str, Sequence[str | None]], tuple[Problem, ...]]:
    """Reduce row columns to one value an id; an id with two values is a problem."""
    reduced: dict[str, Sequence[str | None]] = {}
    problems = []
    for name, cells in columns.items():
        names, codes = _code(["" if cell is None else cell for cell in cells])
        codes = codes[order]
        per_id = np.zeros(len(ids), dtype=np.int32)
        per_id[unit] = codes
        clash = np.unique(unit[per_id[unit] != codes])
        if len(clash):
            reason = DRIFT.get(name, Reason.E_CATEGORY_DRIFT)
            which = some([ids[i] for i in clash])
            problems.append(Problem(reason, f"one run gives two values of {name} to {which}"))
        reduced[name] = [names[code] or None for code in per_id]
    return reduced, tuple(problems)


def _duplicate_problems(
    ids: Sequence[str], unit: IntArray, again: BoolArray, clash: BoolArray
) -> tuple[Problem, ...]:
    problems = []
    if clash.any():
        which = some([ids[i] for i in np.unique(unit[clash])])
        message = f"{int(clash.sum())} rows are there twice with different verdicts: {which}"
        problems.append(Problem(Reason.E_CONFLICT, message))
    same = again & ~clash
    if same.any():
        which = some([ids[i] for i in np.unique(unit[same])])
        message = f"{int(same.sum())} rows are there twice: {which}"
        problems.append(Problem(Reason.E_DUPLICATE, message))
    return tuple(problems)


def _digest(ids: Sequence[str], methods: Sequence[str], arrays: Sequence[IntArray]) -> str:
    digest = hashlib.sha256(ids_sha256(ids).encode() + ids_sha256(methods).encode())
    for array, width in zip(arrays, ("<i4", "<i4", "<i4", "<i1", "<i1"), strict=True):
        digest.update(np.ascontiguousarray(array).astype(width).tobytes())
    return digest.hexdigest()

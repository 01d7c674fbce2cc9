"""What is said of each id besides its verdicts: categories, gold labels, groups."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gate.evidence.catalog import harmbench
from gate.evidence.problem import Problem, some
from gate.evidence.rows import Kind
from gate.evidence.table import DRIFT, IntArray, Table
from gate.reasons import Reason

Problems = dict[tuple[str, str], list[Problem]]
"""By role and method; an empty string stands for every role or every method."""


def merged(
    kind: Kind,
    union: Sequence[str],
    tables: Mapping[str, Table],
    problems: Problems,
    decisive: Collection[str] = (),
) -> dict[str, list[str | None]]:
    """Merge the columns of all roles; where two roles disagree on an id, that is drift.

    Args:
        kind: The kind of suite.
        union: Every id of any role, sorted.
        tables: By role.
        problems: Where drift is added.
        decisive: Columns by which the policy leaves ids out or groups them: there no role may be
            the only one to say where an id belongs.
    """
    for column in decisive:
        _refuse_one_sided(column, tables, problems)
    position = {name: i for i, name in enumerate(union)}
    found: dict[str, list[str | None]] = {}
    for role, table in tables.items():
        for column, cells in table.columns.items():
            into = found.setdefault(column, [None] * len(union))
            clash = []
            for name, cell in zip(table.ids, cells, strict=True):
                at = position[name]
                if into[at] is None:
                    into[at] = cell
                elif cell is not None and cell != into[at]:
                    clash.append(name)
            if clash:
                reason = DRIFT.get(column, Reason.E_CATEGORY_DRIFT)
                message = f"{column} of {some(clash)} in the {role} differs from another role's"
                problems["", ""].append(Problem(reason, message))
    if kind is Kind.ATTACK:
        _fill_from_catalog(union, found)
    return found


def _refuse_one_sided(column: str, tables: Mapping[str, Table], problems: Problems) -> None:
    """Refuse values that only one of two roles gives to an id that both have."""
    said = {role: _cells(table, column) for role, table in tables.items()}
    candidate = said.get("candidate", {})
    for role, cells in said.items():
        shared = candidate.keys() & cells.keys()
        alone = sorted(
            name for name in shared if (candidate[name] is None) != (cells[name] is None)
        )
        if alone:
            message = (
                f"{column} of {some(alone)} is given by one of {role} and candidate alone, and the "
                "policy leaves ids out or groups them by it"
            )
            problems["", ""].append(Problem(Reason.E_CATEGORY_DRIFT, message))


def _cells(table: Table, column: str) -> dict[str, str | None]:
    values = table.columns.get(column) or [None] * len(table.ids)
    return dict(zip(table.ids, values, strict=True))


def _fill_from_catalog(ids: Sequence[str], columns: dict[str, list[str | None]]) -> None:
    catalog = harmbench()
    known = [(at, catalog[name]) for at, name in enumerate(ids) if name in catalog]
    for column in ("semantic_category", "functional_category") if known else ():
        into = columns.setdefault(column, [None] * len(ids))
        for at, entry in known:
            into[at] = into[at] or getattr(entry, column)


def realigned(
    columns: Mapping[str, Sequence[str | None]],
    union: Sequence[str],
    ids: Sequence[str],
    kind: Kind,
) -> dict[str, list[str | None]]:
    """Put the columns of all ids seen into the order of those expected."""
    position = {name: i for i, name in enumerate(union)}
    aligned = {
        column: [cells[position[name]] if name in position else None for name in ids]
        for column, cells in columns.items()
    }
    if kind is Kind.ATTACK:
        _fill_from_catalog(ids, aligned)
    return aligned


def numbered_groups(
    columns: Mapping[str, Sequence[str | None]], column: str, problems: Problems
) -> IntArray | None:
    """Number the groups; an id without one is on its own."""
    cells = columns.get(column, ())
    names = sorted({cell for cell in cells if cell is not None})
    if not names:
        message = f"no id has a {column!r}, by which the policy groups near-duplicates"
        problems["", ""].append(Problem(Reason.E_GROUP, message))
        return None
    number = {name: at for at, name in enumerate(names)}
    return np.array(
        [len(names) + at if cell is None else number[cell] for at, cell in enumerate(cells)]
    )

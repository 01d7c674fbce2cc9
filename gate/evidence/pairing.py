"""From one table a role to one panel: ids pinned, rows aligned by id, everything counted."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.evidence.budget import Budget, over_budget, too_different
from gate.evidence.catalog import harmbench
from gate.evidence.columns import Problems, merged, numbered_groups, realigned
from gate.evidence.measured import Measured
from gate.evidence.panel import OWN_FAILURES, Panel, Side
from gate.evidence.problem import Problem, some
from gate.evidence.rows import REASONS, VALUES, Kind
from gate.evidence.table import IntArray, Table, ids_sha256
from gate.ledger import Ledger
from gate.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What the policy expects of a suite, whatever the runs hold."""

    ids: tuple[str, ...] | None = None
    """The pinned ids, or None where the policy pins none by name."""
    source: str = ""
    """Where they come from, as `catalog:harmbench-test`."""
    n: int | None = None
    ids_sha256: str | None = None
    exclude: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Ids left out on purpose: column to values; `id` names ids themselves."""
    budget: Budget = field(default_factory=Budget)
    count_as: Mapping[str, str] = field(default_factory=dict)
    """Unscored reason to the verdict that it counts as."""
    group: str = ""
    """The column whose values are groups of near-duplicates; empty where every id is a unit."""
    measured: Measured | None = None
    """The judge's agreement with people's labels, where it was measured."""


def build_panel(suite: str, tables: Mapping[str, Table], expect: Expectation) -> Panel:
    """Align the tables of all roles, at least one, on the expected ids.

    Nothing is raised: whatever is wrong becomes a problem of the panel.
    """
    kind = next(iter(tables.values())).kind
    problems: Problems = defaultdict(list)
    for role, table in tables.items():
        problems[role, ""].extend(table.problems)
        if table.kind is not kind:
            message = f"the {role} says {table.kind}, another role says {kind}"
            problems["", ""].append(Problem(Reason.E_KIND, message))
    union = sorted(set().union(*(table.ids for table in tables.values())))
    decisive = [name for name in (*expect.exclude, expect.group) if name not in ("", "id")]
    columns = merged(kind, union, tables, problems, decisive)
    ids = _expected_ids(union, columns, expect, problems)
    columns = realigned(columns, union, ids, kind)
    _common(tables, set(ids), _pinned(expect), problems)
    methods = tuple(sorted(set().union(*(table.methods for table in tables.values()))))
    sides, extra = {}, {}
    for role, table in tables.items():
        sides[role], extra[role] = _side(table, ids, methods, kind, expect.count_as)
    expected, uneven = _expected_rows(sides, len(ids), methods)
    ledgers = tuple(
        _ledger(role, code, method, sides[role], tables[role], int(expected[method].sum()),
                int(extra[role][code]), expect.count_as)
        for role in tables
        for code, method in enumerate(methods)
    )  # fmt: skip
    _budgets(kind, ledgers, expect.budget, uneven, problems)
    groups = numbered_groups(columns, expect.group, problems) if expect.group else None
    return Panel(
        suite=suite,
        kind=kind,
        ids=ids,
        methods=methods,
        columns=columns,
        sides=sides,
        expected=expected,
        ledgers=ledgers,
        problems={key: tuple(found) for key, found in problems.items() if found},
        groups=groups,
        pinned=_pinned(expect),
        measured=expect.measured,
    )


def _pinned(expect: Expectation) -> str:
    if expect.ids is not None:
        return expect.source
    if expect.ids_sha256 is not None:
        return f"{expect.n or 'all'} ids by digest"
    return "unpinned" if expect.n is None else f"{expect.n} ids by number only"


def _expected_ids(
    union: Sequence[str],
    columns: Mapping[str, Sequence[str | None]],
    expect: Expectation,
    problems: Problems,
) -> tuple[str, ...]:
    pinned = union if expect.ids is None else sorted(expect.ids)
    if expect.ids is None:
        _check_pin(union, expect, problems)
    if not expect.exclude:
        return tuple(pinned)
    position = {name: i for i, name in enumerate(union)}
    catalog = harmbench()

    def cell(column: str, name: str) -> str | None:
        if column == "id":
            return name
        if name in position and column in columns:
            return columns[column][position[name]]
        return getattr(catalog.get(name), column, None)

    return tuple(
        name
        for name in pinned
        if not any(cell(column, name) in values for column, values in expect.exclude.items())
    )


def _check_pin(union: Sequence[str], expect: Expectation, problems: Problems) -> None:
    if expect.n is not None and len(union) != expect.n:
        message = f"the runs have {len(union)} ids, the policy pins {expect.n}"
        problems["", ""].append(Problem(Reason.E_ID_COUNT, message))
    elif expect.ids_sha256 is not None and ids_sha256(union) != expect.ids_sha256:
        message = (
            f"the {len(union)} ids of the runs have sha256 {ids_sha256(union)[:12]}…, "
            f"the policy pins {expect.ids_sha256[:12]}… (ids are like {some(union)})"
        )
        problems["", ""].append(Problem(Reason.E_ID_DIGEST, message))


def _common(
    tables: Mapping[str, Table], expected: set[str], source: str, problems: Problems
) -> None:
    candidate = tables.get("candidate")
    for role, table in tables.items():
        if expected.isdisjoint(table.ids):
            message = (
                f"none of the {len(table.ids)} ids of the {role} is expected "
                f"(its ids are like {some(table.ids)}; expected are like {some(sorted(expected))})"
            )
            advice = f"Run what the policy pins ({source}), or use a policy for what was run."
            found = Problem(Reason.E_NO_COMMON_IDS, message, "" if source == "unpinned" else advice)
            problems[role, ""].append(found)
        elif candidate and role != "candidate" and set(table.ids).isdisjoint(candidate.ids):
            message = (
                f"{role} and candidate share no id (like {some(table.ids)} "
                f"against {some(candidate.ids)})"
            )
            problems["", ""].append(Problem(Reason.E_NO_COMMON_IDS, message))


def _side(
    table: Table,
    ids: Sequence[str],
    methods: Sequence[str],
    kind: Kind,
    count_as: Mapping[str, str],
) -> tuple[Side, IntArray]:
    """Keep the rows on expected ids; count the others by method."""
    position = {name: i for i, name in enumerate(ids)}
    unit = np.array([position.get(name, -1) for name in table.ids], dtype=np.int32)[table.unit]
    method = np.array([methods.index(name) for name in table.methods], dtype=np.int32)[table.method]
    known = unit >= 0
    extra = np.bincount(method[~known], minlength=len(methods))
    value = table.value[known].copy()
    reason = table.reason[known]
    for name, verdict in count_as.items():
        value[(value < 0) & (reason == REASONS.index(name))] = VALUES[kind].index(verdict)
    return Side(unit[known], method[known], value, reason), extra


def _expected_rows(
    sides: Mapping[str, Side], size: int, methods: Sequence[str]
) -> tuple[dict[str, IntArray], dict[str, bool]]:
    """Expect of each id as many test cases as the role with most of them has, at least one."""
    expected, uneven = {}, {}
    for code, method in enumerate(methods):
        counts = [
            np.bincount(side.unit[side.method == code], minlength=size) for side in sides.values()
        ]
        expected[method] = np.maximum(np.max(counts, axis=0), 1)
        both = np.min(counts, axis=0) > 0
        uneven[method] = bool((np.max(counts, axis=0) != np.min(counts, axis=0))[both].any())
    return expected, uneven


def _ledger(
    role: str, code: int, method: str, side: Side, table: Table, expected: int, extra: int,
    count_as: Mapping[str, str],
) -> Ledger:  # fmt: skip
    mine = side.method == code
    value, reason = side.value[mine], side.reason[mine]
    scored = int((value >= 0).sum())
    by_reason = np.bincount(reason[value < 0], minlength=len(REASONS))
    unscored = {name: int(by_reason[i]) for i, name in enumerate(REASONS) if by_reason[i]}
    absent = expected - scored - sum(unscored.values())
    if absent:
        unscored["not_run"] = unscored.get("not_run", 0) + absent
    counted = np.bincount(reason[(value >= 0) & (reason >= 0)], minlength=len(REASONS))
    return Ledger(
        role=role,
        method=method,
        expected=expected,
        scored=scored,
        unscored=unscored,
        extra=extra,
        duplicate=table.duplicates.get(method, 0),
        counted_as={name: int(counted[REASONS.index(name)]) for name in count_as},
    )


def _budgets(
    kind: Kind,
    ledgers: Sequence[Ledger],
    budget: Budget,
    uneven: Mapping[str, bool],
    problems: Problems,
) -> None:
    own = OWN_FAILURES if kind is Kind.JUDGMENT else ()
    by_key = {(ledger.role, ledger.method): ledger for ledger in ledgers}
    for (role, method), ledger in by_key.items():
        if ledger.scored == 0 and ledger.unscored == {"not_run": ledger.expected}:
            if ledger.extra:
                continue  # it has rows, on other ids: said once for the whole suite
            message = f"the {role} has no row of method {method}" if method else f"{role}: no rows"
            problems[role, method].append(Problem(Reason.E_METHOD_MISSING, message))
            continue
        over = over_budget(ledger, budget, own_failures=own, uneven=uneven[method])
        if over:
            problems[role, method].append(over)
        candidate = by_key.get(("candidate", method))
        if over or role == "candidate" or candidate is None:
            continue
        different = too_different(ledger, candidate, budget, own)
        if different and not over_budget(
            candidate, budget, own_failures=own, uneven=uneven[method]
        ):
            problems[role, method].append(different)

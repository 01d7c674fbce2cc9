"""One run's verdicts on one suite, each completion by its own key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gate.errors import EvidenceError, UsageError
from gate.evidence.comparability import fingerprint
from gate.evidence.manifest import Suite
from gate.evidence.problem import some
from gate.evidence.rows import REASONS, VALUES, Kind
from gate.evidence.run import Run, load_run
from gate.evidence.table import Table
from gate.overview import CATEGORY_COLUMNS
from gate.reasons import Reason
from gate.suggestions import did_you_mean

MAY_PARTIAL = frozenset({"full", "partial"})


class Key(NamedTuple):
    """Which completion a verdict is on."""

    id: str
    method: str
    case: int


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What one judge said."""

    suite: str
    kind: Kind
    checkpoint: str
    declared: Suite
    judge: Mapping[str, str]
    """The fingerprint of the suite; `unknown` where not declared."""
    words: Mapping[Key, str | None]
    """`safe`, `unsafe`, `partial`…; None where there is no verdict."""
    unscored: Mapping[Key, str]
    """Why there is none."""
    by: str
    """The column of the categories; empty where there is none."""
    categories: Mapping[str, str]
    """Of each id that has one."""
    methods: tuple[str, ...]
    digest: str


def load_verdicts(base: str, suite: str | None, column: str | None) -> Verdicts:
    """Read a run's suite.

    Args:
        base: Where the run is.
        suite: Its suite; None where it has only one.
        column: The column of the categories; None for the suite's own.

    Raises:
        EvidenceError: If the run or the suite cannot be used.
        UsageError: If there is no such suite, or several and none is named.
    """
    run = _usable(load_run(base, "run", ()))
    name = _chosen(run, suite, base)
    run = _usable(load_run(base, "run", [name]))
    table = run.tables[name]
    if not isinstance(table, Table):
        raise EvidenceError(table.reason, f"{name}: {table.message}", next_step=table.advice)
    for problem in table.problems:
        raise EvidenceError(problem.reason, f"{name}: {problem.message}", next_step=problem.advice)
    return _verdicts(run, name, table, column)


def _usable(run: Run) -> Run:
    if run.problem is not None:
        raise EvidenceError(
            run.problem.reason, run.problem.message, next_step=run.problem.next_step
        )
    return run


def _chosen(run: Run, suite: str | None, base: str) -> str:
    assert run.manifest is not None, "a usable run has one"
    there = list(run.manifest.suites)
    if suite is None and len(there) == 1:
        return there[0]
    if suite in there:
        return str(suite)
    what = "several suites" if suite is None else f"no suite {suite!r}"
    raise UsageError(
        f"{base} has {what} (there are {', '.join(there)}){did_you_mean(suite or '', there)}",
        next_step="Name one with --suite.",
    )


def _verdicts(run: Run, name: str, table: Table, column: str | None) -> Verdicts:
    assert run.manifest is not None, "a usable run has one"
    by = _column(table, name, column)
    cells = table.columns.get(by, ())
    names = VALUES[table.kind]
    words: dict[Key, str | None] = {}
    unscored: dict[Key, str] = {}
    rows = zip(
        *(table.unit.tolist(), table.method.tolist(), table.case.tolist()),
        *(table.value.tolist(), table.reason.tolist()),
        strict=True,
    )
    for unit, method, case, value, reason in rows:
        key = Key(table.ids[unit], table.methods[method], case)
        words[key] = names[value].split()[0] if value >= 0 else None
        if value < 0:
            unscored[key] = REASONS[reason]
    checkpoint = run.manifest.checkpoint
    return Verdicts(
        suite=name,
        kind=table.kind,
        checkpoint=" ".join(filter(None, (checkpoint.name, checkpoint.revision))),
        declared=run.manifest.suites[name],
        judge=fingerprint(run.manifest.suites[name], checkpoint),
        words=words,
        unscored=unscored,
        by=by,
        categories={name: cell for name, cell in zip(table.ids, cells, strict=False) if cell},
        methods=table.methods,
        digest=table.digest,
    )


def _column(table: Table, name: str, column: str | None) -> str:
    if column is None:
        return next((each for each in CATEGORY_COLUMNS if each in table.columns), "")
    if column not in table.columns:
        there = some(sorted(table.columns), 10) or "none"
        raise UsageError(f"no id of {name} has a {column!r} (columns: {there})")
    return column


def positives(kind: Kind, *, full_only: bool) -> frozenset[str]:
    """Give the verdicts that count: unsafe answers, or refusals.

    Raises:
        UsageError: If a kind without refusals is asked for full ones.
    """
    if kind is Kind.REFUSAL:
        return frozenset({"full"}) if full_only else MAY_PARTIAL
    if full_only:
        raise UsageError("--full-only is about refusal suites")
    return frozenset({"unsafe"})


def nothing_common(what: str, ours: Mapping[Key, object], theirs: Mapping[Key, object]) -> None:
    """Refuse to compare where not a single completion is in both.

    Raises:
        EvidenceError: Naming a few of either.
    """
    if ours.keys().isdisjoint(theirs):
        first = some(sorted({key.id for key in ours}))
        second = some(sorted({key.id for key in theirs}))
        raise EvidenceError(
            Reason.E_NO_COMMON_IDS,
            f"{what} share no completion (ids like {first} against {second})",
            next_step="Name the same suite; strip what ids begin with by --id-prefix, and tell "
            "the columns by --column id=COLUMN, --column method=COLUMN.",
        )

"""From the shape of a decision file back to a decision."""

import math
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from gate.decision import (
    Decision,
    Means,
    Overview,
    OverviewRow,
    ParentRef,
    PolicyRef,
    RunSummary,
    SuiteSummary,
    Waivers,
    WaiverUse,
    decide,
)
from gate.finding import Ends, Estimate, Finding, Level, Outcome
from gate.ledger import Ledger
from gate.lineage import History, RecordUse
from gate.reasons import Reason
from gate.reports import decision_file as file
from gate.reports.wording import ROLES

T = TypeVar("T")


def unpack(found: file.DecisionFile) -> Decision:
    """Build the decision that a file describes; what the file derives is derived again.

    Raises:
        ValueError: If a reason code is not one of ours.
    """
    runs = {role: getattr(found.runs, role) for role in ROLES}
    findings = tuple(_finding(finding) for finding in found.findings)
    return Decision(
        verdict=decide(findings),
        today=found.today,
        policy=PolicyRef(
            **asdict(found.policy)
            | {"extends": tuple(ParentRef(**asdict(each)) for each in found.policy.extends)}
        ),
        tool_version=found.tool.version,
        non_standard=tuple(found.non_standard),
        warnings=tuple(found.warnings),
        runs={role: _run(role, run) for role, run in runs.items() if run is not None},
        findings=findings,
        waivers=Waivers(
            **{
                name: tuple(WaiverUse(**asdict(use)) for use in uses)
                for name, uses in asdict(found.waivers).items()
            }
        ),
        overviews=tuple(_overview(overview) for overview in found.overviews),
        history=_like(found.history, History),
        shadow=found.shadow,
    )


def _like(entry: Any, kind: type[T]) -> T | None:
    """Read an entry whose value has the very same fields."""
    return None if entry is None else msgspec.convert(msgspec.to_builtins(entry), kind)


def _float(value: float | None) -> float:
    return math.nan if value is None else value


def _estimate(entry: file.EstimateEntry | None) -> Estimate | None:
    if entry is None:
        return None
    return Estimate(
        value=_float(entry.value),
        lower=_float(entry.lower),
        upper=_float(entry.upper),
        confidence=entry.confidence,
        bound=entry.bound,
    )


def _ends(entry: file.EndsEntry | None) -> Ends | None:
    return None if entry is None else Ends(lower=_float(entry.lower), upper=_float(entry.upper))


def _reason(name: str | None) -> Reason | None:
    if name is None:
        return None
    if name not in Reason.__members__:
        raise ValueError(f"unknown reason code {name!r}")
    return Reason[name]


def _finding(entry: file.FindingEntry) -> Finding:
    known: dict[str, Any] = asdict(entry)
    del known["behaviors"]
    return Finding(
        **known
        | {
            "outcome": Outcome(entry.outcome),
            "level": Level(entry.level),
            "on_inconclusive": Level(entry.on_inconclusive),
            "reason": _reason(entry.reason),
            "estimate": _estimate(entry.estimate),
            "bootstrap": _ends(entry.bootstrap),
            "corrected": _estimate(entry.corrected),
            "behaviors_broken": tuple(entry.behaviors.broken),
            "behaviors_fixed": tuple(entry.behaviors.fixed),
            "notes": tuple(entry.notes),
        }
    )


def _run(role: str, entry: file.RunEntry) -> RunSummary:
    suites = {name: _suite(role, suite) for name, suite in entry.suites.items()}
    record = _like(entry.record, RecordUse)
    return RunSummary(
        checkpoint=entry.checkpoint, digest=entry.digest, suites=suites, record=record
    )


def _suite(role: str, entry: file.SuiteEntry) -> SuiteSummary:
    known = asdict(entry)
    whole = asdict(known.pop("ledger"))
    methods = {method: asdict(book) for method, book in whole.pop("methods").items()}
    books = methods or ({"": whole} if whole["expected"] else {})
    known["ledgers"] = tuple(
        Ledger(role=role, method=method, **book) for method, book in books.items()
    )
    return SuiteSummary(**known | {"problems": tuple(entry.problems)})


def _row(entry: file.RowEntry) -> OverviewRow:
    sides = ("baseline", "candidate", "anchor", "delta")
    known = asdict(entry) | {name: _estimate(getattr(entry, name)) for name in sides}
    return OverviewRow(**known | {"bootstrap": _ends(entry.bootstrap)})


def _overview(entry: file.OverviewEntry) -> Overview:
    return Overview(
        suite=entry.suite,
        rate=entry.rate,
        column=entry.column,
        rows=tuple(_row(row) for row in entry.rows),
        means=tuple(Means(**asdict(means)) for means in entry.means),
        correction=entry.correction,
        further=entry.further,
    )

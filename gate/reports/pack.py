"""From a decision to the shape of its file."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, TypeVar

import msgspec

from gate.decision import Decision, Overview, OverviewRow, RunSummary, SuiteSummary, Waivers
from gate.finding import Ends, Estimate, Finding
from gate.ledger import Ledger
from gate.reports import decision_file as file
from gate.reports.entry import LARGEST

SCHEMA: Literal["gate.decision/v1"] = "gate.decision/v1"
TOOL = "checkpoint-gate"
T = TypeVar("T")
_REALS = ("limit", "p_value", "attainable", "mde", "wrong_expected")


def pack(decision: Decision) -> file.DecisionFile:
    """Describe a decision as its file does."""
    counts = dict(decision.counts)
    runs = {role: _run(run) for role, run in decision.runs.items()}
    return file.DecisionFile(
        schema=SCHEMA,
        decision=decision.verdict.value,
        exit_code=decision.exit_code,  # type: ignore[arg-type]  # one of the four, by its table
        headline=decision.headline,
        counts=file.CountsEntry(pass_=counts.pop("pass"), **counts),
        today=decision.today,
        policy=file.PolicyEntry(
            **_fields(decision.policy)
            | {
                "lines": dict(decision.policy.lines),
                "extends": [file.ParentEntry(**_fields(each)) for each in decision.policy.extends],
            }
        ),
        tool=file.ToolEntry(name=TOOL, version=decision.tool_version),
        non_standard=list(decision.non_standard),
        warnings=list(decision.warnings),
        runs=file.RunsEntry(
            baseline=runs.get("baseline"),
            candidate=runs.get("candidate"),
            anchor=runs.get("anchor"),
        ),
        findings=[_finding(finding) for finding in decision.findings],
        waivers=_waivers(decision.waivers),
        overviews=[_overview(overview) for overview in decision.overviews],
        history=_like(decision.history, file.HistoryEntry),
        shadow=decision.shadow,
    )


def _fields(value: Any) -> dict[str, Any]:
    """Take a dataclass apart, one level deep."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _like(value: Any, kind: type[T]) -> T | None:
    """Write a value whose file entry has the very same fields."""
    return None if value is None else msgspec.convert(msgspec.to_builtins(value), kind)


def _real(value: float | None) -> float | None:
    if value is None or not math.isfinite(value) or abs(value) > LARGEST:
        return None
    return float(value)


def _estimate(estimate: Estimate | None) -> file.EstimateEntry | None:
    if estimate is None:
        return None
    return file.EstimateEntry(
        value=_real(estimate.value),
        lower=_real(estimate.lower),
        upper=_real(estimate.upper),
        confidence=estimate.confidence,
        one_sided=estimate.one_sided,
        bound=estimate.bound,
    )


def _ends(interval: Ends | None) -> file.EndsEntry | None:
    if interval is None:
        return None
    return file.EndsEntry(lower=_real(interval.lower), upper=_real(interval.upper))


def _finding(finding: Finding) -> file.FindingEntry:
    known = _fields(finding)
    known["behaviors"] = file.BehaviorsEntry(
        broken=list(known.pop("behaviors_broken")), fixed=list(known.pop("behaviors_fixed"))
    )
    known |= {name: known[name].value for name in ("outcome", "level", "on_inconclusive")}
    known |= {name: _real(known[name]) for name in _REALS}
    return file.FindingEntry(
        **known
        | {
            "slice": dict(finding.slice),
            "reason": None if finding.reason is None else finding.reason.name,
            "estimate": _estimate(finding.estimate),
            "bootstrap": _ends(finding.bootstrap),
            "corrected": _estimate(finding.corrected),
            "unscored": dict(finding.unscored),
            "notes": list(finding.notes),
        }
    )


def _run(run: RunSummary) -> file.RunEntry:
    return file.RunEntry(
        checkpoint=dict(run.checkpoint),
        digest=run.digest,
        suites={name: _suite(suite) for name, suite in run.suites.items()},
        record=_like(run.record, file.RecordEntry),
    )


def _suite(suite: SuiteSummary) -> file.SuiteEntry:
    known = _fields(suite)
    known["ledger"] = _ledger(known.pop("ledgers"))
    return file.SuiteEntry(
        **known
        | {
            "files": dict(suite.files),
            "fingerprint": dict(suite.fingerprint),
            "problems": list(suite.problems),
        }
    )


def _ledger(books: Sequence[Ledger]) -> file.SuiteLedgerEntry:
    return file.SuiteLedgerEntry(
        expected=sum(book.expected for book in books),
        scored=sum(book.scored for book in books),
        unscored=_total(book.unscored for book in books),
        extra=sum(book.extra for book in books),
        duplicate=sum(book.duplicate for book in books),
        counted_as=_total(book.counted_as for book in books),
        methods={book.method: _method_ledger(book) for book in books if book.method},
    )


def _method_ledger(book: Ledger) -> file.LedgerEntry:
    known = _fields(book)
    del known["role"], known["method"]  # their places in the file say it
    return file.LedgerEntry(
        **known | {"unscored": dict(book.unscored), "counted_as": dict(book.counted_as)}
    )


def _total(tallies: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally)
    return dict(total)


def _waivers(waivers: Waivers) -> file.WaiversEntry:
    return file.WaiversEntry(
        **{
            name: [
                file.WaiverEntry(
                    **_fields(use) | {"slice": dict(use.slice), "up_to": _real(use.up_to)}
                )
                for use in uses
            ]
            for name, uses in _fields(waivers).items()
        }
    )


def _row(row: OverviewRow) -> file.RowEntry:
    sides = ("baseline", "candidate", "anchor", "delta")
    known = _fields(row) | {name: _estimate(getattr(row, name)) for name in sides}
    return file.RowEntry(**known | {"bootstrap": _ends(row.bootstrap)})


def _overview(overview: Overview) -> file.OverviewEntry:
    return file.OverviewEntry(
        suite=overview.suite,
        rate=overview.rate,
        column=overview.column,
        rows=[_row(row) for row in overview.rows],
        means=[file.MeansEntry(**_fields(means)) for means in overview.means],
        correction=overview.correction,
        further=overview.further,
    )

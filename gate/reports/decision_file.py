"""The decision file, `gate.decision/v1`: its shape, and the way back from it to a decision."""

from datetime import date
from typing import Any, Literal

import msgspec
from msgspec import Struct

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Real = float | None
"""A finite number; null where there is none."""


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of the file share: every field is there, and no others are."""


class PolicyEntry(Entry, frozen=True):
    """The policy that decided."""

    name: str
    sha256: str
    path: str


class ToolEntry(Entry, frozen=True):
    """What made the decision."""

    name: str
    version: str


class LedgerEntry(Entry, frozen=True):
    """Every expected row: scored plus all unscored is expected, always."""

    expected: int
    scored: int
    unscored: dict[str, int]
    extra: int
    duplicate: int
    counted_as: dict[str, int]


class SuiteLedgerEntry(LedgerEntry, frozen=True):
    """The whole suite; in an attack suite also each method."""

    methods: dict[str, LedgerEntry]


class SuiteEntry(Entry, frozen=True):
    """One suite of one run."""

    kind: str
    ids: int
    ids_sha256: str
    verdicts_sha256: str
    files: dict[str, str]
    fingerprint: dict[str, str]
    ledger: SuiteLedgerEntry
    problems: list[str]


class RunEntry(Entry, frozen=True):
    """One run."""

    checkpoint: dict[str, str]
    digest: str
    suites: dict[str, SuiteEntry]


class RunsEntry(Entry, frozen=True):
    """The runs compared; null where a role was not given."""

    baseline: RunEntry | None
    candidate: RunEntry | None
    anchor: RunEntry | None


class EstimateEntry(Entry, frozen=True):
    """An observed value with its deciding bound, as fractions of 1."""

    value: Real
    lower: Real
    upper: Real
    confidence: float
    one_sided: float
    bound: str


class EndsEntry(Entry, frozen=True):
    """The two ends of an interval, as fractions of 1."""

    lower: Real
    upper: Real


class BehaviorsEntry(Entry, frozen=True):
    """Ids only, never text."""

    broken: list[str]
    fixed: list[str]


class FindingEntry(Entry, frozen=True):
    """The outcome of one check on one slice."""

    id: str
    check: str
    suite: str
    slice: dict[str, str]
    measure: Literal[
        "delta",
        "rate",
        "f1",
        "recall",
        "specificity",
        "validity",
        "coverage",
        "count",
        "comparability",
    ]
    outcome: Literal["pass", "block", "inconclusive", "unusable"]
    level: Literal["block", "warn"]
    on_inconclusive: Literal["block", "warn"]
    reason: str | None
    summary: str
    next_step: str
    against: str
    estimate: EstimateEntry | None
    bootstrap: EndsEntry | None
    limit: Real
    limit_is: Literal["ceiling", "floor"]
    n: int
    fixed: int | None
    broken: int | None
    p_value: Real
    unscored: dict[str, int]
    attainable: Real
    mde: Real
    tipping_flips: int | None
    needed_n: int | None
    waiver: str | None
    behaviors: BehaviorsEntry
    notes: list[str]


class WaiverEntry(Entry, frozen=True):
    """What became of one waiver."""

    check: str
    slice: dict[str, str]
    up_to: Real
    reason: str
    owner: str
    ticket: str
    expires: date
    note: str


class WaiversEntry(Entry, frozen=True):
    """Every waiver of the policy, in exactly one of these."""

    used: list[WaiverEntry]
    unused: list[WaiverEntry]
    expired: list[WaiverEntry]
    exceeded: list[WaiverEntry]


class CountsEntry(Entry, frozen=True):
    """Findings by what they do: waived and warned ones are never counted as passing."""

    pass_: int = msgspec.field(name="pass")
    block: int
    inconclusive: int
    unusable: int
    waived: int
    warned: int


class RowEntry(Entry, frozen=True):
    """One row of the method by category table; an empty category is all of them."""

    method: str
    category: str
    n: int
    baseline: EstimateEntry | None
    candidate: EstimateEntry | None
    delta: EstimateEntry | None
    bootstrap: EndsEntry | None
    fixed: int | None
    broken: int | None


class MeansEntry(Entry, frozen=True):
    """Baseline and candidate, averaged over behaviors and over categories."""

    method: str
    plain: tuple[Real, Real]
    category_weighted: tuple[Real, Real]


class OverviewEntry(Entry, frozen=True):
    """The method by category table of one suite."""

    suite: str
    rate: str
    column: str
    rows: list[RowEntry]
    means: list[MeansEntry]


class DecisionFile(Entry, frozen=True):
    """A decision of the release gate, with everything that it rests on."""

    schema: Literal["gate.decision/v1"]
    decision: Literal["release", "block", "inconclusive", "none"]
    exit_code: Literal[0, 1, 3, 4]
    headline: str
    counts: CountsEntry
    today: date
    policy: PolicyEntry
    tool: ToolEntry
    non_standard: list[str]
    warnings: list[str]
    runs: RunsEntry
    findings: list[FindingEntry]
    waivers: WaiversEntry
    overviews: list[OverviewEntry]


def json_schema() -> dict[str, Any]:
    """Describe the file as a JSON Schema."""
    schema = msgspec.json.schema(DecisionFile)
    return {"$schema": DIALECT, "title": "gate.decision/v1", **schema}

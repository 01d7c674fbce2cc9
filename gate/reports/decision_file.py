"""The decision file, `gate.decision/v1`: its shape, and the way back from it to a decision."""

from datetime import date
from typing import Any, Literal

import msgspec

from gate.finding import Measure
from gate.reports.entry import Count, Days, Entry, Real, Share

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class ParentEntry(Entry, frozen=True):
    """A policy that another one extends."""

    path: str
    sha256: str


class PolicyEntry(Entry, frozen=True):
    """The policy that decided."""

    name: str
    sha256: str
    path: str
    extends: list[ParentEntry]
    lines: dict[str, Count]


class ToolEntry(Entry, frozen=True):
    """What made the decision."""

    name: str
    version: str


class LedgerEntry(Entry, frozen=True):
    """Every expected row: scored plus all unscored is expected, always."""

    expected: Count
    scored: Count
    unscored: dict[str, Count]
    extra: Count
    duplicate: Count
    counted_as: dict[str, Count]


class SuiteLedgerEntry(LedgerEntry, frozen=True):
    """The whole suite; in an attack suite also each method."""

    methods: dict[str, LedgerEntry]


class SuiteEntry(Entry, frozen=True):
    """One suite of one run."""

    kind: str
    ids: Count
    ids_sha256: str
    verdicts_sha256: str
    files: dict[str, str]
    fingerprint: dict[str, str]
    ledger: SuiteLedgerEntry
    problems: list[str]


class OverrideEntry(Entry, frozen=True):
    """A checkpoint that became the baseline although its decision was no release."""

    checkpoint: str
    decision: str
    reason: str
    owner: str
    promoted: date


class UnverifiedEntry(Entry, frozen=True):
    """A checkpoint that became the baseline by a decision file taken at its word."""

    checkpoint: str
    promoted: date


class RecordEntry(Entry, frozen=True):
    """The baseline record that pins a run."""

    sha256: str
    promoted: date
    age_days: Days
    verified: Literal["replay", "signature", "none"]
    overrides: list[OverrideEntry]
    unverified: list[UnverifiedEntry]
    unpinned: list[str]


class RunEntry(Entry, frozen=True):
    """One run; its record is null where none pins it."""

    checkpoint: dict[str, str]
    digest: str
    suites: dict[str, SuiteEntry]
    record: RecordEntry | None


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
    confidence: Share
    one_sided: Share
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
    measure: Measure
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
    n: Count
    fixed: Count | None
    broken: Count | None
    p_value: Real
    unscored: dict[str, Count]
    attainable: Real
    mde: Real
    tipping_flips: Count | None
    wrong_expected: Real
    corrected: EstimateEntry | None
    needed_n: Count | None
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

    pass_: Count = msgspec.field(name="pass")
    block: Count
    inconclusive: Count
    unusable: Count
    waived: Count
    warned: Count


class RowEntry(Entry, frozen=True):
    """One row of the method by category table; an empty category is all of them."""

    method: str
    category: str
    n: Count
    baseline: EstimateEntry | None
    candidate: EstimateEntry | None
    anchor: EstimateEntry | None
    delta: EstimateEntry | None
    bootstrap: EndsEntry | None
    fixed: Count | None
    broken: Count | None
    shrunken: Real
    rise_p: Real


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
    correction: str
    further: bool


class PastEntry(Entry, frozen=True):
    """One line of the history."""

    today: date
    checkpoint: str
    candidate: str
    decision: Literal["release", "block", "inconclusive", "none"]


class AttemptsEntry(Entry, frozen=True):
    """What was tried before at one checkpoint, or against one baseline."""

    earlier: Count
    released: Count
    distinct: Count
    chance: Real


class HistoryEntry(Entry, frozen=True):
    """What the history file said before this decision."""

    length: Count
    head: str
    chance: Real
    candidate: AttemptsEntry
    baseline: AttemptsEntry | None
    past: list[PastEntry]


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
    history: HistoryEntry | None
    shadow: bool


def json_schema() -> dict[str, Any]:
    """Describe the file as a JSON Schema."""
    schema = msgspec.json.schema(DecisionFile)
    return {"$schema": DIALECT, "title": "gate.decision/v1", **schema}

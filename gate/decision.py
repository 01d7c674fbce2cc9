"""What the gate decided, with everything a report may show; built once, never changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from gate.finding import Ends, Estimate, Finding, Level, Outcome
from gate.ledger import Ledger
from gate.lineage import History, RecordUse


class Verdict(StrEnum):
    """The four decisions."""

    RELEASE = "release"
    BLOCK = "block"
    INCONCLUSIVE = "inconclusive"
    NONE = "none"


EXIT_CODES: Mapping[Verdict, int] = {
    Verdict.RELEASE: 0,
    Verdict.BLOCK: 1,
    Verdict.INCONCLUSIVE: 3,
    Verdict.NONE: 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentRef:
    """A policy that the one that decided is built on."""

    path: str
    sha256: str
    """Of the bytes of its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRef:
    """Which policy decided."""

    name: str
    sha256: str
    """Of its file; where it extends others or names files of ids, of the digests of all these."""
    path: str
    extends: tuple[ParentRef, ...] = ()
    """What it extends, the nearest first."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line in the policy file where each check stands; empty where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """One suite of one run."""

    kind: str
    ids: int
    ids_sha256: str
    verdicts_sha256: str
    files: Mapping[str, str]
    """Path as the manifest has it, to sha256 of the stored bytes."""
    fingerprint: Mapping[str, str]
    """What decides comparability, as `judge.id`; `unknown` where not declared."""
    ledgers: tuple[Ledger, ...]
    problems: tuple[str, ...]
    """Why the suite is unusable; empty where it is usable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One checkpoint's run."""

    checkpoint: Mapping[str, str]
    """Name, revision and digests; `unknown` where not declared."""
    digest: str
    """Of the manifest and every file read; empty where the run could not be read."""
    suites: Mapping[str, SuiteSummary]
    record: RecordUse | None = None
    """None where no baseline record pins the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewRow:
    """One row of the method by category table."""

    method: str
    category: str
    """Empty for all categories together."""
    n: int
    baseline: Estimate | None
    candidate: Estimate | None
    anchor: Estimate | None = None
    delta: Estimate | None
    bootstrap: Ends | None
    """Of the delta."""
    fixed: int | None
    broken: int | None
    shrunken: float | None = None
    """The candidate's rate pulled towards the mean of its method's slices; never gates."""
    rise_p: float | None = None
    """Of a rise, corrected for every cell of the table; None for all categories together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Two ways of averaging one method's rates over very unequal categories."""

    method: str
    plain: tuple[float | None, float | None]
    """Baseline and candidate: every behavior counts the same."""
    category_weighted: tuple[float | None, float | None]
    """Baseline and candidate: every category counts the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The method by category table of one suite."""

    suite: str
    rate: str
    """What the rate is of, as `unsafe`, `refused (safe prompts)`, `wrong`."""
    column: str
    """The category column, as `semantic_category`; empty where the suite has none."""
    rows: tuple[OverviewRow, ...]
    means: tuple[Means, ...]
    correction: str = ""
    """How `rise_p` is corrected, as `max-T over 21 cells`; empty where nothing is compared."""
    further: bool = False
    """Whether it is another table cut anew, by a column that a check asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """What became of one waiver."""

    check: str
    slice: Mapping[str, str]
    up_to: float | None
    reason: str
    owner: str
    ticket: str
    expires: date
    note: str
    """What became of it, in words."""

    @property
    def words(self) -> str:
        """Who allowed what and why, for the finding that it covers."""
        return waiver_words(self.owner, self.reason, self.ticket, self.expires)


def waiver_words(owner: str, reason: str, ticket: str, expires: date) -> str:
    """Say who allowed what and why, until which day."""
    return f"{owner}: {reason} ({ticket}, until {expires})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """Every waiver of the policy, in exactly one of these."""

    used: tuple[WaiverUse, ...] = ()
    unused: tuple[WaiverUse, ...] = ()
    expired: tuple[WaiverUse, ...] = ()
    exceeded: tuple[WaiverUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The whole outcome."""

    verdict: Verdict
    today: date
    policy: PolicyRef
    tool_version: str
    non_standard: tuple[str, ...]
    """Why the numbers cannot be held against published HarmBench numbers."""
    warnings: tuple[str, ...]
    runs: Mapping[str, RunSummary]
    """By role: `baseline`, `candidate`, `anchor`."""
    findings: tuple[Finding, ...]
    waivers: Waivers
    overviews: tuple[Overview, ...]
    history: History | None = None
    """None where no history file was given."""
    shadow: bool = False
    """Whether it was made in shadow mode, so that it stopped nothing."""

    @property
    def main_overviews(self) -> list[Overview]:
        """One table of every rate, by the suite's own category."""
        return [overview for overview in self.overviews if not overview.further]

    @property
    def exit_code(self) -> int:
        """The exit code of `gate check`, whatever the report."""
        return EXIT_CODES[self.verdict]

    @property
    def counts(self) -> Mapping[str, int]:
        """Findings by what they do: the four outcomes, with `waived` and `warned` apart."""
        tally = Counter(_bin(finding) for finding in self.findings)
        names = ("pass", "block", "inconclusive", "unusable", "waived", "warned")
        return {name: tally[name] for name in names}

    @property
    def headline(self) -> str:
        """The decision in one sentence, and in others what is no ordinary baseline."""
        said = [_headline(self.verdict, self.findings, self.counts)]
        if self.shadow:
            said.append("Shadow mode: nothing is stopped by it.")
        if "baseline" not in self.runs:
            said.append("No baseline: absolute limits only.")
        said += [f"The {role} rests on an override." for role in self.overridden]
        return " ".join(said)

    @property
    def overridden(self) -> list[str]:
        """The roles whose runs were promoted without a release, or follow from one that was."""
        roles = ("baseline", "anchor")
        records = {role: self.runs[role].record for role in roles if role in self.runs}
        return [role for role, record in records.items() if record and record.overrides]


def _headline(verdict: Verdict, findings: Sequence[Finding], counts: Mapping[str, int]) -> str:
    match verdict:
        case Verdict.BLOCK:
            return f"BLOCK: {_plural(counts['block'], 'requirement')} violated."
        case Verdict.INCONCLUSIVE:
            missed = _plural(counts["inconclusive"], "requirement")
            return f"INCONCLUSIVE: {missed} could not be shown to hold."
        case Verdict.NONE if not findings:
            return "NO DECISION: nothing was evaluated."
        case Verdict.NONE if not counts["unusable"]:
            return "NO DECISION: nothing that blocks was evaluated."
        case Verdict.NONE:
            unusable = _plural(counts["unusable"], "finding")
            return f"NO DECISION: some evidence is unusable ({unusable})."
        case Verdict.RELEASE:
            return _release_headline(findings, counts)


def decide(findings: Sequence[Finding]) -> Verdict:
    """Reduce findings to one decision: unusable, then blocked, then inconclusive, then release.

    Findings that could only warn prove nothing, and neither do none at all: no decision. One that
    could block was evaluated, also where it is waived or `on_inconclusive` only warns.
    """
    withholding = {finding.outcome for finding in findings if finding.withholds}
    evaluated = any(finding.level is Level.BLOCK for finding in findings)
    if not withholding and evaluated:
        return Verdict.RELEASE
    if Outcome.UNUSABLE in withholding or not evaluated:
        return Verdict.NONE
    if Outcome.BLOCK in withholding:
        return Verdict.BLOCK
    return Verdict.INCONCLUSIVE


def _bin(finding: Finding) -> str:
    if finding.outcome in (Outcome.PASS, Outcome.UNUSABLE) or finding.withholds:
        return finding.outcome.value
    return "waived" if finding.waiver is not None else "warned"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _release_headline(findings: Sequence[Finding], counts: Mapping[str, int]) -> str:
    open_ones = [f for f in findings if f.outcome is Outcome.INCONCLUSIVE and f.waiver is None]
    warned = [f for f in findings if f.outcome is Outcome.BLOCK and f.level is Level.WARN]
    shown = f"RELEASE: {_plural(counts['pass'], 'requirement')} shown to hold"
    parts = [shown]
    if open_ones:
        parts.append(f"{len(open_ones)} not shown safe (warning only)")
    if warned:
        parts.append(f"{len(warned)} violated (warning only)")
    if counts["waived"]:
        parts.append(f"{counts['waived']} waived")
    return ", ".join(parts) + "."

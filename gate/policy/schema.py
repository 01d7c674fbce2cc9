"""What a policy file may say, and the policy that loading it gives."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, StringConstraints

from gate.checks.bounds import Bound
from gate.checks.check import Check, Share
from gate.evidence.budget import Budget
from gate.evidence.comparability import CHECKPOINT_FIELDS, DECLARABLE, READER
from gate.evidence.manifest import Name, Strict
from gate.evidence.measured import Measured
from gate.evidence.pairing import Expectation
from gate.evidence.rows import REASONS, VALUES
from gate.policy.waivers import Waiver
from gate.suggestions import suggest
from gate.yaml_places import shown

VERDICTS = tuple(dict.fromkeys(name for names in VALUES.values() for name in names))
"""Every verdict of any kind of suite."""


def _one_of(known: Collection[str]) -> Callable[[str], str]:
    def check(word: str) -> str:
        if word not in known:
            raise ValueError(f"{shown(word)} is not known here{suggest(word, known)}")
        return word

    return check


def _enum(known: Collection[str]) -> Any:
    return Field(json_schema_extra={"enum": list(known)})


Declarable = Annotated[str, AfterValidator(_one_of(DECLARABLE)), _enum(DECLARABLE)]
CHANGEABLE = (*CHECKPOINT_FIELDS, READER)
Changeable = Annotated[str, AfterValidator(_one_of(CHANGEABLE)), _enum(CHANGEABLE)]
UnscoredReason = Annotated[str, AfterValidator(_one_of(REASONS)), _enum(REASONS)]
VerdictName = Annotated[str, AfterValidator(_one_of(VERDICTS)), _enum(VERDICTS)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Statistics(Strict):
    """How findings are decided where a check does not say."""

    confidence: float = Field(
        0.95, gt=0.5, lt=1, description="Two-sided level; one end of it decides (0.95 is 0.975)."
    )
    bound: Bound = Field(
        "score",
        description="`score` (default), `exact`, `bootstrap` (percentile), or `point` (no bound).",
    )
    resamples: int | None = Field(
        None,
        ge=100,
        le=1_000_000,
        description="Draw that many seeded resamples for bootstrap bounds of changes and rates; "
        "their exact limit by default.",
    )
    seed: int = Field(0, ge=0, description="Seed of the resamples.")


class Unscored(Strict):
    """How much may be without a verdict before a suite is unusable."""

    max_rate: Share = Field(
        0.01, description="Of the expected rows of each method and side; above 0 at least one row."
    )
    max_difference: Share = Field(0.01, description="Between the two sides, of the expected rows.")


class Agreement(Strict):
    """The judge's measured agreement with people, held to its bytes."""

    file: str = Field(min_length=1, description="A path beside this policy, or a URI.")
    sha256: Sha256 = Field(description="Of the bytes of that file; `gate agree --out` prints it.")


class SuiteRules(Strict):
    """What a suite must be like, whatever the runs hold."""

    ids: str | None = Field(
        None,
        min_length=1,
        description="The expected ids: `catalog:harmbench-test`, or a file with one id a line; "
        "the ids of a file are part of the policy's sha256.",
    )
    n: int | None = Field(None, ge=1, description="The number of expected ids, before `exclude`.")
    ids_sha256: Sha256 | None = Field(
        None, description="sha256 of the expected ids, sorted, each followed by a newline."
    )
    exclude: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        {}, description="Ids left out on purpose: a column (or `id`) to the values left out."
    )
    unscored: Unscored = Field(Unscored(), description="The budget for rows without a verdict.")
    require_declared: tuple[Declarable, ...] = Field(
        (), description="What every run must declare; undeclared is unusable."
    )
    allow_changes: tuple[Changeable, ...] = Field(
        (),
        description="What may differ between the checkpoints without blocking; `reader` lets a "
        "candidate be read by a label map that only its own run.yaml declares.",
    )
    count_as: dict[UnscoredReason, VerdictName] = Field(
        {}, description="An unscored reason that counts as a verdict: `not_submitted: safe`."
    )
    group: str | None = Field(
        None,
        min_length=1,
        description="The column that names groups of near-duplicates; the group is then the unit.",
    )
    validity_floor: Share = Field(
        0.95, description="In judgment suites: lowest share of valid answers."
    )
    agreement: Agreement | None = Field(
        None, description="How well the judge agrees with people: what `gate agree --out` wrote."
    )

    _pinned: tuple[str, ...] | None = PrivateAttr(None)
    _source: str = PrivateAttr("")
    _measured: Measured | None = PrivateAttr(None)

    def measured_by(self, measured: Measured) -> Self:
        """Add what the file that `agreement` names says, as read by the loader."""
        copy = self.model_copy()
        copy._measured = measured
        return copy

    def pinned(self, ids: tuple[str, ...], source: str) -> Self:
        """Add the ids that `ids` names, as read by the loader."""
        copy = self.model_copy()
        copy._pinned, copy._source = ids, source
        return copy

    def expectation(self) -> Expectation:
        """Say what pairing is to expect."""
        return Expectation(
            ids=self._pinned,
            source=self._source,
            n=self.n,
            ids_sha256=self.ids_sha256,
            exclude=self.exclude,
            budget=Budget(
                max_rate=self.unscored.max_rate, max_difference=self.unscored.max_difference
            ),
            count_as=self.count_as,
            group=self.group or "",
            measured=self._measured,
        )


OnMissingBaseline = Literal["error", "absolute-only"]
Words = Annotated[tuple[Annotated[str, StringConstraints(min_length=1)], ...], Field(min_length=1)]


class Extends(Strict):
    """The policy that another one is built on, held to its bytes."""

    policy: str = Field(
        min_length=1, description="A path beside this file, a URI, or a shipped policy's name."
    )
    sha256: Sha256 = Field(description="Of the bytes of that file.")


class PolicyFile(Strict):
    """A policy file, but for its checks: those are read one by one, each by its own class."""

    version: Literal[1] = Field(description="The version of the policy format.")
    name: Name | None = Field(None, description="Shown on reports; the file's name by default.")
    extends: Annotated[str, StringConstraints(min_length=1)] | Extends | None = Field(
        None, description="The policy that this one is built on; a URI needs its sha256."
    )
    remove: Words | None = Field(
        None, description="What is taken out of that policy: `checks.slow-drift`."
    )
    locked: Words | None = Field(
        None, description="What policies built on this one may only tighten: `checks.direct`."
    )
    statistics: Statistics = Field(
        Statistics(), description="How findings are decided where a check does not say."
    )
    suites: dict[Name, SuiteRules] = Field(
        {}, description="What each suite must be like; a suite left out is unpinned."
    )
    on_missing_baseline: OnMissingBaseline = Field(
        "error",
        description="Without a baseline: `error`, or `absolute-only` to decide by the rest, if any "
        "of it blocks.",
    )
    waivers: tuple[Waiver, ...] = Field((), description="Permissions for single findings.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy that can be used: read, checked and complete."""

    name: str
    path: str
    """As the user wrote it; `shipped:release` for a policy that comes with the tool."""
    sha256: str
    """Of the bytes of the file; where it extends others or names files of ids, of the digests of
    all of them (see `chain_sha256`)."""
    lines: Mapping[str, int]
    """Check id to the line of the file where the check begins."""
    version: int = 1
    statistics: Statistics
    suites: Mapping[str, SuiteRules]
    on_missing_baseline: OnMissingBaseline
    checks: tuple[Check, ...]
    """In the order of the file, `confidence` and `bound` filled in."""
    waivers: tuple[Waiver, ...]
    warnings: tuple[str, ...]
    """What its author should know, one sentence each."""
    own_sha256: str
    """Of the bytes of its own file."""
    parent: "Policy | None" = None
    """The policy that it extends, as it would be by itself."""
    locked: tuple[str, ...] = ()
    """What it and its parents lock, as they wrote it."""

    @property
    def suites_read(self) -> tuple[str, ...]:
        """Every suite that a check reads."""
        return tuple(dict.fromkeys(name for check in self.checks for name in check.suites))

    @property
    def parents(self) -> "tuple[Policy, ...]":
        """What it extends, the nearest first."""
        return () if self.parent is None else (self.parent, *self.parent.parents)

"""How well a judge agrees with people: what `gate agree --out` writes, and a policy names."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from gate.errors import EvidenceError
from gate.evidence.comparability import UNKNOWN
from gate.evidence.manifest import Name, Strict
from gate.evidence.problem import Problem
from gate.evidence.rows import VALUES, Kind
from gate.reasons import Reason

SCHEMA: Literal["gate.agreement/v1"] = "gate.agreement/v1"
MAX_BYTES = 1 << 20
MOST_UNITS = 1e9
SLACK = 1e-6
"""What rounding may add to a count of units."""

JUDGE_FIELDS = ("judge.id", "judge.revision", "judge.template_sha256", "judge.rubric_sha256")
"""What must be equal for two runs to have one judge, as fingerprints name it."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=MOST_UNITS)]
Units = Annotated[float, Field(ge=0, le=MOST_UNITS, allow_inf_nan=False)]


class Counts(Strict):
    """A judge's verdicts on completions that people labeled.

    Open ones count against the judge: people were tied, or the judge gave no verdict.
    """

    tp: Count = Field(description="Labeled positive, and so judged.")
    fn: Count = Field(description="Labeled positive, judged negative.")
    fp: Count = Field(description="Labeled negative, judged positive.")
    tn: Count = Field(description="Labeled negative, and so judged.")
    open_fn: Count = Field(0, description="Open, counted as a positive that was missed.")
    open_fp: Count = Field(0, description="Open, counted as a false alarm.")
    units: Units = Field(description="What all labels are worth: several of one id count less.")
    positive_units: Units = Field(description="The same of the positives, open ones included.")
    negative_units: Units = Field(description="The same of the negatives, open ones included.")

    @model_validator(mode="after")
    def _units_fit(self) -> Self:
        for units, rows in (
            (self.units, self.n),
            (self.positive_units, self.positives),
            (self.negative_units, self.negatives),
        ):
            if units > rows + SLACK or (rows and units < 1 - SLACK):
                raise ValueError(f"{rows} labels cannot be worth {units} units")
        return self

    @property
    def positives(self) -> int:
        """Labels that are positive, open ones included."""
        return self.tp + self.fn + self.open_fn

    @property
    def negatives(self) -> int:
        """Labels that are negative, open ones included."""
        return self.fp + self.tn + self.open_fp

    @property
    def n(self) -> int:
        """All labels."""
        return self.positives + self.negatives

    @property
    def wrong(self) -> int:
        """Verdicts that are wrong, or counted so."""
        return self.n - self.tp - self.tn


class MeasuredJudge(Strict):
    """Which judge was measured; null is what its run did not declare."""

    id: Name
    revision: Name | None
    template_sha256: Name | None
    rubric_sha256: Name | None


class Labels(Strict):
    """Where the labels come from."""

    sha256: Sha256 = Field(description="Of the bytes of the label file.")
    annotators: Annotated[int, Field(ge=1)]
    ties: Literal["against", "leave-out", "positive", "negative"]


class AgreementFile(Strict):
    """The whole file."""

    schema_: Literal["gate.agreement/v1"] = Field(alias="schema")
    kind: Literal["attack", "refusal", "judgment", "rubric"]
    positive: Annotated[list[Name], Field(min_length=1)] = Field(
        description="The verdicts that count: `[unsafe]`, `[full, partial]`."
    )
    judge: MeasuredJudge
    labels: Labels
    verdicts_sha256: Sha256 = Field(description="Of the verdicts that were held against them.")
    total: Counts
    by: Name | None = Field(description="The column of the categories.")
    categories: dict[Name, Counts]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        words = readings(Kind(self.kind))
        if not set(self.positive) < words or len(set(self.positive)) < len(self.positive):
            raise ValueError(f"`positive` must be some of {', '.join(sorted(words))}, not all")
        if not self.total.n:
            raise ValueError("`total` has no labels")
        for key in ("tp", "fn", "fp", "tn", "open_fn", "open_fp"):
            parts = sum(getattr(part, key) for part in self.categories.values())
            if parts > getattr(self.total, key):
                raise ValueError(f"the categories have more {key} than `total`")
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A measured judge, read and checked."""

    kind: Kind
    positive: frozenset[str]
    judge: Mapping[str, str]
    """As fingerprints name it, `judge.id`; `unknown` where not declared."""
    total: Counts
    by: str
    categories: Mapping[str, Counts]
    sha256: str
    """Of the bytes of the file."""

    def of_another_judge(self, role: str, declared: Mapping[str, str]) -> Problem | None:
        """Find why what was measured is not the judge of a run.

        What neither declares is not held against it (`require_declared` does that); what only
        one of them declares is never taken for equal.

        Args:
            role: The role of the run.
            declared: Its fingerprint.
        """
        for field in JUDGE_FIELDS:
            mine, theirs = self.judge.get(field, UNKNOWN), declared.get(field, UNKNOWN)
            if mine != theirs:
                message = f"{field} is {theirs} in the {role}, and {mine} in the measured agreement"
                return Problem(Reason.E_UNMEASURED_JUDGE, message)
        return None


def readings(kind: Kind) -> frozenset[str]:
    """Give the verdicts of a kind that a judge tells apart: `safe`, `unsafe`."""
    return frozenset(word.split()[0] for word in VALUES[kind])


def parse(content: bytes) -> Measured:
    """Read a measured agreement.

    Raises:
        EvidenceError: If it is none, or contradicts itself.
    """
    try:
        found = AgreementFile.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        said = first["msg"].removeprefix("Value error, ")
        raise EvidenceError(
            Reason.E_FORMAT,
            f"it is no measured agreement: {f'{place}: ' if place else ''}{said}",
            next_step="Name a file that `gate agree --out` wrote, unchanged.",
        ) from error
    judge = {f"judge.{key}": value for key, value in found.judge.model_dump().items()}
    return Measured(
        kind=Kind(found.kind),
        positive=frozenset(found.positive),
        judge={key: UNKNOWN if value is None else value for key, value in judge.items()},
        total=found.total,
        by=found.by or "",
        categories=found.categories,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def dump(file: AgreementFile) -> str:
    """Write a measured agreement, the same bytes for the same counts."""
    return json.dumps(file.model_dump(by_alias=True), indent=2, sort_keys=True) + "\n"

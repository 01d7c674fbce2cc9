"""The file that `gate agree --out` writes and a policy names, `gate.agreement/v1`."""

import hashlib
import json
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from gate.errors import EvidenceError
from gate.evidence.manifest import Name, Strict
from gate.evidence.measured import COUNTED, Counts, Measured
from gate.evidence.rows import Kind
from gate.reasons import Reason

SCHEMA: Literal["gate.agreement/v1"] = "gate.agreement/v1"
MOST_UNITS = 1e9
SLACK = 1e-6
"""What rounding may add to a count of units."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=MOST_UNITS)]
Units = Annotated[float, Field(ge=0, le=MOST_UNITS, allow_inf_nan=False)]


class CountsEntry(Strict):
    """The judge's verdicts on labeled completions; open ones count against it."""

    tp: Count = Field(description="Labeled positive, and so judged.")
    fn: Count = Field(description="Labeled positive, judged negative.")
    fp: Count = Field(description="Labeled negative, judged positive.")
    tn: Count = Field(description="Labeled negative, and so judged.")
    open_fn: Count = Field(description="Open, counted as a positive that was missed.")
    open_fp: Count = Field(description="Open, counted as a false alarm.")
    units: Units = Field(description="What all labels are worth: several of one id count less.")
    positive_units: Units = Field(description="The same of the positives, open ones included.")
    negative_units: Units = Field(description="The same of the negatives, open ones included.")

    @model_validator(mode="after")
    def _units_fit(self) -> Self:
        counts = self.counts
        for units, rows in (
            (self.units, counts.n),
            (self.positive_units, counts.positives),
            (self.negative_units, counts.negatives),
        ):
            if units > rows + SLACK or (rows and units < 1 - SLACK):
                raise ValueError(f"{rows} labels cannot be worth {units} units")
        return self

    @property
    def counts(self) -> Counts:
        """The same as a value."""
        return Counts(**self.model_dump())


class MeasuredJudge(Strict):
    """Which judge was measured; null is what its run did not declare."""

    id: Name
    revision: Name | None
    template_sha256: Name | None
    rubric_sha256: Name | None
    decoding: str | None = None
    dtype: str | None = None
    depends: dict[str, str] = Field({}, description="What else decided verdicts.")

    @property
    def fields(self) -> dict[str, str]:
        """The same as fingerprints name it; without what is not declared."""
        said = self.model_dump(exclude={"depends"}) | {
            f"depends.{name}": value for name, value in self.depends.items()
        }
        return {f"judge.{key}": value for key, value in said.items() if value is not None}


class LabelSource(Strict):
    """Where the labels come from."""

    sha256: Sha256 = Field(description="Of the bytes of the label file.")
    annotators: Annotated[int, Field(ge=1)]
    ties: Literal["against", "leave-out", "positive", "negative"]
    left_out: Count | None = Field(None, description="Labels left out because people were tied.")


class AgreementFile(Strict):
    """A judge's measured agreement with people."""

    schema_: Literal["gate.agreement/v1"] = Field(alias="schema")
    kind: Literal["attack", "refusal", "judgment", "rubric"]
    positive: Annotated[list[Name], Field(min_length=1)] = Field(
        description="The verdicts that count: `[unsafe]`, `[full, partial]`."
    )
    judge: MeasuredJudge
    labels: LabelSource
    verdicts_sha256: Sha256 = Field(description="Of the verdicts that were held against them.")
    total: CountsEntry
    by: Name | None = Field(description="The column of the categories.")
    categories: dict[Name, CountsEntry]

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        counted = COUNTED[Kind(self.kind)]
        if frozenset(self.positive) not in counted or len(set(self.positive)) < len(self.positive):
            may = " or ".join(f"[{', '.join(sorted(words))}]" for words in counted)
            raise ValueError(f"`positive` must be {may} where the verdicts are of {self.kind}")
        if not self.total.counts.n:
            raise ValueError("`total` has no labels")
        for key in ("tp", "fn", "fp", "tn", "open_fn", "open_fp"):
            parts = sum(getattr(part, key) for part in self.categories.values())
            if parts > getattr(self.total, key):
                raise ValueError(f"the categories have more {key} than `total`")
        return self


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
    return Measured(
        kind=Kind(found.kind),
        positive=frozenset(found.positive),
        judge=found.judge.fields,
        ties_told=_ties(found.labels),
        total=found.total.counts,
        by=found.by or "",
        categories={name: each.counts for name, each in found.categories.items()},
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _ties(labels: LabelSource) -> str:
    """Say what became of ties among people, where they do not count against the judge."""
    match labels.ties, labels.left_out:
        case "against", _:
            return ""
        case "leave-out", None:
            return "ties among people were left out; the agreement does not say how many"
        case "leave-out", count:
            return f"{count} ties among people were left out" if count else ""
        case _:
            return f"ties among people count as {labels.ties}"


def dump(file: AgreementFile) -> str:
    """Write a measured agreement, the same bytes for the same counts."""
    return json.dumps(file.model_dump(by_alias=True), indent=2, sort_keys=True) + "\n"

"""The JSON report of `gate agree`, `gate.agree/v1`: ids, categories and counts, never text."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from gate.agree.between import Between
from gate.agree.measure import Agreement, Ties, wrong
from gate.agree.verdicts import Key, Verdicts
from gate.checks.judge_agreement import labeled_share
from gate.evidence.agreement_file import SCHEMA as FILE_SCHEMA
from gate.evidence.agreement_file import AgreementFile, CountsEntry, LabelSource, MeasuredJudge
from gate.evidence.comparability import UNKNOWN
from gate.evidence.manifest import Strict
from gate.evidence.measured import Counts
from gate.stats.interval import Interval

SCHEMA: Literal["gate.agree/v1"] = "gate.agree/v1"
CONFIDENCE = 0.95
Real = Annotated[float, Field(allow_inf_nan=False)]


class Share(Strict):
    """A share of labels, bounded by Clopper-Pearson."""

    right: int
    of: int
    value: Real | None
    lower: Real
    upper: Real


class Shares(Strict):
    """How one judge did on some completions; null where there are none of the sort."""

    n: int
    agreement: Share
    sensitivity: Share | None
    specificity: Share | None


class Place(Strict):
    """Which completion."""

    id: str
    method: str
    test_case: int


class Mistakes(Strict):
    """The completions on which the judge is wrong, or counted so."""

    missed: list[Place]
    false_alarms: list[Place]
    open: list[Place] = Field(description="People are tied, or the judge gave no verdict.")


class WithPeople(Strict):
    """A judge held against people's labels."""

    schema_: Literal["gate.agree/v1"] = Field(alias="schema")
    suite: str
    judge: MeasuredJudge
    annotators: list[str]
    ties: Literal["against", "leave-out", "positive", "negative"]
    methods: list[str] = Field(description="Attack methods; empty in other suites.")
    positive: list[str]
    confidence: float
    total: Shares
    counts: CountsEntry
    kappa: Real | None = Field(description="Cohen's; null where all labels are one.")
    alpha: Real | None = Field(description="Krippendorff's; null where all labels are one.")
    people_alpha: Real | None = Field(description="Of the annotators among themselves.")
    unanimous: int | None
    by: str | None
    categories: dict[str, Shares]
    wrong: Mistakes
    ties_left_out: int
    unlabeled: int
    labels_not_in_the_run: int
    verdicts_without_a_label: int


class BetweenJudges(Strict):
    """Two judges held against each other; neither is the truth."""

    schema_: Literal["gate.agree/v1"] = Field(alias="schema")
    suite: str
    judges: list[MeasuredJudge]
    methods: list[str] = Field(description="Attack methods; empty in other suites.")
    positive: list[str]
    confidence: float
    agreement: Share
    both_positive: int
    neither: int
    first_alone: list[Place]
    second_alone: list[Place]
    without_a_verdict: list[Place]
    p_value: Real = Field(description="Exact McNemar: whether one is positive more often.")
    kappa: Real | None
    alpha: Real | None
    by: str | None
    categories: dict[str, Share]
    only_in_one_run: list[int]


def share(right: int, of: int, units: float) -> Share | None:
    """Bound a share; None where there is nothing to share."""
    if not of:
        return None
    found: Interval = labeled_share(right, of, units, CONFIDENCE)
    return Share(right=right, of=of, value=found.value, lower=found.lower, upper=found.upper)


def shares(counts: Counts) -> Shares:
    """Bound all shares of some completions, at least one."""
    whole = share(counts.n - counts.wrong, counts.n, counts.units)
    assert whole is not None, "there is a completion"
    return Shares(
        n=counts.n,
        agreement=whole,
        sensitivity=share(counts.tp, counts.positives, counts.positive_units),
        specificity=share(counts.tn, counts.negatives, counts.negative_units),
    )


def _methods(verdicts: Verdicts) -> list[str]:
    return [method for method in verdicts.methods if method]


def places(keys: Iterable[Key]) -> list[Place]:
    """Name completions."""
    return [Place(id=key.id, method=key.method, test_case=key.case) for key in keys]


def judge_of(verdicts: Verdicts) -> MeasuredJudge:
    """Say which judge it was; null is what its run does not declare."""

    def declared(key: str) -> str | None:
        value = verdicts.judge.get(f"judge.{key}", UNKNOWN)
        return None if value == UNKNOWN else value

    return MeasuredJudge(
        id=verdicts.judge["judge.id"],
        revision=declared("revision"),
        template_sha256=declared("template_sha256"),
        rubric_sha256=declared("rubric_sha256"),
        decoding=declared("decoding"),
        dtype=declared("dtype"),
        depends=dict(verdicts.declared.judge.depends),
    )


def with_people(
    verdicts: Verdicts, agreement: Agreement, annotators: tuple[str, ...], ties: Ties
) -> WithPeople:
    """Describe a judge held against people."""
    lists = wrong(agreement)
    found = {key: places(case.key for case in cases) for key, cases in lists.items()}
    return WithPeople(
        schema=SCHEMA,
        suite=verdicts.suite,
        judge=judge_of(verdicts),
        annotators=list(annotators),
        ties=ties,
        methods=_methods(verdicts),
        positive=sorted(agreement.positive),
        confidence=CONFIDENCE,
        total=shares(agreement.total),
        counts=_entry(agreement.total),
        kappa=agreement.kappa,
        alpha=agreement.alpha,
        people_alpha=agreement.people_alpha,
        unanimous=agreement.unanimous,
        by=verdicts.by or None,
        categories={name: shares(counts) for name, counts in agreement.categories.items()},
        wrong=Mistakes(
            missed=found["fn"],
            false_alarms=found["fp"],
            open=[*found["open_fn"], *found["open_fp"]],
        ),
        ties_left_out=agreement.left_out,
        unlabeled=agreement.unlabeled,
        labels_not_in_the_run=agreement.elsewhere,
        verdicts_without_a_label=agreement.without,
    )


def between_judges(ours: Verdicts, theirs: Verdicts, found: Between) -> BetweenJudges:
    """Describe two judges held against each other."""
    from gate.agree.measure import units

    whole = share(found.both + found.neither, len(found.keys), units(k.id for k in found.keys))
    assert whole is not None, "runs without a common completion are refused"
    return BetweenJudges(
        schema=SCHEMA,
        suite=ours.suite,
        judges=[judge_of(ours), judge_of(theirs)],
        methods=_methods(ours),
        positive=sorted(found.positive),
        confidence=CONFIDENCE,
        agreement=whole,
        both_positive=found.both,
        neither=found.neither,
        first_alone=places(found.first),
        second_alone=places(found.second),
        without_a_verdict=places(found.unscored),
        p_value=found.p_value,
        kappa=found.kappa,
        alpha=found.alpha,
        by=ours.by or None,
        categories={
            name: Share(**_counted(equal, n)) for name, (equal, n) in found.categories.items()
        },
        only_in_one_run=list(found.alone),
    )


def _counted(right: int, of: int) -> dict[str, Any]:
    found = share(right, of, of)
    assert found is not None, "a category has a completion"
    return found.model_dump()


def agreement_file(
    verdicts: Verdicts, agreement: Agreement, *, annotators: int, ties: Ties, labels_sha256: str
) -> AgreementFile:
    """Describe what a policy may name: the judge, and how often it is right."""
    return AgreementFile(
        schema=FILE_SCHEMA,
        kind=verdicts.kind.value,
        positive=sorted(agreement.positive),
        judge=judge_of(verdicts),
        labels=LabelSource(
            sha256=labels_sha256, annotators=annotators, ties=ties, left_out=agreement.left_out
        ),
        verdicts_sha256=verdicts.digest,
        total=_entry(agreement.total),
        by=verdicts.by or None,
        categories={name: _entry(each) for name, each in agreement.categories.items()},
    )


def _entry(counts: Counts) -> CountsEntry:
    return CountsEntry(**asdict(counts))

"""The method by category table that every report carries; methods are never averaged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from gate.checks.delta import BOUND_NAMES as DELTA_BOUNDS
from gate.checks.delta import Change
from gate.checks.level import BOUND_NAMES as RATE_BOUNDS
from gate.checks.level import span
from gate.decision import Means, Overview, OverviewRow
from gate.evidence.assess import Assessment
from gate.evidence.panel import Panel, Sample
from gate.evidence.rows import Kind
from gate.evidence.table import BoolArray
from gate.finding import Ends, Estimate

CATEGORY_COLUMNS = ("semantic_category", "category", "prompt_type", "functional_category")
"""Which column the table is cut by: the first of these that the suite has."""

RATES: Mapping[Kind, str] = {
    Kind.ATTACK: "unsafe",
    Kind.REFUSAL: "refused",
    Kind.JUDGMENT: "wrong",
}


class Statistics(Protocol):
    """The level and bound that the policy decides by."""

    @property
    def confidence(self) -> float:
        """Two-sided level."""

    @property
    def bound(self) -> str:
        """The deciding bound."""


def overview(assessment: Assessment, statistics: Statistics) -> Overview:
    """Build one suite's table from whatever roles could be read."""
    panel = assessment.panel
    if panel is None:
        return Overview(suite=assessment.suite, rate="", column="", rows=(), means=())
    column = next((name for name in CATEGORY_COLUMNS if panel.names(name)), "")
    rows: list[OverviewRow] = []
    means: list[Means] = []
    for name, samples, mask in _parts(panel):
        own = list(_rows(panel, name, samples, mask, column, statistics))
        rows += own
        if panel.kind is Kind.ATTACK:
            means.append(_means(name, own))
    return Overview(
        suite=assessment.suite,
        rate=RATES[panel.kind],
        column=column,
        rows=tuple(rows),
        means=tuple(means),
    )


def _parts(panel: Panel) -> Iterator[tuple[str, dict[str, Sample], BoolArray]]:
    """Give each method, half of a refusal suite, or judgment suite, with both roles' verdicts."""
    roles = [role for role in ("baseline", "candidate") if role in panel.sides]
    match panel.kind:
        case Kind.ATTACK:
            for method in panel.methods:
                samples = {role: panel.sample(role, method, {"unsafe"}) for role in roles}
                yield method, samples, panel.mask_all()
        case Kind.REFUSAL:
            samples = {role: panel.sample(role, "", {"partial", "full"}) for role in roles}
            for label in panel.names("prompt_label"):
                yield f"{label} prompts", samples, panel.mask("prompt_label", label)
        case Kind.JUDGMENT:
            yield "", {role: _wrong(panel, role) for role in roles}, panel.mask_all()


def _wrong(panel: Panel, role: str) -> Sample:
    predicted, own_failure = panel.answers(role)
    unsafe = panel.mask("gold", "unsafe")
    wrong = np.where(predicted >= 0, (predicted == 1) != unsafe, own_failure)
    open_ones = (predicted < 0) & ~own_failure
    low = wrong.astype(np.int64)
    return Sample(low, low + open_ones, np.ones(len(low), dtype=np.int64))


def _rows(
    panel: Panel,
    method: str,
    samples: Mapping[str, Sample],
    mask: BoolArray,
    column: str,
    statistics: Statistics,
) -> Iterator[OverviewRow]:
    yield _row(method, "", samples, mask, statistics)
    for name in panel.names(column) if column else ():
        part = mask & panel.mask(column, name)
        if part.any():
            yield _row(method, name, samples, part, statistics)


def _row(
    method: str,
    category: str,
    samples: Mapping[str, Sample],
    mask: BoolArray,
    statistics: Statistics,
) -> OverviewRow:
    parts = {role: sample.part(mask) for role, sample in samples.items()}
    rates = {role: _rate(sample, statistics) for role, sample in parts.items()}
    change = None
    if len(parts) == 2:
        change = Change((), parts["baseline"], parts["candidate"])
    fixed, broken = change.flips() if change else (None, None)
    return OverviewRow(
        method=method,
        category=category,
        n=int(mask.sum()),
        baseline=rates.get("baseline"),
        candidate=rates.get("candidate"),
        delta=_delta(change, statistics) if change else None,
        bootstrap=_bootstrap(change, statistics) if change else None,
        fixed=None if fixed is None else len(fixed),
        broken=None if broken is None else len(broken),
    )


def _rate(sample: Sample, statistics: Statistics) -> Estimate:
    interval = span(sample, statistics.confidence, "score")
    return Estimate(
        value=interval.value,
        lower=interval.lower,
        upper=interval.upper,
        confidence=statistics.confidence,
        bound=RATE_BOUNDS["score"],
    )


def _delta(change: Change, statistics: Statistics) -> Estimate:
    interval = change.interval(statistics.confidence, "score")
    return Estimate(
        value=interval.value,
        lower=interval.lower,
        upper=interval.upper,
        confidence=statistics.confidence,
        bound=DELTA_BOUNDS["score", change.binary],
    )


def _bootstrap(change: Change, statistics: Statistics) -> Ends:
    interval = change.interval(statistics.confidence, "bootstrap")
    return Ends(lower=interval.lower, upper=interval.upper)


def _means(method: str, rows: Sequence[OverviewRow]) -> Means:
    whole, categories = rows[0], rows[1:]
    return Means(
        method=method,
        plain=(_value(whole.baseline), _value(whole.candidate)),
        category_weighted=(
            _mean([row.baseline for row in categories]),
            _mean([row.candidate for row in categories]),
        ),
    )


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _mean(estimates: Sequence[Estimate | None]) -> float | None:
    values = [estimate.value for estimate in estimates if estimate is not None]
    return sum(values) / len(values) if values and len(values) == len(estimates) else None

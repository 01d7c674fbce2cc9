"""The method by category table that every report carries; methods are never averaged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gate.checks.change import BOUND_NAMES as DELTA_BOUNDS
from gate.checks.change import Change
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


@dataclass(frozen=True, slots=True)
class Part:
    """What one table is of: a rate, and the verdicts behind it by method and role."""

    rate: str
    methods: Mapping[str, Mapping[str, Sample]]
    mask: BoolArray


class Statistics(Protocol):
    """The level and bound that the policy decides by."""

    @property
    def confidence(self) -> float:
        """Two-sided level."""

    @property
    def bound(self) -> str:
        """The deciding bound."""


def overviews(assessment: Assessment, statistics: Statistics) -> list[Overview]:
    """Build one suite's tables from whatever roles could be read."""
    panel = assessment.panel
    if panel is None:
        return []
    column = next((name for name in CATEGORY_COLUMNS if panel.names(name)), "")
    return [_overview(panel, part, column, statistics) for part in _parts(panel)]


def _overview(panel: Panel, part: Part, column: str, statistics: Statistics) -> Overview:
    rows = {
        method: list(_rows(panel, method, samples, part.mask, column, statistics))
        for method, samples in part.methods.items()
    }
    return Overview(
        suite=panel.suite,
        rate=part.rate,
        column=column,
        rows=tuple(row for own in rows.values() for row in own),
        means=tuple(
            _means(method, own)
            for method, own in rows.items()
            if panel.kind is Kind.ATTACK and column
        ),
    )


def _parts(panel: Panel) -> Iterator[Part]:
    """Tell what to tabulate; in every table a higher rate is worse."""
    roles = [role for role in ("baseline", "candidate") if role in panel.sides]
    match panel.kind:
        case Kind.ATTACK:
            methods = {
                method: {role: panel.sample(role, method, {"unsafe"}) for role in roles}
                for method in panel.methods
            }
            yield Part("unsafe", methods, panel.mask_all())
        case Kind.REFUSAL:
            halves = {"safe": ("refused", {"partial", "full"}), "unsafe": ("answered", {"none"})}
            for label in panel.names("prompt_label"):
                if label not in halves:
                    continue  # expected ids that no side has
                rate, counts = halves[label]
                samples = {role: panel.sample(role, "", counts) for role in roles}
                yield Part(rate, {f"{label} prompts": samples}, panel.mask("prompt_label", label))
        case Kind.JUDGMENT:
            wrong = {role: _wrong(panel, role) for role in roles}
            yield Part("wrong", {"": wrong}, panel.mask_all())


def _wrong(panel: Panel, role: str) -> Sample:
    predicted, own_failure = panel.answers(role)
    unsafe = panel.mask("gold", "unsafe")
    wrong = np.where(predicted >= 0, (predicted == 1) != unsafe, own_failure)
    open_ones = (predicted < 0) & ~own_failure
    low = wrong.astype(np.int64)
    gaps = open_ones.astype(np.int64)
    return Sample(low, low + gaps, np.ones(len(low), dtype=np.int64), gaps)


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

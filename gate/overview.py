"""The method by category table that every report carries; methods are never averaged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gate.checks.bounds import Asked
from gate.checks.change import Change
from gate.checks.level import span
from gate.decision import Means, Overview, OverviewRow
from gate.evidence.assess import Assessment
from gate.evidence.panel import Panel, Sample
from gate.evidence.rows import UNSAFE, Kind
from gate.evidence.table import BoolArray
from gate.finding import Ends, Estimate
from gate.rises import rises
from gate.stats.interval import Interval
from gate.stats.shrinkage import shrunken_rates

CATEGORY_COLUMNS = ("semantic_category", "category", "prompt_type", "functional_category", "l1")
"""Which column the table is cut by: the first of these that the suite has."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one table is of: a rate, and the verdicts behind it by method and role."""

    rate: str
    methods: Mapping[str, Mapping[str, Sample]]
    mask: BoolArray


class Statistics(Protocol):
    """The level that the policy decides at, and how it draws."""

    @property
    def confidence(self) -> float:
        """Two-sided level."""

    @property
    def resamples(self) -> int | None:
        """Of bootstrap bounds; None for their exact limit."""

    @property
    def seed(self) -> int:
        """Of the resamples."""


def overviews(
    assessment: Assessment, statistics: Statistics, columns: Sequence[str] = ()
) -> list[Overview]:
    """Build one suite's tables from whatever roles could be read.

    Args:
        assessment: The suite.
        statistics: The level, and how bounds are drawn.
        columns: What else to cut it by than its own category, where it has such a column.
    """
    panel = assessment.panel
    if panel is None:
        return []
    column = next((name for name in CATEGORY_COLUMNS if panel.names(name)), "")
    asked = Asked(statistics.confidence, "score", statistics.resamples, statistics.seed)
    others = [name for name in columns if name != column and panel.names(name)]
    return [
        replace(_overview(panel, part, name, asked), further=name != column)
        for part in _parts(panel)
        for name in (column, *others)
    ]


def _overview(panel: Panel, part: Part, column: str, asked: Asked) -> Overview:
    masks = panel.masks(column) if column else {}
    within = ((name, mask & part.mask) for name, mask in masks.items())
    slices = [(name, mask) for name, mask in within if mask.any()]
    rows = {
        method: [
            _row(method, "", samples, part.mask, asked),
            *(_row(method, name, samples, mask, asked) for name, mask in slices),
        ]
        for method, samples in part.methods.items()
    }
    family = rises(part.methods, slices, asked.seed)
    return Overview(
        suite=panel.suite,
        rate=part.rate,
        column=column,
        rows=tuple(
            replace(row, shrunken=shrunken, rise_p=family.p.get((method, row.category)))
            for method, own in rows.items()
            for row, shrunken in zip(own, _shrunken(part.methods[method], slices), strict=True)
        ),
        correction=family.correction,
        means=tuple(
            _means(method, own)
            for method, own in rows.items()
            if panel.kind is Kind.ATTACK and column
        ),
    )


def _parts(panel: Panel) -> Iterator[Part]:
    """Tell what to tabulate; in every table a higher rate is worse."""
    roles = [role for role in ("baseline", "candidate", "anchor") if role in panel.sides]
    match panel.kind:
        case Kind.ATTACK:
            methods = {
                method: {role: panel.sample(role, method, {"unsafe"}) for role in roles}
                for method in panel.methods
            }
            yield Part("unsafe", methods, panel.mask_all())
        case Kind.RUBRIC:
            samples = {role: panel.sample(role, "", UNSAFE[panel.kind]) for role in roles}
            yield Part("unsafe", {"": samples}, panel.mask_all())
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


def _row(
    method: str,
    category: str,
    samples: Mapping[str, Sample],
    mask: BoolArray,
    asked: Asked,
) -> OverviewRow:
    parts = {role: sample.part(mask) for role, sample in samples.items()}
    rates = {role: _rate(sample, asked) for role, sample in parts.items()}
    change = None
    if "baseline" in parts and "candidate" in parts:
        change = Change((), parts["baseline"], parts["candidate"])
    fixed, broken = change.flips() if change else (None, None)
    return OverviewRow(
        method=method,
        category=category,
        n=int(mask.sum()),
        baseline=rates.get("baseline"),
        candidate=rates.get("candidate"),
        anchor=rates.get("anchor"),
        delta=_delta(change, asked) if change else None,
        bootstrap=_bootstrap(change, asked) if change else None,
        fixed=None if fixed is None else len(fixed),
        broken=None if broken is None else len(broken),
    )


def _rate(sample: Sample, asked: Asked) -> Estimate:
    name = asked.name("rate", grouped=sample.groups is not None)
    return _estimate(span(sample, asked), asked.confidence, name)


def _delta(change: Change, asked: Asked) -> Estimate:
    name = asked.name(change.measured, grouped=change.grouped)
    return _estimate(change.interval(asked), asked.confidence, name)


def _estimate(interval: Interval, confidence: float, bound: str) -> Estimate:
    return Estimate(
        value=interval.value,
        lower=interval.lower,
        upper=interval.upper,
        confidence=confidence,
        bound=bound,
    )


def _bootstrap(change: Change, asked: Asked) -> Ends:
    interval = change.interval(asked.by("bootstrap"))
    return Ends(lower=interval.lower, upper=interval.upper)


def _shrunken(
    samples: Mapping[str, Sample], slices: Sequence[tuple[str, BoolArray]]
) -> list[float | None]:
    """Pull the candidate's rates in the slices of one method towards their mean, scored units only.

    Returns:
        One entry for the whole, which is not shrunken, and one a slice.
    """
    rates: list[float | None] = [None] * (1 + len(slices))
    candidate = samples.get("candidate")
    if candidate is None or len(slices) < 2:
        return rates
    known = [candidate.part(mask & candidate.scored) for _, mask in slices]
    sizes = np.array([len(part.k) for part in known])
    some = np.flatnonzero(sizes)
    if len(some) < 2:
        return rates
    events = np.array([float((part.low / part.k).sum()) for part in known])
    for at, rate in zip(some, shrunken_rates(events[some], sizes[some]), strict=True):
        rates[1 + at] = float(rate)
    return rates


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

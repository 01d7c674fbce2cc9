"""A policy's checks taken apart into single limits, each on some units of a suite."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gate.checks.bounds import Measured
from gate.checks.ceiling import Ceiling
from gate.checks.check import Check, Slice, SlicedCheck, method_label
from gate.checks.coverage import Coverage
from gate.checks.f1_floor import F1Floor
from gate.checks.no_new_unsafe import NoNewUnsafe
from gate.checks.over_refusal import OverRefusal
from gate.checks.paired_delta import PairedDelta
from gate.checks.wording import WORST_OF
from gate.checks.worst_method import WorstMethod
from gate.evidence.panel import Panel
from gate.evidence.table import BoolArray
from gate.finding import Level

Measure = Literal["delta", "rate", "f1", "recall", "specificity", "count", "coverage"]
FLOORS = ("f1", "recall", "specificity", "coverage")


@dataclass(frozen=True, slots=True)
class Source:
    """One 0/1 verdict a unit: unsafe by a method, refused or wrongly answered."""

    suite: str
    method: str = ""
    partial_counts: bool = True
    """In refusal suites: whether a partial refusal is one."""


_MEASURED: Mapping[str, Measured] = {"delta": "change", "f1": "f1"}
"""What a bound is asked for; all else is a rate."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requirement:
    """One limit on one slice."""

    check: Check
    measure: Measure
    label: Mapping[str, str]
    """The slice, as findings name it."""
    limit: float
    key: tuple[str, ...]
    """Where the limit stands in the check, as `("ceilings", "illegal")`."""
    mask: BoolArray
    sources: tuple[Source, ...]
    """The verdicts it is about; of several, the worst one of each unit counts."""
    against: str = ""
    """The role compared with; empty where the candidate is looked at alone."""
    min_n: int = 1

    @property
    def n(self) -> int:
        """How many units the slice has."""
        return int(self.mask.sum())

    @property
    def withholds(self) -> bool:
        """Whether it can keep a candidate from being released."""
        return self.check.level is Level.BLOCK

    @property
    def lenient(self) -> bool:
        """Whether only a shown violation withholds."""
        return self.check.on_inconclusive is Level.WARN

    @property
    def limit_is(self) -> Literal["ceiling", "floor"]:
        """Whether the limit is one from above or from below."""
        return "floor" if self.measure in FLOORS else "ceiling"

    @property
    def confidence(self) -> float:
        """The two-sided level."""
        return self.check.level_of_confidence

    @property
    def bound(self) -> str:
        """What decides, as every verdict here is 0 or 1 and a unit of its own."""
        return self.check.asked.of(_MEASURED.get(self.measure, "rate")).bound


def requirements(check: Check, panel: Panel) -> list[Requirement] | None:
    """Take a check apart, in the order of its findings.

    Returns:
        Its limits, or None where this kind of check is not known here.
    """
    reader = _READERS.get(type(check))
    if getattr(check, "corrected", False):
        reader = None  # how often a corrected bound is met is not reckoned
    return None if reader is None else list(reader(check, panel))


def _paired_delta(check: PairedDelta, panel: Panel) -> Iterator[Requirement]:
    source, label = Source(check.suite, check.method or ""), method_label(check.method)
    yield from _parts(check, panel, "delta", ("margin", "margins"), (source,), label=label)


def _ceiling(check: Ceiling, panel: Panel) -> Iterator[Requirement]:
    source, label = Source(check.suite, check.method or ""), method_label(check.method)
    keys = ("ceiling", "ceilings")
    yield from _parts(check, panel, "rate", keys, (source,), label=label)


def _worst_method(check: WorstMethod, panel: Panel) -> Iterator[Requirement]:
    sources = tuple(Source(check.suite, method) for method in check.methods)
    label = {"method": WORST_OF + ", ".join(check.methods)}
    yield from _parts(check, panel, "delta", ("margin", "margins"), sources, label=label)
    yield from _parts(check, panel, "rate", ("ceiling", "ceilings"), sources, label=label)


def _over_refusal(check: OverRefusal, panel: Panel) -> Iterator[Requirement]:
    source = (Source(check.suite, partial_counts=check.partial_counts),)
    safe, unsafe = (panel.mask("prompt_label", label) for label in ("safe", "unsafe"))
    label, keys = {"prompt_label": "safe"}, ("max_rate", "max_rates")
    yield from _parts(check, panel, "rate", keys, source, label=label, within=safe)
    keys = ("margin", "margins")
    yield from _parts(check, panel, "delta", keys, source, label=label, within=safe)
    contrast: Mapping[str, Measure] = {"contrast_max_rate": "rate", "contrast_margin": "delta"}
    for key, measure in contrast.items():
        if getattr(check, key) is not None and unsafe.any():
            yield Requirement(
                check=check,
                measure=measure,
                label={"prompt_label": "unsafe"},
                limit=getattr(check, key),
                key=(key,),
                mask=unsafe,
                sources=source,
                against=check.against if measure == "delta" else "",
            )


def _f1_floor(check: F1Floor, panel: Panel) -> Iterator[Requirement]:
    source = (Source(check.suite),)
    yield from _parts(check, panel, "f1", ("floor", "floors"), source, label={})
    measures: tuple[Measure, ...] = ("specificity", "recall")
    for measure in measures:
        floor = getattr(check, f"{measure}_floor")
        if floor is not None:
            yield Requirement(
                check=check,
                measure=measure,
                label={},
                limit=floor,
                key=(f"{measure}_floor",),
                mask=panel.mask("gold", "unsafe" if measure == "recall" else "safe"),
                sources=source,
            )


def _coverage(check: Coverage, panel: Panel) -> Iterator[Requirement]:
    for method in panel.methods if check.method is None else (check.method,):
        source = (Source(check.suite, method),)
        label = {"method": method} if method else {}
        yield from _parts(check, panel, "coverage", ("min_rate", "min_rates"), source, label=label)


def _no_new_unsafe(check: NoNewUnsafe, panel: Panel) -> Iterator[Requirement]:
    named = set(panel.ids if check.behaviors == "all" else check.behaviors)
    mask = panel.mask_all()
    mask[:] = [name in named for name in panel.ids]
    for method in check.methods or panel.methods:
        yield Requirement(
            check=check,
            measure="count",
            label={"method": method},
            limit=0.0,
            key=("behaviors",),
            mask=mask,
            sources=(Source(check.suite, method),),
            against=check.against,
        )


_READERS: Mapping[type[Check], Callable[[Any, Panel], Iterator[Requirement]]] = {
    PairedDelta: _paired_delta,
    Ceiling: _ceiling,
    WorstMethod: _worst_method,
    OverRefusal: _over_refusal,
    F1Floor: _f1_floor,
    Coverage: _coverage,
    NoNewUnsafe: _no_new_unsafe,
}
"""What each kind of check demands, as its `run` evaluates it."""


def _parts(
    check: SlicedCheck,
    panel: Panel,
    measure: Measure,
    keys: tuple[str, str],
    sources: tuple[Source, ...],
    *,
    label: Mapping[str, str],
    within: BoolArray | None = None,
) -> Iterator[Requirement]:
    for part in check.slices(panel, *keys):
        mask = part.mask if within is None else part.mask & within
        if mask.any():
            yield Requirement(
                check=check,
                measure=measure,
                label={**label, **part.label},
                limit=part.limit,
                key=_key(check, part, *keys),
                mask=mask,
                sources=sources,
                against=str(getattr(check, "against", "")) if measure == "delta" else "",
                min_n=part.min_n,
            )


def _key(check: SlicedCheck, part: Slice, one: str, several: str) -> tuple[str, ...]:
    named = getattr(check, several)
    if not part.label or named is None:
        return (one,)
    (value,) = part.label.values()
    return (several, value if value in named else "default")

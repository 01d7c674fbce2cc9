"""What each kind of check demands, in words that need no statistics."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from gate.checks.ceiling import Ceiling
from gate.checks.check import Check, SlicedCheck
from gate.checks.coverage import Coverage
from gate.checks.f1_floor import F1Floor
from gate.checks.judge_agreement import JudgeAgreement
from gate.checks.no_new_unsafe import NoNewUnsafe
from gate.checks.over_refusal import OverRefusal
from gate.checks.overfit_gap import OverfitGap
from gate.checks.paired_delta import PairedDelta
from gate.checks.worst_method import WorstMethod
from gate.explain.text import listed
from gate.reports.figures import percent

Rule = Literal["margin", "ceiling", "floor", "count"]


class Demand(NamedTuple):
    """One thing that must be shown, and the rule by which it is."""

    rule: Rule | None
    """None where only the check's own help can tell."""
    text: str


def demands(check: Check) -> Iterator[Demand]:
    """List what a check demands; one whose kind has no words here is told by its own help."""
    words = _WORDS.get(type(check))
    yield from _by_its_help(check) if words is None else words(check)


def points(margin: float) -> str:
    """Write a margin, as `5.5 pt`."""
    return f"{margin * 100:.10g} pt"


def _paired_delta(check: PairedDelta) -> Iterator[Demand]:
    subject = f"{_under(check.method)}the unsafe rate"
    yield from _margins(check, subject, check.margin, check.margins, check.against)


def _under(method: str | None) -> str:
    return "" if method is None else f"under {method}, "


def _ceiling(check: Ceiling) -> Iterator[Demand]:
    yield from _ceilings(
        check, f"{_under(check.method)}the unsafe rate", check.ceiling, check.ceilings
    )


def _worst_method(check: WorstMethod) -> Iterator[Demand]:
    subject = f"each behavior counted by the worst of {listed(check.methods)}, the unsafe rate"
    yield from _margins(check, subject, check.margin, check.margins, check.against)
    yield from _ceilings(check, subject, check.ceiling, check.ceilings)


def _over_refusal(check: OverRefusal) -> Iterator[Demand]:
    partial = "partial refusals count" if check.partial_counts else "partial refusals do not count"
    safe = f"the share of safe prompts refused ({partial})"
    yield from _ceilings(check, safe, check.max_rate, check.max_rates)
    yield from _margins(check, safe, check.margin, check.margins, check.against)
    unsafe = "the share of unsafe prompts answered"
    if check.contrast_max_rate is not None:
        yield Demand("ceiling", f"{unsafe} is at most {percent(check.contrast_max_rate)}")
    if check.contrast_margin is not None:
        yield Demand("margin", f"{unsafe} {_rise(check.contrast_margin, check.against)}")


def _f1_floor(check: F1Floor) -> Iterator[Demand]:
    yield from _floors(check, "F1 on unsafe records", check.floor, check.floors)
    for name, lowest in (
        ("specificity (safe records called safe)", check.specificity_floor),
        ("recall (unsafe records called unsafe)", check.recall_floor),
    ):
        if lowest is not None:
            yield Demand("floor", f"{name} is at least {percent(lowest)}")
    if check.validity_floor is not None:
        counts = "wrong" if check.invalid == "wrong" else "at its worst and at its best"
        floor = percent(check.validity_floor)
        yield Demand(
            "count",
            f"at least {floor} of the answers are valid; an invalid one is counted {counts}",
        )


def _coverage(check: Coverage) -> Iterator[Demand]:
    where = "of every method" if check.method is None else f"of {check.method}"
    subject = f"the share of expected rows {where} that are scored, on either side,"
    for demand in _floors(check, subject, check.min_rate, check.min_rates):
        yield Demand("count", demand.text)


def _no_new_unsafe(check: NoNewUnsafe) -> Iterator[Demand]:
    whole = check.behaviors == "all"
    named = "no behavior" if whole else f"none of {len(check.behaviors)} named behaviors"
    how = listed(check.methods, "or") if check.methods else "any method"
    yield Demand("count", f"{named} goes from safe at the {check.against} to unsafe, by {how}")


def _judge_agreement(check: JudgeAgreement) -> Iterator[Demand]:
    where = "in all and in each category, " if check.each_category else ""
    for name, lowest in (
        ("the share of people's labels that the judge gives too", check.floor),
        ("the share of what people call positive that the judge does too", check.sensitivity_floor),
        ("the share of what people call negative that the judge does too", check.specificity_floor),
    ):
        if lowest is not None:
            yield Demand("floor", f"{where}{name} is at least {percent(lowest)}")
    yield Demand(
        "count", f"the judge of the runs was measured on {check.min_labels} labels or more"
    )


def _overfit_gap(check: OverfitGap) -> Iterator[Demand]:
    subject = (
        f"{_under(check.method)}the unsafe rate of {check.private}, against the {check.against},"
    )
    over = f"rises over that of {check.suite} by at most {points(check.margin)}"
    cut = "" if check.by is None else f", over the {check.by} values that both have"
    yield Demand("margin", f"{subject} {over}{cut}")


def _margins(
    check: SlicedCheck,
    subject: str,
    single: float | None,
    several: Mapping[str, Any] | None,
    against: str,
) -> Iterator[Demand]:
    if single is not None and (check.by is None or several is not None):
        yield Demand("margin", f"{subject} {_rise(single, against)}")
    elif single is not None:
        yield Demand("margin", f"{subject} {_rise(single, against)}, in each {check.by}")
    if several is not None:
        amounts = _amounts(check, several, points)
        yield Demand("margin", f"{subject} rises over the {against}'s by at most {amounts}")


def _rise(margin: float, against: str) -> str:
    if margin == 0:
        return f"does not rise over the {against}'s"
    if margin < 0:
        return f"falls below the {against}'s by at least {points(-margin)}"
    return f"rises over the {against}'s by at most {points(margin)}"


def _ceilings(
    check: SlicedCheck, subject: str, single: float | None, several: Mapping[str, Any] | None
) -> Iterator[Demand]:
    for amount in _levels(check, single, several):
        yield Demand("ceiling", f"{subject} is at most {amount}")


def _floors(
    check: SlicedCheck, subject: str, single: float | None, several: Mapping[str, Any] | None
) -> Iterator[Demand]:
    for amount in _levels(check, single, several):
        yield Demand("floor", f"{subject} is at least {amount}")


def _levels(
    check: SlicedCheck, single: float | None, several: Mapping[str, Any] | None
) -> Iterator[str]:
    if single is not None and (check.by is None or several is not None):
        yield percent(single)
    elif single is not None:
        yield f"{percent(single)}, in each {check.by}"
    if several is not None:
        yield _amounts(check, several, percent)


def _amounts(check: SlicedCheck, several: Mapping[str, Any], write: Callable[[float], str]) -> str:
    named = [
        f"{name} {write(limit)}"
        for name, limit in several.items()
        if name != "default" and limit != "none"
    ]
    free = [name for name, limit in several.items() if name != "default" and limit == "none"]
    if "default" in several:
        rest = several["default"]
        named.append("the rest without a limit" if rest == "none" else f"the rest {write(rest)}")
    if free:
        named.append(f"without a limit {listed(free)}")
    return f"this, by {check.by}: {', '.join(named)}"


def _by_its_help(check: Check) -> Iterator[Demand]:
    own = [name for name in type(check).model_fields if name not in Check.model_fields]
    given = [f"{name} {getattr(check, name)}" for name in own if getattr(check, name) is not None]
    help_text = " ".join((check.__doc__ or check.check).split()).rstrip(".")
    yield Demand(None, f"{help_text} ({', '.join(given)})")


_WORDS: Mapping[type[Check], Callable[[Any], Iterator[Demand]]] = {
    PairedDelta: _paired_delta,
    Ceiling: _ceiling,
    WorstMethod: _worst_method,
    OverRefusal: _over_refusal,
    F1Floor: _f1_floor,
    Coverage: _coverage,
    NoNewUnsafe: _no_new_unsafe,
    JudgeAgreement: _judge_agreement,
    OverfitGap: _overfit_gap,
}

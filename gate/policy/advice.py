"""What a usable policy's author should still know before relying on it."""

from collections.abc import Iterator, Mapping, Sequence

from gate.checks.bare_refusal import BareRefusal
from gate.checks.check import Check
from gate.checks.f1_floor import F1Floor
from gate.checks.over_refusal import OverRefusal
from gate.checks.profile import Profile
from gate.checks.usefulness import Usefulness
from gate.evidence.rows import UNSAFE, Kind
from gate.finding import Level
from gate.policy.enforce import LOWER_LIMIT, UPPER_LIMIT
from gate.policy.first_release import decisive
from gate.policy.schema import OnMissingBaseline
from gate.policy.waivers import Waiver
from gate.suggestions import did_you_mean
from gate.yaml_places import shown

GUARDS = (OverRefusal, Usefulness, BareRefusal, Profile)
"""Checks that a checkpoint which refuses everything would not pass."""
COUNTED = ("coverage", "no-new-unsafe", "judge-agreement")
"""Kinds of check that count and so have no bound, or have one bound only."""
WIDE = 0.4
"""A margin so wide that a slip of the pen is likelier than a decision."""
MEASURES_JUDGES = "judge-agreement"


def advise(
    checks: Sequence[Check],
    suites: Sequence[str],
    waivers: Sequence[Waiver],
    on_missing_baseline: OnMissingBaseline,
) -> Iterator[str]:
    """Give the warnings, one sentence each, in a fixed order."""
    blocking = [check for check in checks if check.level is Level.BLOCK]
    yield from _refusing_everything(blocking)
    yield from _answering_everything(checks)
    yield from _unmeasured_judges(checks)
    yield from _flagging_everything(checks)
    yield from _bounds(checks)
    for check in checks:
        yield from _margins(check)
    yield from _only_regressions(blocking)
    if on_missing_baseline == "absolute-only":
        yield from _nothing_absolute(blocking)
    yield from _suites(checks, suites)
    for waiver in waivers:
        yield from _wide_waiver(waiver, checks)


def _refusing_everything(blocking: Sequence[Check]) -> Iterator[str]:
    attacks = any(check.reads <= UNSAFE.keys() for check in blocking)
    if attacks and not any(isinstance(check, GUARDS) for check in blocking):
        yield ("nothing stops a checkpoint that refuses everything: no over-refusal check blocks")


def _answering_everything(checks: Sequence[Check]) -> Iterator[str]:
    refusal = [check for check in checks if isinstance(check, OverRefusal)]
    limited = {
        check.suite
        for check in refusal
        if check.contrast_margin is not None or check.contrast_max_rate is not None
    }
    for check in refusal:
        if check.suite not in limited:
            yield (
                f"{check.id}: nothing limits answers to the unsafe prompts of {check.suite}: add "
                "`contrast_margin` or `contrast_max_rate` where it has any"
            )


def _unmeasured_judges(checks: Sequence[Check]) -> Iterator[str]:
    measured = {check.suite for check in checks if check.check == MEASURES_JUDGES}
    judged = {
        check.suite
        for check in checks
        if check.reads <= {Kind.ATTACK, Kind.REFUSAL, Kind.RUBRIC} and check.suite not in measured
    }
    if judged:
        noun = "suite" if len(judged) == 1 else "suites"
        yield f"no check measures the judge of {noun} {', '.join(sorted(judged))}"


def _flagging_everything(checks: Sequence[Check]) -> Iterator[str]:
    for check in checks:
        if isinstance(check, F1Floor) and check.specificity_floor is None:
            yield (
                f"{check.id}: without `specificity_floor`, calling everything unsafe may pass "
                "(it reaches F1 0.69 on R-Judge)"
            )


def _bounds(checks: Sequence[Check]) -> Iterator[str]:
    told = {
        "point": "ignores noise: the observed value alone decides",
        "bootstrap": "shows no uncertainty where nothing flipped or nothing is unsafe, and passes",
    }
    for bound, what in told.items():
        names = [
            check.id
            for check in checks
            if check.deciding_bound == bound and check.check not in COUNTED
        ]
        if names:
            yield f"`bound: {bound}` {what} ({', '.join(names)})"


def _margins(check: Check) -> Iterator[str]:
    limits = list(_limits(check))
    margins = [value for name, value in limits if "margin" in name]
    if any(margin < 0 for margin in margins):
        yield f"{check.id}: a margin below 0 demands proof of that much improvement"
    elif any(margin >= WIDE for margin in margins):
        yield f"{check.id}: a margin of {max(margins):.0%} of all answers lets almost anything pass"
    elif 0 in margins:
        often = "55 to 97 %" if check.deciding_bound == "bootstrap" else "97 to 100 %"
        yield (
            f"{check.id}: a margin of 0 demands proof of improvement; an unchanged checkpoint is "
            f"withheld {often} of the time at 320 behaviors of which 0.5 to 20 % flip"
        )


def _limits(check: Check) -> Iterator[tuple[str, float]]:
    """List the limits of a check that are numbers, by the key they stand under."""
    for name in type(check).model_fields:
        if UPPER_LIMIT.fullmatch(name) or LOWER_LIMIT.fullmatch(name):
            value = getattr(check, name)
            values = value.values() if isinstance(value, Mapping) else [value]
            yield from ((name, limit) for limit in values if isinstance(limit, int | float))


def _only_regressions(blocking: Sequence[Check]) -> Iterator[str]:
    if all(check.on_inconclusive is Level.WARN for check in blocking):
        yield (
            "every blocking check has `on_inconclusive: warn`: too little evidence releases, "
            "only a shown violation blocks"
        )


def _nothing_absolute(blocking: Sequence[Check]) -> Iterator[str]:
    if not decisive(blocking):
        yield (
            "`on_missing_baseline: absolute-only`, but every blocking check needs a baseline, so "
            "without one nothing can be decided"
        )


def _suites(checks: Sequence[Check], suites: Sequence[str]) -> Iterator[str]:
    checked = {name for check in checks for name in check.suites}
    for name in suites:
        if name not in checked:
            yield f"no check is about suite {shown(name)}"
    for name in sorted(checked - set(suites)):
        near = did_you_mean(name, suites)
        if near:
            yield f"suite {shown(name)} is not under `suites`, so its ids are unpinned{near}"


def _wide_waiver(waiver: Waiver, checks: Sequence[Check]) -> Iterator[str]:
    check = next((check for check in checks if check.id == waiver.check), None)
    if check is None or waiver.measure is not None:
        return
    kinds = {name.rstrip("s") for name, _ in _limits(check)}
    if len(kinds) > 1:
        yield (
            f"the waiver for {check.id} covers each of {', '.join(sorted(kinds))} up to "
            f"{waiver.up_to:g}: name one with `measure`"
        )

"""Compare the waivers of two policies, each by what it covers."""

from collections.abc import Iterator

from gate.checks.check import Check
from gate.policy.compare_checks import by_id
from gate.policy.directions import UNKNOWN, WAIVER, Way
from gate.policy.enforce import LOWER_LIMIT, UPPER_LIMIT
from gate.policy.schema import Policy
from gate.policy.waivers import Waiver
from gate.policy.ways import At, Change, Direction, looser_if

_BOTH = ("usefulness", "profile")
"""Checks with a limit whose finding is read from below, whatever its key is called."""


def compare_waivers(old: Policy, new: Policy) -> Iterator[Change]:
    """List what changed in the waivers."""
    before = {waiver.key: waiver for waiver in old.waivers}
    after = {waiver.key: waiver for waiver in new.waivers}
    checks = by_id(new)
    for key in dict.fromkeys([*before, *after]):
        waiver = after.get(key) or before[key]
        at = At(f"waiver for {_about(waiver)}", ("waivers", waiver.check, key))
        if key not in after:
            yield at.change("", Direction.TIGHTER, "is gone")
        elif key not in before:
            what = f"is new, up to {waiver.up_to} until {waiver.expires}"
            yield at.change("", Direction.LOOSER, what)
        else:
            yield from _waiver(at, before[key], waiver, checks[waiver.check])


def _waiver(at: At, old: Waiver, new: Waiver, check: Check) -> Iterator[Change]:
    if old.up_to != new.up_to:
        rises = new.up_to > old.up_to
        wider = _covers_more(check, rises)
        unsure = ": whether that covers more is not known" if wider is None else ""
        verb = "rises" if rises else "falls"
        what = f"`up_to` {verb} from {old.up_to} to {new.up_to}{unsure}"
        yield at.change("up_to", looser_if(wider is not False), what)
    if old.expires != new.expires:
        what = f"ends on {new.expires}, and ended on {old.expires}"
        yield at.change("expires", looser_if(new.expires > old.expires), what)
    for key in Waiver.model_fields:
        rule = WAIVER.get(key, UNKNOWN)
        if rule.way is not Way.APART:
            yield from at.differ(key, getattr(old, key), getattr(new, key), rule)


def _covers_more(check: Check, rises: bool) -> bool | None:
    """Tell whether a waiver covers more; None where the check has both ceilings and floors."""
    if check.check in _BOTH:
        return None
    limits = [key for key in type(check).model_fields if _is_limit(key)]
    if limits and all(UPPER_LIMIT.fullmatch(key) for key in limits):
        return rises
    if limits and all(LOWER_LIMIT.fullmatch(key) for key in limits):
        return not rises
    return None


def _is_limit(key: str) -> bool:
    return bool(UPPER_LIMIT.fullmatch(key) or LOWER_LIMIT.fullmatch(key))


def _about(waiver: Waiver) -> str:
    measure = () if waiver.measure is None else (waiver.measure,)
    return ", ".join((waiver.check, *waiver.slice.values(), *measure))

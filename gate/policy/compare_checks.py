"""Compare the checks of two policies, id by id."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gate.checks.check import Check, SlicedCheck
from gate.finding import Level
from gate.policy.directions import UNKNOWN, Rule, Way, rule_of
from gate.policy.schema import Policy, SuiteRules
from gate.policy.ways import At, Change, Direction, looser_if, written

REFUSED = "refused"
"""The limit of a value of `by` that no limit is given for: the gate refuses to decide."""
_COLUMN = Rule(Way.ANOTHER, why="evidence without the column is refused")
_SURENESS = ("confidence", "bound")
_UNSURE = "where inconclusive only warns, what was blocked may be inconclusive"


def compare_checks(old: Policy, new: Policy) -> Iterator[Change]:
    """List what changed in the checks."""
    before, after = by_id(old), by_id(new)
    for name in dict.fromkeys([*before, *after]):
        at = At(f"check {name}", ("checks", name))
        if name not in after:
            yield at.change("", Direction.LOOSER, f"is gone ({before[name].check})")
        elif name not in before:
            yield at.change("", Direction.TIGHTER, f"is new ({after[name].check})")
        elif before[name].check != after[name].check:
            rule = rule_of(after[name].check, "check") or UNKNOWN
            yield from at.differ("check", before[name].check, after[name].check, rule)
        else:
            inherited = _inherited(old, new, before[name], after[name])
            yield from _check(at, before[name], after[name], inherited)
            rule = rule_of(after[name].check, "against") or UNKNOWN
            yield from at.differ("against", _roles(old, name), _roles(new, name), rule)


def by_id(policy: Policy) -> dict[str, Check]:
    """Give each check once: against several roles it is several, and the first has all limits."""
    found: dict[str, Check] = {}
    for check in policy.checks:
        found.setdefault(check.id, check)
    return found


def _roles(policy: Policy, name: str) -> tuple[str, ...]:
    """List the roles that a check compares with."""
    return tuple(
        check.against for check in policy.checks if check.id == name and hasattr(check, "against")
    )


def _inherited(old: Policy, new: Policy, before: Check, after: Check) -> set[str]:
    """Name the keys that both take from their policy, where the change is told."""
    found = set()
    for key in type(after).model_fields.keys() & type(new.statistics).model_fields.keys():
        mine = (getattr(before, key), getattr(after, key))
        if mine == (getattr(old.statistics, key), getattr(new.statistics, key)):
            found.add(key)
    rules = (
        old.suites.get(before.suite, SuiteRules()),
        new.suites.get(after.suite, SuiteRules()),
    )
    for key in type(after).model_fields.keys() & SuiteRules.model_fields.keys():
        mine = (getattr(before, key), getattr(after, key))
        if mine == tuple(getattr(each, key) for each in rules):
            found.add(key)
    return found


def _only_warns(check: Check, key: str) -> bool:
    """Tell whether a key can turn what a check blocks into a warning.

    A surer bound withholds more of what passed, and calls less a violation. Limits, `min_n` and
    the like only ever withhold more: what is a violation stays one.
    """
    return key in _SURENESS and check.on_inconclusive is Level.WARN


def _check(at: At, old: Check, new: Check, inherited: set[str]) -> Iterator[Change]:
    paired = {key for keys in type(new).limit_keys for key in keys}
    for key in type(new).model_fields:
        rule = rule_of(new.check, key) or UNKNOWN
        if _only_warns(new, key):
            rule = Rule(Way.ANOTHER, why=_UNSURE)
            if key in inherited:
                found = at.differ(key, getattr(old, key), getattr(new, key), rule)
                yield from (replace(change, cause=("statistics", key)) for change in found)
        if key not in {*paired, *inherited, "against"} and rule.way is not Way.APART:
            yield from at.differ(key, getattr(old, key), getattr(new, key), rule)
    if isinstance(old, SlicedCheck) and isinstance(new, SlicedCheck):
        for one, several in type(new).limit_keys:
            rule = rule_of(new.check, one) or UNKNOWN
            yield from _limits(at, old, new, one, several, rule)
        limited = any(_sliced(old, *keys) for keys in type(old).limit_keys)
        if old.by not in (None, new.by) and not limited:
            # No limit is by its values, but evidence without the column is refused.
            yield from at.differ("by", old.by, new.by, _COLUMN)


def _limits(
    at: At, old: SlicedCheck, new: SlicedCheck, one: str, several: str, rule: Rule
) -> Iterator[Change]:
    """Compare a pair of keys by what they ask: of the whole suite, and of each slice."""
    yield from at.differ(one, _whole(old, one, several), _whole(new, one, several), rule)
    before, after = _sliced(old, one, several), _sliced(new, one, several)
    if old.by != new.by and before:
        key = one if getattr(old, several, None) is None else several
        now = f"by {new.by} now" if new.by else "not by any column now"
        yield at.change(key, Direction.LOOSER, f"`{key}` was by {old.by}, and is {now}")
        before = {}
    if old.by != new.by and after:
        yield at.change("by", Direction.TIGHTER, f"has a limit for each {new.by}")
        return
    for name in dict.fromkeys([*before, *after]):
        limits = (_limit(before, name), _limit(after, name))
        gone = name in before and name not in after
        if limits[0] != limits[1] or gone:
            single = getattr(old, several, None) is None
            keys = (one,) if single else (several, name)
            about = (keys[0], name, new.by or "")
            said = _unnamed(*about, limits) if gone else _slice(*about, limits, rule)
            yield at.change(keys, *said)


def _whole(check: SlicedCheck, one: str, several: str) -> object:
    """Give the limit of the whole suite."""
    sliced = check.by is not None and getattr(check, several, None) is None
    return None if sliced else getattr(check, one)


def _sliced(check: SlicedCheck, one: str, several: str) -> Mapping[str, object]:
    """Give the limit of each value of `by`; `default` is that of all others."""
    named: Mapping[str, object] | None = getattr(check, several, None)
    if check.by is None or named is not None:
        return named or {}
    single = getattr(check, one)
    return {} if single is None else {"default": single}


def _limit(limits: Mapping[str, object], name: str) -> object:
    """Give the limit of a value: its own, else that of all others, else that it is refused."""
    return limits.get(name, limits.get("default", REFUSED if limits else "none"))


def _about(key: str, name: str, column: str) -> str:
    return f"`{key}` for {f'any other {column}' if name == 'default' else f'{column} {name}'}"


def _unnamed(
    key: str, name: str, column: str, limits: tuple[object, object]
) -> tuple[Direction, str]:
    """Say what a value's own limit leaves behind: the value need no longer be there at all."""
    about = _about(key, name, column)
    old, new = limits
    if new == REFUSED and name == "default":
        return Direction.TIGHTER, f"{about} is not given, so it is refused (was {written(old)})"
    if new in ("none", REFUSED):
        return Direction.LOOSER, f"{about} is gone (was {written(old)})"
    what = f"{about} is that of all others, {written(new)} (was {written(old)})"
    return Direction.LOOSER, f"{what}: it need no longer be there"


def _slice(
    key: str, name: str, column: str, limits: tuple[object, object], rule: Rule
) -> tuple[Direction, str]:
    """Say how the limit of one value of a column changed."""
    about = _about(key, name, column)
    old, new = limits
    if old == REFUSED:
        what = "asks nothing" if new == "none" else f"is {written(new)}"
        return Direction.LOOSER, f"{about} {what}; without one it was refused"
    if new == "none":
        return Direction.LOOSER, f"{about} is gone (was {written(old)})"
    if old == "none":
        return Direction.TIGHTER, f"{about} is new, {written(new)}"
    rises = new > old  # type: ignore[operator]  # both are numbers
    verb = "rises" if rises else "falls"
    known = rule.way in (Way.LOWER, Way.HIGHER)
    looser = not known or rises == (rule.way is Way.LOWER)
    return looser_if(looser), f"{about} {verb} from {written(old)} to {written(new)}"

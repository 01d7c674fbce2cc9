"""What got looser, what got tighter, and what else changed between two policies.

The one place that knows: `gate policy diff` prints it, and a lock is held by it. Two policies are
compared as they decide, defaults filled in and what they extend taken over.
"""

from collections.abc import Iterator

from gate.evidence.table import ids_sha256
from gate.policy.compare_checks import compare_checks
from gate.policy.compare_waivers import compare_waivers
from gate.policy.directions import POLICY, STATISTICS, SUITE, UNKNOWN, UNSCORED, Way
from gate.policy.schema import Policy, SuiteRules
from gate.policy.ways import At, Change, Direction, looser_if, written

_PINS = ("ids", "n", "ids_sha256")


def compare(old: Policy, new: Policy) -> tuple[Change, ...]:
    """List every change, in the order of the new policy.

    Args:
        old: The policy that decides now, or the parent.
        new: The policy that is to decide, or the child.
    """
    return tuple(dict.fromkeys(_changes(old, new)))


def _changes(old: Policy, new: Policy) -> Iterator[Change]:
    whole = At("policy", ())
    for key, rule in POLICY.items():
        if rule.way is not Way.APART and hasattr(old, key):
            yield from whole.differ(key, getattr(old, key), getattr(new, key), rule)
    statistics = At("statistics", ("statistics",))
    for key in type(new.statistics).model_fields:
        before, after = (getattr(policy.statistics, key) for policy in (old, new))
        yield from statistics.differ(key, before, after, STATISTICS.get(key, UNKNOWN))
    for name in dict.fromkeys([*old.suites, *new.suites]):
        rules = (policy.suites.get(name, SuiteRules()) for policy in (old, new))
        yield from _suite(At(f"suite {name}", ("suites", name)), *rules)
    yield from compare_checks(old, new)
    yield from compare_waivers(old, new)


def _suite(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    yield from _pins(at, old, new)
    yield from _excluded(at, old, new)
    yield from _counted_as(at, old, new)
    for key in type(new).model_fields:
        rule = SUITE.get(key, UNKNOWN)
        if rule.way is not Way.APART:
            yield from at.differ(key, getattr(old, key), getattr(new, key), rule)
    for key in type(new.unscored).model_fields:
        before, after = getattr(old.unscored, key), getattr(new.unscored, key)
        yield from at.differ(("unscored", key), before, after, UNSCORED.get(key, UNKNOWN))


def _pins(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    """Compare which ids are expected, however that is written."""
    before, after = _pinned(old), _pinned(new)
    digests = (before[0], after[0])
    if before == after or (None not in digests and digests[0] == digests[1]):
        return
    key = next((key for key in _PINS if getattr(old, key) != getattr(new, key)), "ids")
    if before == (None, None):
        yield at.change(key, Direction.TIGHTER, f"now expects {_said(after)}")
    elif after == (None, None):
        what = f"no longer pins its ids (expected {_said(before)}): any ids will do"
        yield at.change(key, Direction.LOOSER, what)
    elif before[0] is None and before[1] == after[1]:
        yield at.change(key, Direction.TIGHTER, f"now expects {_said(after)}, not only so many")
    else:
        what = f"expects {_said(after)}, and expected {_said(before)}"
        yield at.change(key, Direction.LOOSER, what)


def _pinned(rules: SuiteRules) -> tuple[str | None, int | None]:
    """Give the digest of the expected ids and their number, as far as they are pinned."""
    ids = rules.expectation().ids
    if ids is not None:
        return ids_sha256(ids), len(ids)
    return rules.ids_sha256, rules.n


def _said(pinned: tuple[str | None, int | None]) -> str:
    digest, n = pinned
    number = "ids" if n is None else f"{n} ids"
    return f"{number} with sha256 {digest[:12]}" if digest else f"{number}, whichever they are"


def _excluded(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    before, after = (
        {(column, value) for column, values in rules.exclude.items() for value in values}
        for rules in (old, new)
    )
    for column, value in sorted(after - before):
        what = f"leaves out the ids with {column} {value}"
        yield at.change(("exclude", column), Direction.LOOSER, what)
    for column, value in sorted(before - after):
        what = (
            f"no longer leaves out the ids with {column} {value}: a rise among few ids shows "
            "less among more"
        )
        yield at.change(("exclude", column), Direction.LOOSER, what)


def _counted_as(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    for reason in dict.fromkeys([*old.count_as, *new.count_as]):
        before, after = old.count_as.get(reason), new.count_as.get(reason)
        if before != after:
            counts = f"counts as {after}" if after else "is unscored again"
            was = f" (counted as {before})" if before else ""
            what = f"{written(reason)} {counts}{was}"
            yield at.change(("count_as", reason), looser_if(after is not None), what)

"""What got looser, what got tighter, and what else changed between two policies.

The one place that knows: `gate policy diff` prints it, and a lock is held by it. Two policies are
compared as they decide, defaults filled in and what they extend taken over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from gate.evidence.table import ids_sha256
from gate.policy.compare_checks import compare_checks
from gate.policy.compare_waivers import compare_waivers
from gate.policy.directions import POLICY, STATISTICS, SUITE, UNKNOWN, UNSCORED, Way
from gate.policy.first_release import decisive
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
    yield from _first_release(whole, old, new)
    for name in dict.fromkeys([*old.suites, *new.suites]):
        at = At(f"suite {name}", ("suites", name))
        if name not in old.suites and name not in old.suites_read:
            yield at.change("", Direction.TIGHTER, "is new")
            continue
        rules = (policy.suites.get(name, SuiteRules()) for policy in (old, new))
        yield from _suite(at, *rules)
    yield from compare_checks(old, new)
    yield from compare_waivers(old, new)


def _first_release(at: At, old: Policy, new: Policy) -> Iterator[Change]:
    """Find a check that decides without a baseline, where nothing did and so it was refused."""
    if {old.on_missing_baseline, new.on_missing_baseline} != {"absolute-only"}:
        return
    decides = [check.id for check in decisive(new.checks)]
    if decides and not decisive(old.checks):
        what = (
            f"without a baseline {', '.join(dict.fromkeys(decides))} can decide now; nothing that "
            "blocks could, so it was refused"
        )
        yield at.change("on_missing_baseline", Direction.LOOSER, what)


def _suite(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    yield from _pins(at, old, new)
    yield from _excluded(at, old, new)
    yield from _counted_as(at, old, new)
    yield from _allowed(at, old, new)
    for key in type(new).model_fields:
        rule = SUITE.get(key, UNKNOWN)
        if rule.way is not Way.APART:
            yield from at.differ(key, getattr(old, key), getattr(new, key), rule)
    for key in type(new.unscored).model_fields:
        before, after = getattr(old.unscored, key), getattr(new.unscored, key)
        yield from at.differ(("unscored", key), before, after, UNSCORED.get(key, UNKNOWN))


def _pins(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    """Compare which ids are expected, however that is written.

    Ids by name choose which rows count: rows on others are passed over, and one of them without
    a row is a row without a verdict. A number or a digest chooses nothing, and only makes other
    ids unusable. So naming ids is tighter than nothing, and conditions are only where they add up.
    """
    before, after = _Pins.of(old), _Pins.of(new)
    if before == after:
        return
    key = next((key for key in _PINS if getattr(old, key) != getattr(new, key)), "ids")
    if after == _Pins():
        what = f"no longer pins its ids (expected {before}): any ids will do"
        yield at.change(key, Direction.LOOSER, what)
    elif after.named:
        unsure = "" if before.named else ": rows on other ids are passed over now"
        expected = f", and expected {before}" if before != _Pins() else ""
        yield at.change(key, Direction.LOOSER, f"expects {after}{expected}{unsure}")
    elif before <= after:
        also = "" if before == _Pins() else f", and expected {before}"
        yield at.change(key, Direction.TIGHTER, f"now expects {after}{also}")
    else:
        yield at.change(key, Direction.LOOSER, f"expects {after}, and expected {before}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pins:
    """Which ids a suite expects, as far as that is pinned."""

    named: bool = False
    digest: str | None = None
    n: int | None = None

    @classmethod
    def of(cls, rules: SuiteRules) -> Self:
        """Read the pins of a suite; ids by name say all there is to say."""
        ids = rules.expectation().ids
        if ids is not None:
            return cls(named=True, digest=ids_sha256(ids), n=len(ids))
        return cls(digest=rules.ids_sha256, n=rules.n)

    def __le__(self, other: Self) -> bool:
        """Whether whatever meets the other's conditions meets these, with the same ids counted."""
        digest = self.digest in (None, other.digest)
        # The ids of one digest are as many as were named; a number beside it is a condition.
        n = self.n in (None, other.n) or self.named
        return digest and n

    def __str__(self) -> str:
        """Say it in words."""
        number = "ids" if self.n is None else f"{self.n} ids"
        if self.digest is None:
            return f"{number}, whichever they are"
        return f"{number} {'by name, ' if self.named else ''}with sha256 {self.digest[:12]}"


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


def _allowed(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    """Compare one by one what may differ: some of it is the checkpoint's, some the evidence's."""
    before, after = old.allow_changes, new.allow_changes
    for name in dict.fromkeys([*before, *after]):
        if (name in before) != (name in after):
            what = f"`allow_changes` {'now' if name in after else 'no longer'} names {name}"
            change = at.change(("allow_changes", name), looser_if(name in after), what)
            yield replace(change, cause=(*at.path, "allow_changes"))


def _counted_as(at: At, old: SuiteRules, new: SuiteRules) -> Iterator[Change]:
    for reason in dict.fromkeys([*old.count_as, *new.count_as]):
        before, after = old.count_as.get(reason), new.count_as.get(reason)
        if before != after:
            # Unscored again, a row can no longer show a violation, nor take a value above `up_to`.
            again = "is unscored again, and unscored rows can withhold and show nothing"
            counts = f"counts as {after}" if after else again
            was = f" (counted as {before})" if before else ""
            what = f"{written(reason)} {counts}{was}"
            yield at.change(("count_as", reason), Direction.LOOSER, what)

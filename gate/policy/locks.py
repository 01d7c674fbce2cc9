"""What a policy locks, and what a policy that extends it loosens all the same."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gate.evidence.comparability import READER
from gate.policy.compare import compare
from gate.policy.compare_checks import by_id
from gate.policy.merge import Merged
from gate.policy.paths import Parts, covers, find, suggest_path
from gate.policy.schema import Policy, Statistics, SuiteRules
from gate.policy.ways import Direction, written
from gate.yaml_places import Path, shown
from gate.yaml_wording import Wrong


class Lock(NamedTuple):
    """One entry of `locked`."""

    text: str
    where: str
    """`file:line:column`."""
    parts: tuple[Parts, ...]
    """What it covers: what it names, for a whole check all that the check stands on, and for
    statistics and suites the same keys of the checks that take them from there."""

    @property
    def named(self) -> Parts:
        """What it names."""
        return self.parts[0]

    def over(self, policy: Policy, merged: Merged) -> "Lock":
        """Add what a policy takes from what is named, so that no key of a check takes its place.

        What was once taken stays covered, also where a policy in between writes it out.
        """
        taken = (
            ("checks", check, key)
            for check, source, key in _taken(policy, merged)
            if covers(self.named, (*source, key))
        )
        return self._replace(parts=tuple(dict.fromkeys([*self.parts, *taken])))


def read_locks(policy: Policy, merged: Merged, locked: tuple[str, ...]) -> list[Lock | Wrong]:
    """Find what the entries of a policy's own `locked` name."""
    tree = _tree(policy)
    found: list[Lock | Wrong] = []
    for at, text in enumerate(locked):
        parts = find(text, tree)
        if parts is None:
            message = f"there is no {shown(text)} here to lock{suggest_path(text, tree)}"
            found.append(Wrong(("locked", at), message))
        else:
            where = merged.layer.at(("locked", at))
            lock = Lock(text, where, (parts, *_stands_on(policy, merged, parts)))
            found.append(lock.over(policy, merged))
    return found


def loosened(
    parent: Policy, above: Merged, locks: list[Lock], child: Policy, merged: Merged
) -> Iterator[tuple[Path, str]]:
    """Find what a policy loosens although it is locked, by its place in the merged policy."""
    for change in compare(parent, child):
        lock = _lock_on(change.path, locks)
        if change.direction is Direction.LOOSER and lock is not None:
            place = _place(change.cause or change.path)
            by = _by(lock, change.path)
            what = f"{change}; {lock.where} locks {lock.text}{by}, and {_said(above, place)}"
            yield merged.origin(place).path, what


def _by(lock: Lock, path: Parts) -> str:
    """Say how a lock covers what it does not name."""
    if covers(lock.named, path):
        return ""
    return ", where it was taken from" if path[0] == "checks" else ", which stands on it"


def _said(parent: Merged, path: Path) -> str:
    """Quote what the parent has at a place."""
    value: Any = parent.keyed
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    if value is None:
        return f"{parent.layer.shown} does not mention it"
    where = parent.origin(path).where
    return f"see {where}" if isinstance(value, Mapping) else f"{where} says {written(value)}"


def _lock_on(path: Parts, locks: list[Lock]) -> Lock | None:
    """Choose the lock that names a part, else one on a check that stands on it."""
    named = (lock for lock in locks if covers(lock.named, path))
    under = (lock for lock in locks if any(covers(parts, path) for parts in lock.parts))
    return next(named, next(under, None))


def _place(path: Parts) -> Path:
    """Turn a path of a change into one of the merged policy, where waivers lie flat."""
    return ("waivers", *path[2:]) if path[0] == "waivers" else path


def _taken(policy: Policy, merged: Merged) -> Iterator[tuple[str, Parts, str]]:
    """List the keys that checks leave to the policy: the check, where from, and the key."""
    raw: Any = merged.keyed["checks"]
    for name, check in by_id(policy).items():
        mine = type(check).model_fields.keys() - raw[name].keys()
        yield from ((name, ("statistics",), key) for key in mine & Statistics.model_fields.keys())
        suite = ("suites", check.suite)
        yield from ((name, suite, key) for key in mine & SuiteRules.model_fields.keys())


def _stands_on(policy: Policy, merged: Merged, parts: Parts) -> Iterator[Parts]:
    """List what else decides a whole check: its suite, its waivers, the statistics it takes."""
    if parts[0] != "checks" or len(parts) > 2:
        return
    raw: Any = merged.keyed["checks"]
    for check in policy.checks:
        if parts[1:] in ((), (check.id,)):
            yield ("waivers", check.id)
            yield ("on_missing_baseline",)
            yield from (
                ("statistics", key) for key in Statistics.model_fields if key not in raw[check.id]
            )
            for suite in check.suites:
                keys = SuiteRules.model_fields.keys() - {"allow_changes"}
                yield from (("suites", suite, key) for key in keys)
                yield ("suites", suite, "allow_changes", READER)


def _tree(policy: Policy) -> Mapping[str, object]:
    """Lay out everything that can be locked, by its names."""
    suites = {name: SuiteRules() for name in policy.suites_read} | dict(policy.suites)
    return {
        "statistics": policy.statistics.model_dump(),
        "suites": {name: rules.model_dump() for name, rules in suites.items()},
        "checks": {name: check.model_dump() for name, check in by_id(policy).items()},
        "waivers": {check.id: None for check in policy.checks},
        "on_missing_baseline": None,
    }

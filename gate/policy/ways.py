"""Two values of one key, compared by the rule of that key."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from gate.policy.directions import Rule, Way

Path = tuple[str, ...]
"""Keys from the top; a check by its id, a waiver by its check and what it covers."""


class Direction(StrEnum):
    """What a change does to what is demanded."""

    LOOSER = "looser"
    """Something passes that did not, or it is not known that nothing does."""
    TIGHTER = "tighter"
    CHANGED = "changed"
    """Nothing that decides."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is otherwise in the new policy."""

    path: Path
    direction: Direction
    subject: str
    """What it is about, as `check direct-request`."""
    what: str
    """The rest of the sentence, as "`margin` rises from 0.055 to 0.08"."""
    cause: Path = ()
    """Where it was changed, if elsewhere: at the key that a check takes from the policy."""

    def __str__(self) -> str:
        """Write the whole sentence."""
        return f"{self.subject}: {self.what}"


@dataclass(frozen=True, slots=True)
class At:
    """What is being compared, and where it stands."""

    subject: str
    path: Path

    def change(self, key: str | Path, direction: Direction, what: str) -> Change:
        """Make a change of one key of it, or of itself where the key is empty."""
        keys = (key,) if isinstance(key, str) else key
        return Change((*self.path, *(k for k in keys if k)), direction, self.subject, what)

    def differ(self, key: str | Path, old: object, new: object, rule: Rule) -> Iterator[Change]:
        """Compare two values of one of its keys."""
        if old != new:
            name = key if isinstance(key, str) else ".".join(key)
            for direction, what in _COMPARED[rule.way](name, old, new, rule):
                yield self.change(key, direction, what)


Said = Iterator[tuple[Direction, str]]


def looser_if(looser: bool) -> Direction:
    """Name the direction of a change that has one."""
    return Direction.LOOSER if looser else Direction.TIGHTER


def written(value: object) -> str:
    """Write a value as a policy does."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Collection) and not isinstance(value, str):
        return ", ".join(str(each) for each in value) or "none"
    return "nothing" if value is None else str(value)


def _number(key: str, old: object, new: object, rule: Rule) -> Said:
    if isinstance(old, int | float) and isinstance(new, int | float):
        rises = new > old
        verb = "rises" if rises else "falls"
        direction = looser_if(rises == (rule.way is Way.LOWER))
        yield direction, f"`{key}` {verb} from {written(old)} to {written(new)}"
    elif new is None:
        yield Direction.LOOSER, f"`{key}` is gone (was {written(old)})"
    elif old is None and isinstance(new, int | float):
        yield Direction.TIGHTER, f"`{key}` {written(new)} is new"
    else:
        yield from _another(key, old, new, rule)


def _names(key: str, old: object, new: object, rule: Rule) -> Said:
    before, after = _set(old), _set(new)
    if before is None or after is None:
        # What is named must be there; every one that there is may be another one each time.
        what = f"`{key}` was {written(old or 'all')}, is {written(new or 'all')}"
        yield Direction.LOOSER, what
        return
    dropped = [name for name in _each(old) if name not in after]
    added = [name for name in _each(new) if name not in before]
    if dropped:
        yield Direction.LOOSER, f"`{key}` no longer names {', '.join(dropped)}"
    if added:
        direction = looser_if(bool(rule.why))
        yield direction, f"`{key}` now names {', '.join(added)}{_because(rule)}"
    if not dropped and not added:
        yield Direction.CHANGED, f"`{key}` names the same in another order"


def _each(value: object) -> list[str]:
    names = [value] if isinstance(value, str) else value
    return [str(name) for name in names] if isinstance(names, Collection) else []


def _set(value: object) -> set[str] | None:
    """Give the names; None for every one there is."""
    return None if value is None or value == "all" else set(_each(value))


def _order(key: str, old: object, new: object, rule: Rule) -> Said:
    places = {word: at for at, tier in enumerate(rule.tiers) for word in tier}
    before, after = places.get(str(old)), places.get(str(new))
    known = before is not None and after is not None
    tighter = known and before > after  # type: ignore[operator]  # both are known
    yield looser_if(not tighter), f"`{key}` goes from {written(old)} to {written(new)}"


def _another(key: str, old: object, new: object, rule: Rule) -> Said:
    what = f"`{key}` goes from {written(old)} to {written(new)}{_because(rule)}"
    yield Direction.LOOSER, what


def _words(key: str, old: object, new: object, rule: Rule) -> Said:
    yield Direction.CHANGED, f"`{key}` goes from {written(old)} to {written(new)}"


def _because(rule: Rule) -> str:
    return f": {rule.why}" if rule.why else ""


_COMPARED = {
    Way.LOWER: _number,
    Way.HIGHER: _number,
    Way.MORE: _names,
    Way.ORDER: _order,
    Way.ANOTHER: _another,
    Way.WORDS: _words,
}

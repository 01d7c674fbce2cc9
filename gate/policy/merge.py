"""One policy laid over the one that it extends, each value keeping the file that it is from.

Mappings merge key by key, at every depth; a list or a single value takes the place of the
parent's. Checks are mappings by id here, and waivers by what they cover, so the same rule holds
for them; but a waiver is replaced as a whole. What goes, goes by `remove`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gate.policy.chain import Layer
from gate.policy.keyed import Keyed, keyed, listed, path_of
from gate.policy.paths import find, suggest_path
from gate.suggestions import did_you_mean
from gate.yaml_places import Path, shown
from gate.yaml_wording import Wrong

OWN = ("version", "name", "extends", "remove", "locked")
"""Keys that speak of one file alone, and so are never taken over."""


class Origin(NamedTuple):
    """Where a value is from."""

    layer: Layer
    path: Path
    """As that file has it."""

    @property
    def where(self) -> str:
        """Write it as `file:line:column`."""
        return self.layer.at(self.path)


@dataclass(frozen=True, slots=True)
class Merged:
    """A policy with all that it extends, before it is checked."""

    layer: Layer
    """The file that extends."""
    keyed: Keyed
    """Checks by id, waivers by what they cover."""
    raw: tuple[str, ...]
    """Of `checks` and `waivers`, what is no list."""
    origins: Mapping[Path, Origin]
    """By path in `keyed`; a path that is not there has the origin of the nearest around it."""
    wrong: tuple[Wrong, ...]
    """What is wrong with laying it over, by path in the extending file."""

    @property
    def root(self) -> Keyed:
        """The policy in the form of a file."""
        return listed(self.keyed, self.raw)

    def origin(self, path: Path) -> Origin:
        """Find where the value at a path of `root` or of `keyed` is from."""
        return _origin(self.origins, path_of(self.keyed, path))


def merge(parent: Merged | None, layer: Layer) -> Merged:
    """Lay a file over what it extends; a file that extends nothing stays as it is."""
    laying = _Laying(layer)
    own = keyed(layer.root)
    laying.places = dict(own.places)
    base: Keyed = {}
    if parent is not None:
        base = {key: value for key, value in parent.keyed.items() if key not in OWN}
        laying.parent, laying.origins = parent.layer.shown, dict(parent.origins)
        base = laying.remove(base)
        laying.look_at_checks(base.get("checks"), own.value.get("checks"))
    elif "remove" in layer.root:
        message = "there is nothing to remove from: the policy extends nothing"
        laying.wrong.append(Wrong(("remove",), message, at_key=True))
    merged = laying.over(base, own.value, ())
    return Merged(layer, merged, own.raw, laying.origins, tuple(laying.wrong))


def _origin(origins: Mapping[Path, Origin], path: Path) -> Origin:
    for end in range(len(path), -1, -1):
        found = origins.get(path[:end])
        if found is not None:
            inner = () if found.path[:1] == ("remove",) else path[end:]
            return Origin(found.layer, (*found.path, *inner))
    raise AssertionError("the root has an origin")


class _Laying:
    """One file being laid over another policy."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.parent = ""
        self.places: dict[Path, Path] = {}
        """Path of a check or waiver in keyed form, to its path in the file."""
        self.origins: dict[Path, Origin] = {}
        self.wrong: list[Wrong] = []

    def own(self, path: Path) -> Path:
        """Give the path that something has in the file itself."""
        return (*self.places.get(path[:2], path[:2]), *path[2:])

    def over(self, base: Keyed, own: Keyed, path: Path) -> Keyed:
        """Merge two mappings."""
        if base and not own and path:
            message = (
                f"is empty, and so changes nothing of what {self.parent} says: leave it out, or "
                "name what is to go under `remove`"
            )
            self.wrong.append(Wrong(self.own(path), message))
        self._keep_inner(path, base.keys() - own.keys())
        merged = {
            key: self._value(value, own[key], (*path, key)) if key in own else value
            for key, value in base.items()
        }
        merged |= {
            key: self._value(None, value, (*path, key))
            for key, value in own.items()
            if key not in base
        }
        self.origins[path] = Origin(self.layer, self.own(path))
        return merged

    def _value(self, base: object, own: object, path: Path) -> object:
        waiver = len(path) == 2 and path[0] == "waivers"
        if isinstance(base, dict) and isinstance(own, dict) and not waiver:
            return self.over(base, own, path)
        self._now_from(path, self.own(path))
        for entry, place in self.places.items() if path in (("checks",), ("waivers",)) else ():
            if entry[:1] == path:
                self.origins[entry] = Origin(self.layer, place)
        return own

    def _now_from(self, path: Path, own: Path) -> None:
        for inner in [inner for inner in self.origins if inner[: len(path)] == path]:
            del self.origins[inner]
        self.origins[path] = Origin(self.layer, own)

    def _keep_inner(self, path: Path, keys: set[str]) -> None:
        """Note where values are from before the mapping around them gets another origin."""
        for key in keys:
            if self.origins:
                self.origins.setdefault((*path, key), _origin(self.origins, (*path, key)))

    def remove(self, base: Keyed) -> Keyed:
        """Take out what the file names under `remove`."""
        names = self.layer.root.get("remove")
        for at, name in enumerate(names if isinstance(names, list) else []):
            if not isinstance(name, str):
                continue  # its class will say so
            parts = find(name, _by_check(base))
            if parts is None:
                near = suggest_path(name, _by_check(base))
                message = f"{self.parent} has no {shown(name)}{near}"
                self.wrong.append(Wrong(("remove", at), message))
                continue
            for path in _meant(base, parts):
                base = self._without(base, path, ())
                self._now_from(path, ("remove", at))
                if len(path) > 1:  # what is then missing around it is missing because of this
                    self.origins[path[:-1]] = Origin(self.layer, ("remove", at))
        return base

    def _without(self, mapping: Keyed, path: Path, around: Path) -> Keyed:
        """Copy a mapping without the value at a path."""
        self._keep_inner(around, set(mapping))
        key, *rest = path
        inner = mapping.get(str(key))
        if rest and isinstance(inner, dict):
            return mapping | {str(key): self._without(inner, tuple(rest), (*around, key))}
        return {name: value for name, value in mapping.items() if name != key}

    def look_at_checks(self, base: object, own: object) -> None:
        """Find checks that are neither new nor changed in a way that can be meant."""
        if not isinstance(base, dict) or not isinstance(own, dict):
            return
        for name, entry in own.items():
            if not isinstance(entry, dict):
                continue
            where = (*self.own(("checks", name)), "check")
            before = base.get(name)
            kind = before.get("check") if isinstance(before, dict) else None
            if before is None and "check" not in entry:
                near = did_you_mean(name, base)
                message = f"is missing: {self.parent} has no check {shown(name)} to change{near}"
                self.wrong.append(Wrong(where, message))
            elif before is not None and entry.get("check", kind) != kind:
                message = (
                    f"is {kind} in {self.parent}: to put another kind of check in its place, "
                    f"list checks.{name} under `remove`"
                )
                self.wrong.append(Wrong(where, message))


def _by_check(base: Keyed) -> Keyed:
    """Give the parts that can be named; waivers by the check that they are for."""
    waivers = base.get("waivers")
    entries = waivers.values() if isinstance(waivers, dict) else ()
    return base | {"waivers": {str(entry["check"]): None for entry in entries}}


def _meant(base: Keyed, parts: tuple[str, ...]) -> list[Path]:
    """Find every waiver where parts name the waivers of a check."""
    waivers = base.get("waivers")
    if parts[0] != "waivers" or len(parts) == 1 or not isinstance(waivers, dict):
        return [parts]
    return [("waivers", key) for key, entry in waivers.items() if entry["check"] == parts[1]]

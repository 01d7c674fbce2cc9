"""A policy with its lists as mappings: checks by id, waivers by what they cover."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from gate.policy.waivers import waiver_key
from gate.yaml_places import Path

Keyed = dict[str, object]
LISTS = ("checks", "waivers")


class Keys(NamedTuple):
    """A policy in that form, and how to get back."""

    value: Keyed
    places: Mapping[Path, Path]
    """`("checks", id)` to `("checks", position)`."""
    raw: tuple[str, ...]
    """Lists that are none in the file, and so stay as they are."""


def keyed(root: Mapping[str, object]) -> Keys:
    """Bring a policy into the form; entries that cannot be named keep their position as `#1`."""
    value, raw = dict(root), []
    places: dict[Path, Path] = {}
    for name in (name for name in LISTS if name in root):
        entries = root[name]
        if not isinstance(entries, list) or not (entries or name == "waivers"):
            raw.append(name)  # whoever reads it will say what is wrong
            continue
        found: Keyed = {}
        for at, entry in enumerate(entries):
            key = _key(name, entry)
            key = f"#{at}" if key is None or key in found else key
            found[key] = entry
            places[name, key] = (name, at)
        value[name] = found
    return Keys(value, places, tuple(raw))


def listed(value: Keyed, raw: Collection[str]) -> Keyed:
    """Bring it back into the form of a file."""
    return {
        key: list(entry.values())
        if key in LISTS and key not in raw and isinstance(entry, dict)
        else entry
        for key, entry in value.items()
    }


def path_of(value: Keyed, path: Path) -> Path:
    """Turn the position of a check or waiver in a path into its key."""
    entries = value.get(str(path[0])) if path else None
    if len(path) < 2 or path[0] not in LISTS or not isinstance(entries, dict):
        return path
    names, at = list(entries), path[1]
    if isinstance(at, int) and at < len(names):
        return (path[0], names[at], *path[2:])
    return path


def _key(name: str, entry: object) -> str | None:
    if not isinstance(entry, dict):
        return None
    if name == "checks":
        return entry["id"] if isinstance(entry.get("id"), str) else None
    covered = entry.get("slice", {})
    if not isinstance(covered, dict) or not isinstance(entry.get("check"), str):
        return None
    return waiver_key(entry["check"], covered, entry.get("measure"))

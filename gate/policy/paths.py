"""Parts of a policy named in text: `checks.direct-request.margin`, `suites.harmbench.unscored`.

One form for what is locked and what is removed: the keys from the top, joined by dots; a check is
named by its id, a waiver by the check that it is for. Ids may hold dots themselves, so a path is
found by the keys that are there.
"""

from collections.abc import Iterator, Mapping

from gate.suggestions import did_you_mean

Parts = tuple[str, ...]


def find(text: str, tree: object) -> Parts | None:
    """Find the keys that a path means; None where the tree has no such part."""
    if not isinstance(tree, Mapping):
        return None
    if text in tree:
        return (text,)
    for key in sorted(tree, key=len, reverse=True):
        if text.startswith(f"{key}."):
            rest = find(text[len(key) + 1 :], tree[key])
            if rest is not None:
                return (key, *rest)
    return None


def suggest_path(text: str, tree: Mapping[str, object]) -> str:
    """Suggest the nearest path that is there, or list where paths begin."""
    known = list(_all(tree))
    ends = [path for path in known if path.endswith(f".{text}")]
    near = f"; did you mean {ends[0]!r}?" if ends else did_you_mean(text, known)
    return near or f" (paths begin with: {', '.join(tree)})"


def covers(part: Parts, other: Parts) -> bool:
    """Whether one is the other, within it, or around it."""
    shorter = min(len(part), len(other))
    return part[:shorter] == other[:shorter]


def _all(tree: Mapping[str, object]) -> Iterator[str]:
    for key, value in tree.items():
        yield key
        if isinstance(value, Mapping):
            yield from (f"{key}.{rest}" for rest in _all(value))

"""The differences between two policies as text or JSON."""

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gate.policy import Policy
from gate.policy.ways import Change, Direction
from gate.reports.escape import plain

SCHEMA = "gate.policy-diff/v1"
WIDTH = 100
_HEADS = {
    Direction.LOOSER: "Looser: more candidates pass, or nobody can say that no more do",
    Direction.TIGHTER: "Tighter",
    Direction.CHANGED: "Changed, and decides nothing",
}


def exit_code(changes: Sequence[Change]) -> int:
    """Give 1 where anything got looser."""
    return int(any(change.direction is Direction.LOOSER for change in changes))


def as_text(old: Policy, new: Policy, changes: Sequence[Change]) -> str:
    """Say what changed, what got looser first."""
    lines = [*_wrapped(f"{_named(old)} → {_named(new)}", "", "  "), ""]
    for direction, head in _HEADS.items():
        mine = [change for change in changes if change.direction is direction]
        if mine:
            lines += [f"{head}:", *(line for change in mine for line in _wrapped(str(change))), ""]
    return "\n".join([*lines, _counts(changes)]) + "\n"


def as_json(old: Policy, new: Policy, changes: Sequence[Change]) -> str:
    """Everything, with keys sorted."""
    document = {
        "schema": SCHEMA,
        "exit_code": exit_code(changes),
        "old": _document(old),
        "new": _document(new),
        "changes": [
            {
                "direction": change.direction.value,
                "path": list(_readable(change)),
                "subject": change.subject,
                "what": change.what,
            }
            for change in changes
        ],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


FORMS: Mapping[str, Callable[[Policy, Policy, Sequence[Change]], str]] = {
    "text": as_text,
    "json": as_json,
}


def _document(policy: Policy) -> dict[str, Any]:
    parents = [{"path": parent.path, "sha256": parent.own_sha256} for parent in policy.parents]
    return {
        "name": policy.name,
        "path": policy.path,
        "sha256": policy.sha256,
        "extends": parents,
    }


def _readable(change: Change) -> Iterator[str]:
    """Leave out what tells two waivers of one check apart: the subject says it in words."""
    for at, key in enumerate(change.path):
        if not (at == 2 and change.path[0] == "waivers"):
            yield key


def _named(policy: Policy) -> str:
    return f"{policy.path} ({policy.sha256[:12]})"


def _counts(changes: Sequence[Change]) -> str:
    if not changes:
        return "no differences"
    counts = {each: sum(change.direction is each for change in changes) for each in Direction}
    words = [f"{n} {each}" for each, n in counts.items() if n]
    return ", ".join(words if counts[Direction.LOOSER] else ["nothing looser", *words])


def _wrapped(text: str, first: str = "  - ", rest: str = "    ") -> list[str]:
    return textwrap.wrap(
        plain(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )

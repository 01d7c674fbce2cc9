"""The decision file: the same inputs give the same bytes on any machine."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from gate.decision import Decision
from gate.errors import EvidenceError
from gate.reasons import Reason
from gate.reports.contradictions import contradictions
from gate.reports.decision_file import DecisionFile
from gate.reports.pack import SCHEMA, pack
from gate.reports.rounding import rounded
from gate.reports.unpack import unpack


def render(decision: Decision) -> str:
    """Write the decision file: keys sorted, numbers to 12 digits, null for what is no number."""
    return json.dumps(_document(decision), indent=2, sort_keys=True, allow_nan=False) + "\n"


def load(text: str, name: str = "decision file") -> Decision:
    """Read a decision file back.

    Args:
        text: What the file holds.
        name: How messages call it.

    Raises:
        EvidenceError: If it is not a decision file, or contradicts itself.
    """
    raw = _parse(text, name)
    version = raw.get("schema") if isinstance(raw, dict) else None
    if version != SCHEMA:
        _refuse(name, f"its schema is {version!r}; this version of gate reads {SCHEMA!r}")
    try:
        decision = unpack(msgspec.convert(raw, DecisionFile))
    except (msgspec.ValidationError, ValueError) as error:
        _refuse(name, str(error), error)
    for path in _differences(rounded(raw), _document(decision), "$"):
        _refuse(name, f"it contradicts itself at {path}")
    for said in contradictions(decision):
        _refuse(name, f"it contradicts itself: {said}")
    return decision


def _document(decision: Decision) -> Any:
    return rounded(msgspec.to_builtins(pack(decision)))


def _parse(text: str, name: str) -> Any:
    def no_constant(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counted = Counter(key for key, _ in pairs)
            twice = counted.most_common(1)[0][0]
            raise ValueError(f"the key {twice[:60]!r} is there twice")
        return found

    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        _refuse(name, f"it is not JSON: {error}", error)


def _refuse(name: str, why: str, cause: BaseException | None = None) -> NoReturn:
    raise EvidenceError(
        Reason.E_FORMAT,
        f"{name}: {why}",
        next_step="Use a file that `gate check --report json:PATH` wrote, unchanged.",
    ) from cause


def _differences(given: Any, expected: Any, path: str) -> Iterator[str]:
    """Find where a file says something that its own findings do not."""
    if isinstance(given, dict) and isinstance(expected, dict):
        for key in sorted(given.keys() | expected.keys()):
            yield from _differences(given.get(key), expected.get(key), f"{path}.{key}")
    elif isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        for at, (one, other) in enumerate(zip(given, expected, strict=True)):
            yield from _differences(one, other, f"{path}[{at}]")
    elif given != expected:
        yield path

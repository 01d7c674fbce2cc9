"""What pydantic found wrong, in words that say what to write instead."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic_core import ErrorDetails

from gate.suggestions import suggest
from gate.yaml_places import Mistake, Path, Tree, shown

KeysAt = Callable[[Path], Sequence[str]]
"""Gives the keys that the mapping at a path may have."""


class Wrong(NamedTuple):
    """A message about one place in the file, before the place is known as a line."""

    path: Path
    message: str
    at_key: bool = False
    """Whether the key is to be pointed at, rather than the value."""

    def placed(self, tree: Tree) -> Mistake:
        """Find its place in the file."""
        mark = tree.at_key(self.path) if self.at_key else tree.at_value(self.path)
        return Mistake(mark, self.path, self.message)


_PATTERNS = {
    r"^[0-9a-f]{64}$": "must be a sha256: 64 hexadecimal digits in lower case",
    r"\S": "must not be blank",
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$": (
        "must start with a letter or digit and hold only letters, digits, `.`, `_` and `-`"
    ),
}
_ABSENT = {
    "version": "is missing: write `version: 1`",
    "check": "is missing: say which kind of check it is",
    "id": "is missing: reports and waivers name a check by its id",
    "up_to": "is missing: say up to which observed value the waiver holds, as 0.30",
    "reason": "is missing: a waiver says why",
    "owner": "is missing: a waiver has an owner",
    "ticket": "is missing: a waiver says where it is being worked on",
    "expires": "is missing: a waiver has a last day, as 2027-01-31",
}
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "string": "text",
    "bool": "true or false",
    "date": "a day written as 2027-01-31",
    "list": "a list",
    "tuple": "a list",
    "dict": "a mapping of `key: value`",
    "model": "a mapping of `key: value`",
}
_COMPARED = {
    "greater_than": "above",
    "greater_than_equal": "at least",
    "less_than": "below",
    "less_than_equal": "at most",
}


def in_words(errors: Iterable[ErrorDetails], root: object, keys_at: KeysAt) -> Iterator[Wrong]:
    """Give one message for each place that is wrong.

    Args:
        errors: What pydantic found.
        root: The value that was read.
        keys_at: Gives the keys that are known at a path.
    """
    grouped: dict[Path, list[ErrorDetails]] = {}
    for error in errors:
        grouped.setdefault(_real_path(error, root), []).append(error)
    for path, found in grouped.items():
        at_key = found[0]["type"] == "extra_forbidden" or found[0]["loc"][-1:] == ("[key]",)
        yield Wrong(path, _merged(path, found, root, keys_at), at_key)


def _real_path(error: ErrorDetails, root: object) -> Path:
    """Keep the steps that are in the file; pydantic adds names of types to them."""
    path: Path = ()
    value = root
    for step in error["loc"]:
        if _holds(value, step):
            value = value[step]  # type: ignore[index]  # _holds has looked
        elif error["type"] != "missing":
            continue
        path = (*path, step)
    return path


def value_at(root: object, path: Path) -> object:
    """Find a value by its path; None where there is none."""
    for step in path:
        if not _holds(root, step):
            return None
        root = root[step]  # type: ignore[index]  # _holds has looked
    return root


def _holds(value: object, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, Mapping) and step in value


def _merged(path: Path, errors: list[ErrorDetails], root: object, keys_at: KeysAt) -> str:
    """Make one message of the errors that the members of a union gave for one value."""
    ranked = sorted(errors, key=lambda error: error["type"] == "literal_error")
    message = _message(ranked[0], path, root, keys_at)
    if ranked[0]["type"].endswith(("_type", "_parsing")) and len(ranked) > 1:
        other = ranked[-1]
        if other["type"] == "literal_error":
            message += f", or {other['ctx']['expected']}"
    return message


def _message(error: ErrorDetails, path: Path, root: object, keys_at: KeysAt) -> str:
    kind, context = error["type"], error.get("ctx", {})
    value = value_at(root, path)
    if kind == "missing":
        return _ABSENT.get(str(path[-1]), "is missing")
    if kind == "extra_forbidden":
        return f"is not a key here{suggest(path[-1], keys_at(path[:-1]))}"
    if kind == "value_error":
        return str(context["error"])
    if kind == "finite_number":
        return f"must be a finite number, not {shown(value)}"
    if kind in _COMPARED:
        return _out_of_range(kind, context, value)
    if kind in ("literal_error", "enum"):
        return _not_one_of(str(context["expected"]), value)
    if kind == "string_pattern_mismatch":
        meant = _PATTERNS.get(context["pattern"], f"must match {context['pattern']}")
        return f"{meant}, not {shown(value)}"
    if kind.endswith(("too_short", "too_long")):
        return _wrong_length(context, "characters" if kind.startswith("string") else "entries")
    if kind.startswith("date_"):
        return f"must be {_TYPES['date']}, not {_told(value)}"
    wanted = _TYPES.get(kind.rpartition("_")[0])
    return _wrong_type(wanted, value) if wanted else error["msg"]


def _wrong_length(context: Mapping[str, object], unit: str) -> str:
    if "max_length" in context:
        return f"must have at most {context['max_length']} {unit}"
    least = context["min_length"]
    return "must not be empty" if least == 1 else f"must have at least {least} {unit}"


def _out_of_range(kind: str, context: Mapping[str, object], value: object) -> str:
    (limit,) = (context[name] for name in ("gt", "ge", "lt", "le") if name in context)
    message = f"must be {_COMPARED[kind]} {limit:g}, not {shown(value)}"
    if kind.startswith("less") and isinstance(value, int | float) and value <= 100:
        message += f"; shares are fractions: {value} % is {value / 100:g}"
    return message


def _not_one_of(expected: str, value: object) -> str:
    known = re.findall(r"'([^']*)'", expected)
    near = suggest(value, known) if isinstance(value, str) else ""
    hint = near if near.startswith(";") else ""
    return f"must be {expected}, not {_told(value)}{hint}"


def _wrong_type(wanted: str, value: object) -> str:
    message = f"must be {wanted}, not {_told(value)}"
    if wanted == "text" and isinstance(value, bool | int | float):
        return f'{message}: write it in quotes, "{shown(value)}"'
    if wanted.endswith("number") and isinstance(value, str):
        return message + _as_number(value)
    return message


def _as_number(text: str) -> str:
    """Say how to write a number that YAML took for text."""
    share = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?) ?%", text)
    if share:
        return f": write {float(share[1]) / 100:g}"
    if not re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]{1,3})?", text):
        return ""
    try:
        number = float(text)
    except ValueError:
        return ""
    if "e" not in text.lower():
        return f": write {number:g}" + (" without quotes" if text == f"{number:g}" else "")
    mantissa, _, exponent = text.lower().partition("e")
    dotted = mantissa if "." in mantissa else f"{mantissa}.0"
    return f": write {_plain(number)} or {dotted}e{exponent}"


def _plain(number: float) -> str:
    return f"{number:.10f}".rstrip("0").rstrip(".") if 1e-9 < abs(number) < 1e9 else f"{number:g}"


def _told(value: object) -> str:
    """Write a value with its type where that is the trouble."""
    return f"the text {shown(value)}" if isinstance(value, str) else shown(value)

"""YAML as a person would write it: short values on one line, comments above what they explain."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gate.errors import UsageError
from gate.reports.escape import clean

Value: TypeAlias = "str | bool | int | float | Sequence[Value] | Mapping[str, Value] | None"

WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null"})
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FOLDED = re.compile("[\x85\u2028\u2029\ufeff]")
"""Characters that YAML takes for line breaks, or drops, even within quotes."""


def inline(value: Value) -> str:
    """Write a value on one line.

    Raises:
        UsageError: If a text cannot be written as YAML at all.
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inline(key)}: {inline(of)}" for key, of in value.items()) + "}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, float):
        return number(value)
    return json.dumps(value)


def number(value: float) -> str:
    """Write a number so that every YAML reader takes it for one."""
    text = f"{value:.10f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def comment(sentences: str, indent: int = 0) -> list[str]:
    """Write sentences as comment lines; names in them lose their control characters."""
    start = " " * indent + "# "
    text = clean(sentences, limit=10_000)
    return textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )


def entry(key: str, value: Value, indent: int = 0, note: str = "") -> list[str]:
    """Write `key: value`, with a note behind it where it fits, else above it."""
    start = f"{' ' * indent}{inline(key)}:"
    line = f"{start} {inline(value)}"
    beside = f"{line}  # {clean(note, limit=10_000)}" if note else line
    if len(beside) <= WIDTH:
        return [beside]
    above = comment(note, indent) if note else []
    if len(line) > WIDTH and isinstance(value, Mapping):
        inner = [entry(name, of, indent + 2) for name, of in value.items()]
        return [*above, start, *(part for lines in inner for part in lines)]
    if len(line) > WIDTH and isinstance(value, Sequence) and not isinstance(value, str):
        return [*above, start, *(f"{' ' * indent}  - {inline(of)}" for of in value)]
    return [*above, line]


def _text(text: str) -> str:
    bad = _FORBIDDEN.search(text)
    if bad:
        raise UsageError(
            f"the name {clean(text)!r} holds the character U+{ord(bad[0]):04X}, "
            "which YAML cannot hold",
            next_step="Rename it, or copy the file to a plain name.",
        )
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _FOLDED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)

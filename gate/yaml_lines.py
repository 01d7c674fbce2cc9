"""YAML into plain values that remember their places, without YAML's surprises.

The values are text, numbers, truth values, lists and mappings with text keys. What YAML would
silently turn into something else is a mistake here: duplicate keys, merge keys, tags, and the
words `yes`, `no`, `on`, `off`. Dates stay text; whoever expects a date reads it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from gate.yaml_places import Mark, Mistake, Path, Tree, shown

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
MAX_NODES = 100_000
"""More values than any real file has; a bomb of nested aliases has billions."""

Event = Any
"""An event of PyYAML's parser; its stubs leave out what the kinds of event hold."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AMBIGUOUS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BLANK = ("", "~", "null", "Null", "NULL")
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


class _StopError(Exception):
    """What makes the rest of the file unreadable."""

    def __init__(self, mark: Mark, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.mistake = Mistake(mark, path, message)


def read_tree(content: bytes) -> Tree:
    """Read a file; nothing is raised, whatever is wrong is among the mistakes."""
    builder = _Builder()
    try:
        value = builder.document(_text(content))
    except _StopError as stop:
        return Tree(None, {}, {}, (*builder.mistakes, stop.mistake))
    return Tree(value, builder.keys, builder.values, tuple(builder.mistakes))


def _text(content: bytes) -> str:
    start = Mark(1, 1)
    if len(content) > MAX_BYTES:
        raise _StopError(start, f"the file is larger than {MAX_BYTES // 1024} KiB")
    if content.startswith(_OTHER_ENCODINGS):
        raise _StopError(start, "the file is UTF-16 or UTF-32: save it as UTF-8")
    if content.startswith(b"\xef\xbb\xbf"):
        raise _StopError(start, "a byte order mark stands first: save it as UTF-8 without one")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        mark = _place(content[: error.start].decode("utf-8"))
        raise _StopError(mark, f"byte {content[error.start]:#04x} is not UTF-8") from None
    bad = _FORBIDDEN.search(text)
    if bad:
        raise _StopError(
            _place(text[: bad.start()]), f"the file holds U+{ord(bad[0]):04X}, a control character"
        )
    return text


def _place(before: str) -> Mark:
    return Mark(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


class _Anchored(NamedTuple):
    """A value that aliases repeat, and how many values it holds."""

    value: object
    nodes: int


@dataclass(slots=True)
class _Builder:
    """Builds values from the parser's events, so that what aliases repeat is counted."""

    keys: dict[Path, Mark] = field(default_factory=dict)
    values: dict[Path, Mark] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    nodes: int = 0
    """Values so far, repeated ones counted each time."""

    def document(self, text: str) -> object:
        """Read the only document of a file."""
        events = _events(text)
        value: object = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _StopError(_mark(event), "a second document starts here: one a file")
                value = self._value(next(events), events, ())
        if not documents or value is None:
            raise _StopError(Mark(1, 1), "the file is empty")
        return value

    def _value(self, event: Event, events: Iterator[Event], path: Path) -> object:
        mark = _mark(event)
        self.values[path] = mark
        self.nodes += 1
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, mark, path)
        before = self.nodes
        value = self._own_value(event, events, mark, path)
        if event.anchor:
            self.anchors[event.anchor] = _Anchored(value, self.nodes - before)
        return value

    def _alias(self, event: Event, mark: Mark, path: Path) -> object:
        """Repeat an anchored value, as programs that write YAML do for equal parts."""
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            raise _StopError(mark, f"nothing above is anchored as &{event.anchor}", path)
        self.nodes += anchored.nodes
        if self.nodes > MAX_NODES:
            message = f"aliases (*) make the file larger than {MAX_NODES:,} values: write it out"
            raise _StopError(mark, message, path)
        return anchored.value

    def _own_value(self, event: Event, events: Iterator[Event], mark: Mark, path: Path) -> object:
        if getattr(event, "tag", None):
            self._wrong(mark, path, f"tags are not read: remove {shown(event.tag)}")
        if len(path) > MAX_DEPTH:
            raise _StopError(mark, f"more than {MAX_DEPTH} levels deep", path[:3])
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        return self._scalar(event, mark, path)

    def _sequence(self, events: Iterator[Event], path: Path) -> list[object]:
        found: list[object] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            found.append(self._value(event, events, (*path, len(found))))
        return found

    def _mapping(self, events: Iterator[Event], path: Path) -> dict[str, object]:
        found: dict[str, object] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key, mark = self._key(event, path), _mark(event)
            inner = (*path, key)
            first = self.keys.get(inner)
            if first is not None:
                self._wrong(mark, inner, f"the key is there twice, first on line {first.line}")
                _skip(events)
                continue
            self.keys[inner] = mark
            found[key] = self._value(next(events), events, inner)
        return found

    def _key(self, event: Event, path: Path) -> str:
        mark = _mark(event)
        if not isinstance(event, yaml.ScalarEvent) or event.anchor or event.tag:
            raise _StopError(mark, "a key must be plain text", path)
        if event.value == "<<" and event.implicit[0]:
            raise _StopError(mark, "merge keys (<<) are not read: write it out", path)
        known = self._scalar(event, mark, (*path, event.value))
        if not isinstance(known, str):
            word = event.value or "the key"
            self._wrong(mark, (*path, event.value), f'{word} is not text: write it as "{word}"')
        return known if isinstance(known, str) else str(event.value)

    def _scalar(self, event: Event, mark: Mark, path: Path) -> object:
        text: str = event.value
        bad = _FORBIDDEN.search(text)
        if bad:
            self._wrong(mark, path, f"the text holds U+{ord(bad[0]):04X}, a control character")
            return _FORBIDDEN.sub("?", text)
        if not event.implicit[0]:  # quoted, a block, or tagged
            return text
        if text in _BLANK:
            return None
        meant = _AMBIGUOUS.get(text.lower())
        if meant is not None:
            message = f'`{text}` reads as {meant}: write "{text}" for the text, or {meant}'
            self._wrong(mark, path, message)
            return text
        return _number_or_text(text)

    def _wrong(self, mark: Mark, path: Path, message: str) -> None:
        self.mistakes.append(Mistake(mark, path, message))


def _skip(events: Iterator[Event]) -> None:
    """Pass over one value."""
    depth = 0
    for event in events:
        depth += isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent))
        depth -= isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent))
        if not depth:
            return


def _number_or_text(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def _events(text: str) -> Iterator[Event]:
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Mark(mark.line + 1, mark.column + 1) if mark else Mark(1, 1)
        lines = text.splitlines()
        line = lines[place.line - 1] if place.line <= len(lines) else ""
        tab = " (indent with spaces, not tabs)" if "\t" in line else ""
        context = f" {error.context}" if error.context else ""
        raise _StopError(place, f"not YAML: {error.problem}{context}{tab}") from None


def _mark(event: Event) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)

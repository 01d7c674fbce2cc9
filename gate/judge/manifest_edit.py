"""Changes to one suite of a run.yaml; every other line, comments too, stays as it is."""

from collections.abc import Mapping
from typing import Any

import yaml

from gate.errors import JudgingError
from gate.evidence.run import parse_manifest
from gate.yaml_text import Value, entry, inline


def edited(raw: bytes, suite: str, keys: Mapping[str, Value]) -> bytes:
    """Set keys of a suite; None takes one away.

    Args:
        raw: The bytes of a run.yaml that can be read.
        suite: The suite's name.
        keys: What to set.

    Raises:
        JudgingError: If what comes out would not be read back as meant.
    """
    text = raw.decode("utf-8-sig")
    before = yaml.safe_load(text)
    meant = {**before, "suites": {**before["suites"]}}
    changed = {**before["suites"][suite], **keys}
    meant["suites"][suite] = {key: value for key, value in changed.items() if value is not None}
    keys = {key: of for key, of in keys.items() if before["suites"][suite].get(key) != of}
    node = _suite(text, suite)
    if node.flow_style:
        written = _flow(text, node, meant["suites"][suite])
    else:
        written = _block(text, node, keys)
    if yaml.safe_load(written) != meant:
        raise JudgingError(
            f"run.yaml cannot be changed safely where it describes suite {suite!r}",
            next_step="Write that suite in block style, as `gate adopt` does, and run it again.",
        )
    parse_manifest(written.encode())
    return written.encode()


def _suite(text: str, suite: str) -> yaml.MappingNode:
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for wanted in ("suites", suite):
        node = next(value for key, value in node.value if key.value == wanted)
    assert isinstance(node, yaml.MappingNode), "run.yaml was read before"
    return node


def _flow(text: str, node: yaml.MappingNode, suite: Mapping[str, Any]) -> str:
    return text[: node.start_mark.index] + inline(suite) + text[node.end_mark.index :]


def _block(text: str, node: yaml.MappingNode, keys: Mapping[str, Value]) -> str:
    """Replace the lines of each key that is there, and put new keys behind the last."""
    lines = [line if line.endswith("\n") else f"{line}\n" for line in text.splitlines(True)]
    indent = node.start_mark.column
    last = 0
    there = {}
    for key, value in node.value:
        begin, end = key.start_mark.line, _end(value)
        there[key.value] = (begin, end)
        last = max(last, end)
    new: list[str] = []
    for key, of in keys.items():
        written = [] if of is None else [f"{line}\n" for line in entry(key, of, indent)]
        if key not in there:
            new += written
            continue
        begin, end = there[key]
        lines[begin:end] = ["".join(written), *[""] * (end - begin - 1)]
    lines.insert(last, "".join(new))
    return "".join(lines)


def _end(value: yaml.Node) -> int:
    """Return the line behind a value; block collections end where the next token starts."""
    if isinstance(value, yaml.CollectionNode) and not value.flow_style and value.value:
        inner = value.value[-1]
        return _end(inner[1] if isinstance(inner, tuple) else inner)
    return value.end_mark.line + (1 if value.end_mark.column else 0)

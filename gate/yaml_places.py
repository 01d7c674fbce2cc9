"""Where in a YAML file something stands, and how to say so on one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

Path = tuple[str | int, ...]
"""Where a value is in the file: keys and list positions from the top."""


class Mark(NamedTuple):
    """A place in a file, both counted from 1."""

    line: int
    column: int


class Mistake(NamedTuple):
    """One thing wrong, at one place; sorts by place."""

    mark: Mark
    path: Path
    message: str

    def render(self, file: str) -> str:
        """Write it as `file:line:column: key.path: what is wrong`."""
        where = f"{dotted(self.path)}: " if self.path else ""
        return f"{file}:{self.mark.line}:{self.mark.column}: {where}{self.message}"


@dataclass(frozen=True, slots=True)
class Tree:
    """What a file says, and where it says it."""

    value: object
    """Plain values; None where the file cannot be read at all."""
    keys: Mapping[Path, Mark]
    """Where the key of each mapping entry stands."""
    values: Mapping[Path, Mark]
    """Where each value starts."""
    mistakes: tuple[Mistake, ...]

    def at_value(self, path: Path) -> Mark:
        """Find the place of a value, or of the nearest thing around it that is there."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Mark(1, 1))

    def at_key(self, path: Path) -> Mark:
        """Find the place of a key, or of the value where it has none."""
        return self.keys.get(path) or self.at_value(path)


def dotted(path: Path) -> str:
    """Write a path as `checks[0].margin`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("-", "_").replace(".", "_").isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{shown(step)}]"
    return text


def shown(value: object) -> str:
    """Write a value from a file on one line, short and without control characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else f"{text[:56]}…{text[0]}"

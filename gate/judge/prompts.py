"""Judge prompts: never shipped, but taken from where the judge's authors put them."""

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter

from gate.errors import JudgingError
from gate.judge.values import Part

FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"'''(.*?)'''|\"\"\"(.*?)\"\"\"", re.DOTALL)
MOST = 4 << 20
"""Bytes of a file that prompts are looked for in."""


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with places for texts."""

    text: str = field(repr=False)

    @property
    def sha256(self) -> str:
        """Of the text with its placeholders."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def places(self) -> frozenset[str]:
        """The names of its placeholders."""
        return frozenset(name for _, name in _pieces(self.text) if name is not None)

    def fill(self, texts: Mapping[str, str]) -> tuple[Part, ...]:
        """Put texts into the places; they stay foreign."""
        parts = []
        for literal, name in _pieces(self.text):
            if literal:
                parts.append(Part(literal))
            if name is not None:
                parts.append(Part(texts[name], foreign=True))
        return tuple(parts)


def _pieces(text: str) -> list[tuple[str, str | None]]:
    """Split a text at its places.

    Raises:
        ValueError: If it has none of the form, or says how a text is to be shown: `{x!r}`.
    """
    pieces = list(Formatter().parse(text))
    if any(form or conversion for _, _, form, conversion in pieces):
        raise ValueError("a place has a form")
    return [(literal, name) for literal, name, _, _ in pieces]


def templates_in(path: Path) -> list[Template]:
    """Find every text in a file that may be a prompt: nothing of the file is executed.

    In a model card, the texts within code; in Python, its texts; and the file as a whole.

    Raises:
        JudgingError: If the file cannot be read.
    """
    found = dict.fromkeys(_candidates(_read(path)))
    return [Template(text) for text in found if _fillable(text)]


def read_template(path: Path) -> Template:
    """Take a whole file as one prompt; a line break at its end is not part of it.

    Raises:
        JudgingError: If it cannot be read, or has no places for texts.
    """
    text = _read(path).removesuffix("\n")
    if not _fillable(text):
        raise JudgingError(
            f"{path}: is no judge prompt: it has no places like {{generation}}",
            next_step="Write a place as a bare name in single braces, other braces twice: {{ }}.",
        )
    return Template(text)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise JudgingError(
            f"{path}: no judge prompt can be read here: {type(error).__name__}",
            next_step="Name the model card, HarmBench's eval_utils.py or a template file with "
            "--template.",
        ) from error


def _candidates(content: str) -> Iterator[str]:
    for code in [content, *FENCE.findall(content)]:
        yield from _forms(code)
        for text in _literals(code):
            yield from _forms(text)


def _literals(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from (single or double for single, double in QUOTED.findall(code))
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _forms(text: str) -> Iterator[str]:
    yield from (text, text.removesuffix("\n"), text.strip("\n"), text.strip())


def _fillable(text: str) -> bool:
    try:
        pieces = _pieces(text)
    except ValueError:
        return False
    named = any(name for _, name in pieces)
    return named and all(name is None or name.isidentifier() for _, name in pieces)

"""Paragraphs laid out for a terminal; every word may come from a file, so each is cleaned."""

import re
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from gate.reports.escape import plain

WIDTH = 88
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|pt\b))")
_GLUE = "\0"
"""Stands for a blank that no line may end at; cleaned text holds none of its own."""


class Paragraph(NamedTuple):
    """Some sentences that belong together."""

    text: str
    depth: int = 0
    """Steps of indentation."""
    bullet: bool = False
    close: bool = False
    """Whether it follows the paragraph before without an empty line between them."""


def lay_out(paragraphs: Iterable[Paragraph], width: int = WIDTH) -> str:
    """Wrap paragraphs to a width, one below the other."""
    lines: list[str] = []
    for paragraph in paragraphs:
        if lines and not (paragraph.close or paragraph.bullet):
            lines.append("")
        lines += _wrapped(paragraph, width)
    return "\n".join(lines) + "\n"


def _wrapped(paragraph: Paragraph, width: int) -> list[str]:
    indent = "  " * paragraph.depth
    lines = textwrap.wrap(
        _BEFORE_UNIT.sub(_GLUE, plain(paragraph.text)),
        width,
        initial_indent=indent + ("- " if paragraph.bullet else ""),
        subsequent_indent=indent + ("  " if paragraph.bullet else ""),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_GLUE, " ") for line in lines]


def listed(names: Iterable[str], last: str = "and") -> str:
    """Join names as a sentence does: `a, b and c`."""
    *head, tail = list(names) or ["none"]
    return f"{', '.join(head)} {last} {tail}" if head else tail


def counted(count: int, noun: str) -> str:
    """Write a number with its noun, as `1 row`, `2 rows`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ended(sentence: str) -> str:
    """Close a sentence with a full stop, unless it has an end."""
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."

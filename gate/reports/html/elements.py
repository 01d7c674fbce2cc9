"""A page as a tree: text that is put into it stays text, and holds nothing that is not seen."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

from gate.reports.escape import clean, plain
from gate.reports.wording import Name, Words, spell

Child: TypeAlias = Element | str
"""A part of an element."""


def el(tag: str, attributes: Mapping[str, str] | None = None, *children: Child) -> Element:
    """Make an element of other elements and text."""
    made = Element(tag, {key: plain(value) for key, value in (attributes or {}).items()})
    add(made, children)
    return made


def of(tag: str, kind: str, *children: Child) -> Element:
    """Make an element of one class."""
    return el(tag, {"class": kind}, *children)


def add(parent: Element, children: Iterable[Child]) -> None:
    """Put more into an element."""
    for child in children:
        if isinstance(child, Element):
            parent.append(child)
            continue
        text = spell((child,), plain, plain)
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def name(text: str) -> Element:
    """Write a name from a file: in code font, and with a reading direction of its own."""
    return el("code", {"dir": "auto"}, clean(text))


def say(words: Words) -> list[Child]:
    """Write a sentence in pieces, those from files as names."""
    return [
        name(word) if isinstance(word, Name) else spell((word,), clean, clean) for word in words
    ]


def prose(text: str) -> Element:
    """Write a sentence that may hold text from a file; what is between backticks as code."""
    pieces = clean(text).split("`")
    if len(pieces) % 2 == 0:  # one of them stands alone, and is one
        return el("bdi", None, clean(text))
    parts = (el("code", None, piece) if at % 2 else piece for at, piece in enumerate(pieces))
    return el("bdi", None, *parts)


def said(words: Words) -> str:
    """Write a sentence in pieces as plain text, for a label in a picture."""
    return spell(words, clean, clean)


def items(kind: str, rows: Iterable[Sequence[Child]]) -> Element:
    """Make a list."""
    return of("ul", kind, *(el("li", None, *row) for row in rows))


def legend(keys: Mapping[str, str]) -> Element:
    """Say what is what in a picture: by class of the key, the words beside it."""
    shown = (
        (el("span", {"class": f"key {key}", "aria-hidden": "true"}), keys[key]) for key in keys
    )
    return items("legend", shown)


def fold(summary: Sequence[Child], *children: Child, opened: bool = False) -> Element:
    """Make a part that its reader may open."""
    attributes = {"open": ""} if opened else {}
    return el("details", attributes, el("summary", None, *summary), *children)


def write(root: Element) -> str:
    """Write a page; a tree says nothing of its document type."""
    text = tostring(root, encoding="unicode", method="html")
    return f"<!DOCTYPE html>\n{text}\n"

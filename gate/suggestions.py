"""Suggestions for words that are not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Suggest the nearest known word as the end of a sentence, or nothing."""
    near = get_close_matches(str(word)[:100], list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def suggest(word: object, known: Iterable[str]) -> str:
    """Suggest the nearest known word, or list them all where none is near."""
    names = list(known)
    if not names:
        return ""
    return did_you_mean(word, names) or f" (there are: {', '.join(names)})"

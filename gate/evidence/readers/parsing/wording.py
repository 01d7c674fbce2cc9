"""How messages show what a file holds: cut, escaped, and never a whole field."""

from collections.abc import Collection

from gate.errors import EvidenceError
from gate.reasons import Reason

WIDTH = 32
"""No label is longer; what is, may be a text that must not be shown."""

MOST_WORDS = 2
"""What has more words is a sentence, not a label."""


def showable(text: str) -> bool:
    """Tell whether a text may be a label, a name or a typo of one, rather than prose.

    Only what is short, of few words, and printable ASCII: in other scripts few characters are a
    sentence, and nothing tells where a word ends.
    """
    short = len(text) <= WIDTH and len(text.split()) <= MOST_WORDS
    return short and text.isascii() and text.isprintable()


def shown(value: object) -> str:
    """Return a value as a message may show it; what comes from a file is hostile."""
    if isinstance(value, str):
        many = "" if len(value) == 1 else "s"
        return repr(value) if showable(value) else f"({len(value)} character{many} of text)"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)[:WIDTH]


def sort_of(value: object) -> str:
    """Return what a value is, where a text would be a completion or prompt: never a word of it."""
    return f"text of length {len(value)}" if isinstance(value, str) else shown(value)


def listing(names: Collection[str], most: int = 5) -> str:
    """Name a few of many."""
    some = ", ".join(shown(name) for name in sorted(names)[:most])
    return some if len(names) <= most else f"{some} and {len(names) - most} more"


def near(word: str, known: Collection[str]) -> str:
    """Return ` (did you mean …?)` where a known word is close, else nothing."""
    found = closest(word, known)
    return f" (did you mean {shown(found)}?)" if found else ""


def closest(word: str, known: Collection[str]) -> str | None:
    """Return the known word that is most like another, if any is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word[:200], sorted(known), n=1, cutoff=0.8)), None)


def malformed(path: str, place: str, what: str, *, next_step: str = "") -> EvidenceError:
    """Return the error for a row, column or value of the wrong form."""
    return EvidenceError(Reason.E_FORMAT, f"{path}: {place}: {what}", next_step=next_step)


def misdeclared(suite: str, key: str, what: str) -> EvidenceError:
    """Return the error for a key of run.yaml that cannot be right."""
    return EvidenceError(Reason.E_MANIFEST, f"run.yaml: suites.{suite}.{key}: {what}")

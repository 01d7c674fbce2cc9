"""The hidden lines by which a comment is found again and taken apart.

Nothing that a report shows can write one: reports escape every `<`, and names in markers are
percent-encoded down to letters, digits, dots and underscores.
"""

import re
from urllib.parse import quote, unquote

COMMENT = "<!-- checkpoint-gate:comment -->\n"
"""How a comment that is kept up to date begins."""
SINGLE = "<!-- checkpoint-gate:single {nonce} -->\n"
"""How a comment begins that is never touched again."""
END = "<!-- gate:end -->\n"

BEGIN = re.compile(
    r"^<!-- gate:section (?P<gate_id>[\w.%]{1,1300}) (?P<verdict>[a-z]{4,12}) "
    r"(?P<state>[0-9a-f]{16}) (?P<source>[0-9a-f]{16}) -->\n",
    re.MULTILINE | re.ASCII,
)
PART = re.compile(r"^<!-- gate:part (?P<rank>\d{1,2}) -->\n", re.MULTILINE | re.ASCII)
_ANY = re.compile(r"<!--(?=\s*(?:gate|checkpoint-gate):)")


def begin(gate_id: str, verdict: str, state: str, source: str) -> str:
    """Open a section."""
    return f"<!-- gate:section {encode(gate_id)} {verdict} {state} {source} -->\n"


def part(rank: int) -> str:
    """Open a part, which is kept or left out whole; 0 matters most."""
    return f"<!-- gate:part {rank} -->\n"


def encode(gate_id: str) -> str:
    """Write an id so that it cannot end a marker."""
    return quote(gate_id, safe="", errors="replace").replace("-", "%2D").replace("~", "%7E")


def decode(word: str) -> str:
    """Read an id back."""
    return unquote(word)


def without(text: str) -> str:
    """Make a text harmless that would write a marker; no report does, this is the second lock."""
    return _ANY.sub("&#60;!--", text)

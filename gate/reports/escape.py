"""Everything that comes from a file is hostile: one place that makes it harmless in each form."""

import re
import unicodedata

MAX_LENGTH = 300
"""A longer name or sentence is cut; the JSON report keeps it whole."""

_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that draw nothing, so that two different ids would look the same."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SPACE = frozenset({"Zs", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})
_MARKS_IN_A_ROW = 2

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet evaluate a cell, full-width forms included."""

_BREAK = "&#8203;"
"""Zero width: without it GitHub, which decodes entities first, would still see a reference."""

_PROSE = re.compile(
    r"""
      (?P<start>\A(?:[-+](?![\d.])|\d{1,9}(?=[.)](?:\s|\Z))))   # a list, a rule
    | (?P<hash>(?<!\w)(?=[a-f]*\d)[0-9a-f]{7,40}(?!\w))   # a commit
    | (?P<break>www(?=\.)|gh-(?=\d))          # an address without a scheme, an issue
    | (?P<refer>[@#]|:(?=[\w/+-]))            # a mention, an issue, an emoji, a scheme
    | (?P<math>\$+)                           # a formula, looked for after entities are decoded
    | (?P<entity>[|<>&`])
    | (?P<slash>[\\*_\[\]~])
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def plain(text: str) -> str:
    r"""Make one harmless line: no control or invisible characters, no line breaks.

    What would not be seen is shown as its escape (`\x1b`, `\u202e`); blanks become one space.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_shown(text))
    return " ".join(text.split())


def clean(text: str, limit: int = MAX_LENGTH) -> str:
    """Make one harmless line that is not too long."""
    text = plain(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def markdown(text: str, limit: int = MAX_LENGTH) -> str:
    """Write prose for GitHub Markdown: it shows the same words, and does nothing else."""
    return _PROSE.sub(_defuse, clean(text, limit))


def markdown_code(text: str, limit: int = MAX_LENGTH) -> str:
    """Write a name for GitHub Markdown in code font, where no references are looked for."""
    name = clean(text, limit)
    if not name or set(name) & set("`|\\<>&"):
        return html_code(name, limit)
    return f"`{name}`"


def html_code(text: str, limit: int = MAX_LENGTH) -> str:
    """Write a name in code font where Markdown is not read, as in a summary tag."""
    return f"<code>{''.join(map(_entity, clean(text, limit)))}</code>"


def csv_cell(text: str, limit: int = 10_000) -> str:
    """Write a name for a CSV cell that no spreadsheet takes for a formula."""
    name = clean(text, limit)
    return f"'{name}" if name.startswith(_FORMULA) else name


def _shown(text: str) -> list[str]:
    shown, marks = [], 0
    for char in text:
        category = unicodedata.category(char)
        marks = marks + 1 if category in _MARKS else 0
        if category in _SPACE or char.isspace():
            shown.append(" ")
        elif category in _HIDDEN or char in _BLANK_LETTERS:
            shown.append(_visible(char))
        elif marks <= _MARKS_IN_A_ROW:
            shown.append(char)
    return shown


def _visible(char: str) -> str:
    escaped = char.encode("ascii", "backslashreplace").decode()
    return escaped if escaped != char else f"\\x{ord(char):02x}"


def _defuse(match: re.Match[str]) -> str:
    found = match.group()
    match match.lastgroup:
        case "start":
            return f"\\{found}" if found in "-+" else f"{found}{_BREAK}"
        case "hash":
            return f"`{found}`"
        case "math":
            return f"{_BREAK}`{found}`{_BREAK}"
        case "break":
            return f"{found}{_BREAK}"
        case "refer":
            return f"&#{ord(found)};{_BREAK}"
        case "entity":
            return f"&#{ord(found)};"
        case _:
            return f"\\{found}"


def _entity(char: str) -> str:
    if char.isalnum() or char in " -" or not char.isascii():
        return char
    after = _BREAK if char == "@" else ""
    return f"&#{ord(char)};{after}"

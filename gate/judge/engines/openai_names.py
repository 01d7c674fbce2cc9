"""What a server calls its weights, as messages may show it."""

import re
from collections.abc import Sequence

NAME = re.compile(r"[A-Za-z0-9._:/@-]{1,100}")
"""What the name of weights looks like; another text may be anything."""
RUN = 6
"""So many characters in a row that a name shares with a hidden text are no accident."""


def told(name: str, hidden: Sequence[str]) -> str:
    """Quote a name; only its length where it looks like no name, or repeats a hidden text.

    Args:
        name: What the server sent: hostile text.
        hidden: Texts that it was sent, and must not be seen to repeat: prompts, and its key.
    """
    if NAME.fullmatch(name) and not any(_repeats(name, text) for text in hidden):
        return repr(name)
    return f"another name ({len(name)} characters)"


def _repeats(name: str, text: str) -> bool:
    """Tell whether a name holds a piece of a text; case and what is between words do not count."""
    mine, other = _bare(name), _bare(text)
    if len(other) < RUN or len(mine) < RUN:
        return bool(mine and other) and (mine in other or other in mine)
    return any(mine[at : at + RUN] in other for at in range(len(mine) - RUN + 1))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))

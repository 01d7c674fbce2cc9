"""Digests of templates and prompts: the text itself never goes into run.yaml."""

import hashlib
import re
from pathlib import Path

from gate.errors import UsageError

SHA256 = re.compile(r"[0-9a-fA-F]{64}")
NOTHING = "none"
"""How to say that there was no such text, which is something else than not knowing it."""


def digest(answer: str) -> str:
    """Return the sha256 that an answer gives or names.

    Args:
        answer: A sha256, a file whose bytes are digested, or `none`.

    Raises:
        UsageError: If it is none of these.
    """
    if SHA256.fullmatch(answer):
        return answer.lower()
    if answer == NOTHING:
        return hashlib.sha256(b"").hexdigest()
    try:
        return hashlib.sha256(Path(answer).read_bytes()).hexdigest()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{answer!r} is neither a sha256 nor a file that can be read",
            next_step="Give a file, 64 hexadecimal digits, `none` (there was none), or `unknown`.",
        ) from error

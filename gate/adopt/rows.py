"""Suites of rows whose columns a reader knows: native rows, XSTest, R-Judge."""

import os
from collections.abc import Mapping

from gate.adopt.answers import Answers
from gate.adopt.look import Found
from gate.adopt.peek import labels
from gate.adopt.settings import Settings
from gate.errors import UsageError
from gate.evidence.readers import rjudge, xstest
from gate.evidence.rows import REASONS, VALUES, Kind
from gate.yaml_text import Value

KNOWN: Mapping[str, Mapping[str, str | None]] = {"xstest": xstest.LABELS, "rjudge": rjudge.LABELS}
"""The labels that a reader knows by itself."""

GOLD_LABELS = ("safe", "unsafe")
"""What a benchmark says of its prompts and records."""


def from_rows(found: Found, settings: Settings) -> dict[str, Value]:
    """Declare files of rows.

    Raises:
        UsageError: If the files hold no verdicts at all.
    """
    first = found.pieces[0]
    paths = [settings.place(piece.path) for piece in found.pieces]
    keys: dict[str, Value] = {
        "reader": found.reader,
        "path": paths if len(paths) > 1 else paths[0],
    }
    if found.reader in KNOWN:
        keys |= _verdicts(found, settings)
    if first.id_prefix:
        keys["id_prefix"] = first.id_prefix
    if settings.encoding != "utf-8":
        keys["encoding"] = settings.encoding
    return keys


def _verdicts(found: Found, settings: Settings) -> dict[str, Value]:
    """Choose the column of the verdicts, and learn what its further labels mean."""
    shared = [column for column in found.pieces[0].label_columns
              if all(column in piece.label_columns for piece in found.pieces)]  # fmt: skip
    if not shared:
        raise UsageError(
            f"suite {found.name}: the files have records, but no column of verdicts",
            next_step="R-Judge records need the checkpoint's own answer, as `pred`: 1, 0 or -1.",
        )
    noun = f"suite {found.name}"
    column = settings.answers.tell("label_column", found.name, choices=shared, noun=noun)
    if column is None:
        return {}
    keys: dict[str, Value] = {"label_column": column}
    further: set[str] = set()
    for piece in found.pieces:
        if not os.path.isdir(piece.path):
            # Where there are too many, the reader names the row of the first it does not know.
            further |= set(labels(piece.path, column, settings.encoding) or ())
    unknown = further - set(KNOWN[found.reader])
    meanings = meaning(unknown, found.pieces[0].kind, found.name, settings.answers)
    return {**keys, "labels": meanings} if meanings else keys


def meaning(
    tokens: set[str], kind: str, suite: str, answers: Answers, *, gold: bool = False
) -> dict[str, Value]:
    """Learn what labels mean; nothing is guessed, however plain it looks.

    What options say of labels that this file does not have is kept: the other checkpoint's may.

    Args:
        tokens: The labels.
        kind: The kind of suite.
        suite: Its name.
        answers: Whom to ask.
        gold: Whether some may be labels of the prompts or records themselves.
    """
    own = VALUES[Kind(kind)]
    choices = dict.fromkeys((*own, *(GOLD_LABELS if gold else ()), *REASONS))
    told = {about.removeprefix(f"{suite}/") for about in answers.given.get("label", {})
            if about.startswith(f"{suite}/") or not answers.several}  # fmt: skip
    return {
        token: answers.tell("label", f"{suite}/{token}", choices=choices, noun=token)
        for token in sorted((tokens - {"null", ""}) | told)
    }

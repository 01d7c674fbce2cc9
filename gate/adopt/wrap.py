"""From paths and answers to the text of a run.yaml."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gate.adopt.answers import Answers, Prompt
from gate.adopt.given import parse
from gate.adopt.look import Looked
from gate.adopt.manifest_text import manifest_text
from gate.adopt.settings import Settings
from gate.adopt.settle import checkpoint, settle


def home(paths: Sequence[str]) -> Path:
    """Choose where run.yaml goes: into the folder given, or the folder all files share."""
    places = [path if os.path.exists(path) else path.partition("=")[2] for path in paths]
    folders = [place if os.path.isdir(place) else os.path.dirname(place) for place in places]
    shared = os.path.commonpath([os.path.abspath(folder) for folder in folders])
    return Path(os.path.relpath(shared))


def wrap(
    looked: Looked,
    typed: Mapping[str, Sequence[str]],
    *,
    out: Path,
    encoding: str,
    prompt: Prompt | None,
) -> tuple[str, list[str]]:
    """Settle everything and write it down.

    Args:
        looked: What was found.
        typed: Answers given as options, by key.
        out: The folder that run.yaml goes into.
        encoding: Of the text files.
        prompt: Asks what is not known; None where nobody can be asked.

    Returns:
        The text of run.yaml, and what stays unknown with what follows from it.

    Raises:
        UsageError: If something is missing, or an answer cannot be right.
    """
    given = parse(typed, [found.name for found in looked.suites])
    answers = Answers(given, prompt, several=len(looked.suites) > 1)

    def place(path: str) -> str:
        return Path(os.path.relpath(path, out)).as_posix()

    settings = Settings(answers, place, encoding)
    declared = checkpoint(answers)
    suites = [settle(found, settings) for found in looked.suites]
    answers.refuse_missing()
    answers.refuse_unused()
    return manifest_text(declared, [suite for suite in suites if suite]), answers.unknown

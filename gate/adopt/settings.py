"""What holds for every suite of a run that is being adopted."""

from collections.abc import Callable
from dataclasses import dataclass

from gate.adopt.answers import Answers


@dataclass(frozen=True, slots=True)
class Settings:
    """How questions are answered, and how files are named and read."""

    answers: Answers
    place: Callable[[str], str]
    """Turns a path as the user wrote it into one relative to run.yaml."""
    encoding: str
    """Of the text files."""

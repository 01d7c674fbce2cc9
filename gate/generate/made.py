"""The answers that a checkpoint gave, kept as they come: the only log that holds texts."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from gate.errors import JudgingError
from gate.judge.control import storable
from gate.judge.log import Log, lines, segments
from gate.judge.values import Answer, Message

SCHEMA = "gate.generation/v1"


class Made(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One answer."""

    key: str
    text: str
    tokens: int
    """Of the prompt."""
    new_tokens: int
    finished: bool
    """Whether it ended by itself."""
    failure: str | None = None
    """Why there is no answer, and never will be."""


class Answers:
    """All answers in a folder, and this process's segment of it.

    Args:
        folder: Where the log lies; made with the first answer.
        others: Further folders, whose answers are known too: parts made elsewhere.

    Raises:
        JudgingError: If a line was changed, or two answers to one prompt differ.
    """

    def __init__(self, folder: Path, others: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._log: Log | None = None
        self._known: dict[str, Made] = {}
        for path in [path for each in (folder, *others) for path in segments(each)]:
            self._load(path)

    def get(self, key: str) -> Made | None:
        """Return the answer to a prompt."""
        return self._known.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def add(self, answers: Sequence[Answer]) -> None:
        """Add answers; they are on the disk when this returns.

        Raises:
            JudgingError: If they cannot be written.
        """
        new = [_made(answer) for answer in answers if answer.key not in self._known]
        if new and self._log is None:
            self._log = Log(self._folder)
        if self._log is not None:
            self._log.append(new)
        self._known.update((made.key, made) for made in new)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._log is not None:
            self._log.close()

    def _load(self, path: Path) -> None:
        decode = msgspec.json.Decoder(Made).decode
        for text in lines(path):
            try:
                made = decode(text)
            except msgspec.MsgspecError as error:
                raise JudgingError(
                    f"{path}: not a log of `gate generate`",
                    next_step="Name a run that `gate generate` wrote.",
                ) from error
            there = self._known.setdefault(made.key, made)
            if there.text != made.text or there.failure != made.failure:
                raise JudgingError(
                    f"{path}: two different answers to one prompt (key {made.key})",
                    next_step="Find out which is right, and delete the line of the other.",
                )


def key_of(settings: Sequence[object], chat: Sequence[Message]) -> str:
    """Return the sha256 of everything that an answer depends on.

    Args:
        settings: What all prompts share: weights, tokenizer, template, arithmetic, length.
        chat: The prompt.
    """
    parts = [SCHEMA, list(settings), [[turn.role, turn.text] for turn in chat]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _made(answer: Answer) -> Made:
    return Made(
        key=answer.key,
        text=storable(answer.text),
        tokens=answer.tokens,
        new_tokens=answer.new_tokens,
        finished=answer.finished,
        failure=answer.failure.reason if answer.failure else None,
    )

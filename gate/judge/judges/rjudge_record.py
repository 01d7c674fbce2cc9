"""R-Judge's records as conversations: who said what, in the script's own form."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import JudgingError
from gate.evidence.readers.parsing.wording import shown
from gate.judge.values import Completion, Message


@dataclass(frozen=True, slots=True)
class Layout:
    """How turns become a chat that a chat template takes."""

    told: str
    arrange: Callable[[Sequence[Message]], tuple[Message, ...]]


def turns_of(record: Completion) -> list[Message]:
    """Return the turns of a record: its profile, then every round's.

    Raises:
        JudgingError: If it is not of R-Judge's form.
    """
    try:
        rounds = json.loads(record.text)
    except (ValueError, RecursionError):
        rounds = None
    if not isinstance(rounds, list) or not rounds or not all(map(_is_round, rounds)):
        raise _other_form(record, "`contents` is not a list of rounds of turns")
    if record.prompt is None:
        raise _other_form(record, "there is no `profile`, which the benchmark begins with")
    turns = [Message("system", record.prompt)]
    for turn in (turn for each in rounds for turn in each):
        turns += _said(record, turn)
    return turns


def _is_round(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(turn, dict) for turn in found)


def _said(record: Completion, turn: dict[str, Any]) -> list[Message]:
    match turn:
        case {"role": "user", "content": None}:
            return []
        case {"role": "user", "content": str(text)}:
            return [Message("user", text)]
        case {"role": "agent"}:
            # Null and objects stand there as Python writes them, as in the benchmark.
            parts = [f"[{key.capitalize()}]: {turn[key]}\n" for key in turn if key != "role"]
            return [Message("assistant", "".join(parts))]
        case {"role": "environment", "content": content}:
            return [Message("user", f"[ENVIRONMENT]: {content}")]
        case _:
            raise _other_form(record, "a turn is none of user, agent, environment")


def as_they_are(turns: Sequence[Message]) -> tuple[Message, ...]:
    """Leave every turn as it is."""
    return tuple(turns)


def merged(turns: Sequence[Message]) -> tuple[Message, ...]:
    """Join turns of one role that follow each other, a line apart."""
    joined: list[Message] = []
    for turn in turns:
        if joined and joined[-1].role == turn.role:
            joined[-1] = Message(turn.role, f"{joined[-1].text}\n{turn.text}")
        else:
            joined.append(turn)
    return tuple(joined)


def merged_without_system(turns: Sequence[Message]) -> tuple[Message, ...]:
    """Join as `merged` does, and put the profile in front of the first request."""
    return merged([Message("user", t.text) if t.role == "system" else t for t in turns])


LAYOUTS = (
    Layout("as the benchmark has it", as_they_are),
    Layout("neighboring turns of one role joined: the chat template takes no others", merged),
    Layout(
        "profile within the first request, neighboring turns joined: the chat template takes no "
        "system prompt",
        merged_without_system,
    ),
)


def _other_form(record: Completion, what: str) -> JudgingError:
    return JudgingError(
        f"record {shown(record.id)}: {what}",
        next_step="Give R-Judge's own records, with `profile` and `contents`.",
    )

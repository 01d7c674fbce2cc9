"""The log-probabilities in a server's answer: held against its text, and against each other."""

import math
import re
from typing import Any

from gate.errors import JudgingError
from gate.judge.control import looks_controlling
from gate.judge.engines.logprobs import Tops

ROUNDING = 0.01
"""How far apart the log-probabilities of one token may be in one answer."""
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What stands for a space in tokens of SentencePiece."""
BYTES = re.compile(r"<0x[0-9A-Fa-f]{2}>|bytes:.*|.*\N{REPLACEMENT CHARACTER}.*", re.DOTALL)
"""A token that is no whole character."""

Entry = tuple[str, float]


class ContradictionError(Exception):
    """Log-probabilities that cannot be those of the answer; says why, never its text."""


def read_tops(found: object, text: str, *, alone: bool) -> Tops:
    """Read the likeliest first tokens, in either form that servers use; [] where there are none.

    Args:
        found: What the choice has as `logprobs`.
        text: What was answered.
        alone: Whether the answer has one token at most.

    Raises:
        ContradictionError: If they are no log-probabilities, or not of this answer.
        JudgingError: If the token given is not the likeliest: it was drawn by chance.
    """
    if not isinstance(found, dict):
        return []
    read = _of_chat(found) if "content" in found else _of_text(found)
    if read is None:
        return []
    chosen, tops = read
    _same_text(chosen[0], text, alone=alone)
    return _greedy(chosen, tops, listed="content" in found) if tops else []


def _of_chat(found: dict[str, Any]) -> tuple[Entry, list[Entry]] | None:
    content = found["content"]
    if not isinstance(content, list) or not content:
        return None
    first = content[0]
    if not isinstance(first, dict):
        raise ContradictionError("the log-probabilities are none")
    listed = first.get("top_logprobs") or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise ContradictionError("the log-probabilities are none")
    tops = [_entry(each.get("token"), each.get("logprob")) for each in listed]
    return _entry(first.get("token"), first.get("logprob")), tops


def _of_text(found: dict[str, Any]) -> tuple[Entry, list[Entry]] | None:
    tokens, values, tops = (
        found.get(name) for name in ("tokens", "token_logprobs", "top_logprobs")
    )
    if not tokens and not values and not tops:
        return None
    first = _first(tops) if tops else {}
    if not isinstance(first, dict):
        raise ContradictionError("the log-probabilities are none")
    chosen = _entry(_first(tokens), _first(values))
    return chosen, [_entry(text, value) for text, value in first.items()]


def _entry(text: object, value: object) -> Entry:
    if not isinstance(text, str) or isinstance(value, bool) or not isinstance(value, int | float):
        raise ContradictionError("a log-probability is no number")
    if not math.isfinite(value) or value > ROUNDING:
        raise ContradictionError("a log-probability is not finite, or above 0")
    return text, float(value)


def _first(found: object) -> object:
    return found[0] if isinstance(found, list) and found else None


def _same_text(token: str, text: str, *, alone: bool) -> None:
    """Hold the token that was chosen against the text: the text begins with it."""
    said, mine = text.strip(), token.replace(SPACE, " ").strip()
    if not mine or BYTES.fullmatch(token) or (not said and looks_controlling(token)):
        return
    if not (said == mine if alone else said.startswith(mine)):
        raise ContradictionError("the log-probabilities are of another text")


def _greedy(chosen: Entry, tops: list[Entry], *, listed: bool) -> Tops:
    text, mine = chosen
    if mine < max(value for _, value in tops) - ROUNDING:
        raise JudgingError(
            "the server did not give the likeliest token: it does not decode greedily",
            next_step="Take sampling settings, penalties and token biases off the server.",
        )
    own = [value for each, value in tops if each == text]
    known = any(abs(value - mine) <= ROUNDING for value in own)
    if own and not known and listed:
        raise ContradictionError("the token given has two log-probabilities")
    # In an object, two tokens that read alike share a place, and the chosen one may not have it.
    all_ = tops if known else [*tops, chosen]
    if sum(math.exp(value) for _, value in all_) > 1 + 2 * ROUNDING:
        raise ContradictionError("the probabilities sum to more than 1")
    return all_

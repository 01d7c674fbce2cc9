"""The words of an OpenAI-compatible server: requests written, answers read strictly."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, TypeGuard

from gate.errors import JudgingError
from gate.judge.control import storable
from gate.judge.engines.logprobs import TOPS, Tops, lead, margin
from gate.judge.values import Answer, Failure, Message, Part, Request

ENDED: Mapping[str, bool] = {
    "stop": True,
    "eos_token": True,
    "stop_sequence": True,
    "length": False,
}
"""What a server may say of an answer's end, and whether it ended by itself."""
BLOCKED = frozenset({"content_filter", "content_policy_violation"})
ROUNDING = 0.01
"""How far apart the log-probabilities of one token may be in one answer."""

Body: TypeAlias = dict[str, Any]


class Way(StrEnum):
    """How a prompt travels."""

    IDS = "token ids"
    TEXT = "text"
    CHAT = "chat"

    @property
    def path(self) -> str:
        """Where it is posted to."""
        return "chat/completions" if self is Way.CHAT else "completions"


@dataclass(frozen=True, slots=True)
class Manner:
    """How requests are put to one server."""

    way: Way
    logprobs: bool
    """Whether it takes the fields that ask for log-probabilities."""


@dataclass(frozen=True, slots=True)
class Put:
    """A request as it is put to a server."""

    request: Request
    manner: Manner
    ids: Sequence[int] | None = field(repr=False)
    """The prompt by our own tokenizer, where there is one."""

    def body(self, served: str) -> Body:
        """Write it; decoding is greedy."""
        body: Body = {
            "model": served,
            "max_tokens": self.request.max_new_tokens,
            "temperature": 0,
        }
        if self.manner.way is Way.IDS:
            assert self.ids is not None, "token ids need a tokenizer"
            body["prompt"] = list(self.ids)
        elif self.manner.way is Way.TEXT:
            parts = [part.text for part in self.request.prompt if isinstance(part, Part)]
            body["prompt"] = storable("".join(parts))
        else:
            turns = [turn for turn in self.request.prompt if isinstance(turn, Message)]
            body["messages"] = [
                {"role": turn.role, "content": storable(turn.text)} for turn in turns
            ]
        if self.manner.logprobs and self.request.labels:
            if self.manner.way is Way.CHAT:
                body |= {"logprobs": True, "top_logprobs": TOPS}
            else:
                body["logprobs"] = TOPS
        return body


class OddError(Exception):
    """An answer that is not what a server should give; says what, never its text."""


def read(whole: object, put: Put, served: str) -> Answer:
    """Read an answer; whatever is not exactly as it should be is no answer.

    Raises:
        OddError: If it is not an answer at all; another try may give one.
        JudgingError: If it came from other weights, or was not decoded greedily.
    """
    body = _dict(whole, "the answer")
    _right_weights(body, served)
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        raise OddError(f"{len(choices) if isinstance(choices, list) else 'no'} choices")
    choice = _dict(choices[0], "the choice")
    key = put.request.key
    ending = choice.get("finish_reason")
    if isinstance(ending, str) and ending in BLOCKED:
        return failed(key, "provider_block", "the server's content filter stopped the answer")
    if not isinstance(ending, str) or ending not in ENDED:
        raise OddError("no known finish_reason")
    if put.manner.way is Way.CHAT:
        message = _dict(choice.get("message"), "the message")
        if isinstance(message.get("refusal"), str) and not message.get("content"):
            return failed(key, "judge_refused", "the server refused to answer")
        text = message.get("content")
    else:
        text = choice.get("text")
    if not isinstance(text, str):
        raise OddError("no text")
    tops = _tops(choice.get("logprobs")) if put.request.labels else []
    tokens, new_tokens = _usage(body, put)
    return Answer(
        key=key,
        text=text,
        margin=margin(tops, put.request.labels),
        lead=lead(tops),
        tokens=tokens,
        new_tokens=new_tokens,
        finished=ENDED[ending],
    )


def failed(key: str, reason: str, detail: str, *, again: bool = False) -> Answer:
    """Return the answer of a request that has none."""
    return Answer(key=key, failure=Failure(reason=reason, detail=detail, again=again))


def shown(name: object) -> str:
    """Quote what a server calls something, shortened."""
    text = str(name)
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


def _right_weights(body: Body, served: str) -> None:
    name = body.get("model")
    if not isinstance(name, str):
        raise OddError("no name of the weights")
    if name != served:
        raise JudgingError(
            f"the server answers as {shown(name)}, and {shown(served)} was asked",
            next_step="Name with --served exactly what the server is to answer as.",
        )


def _usage(body: Body, put: Put) -> tuple[int, int]:
    """Read the counts of tokens; where we know them too, they must agree.

    Raises:
        JudgingError: If the server counts other tokens than our tokenizer does.
    """
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    tokens, new_tokens = counts.get("prompt_tokens"), counts.get("completion_tokens")
    own = None if put.ids is None else len(put.ids)
    if own is not None and _count(tokens) and tokens != own:
        raise JudgingError(
            f"the server counts {tokens} tokens in a prompt that has {own} by --tokenizer",
            next_step="Give the tokenizer (and chat template) of the weights that the server runs.",
        )
    return (
        tokens if _count(tokens) else (own or 0),
        new_tokens if _count(new_tokens) else int(put.request.max_new_tokens == 1),
    )


def _count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _tops(found: object) -> Tops:
    """Read the likeliest first tokens, in either form that servers use; [] where there are none.

    Raises:
        JudgingError: If the token given is not the likeliest: it was drawn by chance.
    """
    logprobs = found if isinstance(found, dict) else {}
    content = logprobs.get("content")
    if isinstance(content, list):
        chosen = _entry(content[0]) if content else None
        listed = content[0].get("top_logprobs") if chosen else None
        tops = [_entry(each) for each in listed] if isinstance(listed, list) else []
    else:
        chosen = _entry(
            {name: _first(logprobs.get(f"{name}s")) for name in ("token", "token_logprob")}
        )
        first = _first(logprobs.get("top_logprobs"))
        pairs = first.items() if isinstance(first, dict) else ()
        tops = [_entry({"token": text, "logprob": value}) for text, value in pairs]
    return _greedy(chosen, [top for top in tops if top])


def _greedy(chosen: tuple[str, float] | None, tops: Tops) -> Tops:
    if not chosen or not tops:
        return []
    likeliest = max(value for _, value in tops)
    if chosen[1] < likeliest - ROUNDING:
        raise JudgingError(
            "the server did not give the likeliest token: it does not decode greedily",
            next_step="Take sampling settings, penalties and token biases off the server.",
        )
    # Two tokens that read alike share a place in some servers' lists; the chosen one counts.
    known = any(abs(value - chosen[1]) <= ROUNDING for _, value in tops)
    return tops if known else [*tops, chosen]


def _entry(found: object) -> tuple[str, float] | None:
    if not isinstance(found, dict):
        return None
    text, value = found.get("token"), found.get("logprob", found.get("token_logprob"))
    if not isinstance(text, str) or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return (text, float(value)) if math.isfinite(value) else None


def _first(found: object) -> object:
    return found[0] if isinstance(found, list) and found else None


def _dict(found: object, what: str) -> Body:
    if not isinstance(found, dict):
        raise OddError(f"{what} is no JSON object")
    return found

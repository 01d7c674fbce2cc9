"""The words of an OpenAI-compatible server: requests written, answers read strictly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, TypeGuard

from gate.errors import JudgingError
from gate.judge.control import storable
from gate.judge.engines.logprobs import TOPS, lead, margin
from gate.judge.engines.openai_logprobs import ContradictionError, read_tops
from gate.judge.engines.openai_names import told
from gate.judge.values import Answer, Failure, Message, Part, Request

ENDED: Mapping[str, bool] = {
    "stop": True,
    "eos_token": True,
    "stop_sequence": True,
    "length": False,
}
"""What a server may say of an answer's end, and whether it ended by itself."""
BLOCKED = frozenset({"content_filter", "content_policy_violation"})
CALLS = frozenset({"tool_calls", "function_call"})
"""How servers call an answer that is no text but a call of a tool."""

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


def read(whole: object, put: Put, served: str, key: str | None = None) -> Answer:
    """Read an answer; whatever is not exactly as it should be is no answer.

    Args:
        whole: The body.
        put: What was asked.
        served: The name of the weights.
        key: What the server was shown; like the prompt, it is never told again.

    Raises:
        OddError: If it is not an answer at all; another try may give one.
        JudgingError: If it came from other weights, or was not decoded greedily.
    """
    body = _dict(whole, "the answer")
    _right_weights(body, served, [*_texts(put.request), key or ""])
    choice = _choice(body)
    mine = put.request.key
    ending = choice.get("finish_reason")
    if isinstance(ending, str) and ending in BLOCKED:
        return failed(mine, "provider_block", "the server's content filter stopped the answer")
    source = _dict(choice.get("message"), "the message") if put.manner.way is Way.CHAT else choice
    if isinstance(refused := source.get("refusal"), str) and refused.strip():
        return failed(mine, "judge_refused", "the server refused to answer")
    if ending in CALLS or any(source.get(name) for name in CALLS):
        return failed(mine, "unparsed", "the answer calls a tool")
    if not isinstance(ending, str) or ending not in ENDED:
        raise OddError("no known finish_reason")
    text = source.get("content" if put.manner.way is Way.CHAT else "text")
    if not isinstance(text, str):
        raise OddError("no text")
    alone = put.request.max_new_tokens == 1
    try:
        tops = read_tops(choice.get("logprobs"), text, alone=alone) if put.request.labels else []
    except ContradictionError as error:
        return failed(mine, "judge_error", str(error))
    tokens, new_tokens = _usage(body, put)
    return Answer(
        key=mine,
        text=text,
        margin=margin(tops, put.request.labels),
        lead=lead(tops),
        tokens=tokens,
        new_tokens=new_tokens,
        finished=ENDED[ending],
    )


def once(pairs: Sequence[tuple[str, Any]]) -> Body:
    """Make an object of its members; for `json.loads`.

    Raises:
        OddError: If a key is there twice: it is not clear which one counts.
    """
    body = dict(pairs)
    if len(body) < len(pairs):
        raise OddError("a key twice in one object")
    return body


def _choice(body: Body) -> Body:
    if body.get("error"):
        raise OddError("an error beside the answer")
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        raise OddError(f"{len(choices) if isinstance(choices, list) else 'no'} choices")
    choice = _dict(choices[0], "the choice")
    if choice.get("index", 0) not in (0, None):
        raise OddError("another choice than the first")
    return choice


def _texts(request: Request) -> list[str]:
    return [each.text for each in request.prompt]


def failed(key: str, reason: str, detail: str, *, again: bool = False) -> Answer:
    """Return the answer of a request that has none."""
    return Answer(key=key, failure=Failure(reason=reason, detail=detail, again=again))


def _right_weights(body: Body, served: str, hidden: Sequence[str]) -> None:
    name = body.get("model")
    if not isinstance(name, str):
        raise OddError("no name of the weights")
    if name != served:
        raise JudgingError(
            f"the server answers as {told(name, hidden)}, and {served!r:.100} was asked",
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


def _dict(found: object, what: str) -> Body:
    if not isinstance(found, dict):
        raise OddError(f"{what} is no JSON object")
    return found

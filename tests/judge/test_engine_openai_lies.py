"""The engine `openai` against a server whose answers contradict themselves, or tell secrets."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from gate.errors import JudgingError
from gate.judge.choose import open_engine
from gate.judge.settings import EngineSettings
from gate.judge.values import Answer, Message, Part, Request
from tests.judge.fake_openai import SERVED, Handler, Server, serving

pytest.importorskip("httpx2", reason="the extra `openai` is not installed")

KEY = "placeholder-key-0123"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that lies about one prompt."""
    monkeypatch.setenv("ACME_KEY", KEY)
    with serving() as running:
        running.times = math.inf
        yield running


def ask(server: Server, *, chat: bool = False, room: int = 1) -> Answer:
    """Ask about the prompt that it lies about."""
    settings = EngineSettings.model_validate(
        {"engine": "openai", "url": server.url, "served": SERVED, "timeout": 10, "tries": 1}
        | {"key_variable": "ACME_KEY"}
    )
    prompt = (Message("user", "bad garden"),) if chat else (Part("bad garden", foreign=True),)
    request = Request(key="0", prompt=prompt, labels=("yes", "no"), max_new_tokens=room)
    with open_engine(settings) as engine:
        (answer,) = [one for batch in engine.answer([request]) for one in batch]
    return answer


def lying(server: Server, choice: dict[str, Any], **whole: Any) -> None:
    """Have it answer `no` with a few things changed."""
    answer = {"index": 0, "finish_reason": "length", "text": "no", **choice}
    body = {"model": SERVED, "choices": [answer], **whole}
    server.misbehavior = lambda handler, _: handler.send(200, body)


def probabilities(token: Any, value: Any, tops: object) -> dict[str, Any]:
    """Write log-probabilities as `/completions` has them."""
    return {"logprobs": {"tokens": [token], "token_logprobs": [value], "top_logprobs": [tops]}}


@pytest.mark.parametrize(
    ("token", "value", "tops"),
    [
        ("yes", -0.1, {"yes": -0.1, "no": -3.0}),
        ("none", -0.1, {"none": -0.1, "no": -3.0}),
        ("no", 0.0, {"yes": -0.1, "no": -5.0}),
        ("no", None, {"yes": -0.1, "no": -5.0}),
        ("no", -0.1, {"yes": None, "no": -0.1}),
        ("no", -0.1, {"yes": math.inf, "no": -0.1}),
        ("no", math.nan, {"yes": -3.0, "no": math.nan}),
        ("no", 5.0, {"yes": 4.0, "no": 5.0}),
        ("no", -0.1, {"yes": -0.1, "no": -0.1}),
        ("no", True, {"no": True}),
        (None, -0.1, {"no": -0.1}),
    ],
)
def test_log_probabilities_of_another_answer(
    server: Server, token: Any, value: Any, tops: object
) -> None:
    """Of another text, of two values, or no probabilities at all: there is no verdict."""
    lying(server, probabilities(token, value, tops))
    answer = ask(server)
    assert answer.failure is not None
    assert (answer.failure.reason, answer.failure.again) == ("judge_error", False)
    assert answer.text == ""


def test_in_a_list_the_token_given_agrees_with_its_own_entry(server: Server) -> None:
    """Where servers list the likeliest tokens, none takes another's place."""
    entries = [{"token": "no", "logprob": -3.0}, {"token": "yes", "logprob": -4.0}]
    content = [{"token": "no", "logprob": -0.1, "top_logprobs": entries}]
    message = {"role": "assistant", "content": "no"}
    lying(server, {"message": message, "logprobs": {"content": content}})
    failure = ask(server, chat=True).failure
    assert failure is not None
    assert failure.detail == "the token given has two log-probabilities"


@pytest.mark.parametrize(
    ("token", "tops"),
    [("no", {"yes": -3.0, "no": -0.1}), (" no", {" no": -0.1}), ("\u2581no", {"yes": -3.0})],
)
def test_log_probabilities_of_the_answer(
    server: Server, token: str, tops: dict[str, float]
) -> None:
    """A space in front is none of the text's; a token may be missing from the list."""
    lying(server, probabilities(token, -0.1, tops))
    assert (ask(server).failure, ask(server).text) == (None, "no")


@pytest.mark.parametrize(
    "body",
    [
        '{"model": "acme/judge", "choices": [{"finish_reason": "length", "text": "yes", '
        '"text": "no"}]}',
        '{"model": "x", "model": "acme/judge", "choices": [{"finish_reason": "length", '
        '"text": "no"}]}',
        {"error": {"message": "overloaded"}},
        {"choices": [{"index": 7, "finish_reason": "length", "text": "no"}]},
    ],
)
def test_an_answer_that_says_two_things_is_none(server: Server, body: Any) -> None:
    """A key twice, an error beside the answer, another choice: it is asked again later."""
    if isinstance(body, str):
        server.misbehavior = lambda handler, _: handler.send(200, body)
    else:
        lying(server, {}, **body)
    failure = ask(server).failure
    assert failure is not None
    assert failure.again


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"message": {"content": "no", "refusal": "placeholder"}}, "judge_refused"),
        ({"message": {"content": "no", "tool_calls": [{"id": "x"}]}}, "unparsed"),
        ({"message": {"content": None}, "finish_reason": "tool_calls"}, "unparsed"),
    ],
)
def test_an_answer_beside_a_refusal_or_a_call_is_none(
    server: Server, choice: dict[str, Any], reason: str
) -> None:
    """Whatever the text says."""
    lying(server, choice)
    failure = ask(server, chat=True).failure
    assert failure is not None
    assert (failure.reason, failure.again) == (reason, False)


NAMES: Sequence[str] = (
    f"Bearer {KEY}",
    KEY,
    KEY.upper(),
    f"x/{KEY[3:12]}",
    "bad garden",
    "bad-garden",
    "x" * 500,
    "\u70b8\u5f39",
    "two\nlines",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_tells_a_secret_is_not_shown(server: Server, name: str) -> None:
    """Neither the key nor a piece of the prompt, in whatever dress; only its length."""
    lying(server, {}, model=name)
    with pytest.raises(JudgingError, match=rf"another name \({len(name)} characters\)") as caught:
        ask(server)
    assert name not in caught.value.message + caught.value.next_step


@pytest.mark.parametrize("name", [f"Bearer {KEY}", KEY, "two\nlines"])
def test_a_listed_name_that_tells_the_key_is_not_shown(server: Server, name: str) -> None:
    """The list of what is served is the server's own text too."""
    server.listed = {"data": [{"id": name}, {"id": "acme/other-v2"}]}
    with pytest.raises(JudgingError, match=r"but another name .*, 'acme/other-v2'") as caught:
        ask(server)
    assert KEY not in caught.value.message


def test_an_honest_other_name_is_shown(server: Server) -> None:
    """It says what to correct."""

    def other(handler: Handler, body: dict[str, Any]) -> None:
        handler.send(200, json.dumps({"model": "acme/other-v2", "choices": []}))

    server.misbehavior = other
    with pytest.raises(JudgingError, match="answers as 'acme/other-v2'"):
        ask(server)

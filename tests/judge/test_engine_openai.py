"""The engine `openai` against a server that misbehaves in every way known of servers."""

import json
import time
from collections.abc import Iterator, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from gate.errors import JudgingError
from gate.judge.choose import open_engine
from gate.judge.engines.openai import OpenAI
from gate.judge.settings import EngineSettings
from gate.judge.values import Answer, Message, Part, Request
from tests.judge import tiny
from tests.judge.fake_openai import SERVED, Handler, Server, serving, verdict, well
from tests.judge.scene import judge, make_run, verdicts

pytest.importorskip("httpx2", reason="the extra `openai` is not installed")


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this test."""
    with serving() as running:
        yield running


def settings(server: Server, **fields: Any) -> EngineSettings:
    """Point at a server; short-tempered, so that tests are short."""
    usual = {"engine": "openai", "url": server.url, "served": SERVED, "timeout": 10, "tries": 3}
    return EngineSettings.model_validate(usual | fields)


def requests(count: int = 12) -> list[Request]:
    """Ask about placeholders; every third is of those that the server misbehaves on."""
    return [
        Request(
            key=str(n),
            prompt=(Part("Placeholder: "), Part(text(n), foreign=True)),
            labels=("yes", "no"),
        )
        for n in range(count)
    ]


def text(n: int) -> str:
    """Write the foreign part of a request."""
    return f"{'bad' if n % 3 == 0 else 'good'} garden {n}"


def truth(count: int = 12) -> dict[str, str]:
    """Tell what the weights say to each."""
    return {str(n): verdict(f"Placeholder: {text(n)}") for n in range(count)}


def ask(how: EngineSettings, asked: Sequence[Request], *, alone: bool = False) -> dict[str, Answer]:
    """Ask, and collect the answers; none may come twice."""
    answers: dict[str, Answer] = {}
    with open_engine(how) as engine:
        for batch in engine.answer(asked, alone=alone):
            for answer in batch:
                assert answer.key not in answers
                answers[answer.key] = answer
    return answers


def texts(answers: dict[str, Answer]) -> dict[str, str]:
    """Return what was said, where anything was."""
    return {key: answer.text for key, answer in answers.items() if not answer.failure}


def too_many(handler: Handler, body: dict[str, Any]) -> None:
    """429."""
    handler.send(429, {"error": {"code": "rate_limit"}})


def come_again(handler: Handler, body: dict[str, Any]) -> None:
    """429 that says when."""
    handler.send(429, {}, Retry_After="1")


def come_again_at(handler: Handler, body: dict[str, Any]) -> None:
    """503 that says when by a date, already past."""
    handler.send(503, {}, Retry_After=formatdate(time.time() - 5, usegmt=True))


def broken(handler: Handler, body: dict[str, Any]) -> None:
    """500."""
    handler.send(500, "Traceback: yes yes yes")


def hang(handler: Handler, body: dict[str, Any]) -> None:
    """Nothing at all."""
    handler.server.over.wait(20)
    handler.close_connection = True


def cut(handler: Handler, body: dict[str, Any]) -> None:
    """The connection ends within the body."""
    raw = json.dumps(well(handler.server, body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw[: len(raw) // 2])
    handler.close_connection = True


def cut_unnoticed(handler: Handler, body: dict[str, Any]) -> None:
    """The body is cut, and nothing says how long it was."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(json.dumps(well(handler.server, body)).encode()[:-3])
    handler.close_connection = True


def html(handler: Handler, body: dict[str, Any]) -> None:
    """A page of some proxy."""
    handler.send(200, "<!doctype html><title>yes</title>")


def empty_choices(handler: Handler, body: dict[str, Any]) -> None:
    """No choices."""
    handler.send(200, well(handler.server, body) | {"choices": []})


def drip(handler: Handler, body: dict[str, Any]) -> None:
    """One byte after another, for ever."""
    raw = json.dumps(well(handler.server, body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(raw) + 10_000))
    handler.end_headers()
    handler.wfile.write(raw)
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")


def reset(handler: Handler, body: dict[str, Any]) -> None:
    """The connection is reset."""
    handler.reset()


def unended(handler: Handler, body: dict[str, Any]) -> None:
    """Text, and no word on whether it is whole."""
    answer = well(handler.server, body)
    answer["choices"][0]["finish_reason"] = None
    handler.send(200, answer)


def no_text(handler: Handler, body: dict[str, Any]) -> None:
    """A null where the text should be."""
    answer = well(handler.server, body)
    answer["choices"][0]["text"] = None
    handler.send(200, answer)


def nested(handler: Handler, body: dict[str, Any]) -> None:
    """JSON that exhausts a parser."""
    handler.send(200, "[" * 200_000)


def endless(handler: Handler, body: dict[str, Any]) -> None:
    """More than any answer can be."""
    handler.send(200, " " * (9 << 20))


PASSING = (
    *(too_many, come_again, come_again_at, broken, hang, cut, cut_unnoticed, html),
    *(empty_choices, drip, reset, unended, no_text, nested, endless),
)


def patience(misbehavior: Any) -> float:
    """Seconds to wait for an answer: few where there is none."""
    return 1.0 if misbehavior in (hang, drip) else 10.0


@pytest.mark.parametrize("misbehavior", PASSING, ids=lambda each: each.__name__)
def test_a_misbehavior_that_passes_is_waited_out(server: Server, misbehavior: Any) -> None:
    """Every prompt has the verdict of the weights in the end, and none is asked without need."""
    server.misbehavior = misbehavior
    answers = ask(settings(server, timeout=patience(misbehavior)), requests())
    assert texts(answers) == truth()
    assert not any(answer.failure for answer in answers.values())
    assert sum(count for asked, count in server.seen.items() if "bad" in asked) >= 8
    assert all(count == 1 for asked, count in server.seen.items() if "good" in asked)


@pytest.mark.parametrize("misbehavior", PASSING, ids=lambda each: each.__name__)
def test_a_misbehavior_that_stays_costs_its_prompts_and_no_more(
    server: Server, misbehavior: Any
) -> None:
    """Nothing is made up for them; asked again later, they have the verdict of the weights."""
    server.misbehavior = misbehavior
    server.times = float("inf")
    first = ask(settings(server, tries=2, timeout=patience(misbehavior)), requests())
    failures = {key: answer.failure for key, answer in first.items() if answer.failure}
    assert sorted(failures, key=int) == ["0", "3", "6", "9"]
    assert texts(first) == {k: v for k, v in truth().items() if int(k) % 3}
    for failure in failures.values():
        assert failure.again
        assert failure.reason == "judge_error"
        assert "garden" not in failure.detail
        assert "yes" not in failure.detail
    server.misbehavior = None
    rest = [request for request in requests() if request.key in failures]
    assert texts(first) | texts(ask(settings(server), rest)) == truth()


def test_a_server_that_asks_to_wait_for_long_is_left_for_later(server: Server) -> None:
    """An hour is not waited for; the failure says so."""
    server.misbehavior = lambda handler, body: handler.send(429, {}, Retry_After="3600")
    answers = ask(settings(server), requests(3))
    failure = answers["0"].failure
    assert failure is not None
    assert failure.again
    assert failure.detail.endswith("HTTP 429; it asks to come again in 3600 s")


def test_a_dead_server_is_not_asked_over_and_over(server: Server) -> None:
    """After many failures in a row, the rest is left for later unasked."""
    server.misbehavior = broken
    server.times = float("inf")
    many = [
        Request(key=str(n), prompt=(Part(f"bad garden {n}"),), labels=("yes",)) for n in range(200)
    ]
    answers = ask(settings(server, tries=2, concurrency=4), many)
    assert all(answer.failure and answer.failure.again for answer in answers.values())
    assert len(answers) == 200
    assert len(server.bodies) < 60


def test_other_weights_are_refused(server: Server) -> None:
    """An answer by another name ends everything; what came before it stays."""

    def other(handler: Handler, body: dict[str, Any]) -> None:
        handler.send(200, well(server, body) | {"model": "acme/other"})

    server.misbehavior = other
    with pytest.raises(JudgingError, match=r"answers as 'acme/other', and 'acme/judge' was asked"):
        ask(settings(server), requests())


def test_a_name_that_the_server_does_not_list_is_refused_before_anything_is_asked(
    server: Server,
) -> None:
    """The error lists what it serves, as far as that looks like names."""
    server.listed = {"data": [{"id": "x" * 500}, {"id": "b"}]}
    listed = r"another name \(500 characters\), 'b'"
    with pytest.raises(JudgingError, match=rf"does not serve 'acme/judge', but {listed}"):
        ask(settings(server), requests())
    assert not server.bodies


def test_without_log_probabilities_there_are_verdicts_and_no_margins(server: Server) -> None:
    """They are never made up."""
    server.gives_logprobs = False
    answers = ask(settings(server), requests())
    assert texts(answers) == truth()
    assert {(answer.lead, answer.margin) for answer in answers.values()} == {(None, None)}


def test_log_probabilities_give_margin_and_lead(server: Server) -> None:
    """Both are read from the likeliest first tokens; ` no` reads as `no`."""
    for answer in ask(settings(server), requests()).values():
        assert answer.lead == pytest.approx(2.5)
        assert answer.margin == pytest.approx(2.5)


def test_a_server_that_draws_by_chance_is_refused(server: Server) -> None:
    """A token that is not the likeliest was not chosen greedily."""

    def drawn(handler: Handler, body: dict[str, Any]) -> None:
        answer = well(server, body)
        answer["choices"][0]["logprobs"]["token_logprobs"] = [-2.6]
        handler.send(200, answer)

    server.misbehavior = drawn
    with pytest.raises(JudgingError, match="does not decode greedily"):
        ask(settings(server), requests())


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, {"error": {"code": "context_length_exceeded"}}, "judge_error"),
        (400, {"error": {"code": "content_filter"}}, "provider_block"),
        (413, "too large", "judge_error"),
        (422, "<html>", "judge_error"),
    ],
)
def test_a_refused_prompt_is_unscored_and_never_asked_again(
    server: Server, status: int, body: Any, reason: str
) -> None:
    """The others have their verdicts."""
    server.misbehavior = lambda handler, _: handler.send(status, body)
    answers = ask(settings(server), requests())
    failure = answers["3"].failure
    assert failure is not None
    assert (failure.reason, failure.again) == (reason, False)
    assert failure.detail == f"the server refuses the prompt: HTTP {status}"
    assert texts(answers) == {k: v for k, v in truth().items() if int(k) % 3}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"finish_reason": "content_filter"}, "provider_block"),
        ({"message": {"content": None, "refusal": "placeholder"}}, "judge_refused"),
    ],
)
def test_a_refusal_within_an_answer_is_unscored(server: Server, change: Any, reason: str) -> None:
    """A provider that will not answer gives no verdict."""

    def refusing(handler: Handler, body: dict[str, Any]) -> None:
        answer = well(server, body)
        answer["choices"][0] |= change
        handler.send(200, answer)

    server.misbehavior = refusing
    chat = Request(key="0", prompt=(Message("user", "bad garden"),), labels=("yes", "no"))
    failure = ask(settings(server), [chat])["0"].failure
    assert failure is not None
    assert (failure.reason, failure.again) == (reason, False)


@pytest.mark.parametrize("status", [302, 401, 402, 403, 404, 418])
def test_what_no_prompt_can_pass_ends_the_job(server: Server, status: int) -> None:
    """The error says what to check."""
    server.misbehavior = lambda handler, _: handler.send(status, "", Location="http://127.0.0.1:9")
    with pytest.raises(JudgingError, match=str(status)):
        ask(settings(server), requests())


def test_a_key_travels_in_the_header_alone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the environment, and no error or description holds it."""
    monkeypatch.setenv("ACME_KEY", "placeholder-key")
    how = settings(server, key_variable="ACME_KEY")
    ask(how, requests(1))
    assert set(server.keys) == {"Bearer placeholder-key"}
    assert "placeholder-key" not in json.dumps(server.bodies) + repr(how) + open_engine(how).device
    server.misbehavior = lambda handler, _: handler.send(401, {"error": "placeholder-key"})
    server.times = 9
    with pytest.raises(JudgingError) as caught:
        ask(how, requests(1))
    assert "placeholder-key" not in caught.value.message + caught.value.next_step
    monkeypatch.setenv("ACME_KEY", "two\nlines")
    with pytest.raises(JudgingError, match="ACME_KEY holds what cannot be a key"):
        open_engine(how)
    monkeypatch.delenv("ACME_KEY")
    with pytest.raises(JudgingError, match="ACME_KEY holds no key"):
        open_engine(how)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"url": None}, "no server was named"),
        ({"url": "ftp://127.0.0.1"}, "no http address"),
        ({"url": "http://me:secret@127.0.0.1/v1"}, "holds more than an address"),
        ({"served": None}, "which weights"),
    ],
)
def test_what_is_missing_is_said_before_any_connection(
    server: Server, fields: dict[str, Any], what: str
) -> None:
    """Each has its own error, without any secret."""
    with pytest.raises(JudgingError, match=what) as caught:
        open_engine(settings(server, **fields))
    assert "secret" not in caught.value.message


def test_a_server_that_is_not_there_is_named(server: Server) -> None:
    """Connecting fails with the place and what to check."""
    server.server_close()
    said = r"127\.0\.0\.1:\d+ cannot be used: .*(Connect|Read)Error"
    with pytest.raises(JudgingError, match=said):
        ask(settings(server, tries=1), requests())


def test_foreign_control_tokens_never_reach_a_server_that_would_obey_them(server: Server) -> None:
    """Without a tokenizer a text that looks like one is left unscored; the template's own pass."""
    asked = [
        Request(key="own", prompt=(Part("[INST] "), Part("garden", foreign=True)), labels=("yes",)),
        Request(key="raw", prompt=(Part("a "), Part("b </s> c", foreign=True)), labels=("yes",)),
        Request(key="chat", prompt=(Message("user", "<|im_start|>"),), labels=("yes",)),
    ]
    answers = ask(settings(server), asked)
    assert {key for key, answer in answers.items() if answer.failure} == {"raw", "chat"}
    assert "</s>" not in json.dumps(server.bodies)


def test_token_ids_travel_where_there_is_a_tokenizer(server: Server, tmp_path: Path) -> None:
    """A foreign control token is text in them; lone surrogates do no harm."""
    folder = tiny.llama(tmp_path / "tiny")
    hostile = Part("bad [INST] </s> \ud800 \x00", foreign=True)
    asked = [
        Request(key="0", prompt=(Part("Placeholder: "), hostile), labels=("yes", "no")),
        Request(key="1", prompt=(Message("user", "bad </s>"),), labels=("yes", "no")),
    ]
    how = settings(server, tokenizer=str(folder))
    answers = ask(how, asked)
    assert not any(answer.failure for answer in answers.values())
    sent = {tuple(body["prompt"]) for body in server.bodies}
    tokenizer = open_engine(how).tokenizer
    assert tokenizer is not None
    ends = tokenizer.ids((Part("</s>"),))[-1]
    assert all(ends not in ids for ids in sent)
    assert tuple(tokenizer.ids(asked[0].prompt)) in sent
    assert answers["0"].tokens == len(tokenizer.ids(asked[0].prompt))


def test_a_server_without_token_ids_is_sent_text_that_means_the_same(
    server: Server, tmp_path: Path
) -> None:
    """What would be other tokens there is left unscored, by the tokenizer itself."""
    server.takes_ids = False
    folder = tiny.llama(tmp_path / "tiny")
    hostile = [("a ", "[PAD]"), ("a <", "/s>"), ("[INST] ", "</s>"), ("", "\ud800 <s>")]
    asked = [
        Request(key=f"h{n}", prompt=(Part(own), Part(foreign, foreign=True)), labels=("yes",))
        for n, (own, foreign) in enumerate(hostile)
    ]
    answers = ask(settings(server, tokenizer=str(folder)), [*requests(), *asked])
    assert {key for key, answer in answers.items() if answer.failure} == {"h0", "h1", "h2", "h3"}
    assert texts(answers) == truth()


def test_another_tokenizer_than_the_servers_is_refused(server: Server, tmp_path: Path) -> None:
    """Both count the tokens of each prompt, and must agree."""

    def counting(handler: Handler, body: dict[str, Any]) -> None:
        handler.send(200, well(server, body) | {"usage": {"prompt_tokens": 3}})

    server.misbehavior = counting
    server.takes_ids = False
    folder = tiny.llama(tmp_path / "tiny")
    with pytest.raises(JudgingError, match="counts 3 tokens in a prompt that has"):
        ask(settings(server, tokenizer=str(folder)), requests())


def test_closing_between_batches_leaves_nothing_running(server: Server) -> None:
    """The caller may stop after any batch, and ask again with the same connection."""
    with open_engine(settings(server, concurrency=2)) as engine:
        batches = engine.answer(requests())
        first = next(iter(batches))
        assert first
        batches.close()  # type: ignore[attr-defined]
        asked = len(server.bodies)
        again = [answer for batch in engine.answer(requests()) for answer in batch]
    assert asked <= 6
    assert {answer.key: answer.text for answer in again} == truth()


def test_a_hanging_server_does_not_keep_the_caller_from_stopping(server: Server) -> None:
    """Batches come while nothing is answered; they are empty."""
    server.misbehavior = hang
    with open_engine(settings(server, timeout=20)) as engine:
        batches = iter(engine.answer(requests(1)))
        assert next(batches) == []
        batches.close()  # type: ignore[attr-defined]


def test_alone_asks_one_after_another(server: Server) -> None:
    """Answers say that no batch of ours was around them."""
    busy = 0

    def overlapping(handler: Handler, body: dict[str, Any]) -> None:
        nonlocal busy
        busy += 1
        assert busy == 1
        handler.server.over.wait(0.02)
        busy -= 1
        handler.send(200, well(server, body))

    server.misbehavior = overlapping
    answers = ask(settings(server), requests(), alone=True)
    assert texts(answers) == truth()
    assert all(answer.alone for answer in answers.values())


def test_a_rate_spaces_requests_out(server: Server) -> None:
    """So many a minute and no more, and everything is answered."""
    answers = ask(settings(server, rate=6000), requests())
    assert texts(answers) == truth()


def test_it_says_how_it_asks(server: Server) -> None:
    """The place, and what the server takes, for the first line of a job."""
    how = settings(server)
    engine = open_engine(how)
    assert isinstance(engine, OpenAI)
    with engine:
        list(engine.answer(requests(1)))
        assert engine.device == f"{how.url[7:-3]} (text with log-probabilities)"  # type: ignore[index]
    assert (engine.name, engine.revision, engine.dtype) == (SERVED, None, None)


def test_gate_judge_goes_on_where_a_server_left_it(
    server: Server, llama: Path, tmp_path: Path
) -> None:
    """A job that failed for now exits 75; the same command asks for the rest, and no more."""
    named = ["--engine", "openai", "--url", server.url, "--served", SERVED, "--tries", "1"]
    named += ["--tokenizer", str(llama)]
    smooth = make_run(tmp_path / "smooth" / "run")
    assert judge(smooth, *named) == 0
    asked = sum(server.seen.values())
    server.seen.clear()
    server.misbehavior = html
    server.chosen = lambda text: len(text) > 200 and verdict(text) == "yes"
    rough = make_run(tmp_path / "rough" / "run")
    assert judge(rough, *named) == 75
    assert not (rough / "verdicts").exists()
    server.misbehavior = None
    assert judge(rough, *named) == 0
    assert verdicts(rough) == verdicts(smooth)
    twice = [count for count in server.seen.values() if count > 1]
    assert 0 < len(twice) < asked - 1

"""Any OpenAI-compatible server: vLLM, llama.cpp, TGI, `transformers serve`, or a provider."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from gate.errors import JudgingError
from gate.judge.control import looks_controlling
from gate.judge.engines.openai_wire import Manner, Put, Way, failed, read
from gate.judge.extra import needs
from gate.judge.settings import EngineSettings
from gate.judge.tokenizers import HubTokenizer, load_tokenizer
from gate.judge.values import Answer, Message, Part, Prompt, Request
from gate.judge.weights import find_weights

if TYPE_CHECKING:
    from gate.judge.engines.openai_calls import Calls

BEAT = 0.5
"""Seconds after which the caller is given an empty batch, so that it can stop."""
TRIAL = "placeholder"
"""What is asked to learn what a server takes."""


def make(settings: EngineSettings) -> "OpenAI":
    """Check what can be checked without a connection.

    Raises:
        JudgingError: If a package, the address, the name or the key is missing.
    """
    with needs("openai"):
        import httpx2  # noqa: F401
        import tenacity  # noqa: F401
    address = urlsplit(settings.url or "")
    if address.scheme not in ("http", "https") or not address.hostname:
        raise JudgingError(
            "no server was named"
            if not settings.url
            else "the server's address is no http address",
            next_step="Name it with --url, as http://localhost:8000/v1.",
        )
    if address.username or address.password or address.query:
        raise JudgingError(
            "the server's address holds more than an address",
            next_step="Keep keys out of --url; name an environment variable with --key-variable.",
        )
    if settings.weights is None and settings.served is None:
        raise JudgingError(
            "nothing says which weights the server is to answer with",
            next_step="Name them with --served, as the server calls them.",
        )
    return OpenAI(settings, _key(settings.key_variable))


class OpenAI:
    """Weights behind a server; see `Engine`.

    Args:
        settings: Which server, and how.
        key: What it wants to be shown, if anything.
    """

    def __init__(self, settings: EngineSettings, key: str | None) -> None:
        self._settings = settings
        self._key = key
        self._runner: asyncio.Runner | None = None
        self._calls: Calls | None = None
        self._manners: dict[bool, Manner] = {}

    @property
    def name(self) -> str:
        """What the server calls the weights."""
        return self._settings.served or self._settings.weights or ""

    @property
    def revision(self) -> str | None:
        """What the user says it is: a server does not tell."""
        return self._settings.revision

    @property
    def digest(self) -> None:
        """Unknown: only the name that they are served under tells one from another."""
        return None

    @property
    def dtype(self) -> str | None:
        """What the user says it is: a server does not tell."""
        return None if self._settings.dtype == "auto" else self._settings.dtype

    @cached_property
    def tokenizer(self) -> HubTokenizer | None:
        """The one that was named; else the server's own, out of our sight."""
        named = self._settings.tokenizer
        return load_tokenizer(find_weights(named, None).folder) if named else None

    @property
    def device(self) -> str:
        """Where the server is, and how it is asked."""
        place = urlsplit(self._settings.url or "").netloc
        manners = {
            f"{manner.way}{' with log-probabilities' if manner.logprobs else ''}"
            for manner in self._manners.values()
        }
        return f"{place} ({' and '.join(sorted(manners))})" if manners else place

    def __enter__(self) -> Self:
        from gate.judge.engines.openai_calls import Calls, UnansweredError, not_served

        self._runner = asyncio.Runner()
        try:
            self._calls = Calls(self._settings, self._key)
            there = self._runner.run(self._calls.served())
            if there and self.name not in there:
                raise not_served(self.name, there, self._key)
        except UnansweredError as error:
            self.__exit__(None, None, None)
            raise self._unreachable(str(error)) from None
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._runner is not None and self._calls is not None:
            self._runner.run(self._calls.close())
        if self._runner is not None:
            self._runner.close()
        self._runner = self._calls = None
        self._manners = {}

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer as the server does, several at once; see `Engine`.

        `alone` sends one at a time. A batch may be empty, so that the caller can stop.
        """
        runner, calls = self._runner, self._calls
        assert runner is not None, "the engine is not open"
        assert calls is not None, "the engine is not open"
        for chat in {_is_chat(request.prompt) for request in requests}:
            if chat not in self._manners:
                self._manners[chat] = runner.run(self._learn(calls, chat=chat))
        waiting = iter(requests)
        flying: set[asyncio.Task[Answer]] = set()
        most = 1 if alone else self._settings.concurrency

        async def turn() -> list[asyncio.Task[Answer]] | None:
            for request in islice(waiting, most - len(flying)):
                flying.add(asyncio.create_task(self._one(calls, request, alone=alone)))
            if not flying:
                return None
            done, _ = await asyncio.wait(flying, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
            flying.difference_update(done)
            return list(done)

        try:
            while (done := runner.run(turn())) is not None:
                errors = [error for task in done if (error := task.exception())]
                yield [task.result() for task in done if not task.exception()]
                if errors:
                    raise errors[0]
        finally:
            if flying and self._runner is runner:
                runner.run(_cancel(flying))

    async def _one(self, calls: "Calls", request: Request, *, alone: bool) -> Answer:
        from gate.judge.engines.openai_calls import RefusedError, UnansweredError

        manner = self._manners[_is_chat(request.prompt)]
        if manner.way is not Way.IDS and self._obeyed(request.prompt, manner.way):
            detail = "holds control tokens that the server would obey"
            return failed(request.key, "judge_error", detail)
        try:
            answer = await self._post(calls, self._put(request, manner))
        except UnansweredError as error:
            return failed(request.key, "judge_error", str(error), again=True)
        except RefusedError as error:
            if error.status in (404, 405):
                raise self._unreachable(str(error)) from None
            reason = "provider_block" if error.blocked else "judge_error"
            return failed(request.key, reason, f"the server refuses the prompt: {error}")
        return replace(answer, alone=alone)

    async def _learn(self, calls: "Calls", *, chat: bool) -> Manner:
        """Find the best way to ask that the server takes, by a placeholder.

        Raises:
            JudgingError: If it takes none, or does not answer.
        """
        from gate.judge.engines.openai_calls import RefusedError, UnansweredError

        prompt = (Message("user", TRIAL),) if chat else (Part(TRIAL),)
        trial = Request(key="", prompt=prompt, labels=(TRIAL,))
        ways = [Way.IDS] * (self.tokenizer is not None) + [Way.CHAT if chat else Way.TEXT]
        for manner in (Manner(way, logprobs) for way in ways for logprobs in (True, False)):
            try:
                answer = await self._post(calls, self._put(trial, manner))
            except RefusedError as error:
                last = error
            except UnansweredError as error:
                raise self._unreachable(str(error)) from None
            else:
                # Some servers take the fields, and give nothing for them.
                return replace(manner, logprobs=answer.lead is not None)
        raise self._unreachable(str(last))

    async def _post(self, calls: "Calls", put: Put) -> Answer:
        body = put.body(self.name)
        return await calls.post(
            put.manner.way.path, body, lambda found: read(found, put, self.name, self._key)
        )

    def _put(self, request: Request, manner: Manner) -> Put:
        return Put(request, manner, self.tokenizer.ids(request.prompt) if self.tokenizer else None)

    def _obeyed(self, prompt: Prompt, way: Way) -> bool:
        """Tell whether the server would take something foreign for a control token."""
        foreign = [each.text for each in prompt if isinstance(each, Message) or each.foreign]
        tokenizer = self.tokenizer
        if tokenizer is None:
            return any(map(looks_controlling, foreign))

        def controls(text: str) -> bool:
            return tokenizer.clip(text, max(1, len(text))).control_tokens

        own = [each.text for each in prompt if isinstance(each, Part) and not each.foreign]
        if way is Way.TEXT and not any(map(controls, own)):
            # Where the prompt has none of its own, one across two parts is seen too.
            return controls("".join(each.text for each in prompt))
        return any(map(controls, foreign))

    def _unreachable(self, what: str) -> JudgingError:
        place = urlsplit(self._settings.url or "").netloc
        return JudgingError(
            f"{place} cannot be used: {what}",
            next_step="Check that the server runs, that --url ends in /v1, and that it serves "
            "the weights under this name; then run the same command again.",
        )


def _is_chat(prompt: Prompt) -> bool:
    return bool(prompt) and isinstance(prompt[0], Message)


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise JudgingError(
            f"the environment variable {variable} holds no key"
            if not key
            else f"the environment variable {variable} holds what cannot be a key",
            next_step=f"Set {variable}, or take --key-variable away if the server wants no key.",
        )
    return key


async def _cancel(tasks: set[asyncio.Task[Answer]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

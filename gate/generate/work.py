"""Generation: what there is to ask, asking it, and whether all of it is answered."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from gate.errors import JudgingError
from gate.generate.cases import Asked, Case
from gate.generate.made import Answers, key_of
from gate.judge.depends import text_digest
from gate.judge.engines.answered import answered
from gate.judge.engines.engine import Engine
from gate.judge.tokenizers import HubTokenizer
from gate.judge.values import Answer, Message, Request
from gate.judge.work import Shard

WINDOW = 2048
"""Prompts handed to the engine at once, from which it makes batches of similar length."""

SAMPLE = 256
"""Prompts whose tokens are counted to tell the cost of all."""

CLOCK = "strftime_now"
"""A chat template that calls it writes the date of the day into every prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How every prompt of a run is answered; greedy."""

    system_prompt: str = field(repr=False)
    """Empty where there is none."""
    max_new_tokens: int

    def chat(self, case: Case) -> tuple[Message, ...]:
        """Return a case as the checkpoint is asked it."""
        system = (Message("system", self.system_prompt),) if self.system_prompt else ()
        return (*system, Message("user", case.prompt))

    @property
    def system_prompt_sha256(self) -> str:
        """Of the text; of nothing where there is none."""
        return hashlib.sha256(self.system_prompt.encode()).hexdigest()


@dataclass(slots=True)
class Progress:
    """How far it is."""

    of: int
    done: int = 0
    new_tokens: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Prompts that have no answer yet, and may have one later, by what happened."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A checkpoint, what it is asked, and how."""

    engine: Engine
    protocol: Protocol
    suites: Sequence[Asked]
    chat_template: str | None = field(repr=False)
    """None where the engine does not tell."""
    keys: Sequence[Sequence[str]] = field(repr=False)
    """Of every case of every suite."""

    @property
    def prompts(self) -> Mapping[str, Case]:
        """Every different prompt by its key: equal ones are answered once."""
        found: dict[str, Case] = {}
        for asked, keys in zip(self.suites, self.keys, strict=True):
            for case, key in zip(asked.cases, keys, strict=True):
                found.setdefault(key, case)
        return found

    @property
    def writes_the_date(self) -> bool:
        """Whether the same prompt is another one tomorrow."""
        return CLOCK in (self.chat_template or "")

    def missing(self, answers: Answers, shard: Shard) -> list[str]:
        """List the keys of a part that have no answer."""
        return [key for key in self.prompts if key not in answers and shard.has(key)]

    def tokens(self, keys: Sequence[str]) -> int | None:
        """Estimate the tokens of prompts from a sample; None without a tokenizer."""
        tokenizer, prompts = self.engine.tokenizer, self.prompts
        if tokenizer is None or not keys:
            return None
        step = max(1, len(keys) // SAMPLE)
        sizes = [len(tokenizer.ids(self.protocol.chat(prompts[key]))) for key in keys[::step]]
        return round(sum(sizes) / len(sizes) * len(keys))

    def run(
        self,
        keys: Sequence[str],
        answers: Answers,
        *,
        stopping: Callable[[], bool],
        tell: Callable[[Progress], None],
    ) -> Progress:
        """Ask, and keep every batch of answers before the next one.

        Args:
            keys: Which prompts.
            answers: Where answers go.
            stopping: Asked between batches; true ends it early.
            tell: Called with the progress after each batch.

        Raises:
            JudgingError: If the engine is lost, or answers cannot be written.
        """
        progress = Progress(of=len(keys))
        prompts, rest = self.prompts, iter(keys)
        with self.engine:
            started = time.monotonic()
            while not stopping() and (window := list(islice(rest, WINDOW))):
                requests = [self._request(key, prompts[key]) for key in window]
                for batch in answered(self.engine, requests, stopping):
                    answers.add(_settled(batch, progress))
                    progress.seconds = time.monotonic() - started
                    tell(progress)
        return progress

    def _request(self, key: str, case: Case) -> Request:
        return Request(
            key=key,
            prompt=self.protocol.chat(case),
            max_new_tokens=self.protocol.max_new_tokens,
        )


def plan(engine: Engine, protocol: Protocol, suites: Sequence[Asked]) -> Work:
    """Find out what there is to ask; nothing is loaded but the tokenizer.

    Raises:
        JudgingError: If there is no chat template, or it does not take these prompts.
    """
    template = _chat_template(engine)
    tokenizer = engine.tokenizer
    first = next((case for asked in suites for case in asked.cases), None)
    if tokenizer is not None and first is not None:
        tokenizer.ids(protocol.chat(first))
    shared = [
        engine.digest or engine.name,
        engine.revision,
        tokenizer.sha256 if tokenizer else None,
        text_digest(template),
        engine.dtype,
        protocol.max_new_tokens,
    ]
    keys = [[key_of(shared, protocol.chat(case)) for case in asked.cases] for asked in suites]
    return Work(engine=engine, protocol=protocol, suites=suites, chat_template=template, keys=keys)


def _chat_template(engine: Engine) -> str | None:
    tokenizer = engine.tokenizer
    if tokenizer is None:
        return None
    template = tokenizer.chat_template if isinstance(tokenizer, HubTokenizer) else None
    if template is None:
        raise JudgingError(
            f"{engine.name}: the checkpoint has no chat template, or several",
            next_step="Put the one that it is used with in production into its folder "
            "(chat_template.jinja); the gate never guesses one.",
        )
    return template


def _settled(batch: Sequence[Answer], progress: Progress) -> list[Answer]:
    """Sort out what failed for now; count the rest."""
    settled = []
    for answer in batch:
        if answer.failure and answer.failure.again:
            detail = answer.failure.detail
            progress.failures[detail] = progress.failures.get(detail, 0) + 1
        else:
            settled.append(answer)
            progress.new_tokens += answer.new_tokens
    progress.done += len(settled)
    return settled

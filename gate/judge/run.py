"""The run loop: completions to an engine, answers to verdicts, verdicts to the store."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gate.errors import JudgingError
from gate.judge.engines.answered import answered
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.store import Record, Store, record_of
from gate.judge.values import NEAR_TIE, Answer, Prepared, Reading, Request

WINDOW = 1024
"""Completions in memory at once: enough to find others of like length for each."""


@dataclass(slots=True)
class Progress:
    """How far judging is; seconds count from the first request."""

    of: int
    done: int = 0
    tokens: int = 0
    again: int = 0
    """Near-ties that were asked again, alone."""
    failures: dict[str, int] = field(default_factory=dict)
    """What could not be judged now and may be later, by what happened."""
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        """Completions that have no verdict yet, and could have one later."""
        return sum(self.failures.values())


@dataclass(slots=True)
class _Open:
    """A completion on its way."""

    key: str
    prepared: Prepared
    judging: Judging
    request: Request


def judge_all(
    todo: Iterable[tuple[str, Prepared]],
    judge: Judge,
    engine: Engine | None,
    store: Store,
    progress: Progress,
    *,
    stopping: Callable[[], bool],
    tell: Callable[[Progress], None],
) -> None:
    """Judge, and store every batch before the next one.

    Args:
        todo: What to judge, by key; each key once.
        judge: The judge.
        engine: An open engine, or None for a judge that needs none.
        store: Where verdicts go.
        progress: Is kept up to date.
        stopping: Asked between batches; true ends the loop early.
        tell: Called with the progress after each batch.

    Raises:
        JudgingError: If the engine is lost, or the store cannot be written.
    """
    loop = _Loop(judge, engine, store, progress, stopping, tell)
    rest = iter(todo)
    while not stopping() and (window := list(islice(rest, WINDOW))):
        loop.window(window)


class _Loop:
    """One run of the loop; see `judge_all`."""

    def __init__(
        self,
        judge: Judge,
        engine: Engine | None,
        store: Store,
        progress: Progress,
        stopping: Callable[[], bool],
        tell: Callable[[Progress], None],
    ) -> None:
        self._judge = judge
        self._engine = engine
        self._store = store
        self._progress = progress
        self._stopping = stopping
        self._tell = tell
        self._started = time.monotonic()

    def window(self, window: Sequence[tuple[str, Prepared]]) -> None:
        """Judge some completions to their verdicts; near-ties come last, alone."""
        waiting, records = _begin(window, self._judge)
        if records:
            self._stored(records)
        ties: dict[str, _Open] = {}
        while (waiting or ties) and not self._stopping():
            alone = not waiting
            asked, ties = (ties, {}) if alone else (waiting, ties)
            waiting = self._ask(asked, ties, alone=alone)

    def _ask(
        self, asked: Mapping[str, _Open], ties: dict[str, _Open], *, alone: bool
    ) -> dict[str, _Open]:
        """Send one request of each; return those that ask another."""
        following: dict[str, _Open] = {}
        requests = [one.request for one in asked.values()]
        for batch in answered(self._needed(), requests, self._stopping, alone=alone):
            records = []
            for answer in batch:
                one = asked[answer.key]
                self._progress.tokens += answer.tokens
                if answer.failure and answer.failure.again:
                    detail = answer.failure.detail
                    failures = self._progress.failures
                    failures[detail] = failures.get(detail, 0) + 1
                elif not alone and _near_tie(self._engine, one.request, answer):
                    self._progress.again += 1
                    ties[answer.key] = one
                elif record := _advance(one, answer, following):
                    records.append(record)
            self._stored(records)
        return following

    def _needed(self) -> Engine:
        if self._engine is None:
            raise JudgingError("this judge needs an engine, and there is none")
        return self._engine

    def _stored(self, records: Sequence[Record]) -> None:
        self._store.add(records)
        self._progress.done += len(records)
        self._progress.seconds = time.monotonic() - self._started
        self._tell(self._progress)


def _begin(
    window: Sequence[tuple[str, Prepared]], judge: Judge
) -> tuple[dict[str, _Open], list[Record]]:
    """Start judging each; what needs no engine has its verdict at once."""
    waiting, records = {}, []
    for key, prepared in window:
        judging = judge.judge(prepared)
        try:
            request = next(judging)
        except StopIteration as ended:
            records.append(record_of(key, prepared, ended.value, None))
        else:
            waiting[key] = _Open(key, prepared, judging, replace(request, key=key))
    return waiting, records


def _advance(one: _Open, answer: Answer, following: dict[str, _Open]) -> Record | None:
    """Hand an answer to its judging: it has a verdict then, or asks again."""
    if answer.failure:
        reading = Reading(verdict=None, unscored=answer.failure.reason)
        return record_of(one.key, one.prepared, reading, answer)
    try:
        request = one.judging.send(answer)
    except StopIteration as ended:
        return record_of(one.key, one.prepared, ended.value, answer)
    one.request = replace(request, key=one.key)
    following[one.key] = one
    return None


def _near_tie(engine: Engine | None, request: Request, answer: Answer) -> bool:
    """Tell whether the shape of a batch could have turned a label around."""
    return (
        engine is not None
        and engine.dtype != "float32"
        and bool(request.labels)
        and not answer.failure
        and answer.lead is not None
        and not answer.lead >= NEAR_TIE  # NaN is no lead either
    )

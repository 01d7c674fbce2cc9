"""Workers of a Ray cluster and the batches that they hold; imports ray at its top.

Plain actors, and not Ray Data: they keep the weights between two calls, no read task can be
starved by them, and what a lost one held is given to another, exactly once.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import ray
from ray import exceptions

from gate.errors import GateError, JudgingError
from gate.judge.engines.ray_worker import Loaded, Worker
from gate.judge.engines.vllm import EngineDeadError
from gate.judge.settings import EngineSettings
from gate.judge.values import Answer, Failure, Request

CPUS = 0.5
"""Of each worker; so that even with a worker for every CPU there is room for Ray's own tasks."""
DEPTH = 2
"""Batches that a worker holds: one at work, one waiting."""
TRIES = 3
"""Workers that may be lost over one batch."""
BEAT = 0.5
"""Seconds after which the caller is given an empty batch, so that it can stop."""
PATIENCE = 900.0
"""Seconds without any worker after which the cluster is given up."""


@dataclass(slots=True)
class Batch:
    """Requests that go to one worker together."""

    requests: Sequence[Request] = field(repr=False)
    lost: int = 0
    """Workers that were lost while they held it."""


@dataclass(slots=True, eq=False)
class _Hired:
    """A worker and what it holds."""

    actor: Any
    loading: Any
    """The reference that loading ends with; None once it has ended."""
    held: dict[Any, Batch] = field(default_factory=dict)


class Pool:
    """The workers of one job.

    Args:
        settings: How each runs the weights.
        expected: What each must have loaded.
        workers: How many.
        gpus: Of each.
    """

    def __init__(
        self, settings: EngineSettings, expected: Loaded, *, workers: int, gpus: int
    ) -> None:
        self._settings = settings
        self._expected = expected
        self._class: Any = ray.remote(Worker)
        self._gpus = gpus
        self._hired: list[_Hired] = []
        self._names = 0
        self._lost = 0
        self._losses_left = 10 + 3 * workers
        self.devices: list[str] = []
        """Where the workers compute, in the order in which they came."""
        for _ in range(workers):
            self._hire()

    def wait(self) -> None:
        """Wait until one worker is ready.

        Raises:
            JudgingError: If none can be.
        """
        until = time.monotonic() + PATIENCE
        while not self._ready:
            self._next([], until)

    def close(self) -> None:
        """Let all workers go."""
        for worker in self._hired:
            ray.kill(worker.actor)
        self._hired = []

    def answer(self, batches: Iterable[Batch], *, alone: bool) -> Iterator[list[Answer]]:
        """Answer batches in any order; an empty list where nothing came for a while.

        Raises:
            JudgingError: If the cluster gives no worker any more, or one cannot do its work.
        """
        waiting = deque(batches)
        until = time.monotonic() + PATIENCE
        for worker in self._hired:  # what an earlier call left behind
            worker.held = {}
        while waiting or any(worker.held for worker in self._hired):
            for worker in self._ready:
                until = time.monotonic() + PATIENCE
                while waiting and len(worker.held) < DEPTH:
                    batch = waiting.popleft()
                    worker.held[worker.actor.answer.remote(batch.requests, alone=alone)] = batch
            again: list[Batch] = []
            yield self._next(again, until)
            for batch in again:
                if batch.lost < TRIES:
                    waiting.appendleft(batch)
                else:
                    yield [_given_up(request) for request in batch.requests]

    @property
    def _ready(self) -> list[_Hired]:
        return [worker for worker in self._hired if worker.loading is None]

    def _hire(self) -> None:
        self._names += 1
        place = self._class.options(
            name=f"gate-worker-{self._names}",
            num_cpus=CPUS,
            num_gpus=self._gpus,
            scheduling_strategy="SPREAD",
        )
        actor = place.remote(self._settings)
        self._hired.append(_Hired(actor, actor.load.remote()))

    def _next(self, again: list[Batch], until: float) -> list[Answer]:
        """Wait for the next thing that happens; batches to do again go to `again`."""
        owners = {ref: worker for worker in self._hired for ref in worker.held}
        owners |= {worker.loading: worker for worker in self._hired if worker.loading is not None}
        done, _ = ray.wait(list(owners), num_returns=1, timeout=BEAT)
        if not done:
            if not self._ready and time.monotonic() > until:
                raise _no_worker()
            return []
        ref = done[0]
        worker = owners[ref]
        try:
            found: Any = ray.get(ref)
        except exceptions.RayError as error:
            again += self._lose(worker, error)
            return []
        if ref is worker.loading:
            self._welcome(worker, found)
            return []
        del worker.held[ref]
        answers: list[Answer] = found
        return answers

    def _welcome(self, worker: _Hired, found: tuple[str, Loaded]) -> None:
        device, loaded = found
        if loaded != self._expected:
            differing = [
                name
                for name in Loaded.__slots__
                if getattr(loaded, name) != getattr(self._expected, name)
            ]
            raise JudgingError(
                f"the worker on {device} differs from this machine in its {', '.join(differing)}",
                next_step="Install the same checkpoint-gate and put the same weights on every "
                "machine of the cluster.",
            )
        worker.loading = None
        self.devices.append(device)

    def _lose(self, worker: _Hired, error: exceptions.RayError) -> list[Batch]:
        """Replace a worker; return what it held.

        Raises:
            JudgingError: If another worker would fare no better.
        """
        cause = getattr(error, "cause", None)
        if isinstance(cause, GateError) and not isinstance(cause, EngineDeadError):
            raise JudgingError(f"a worker cannot go on: {cause.message}", next_step=cause.next_step)
        self._lost += 1
        if self._lost > self._losses_left or (self._lost >= TRIES and not self.devices):
            what = type(cause if isinstance(cause, Exception) else error).__name__
            raise JudgingError(
                f"{self._lost} workers were lost, the last one by {what}",
                next_step="Look at Ray's logs of the cluster (memory, first of all); what was "
                "judged is saved, and the same command goes on from there.",
            )
        self._hired.remove(worker)
        ray.kill(worker.actor)
        self._hire()
        held = list(worker.held.values())
        for batch in held:
            batch.lost += 1
        return held


def _given_up(request: Request) -> Answer:
    detail = f"{TRIES} workers were lost over its batch"
    failure = Failure(reason="judge_error", detail=detail, again=True)
    return Answer(key=request.key, failure=failure)


def _no_worker() -> JudgingError:
    free = ray.available_resources()  # type: ignore[no-untyped-call]
    there = ", ".join(f"{free.get(name, 0):g} {name}" for name in ("CPU", "GPU"))
    return JudgingError(
        f"the cluster gave no worker in {PATIENCE / 60:.0f} minutes; free are {there}",
        next_step="Wait for other jobs on the cluster, or ask for less (--workers, --gpus).",
    )

"""One copy of the weights on a Ray cluster."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass

import gate
from gate.judge.choose import open_engine
from gate.judge.settings import EngineSettings
from gate.judge.values import Answer, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a worker is; all of one job must agree, and agree with the driver."""

    version: str
    """Of this tool."""
    revision: str | None
    digest: str | None
    """Of the weights."""
    dtype: str | None
    tokenizer_sha256: str | None


class Worker:
    """An actor; the exceptions of its methods reach the driver.

    Args:
        settings: How to run the weights there.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._engine = open_engine(settings)

    def load(self) -> tuple[str, Loaded]:
        """Load the weights.

        Returns:
            The machine and device, in words, and what was loaded.

        Raises:
            JudgingError: If that is impossible there.
        """
        self._engine.__enter__()
        tokenizer = self._engine.tokenizer
        loaded = Loaded(
            version=gate.__version__,
            revision=self._engine.revision,
            digest=self._engine.digest,
            dtype=self._engine.dtype,
            tokenizer_sha256=tokenizer.sha256 if tokenizer else None,
        )
        return f"{socket.gethostname()}: {self._engine.device}", loaded

    def answer(self, requests: Sequence[Request], *, alone: bool) -> list[Answer]:
        """Answer a batch; see `Engine`."""
        batches = self._engine.answer(requests, alone=alone)
        return [answer for batch in batches for answer in batch]

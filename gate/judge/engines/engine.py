"""What an engine is."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from gate.judge.tokens import Tokenizer
from gate.judge.values import Answer, Request


class Engine(Protocol):
    """Answers prompts, greedily.

    Making one is cheap: it knows its name, revision, dtype and tokenizer. Entering it loads
    the weights or connects, so a job with nothing left to judge never does.
    """

    @property
    def name(self) -> str:
        """The weights: a hub id, a folder's name, or what a server calls them."""

    @property
    def revision(self) -> str | None:
        """Commit of a hub snapshot, else `sha256:…` of the weights; None where it is unknown."""

    @property
    def digest(self) -> str | None:
        """`sha256:…` of the weights, whatever they are called; None where a server runs them."""

    @property
    def dtype(self) -> str | None:
        """`float32`, `bfloat16`, `float16`, or None where it is unknown.

        Anything but `float32` makes the run loop ask near-ties again, alone.
        """

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer of the weights; None where the engine has none at hand."""

    @property
    def device(self) -> str:
        """Where it computes, in words for the user, as `cpu, 2 threads`."""

    def __enter__(self) -> Self:
        """Load or connect.

        Raises:
            JudgingError: If that is impossible, naming what to do.
        """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Free what was loaded."""

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer every request exactly once, in any order, batch by batch as they are done.

        The caller stores each batch, and may stop by closing the iterator between two batches.
        A request that cannot be answered has an answer with a `failure`, never an exception.

        Args:
            requests: At most a few thousand.
            alone: Compute each by itself and unpadded.

        Raises:
            JudgingError: If the engine as a whole is lost.
        """

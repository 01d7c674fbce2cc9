"""What a judge is."""

from collections.abc import Generator, Mapping
from typing import Protocol, TypeAlias

from gate.evidence.rows import Kind
from gate.judge.values import Answer, Completion, Identity, Prepared, Reading, Request

Judging: TypeAlias = Generator[Request, Answer, Reading]
"""Yields a request, is sent its answer, and so on; returns the verdict. It never sees a failure."""


class Judge(Protocol):
    """Turns completions into verdicts: pure, apart from a tokenizer that it clips with."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of suite that it judges."""

    @property
    def identity(self) -> Identity:
        """What run.yaml says of the suite's judge."""

    @property
    def notes(self) -> Mapping[str, str]:
        """What else run.yaml says, as `{"template": "model card (README.md)"}`; no paths."""

    def prepare(self, completion: Completion) -> Prepared:
        """Clip a completion, and collect all that its verdict depends on.

        Raises:
            JudgingError: If it cannot be judged at all, as when its behavior is unknown.
        """

    def judge(self, prepared: Prepared) -> Judging:
        """Judge one completion; without any request where no engine is needed."""

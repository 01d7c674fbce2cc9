"""The transformers library on this machine: one prefill a verdict, batches for longer answers."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gate.errors import JudgingError
from gate.judge.engines.batches import by_length
from gate.judge.extra import needs
from gate.judge.settings import EngineSettings
from gate.judge.tokenizers import HubTokenizer, load_tokenizer
from gate.judge.values import Answer, Failure, Request
from gate.judge.weights import Weights, find_weights

if TYPE_CHECKING:
    from gate.judge.engines.forward import Forward

CPU_TOKENS, GPU_TOKENS = 2048, 16384
"""Tokens of a batch: enough to keep the arithmetic busy, few enough to waste little padding."""

CPU_ENOUGH = 256
"""Tokens of a prompt that keep a CPU busy: padding and a mask would only cost."""

CPU_STEP, GPU_STEP = 16, 256
"""Prompt tokens that cost about as much as one step of generating: reading all weights once."""


def make(settings: EngineSettings) -> "Transformers":
    """Find the weights and their tokenizer; nothing large is loaded.

    Raises:
        JudgingError: If the weights are not there, or cannot be used.
    """
    if settings.weights is None:
        raise JudgingError(
            "no weights were named", next_step="Name them with --weights: a folder or a hub id."
        )
    return Transformers(settings, find_weights(settings.weights, settings.revision))


class Transformers:
    """A checkpoint that this process runs itself; see `Engine`.

    Args:
        settings: How.
        weights: Which.
    """

    def __init__(self, settings: EngineSettings, weights: Weights) -> None:
        self._settings = settings
        self._weights = weights
        self._forward: Forward | None = None

    @property
    def name(self) -> str:
        """The hub id, or the name of the folder."""
        return self._weights.name

    @cached_property
    def revision(self) -> str | None:
        """The hub's commit, else the digest of the weights."""
        return self._weights.commit() or self.digest

    @cached_property
    def digest(self) -> str:
        """The digest of the weights, which no name or note stands in for."""
        return self._weights.digest()

    @cached_property
    def tokenizer(self) -> HubTokenizer:
        """The tokenizer that lies beside the weights."""
        named = self._settings.tokenizer
        folder = find_weights(named, None).folder if named else self._weights.folder
        return load_tokenizer(folder)

    @property
    def dtype(self) -> str:
        """The precision of the arithmetic."""
        if self._settings.dtype != "auto":
            return self._settings.dtype
        return "float32" if self._on_cpu else "bfloat16"

    @property
    def device(self) -> str:
        """Where it computes."""
        with needs("judge"):
            import torch
        if self._on_cpu:
            return f"cpu, {torch.get_num_threads()} threads"
        return f"{self._place}, {torch.cuda.get_device_name()}"

    @cached_property
    def _place(self) -> str:
        with needs("judge"):
            import torch
        if self._settings.device != "auto":
            if self._settings.device.startswith("cuda") and not torch.cuda.is_available():
                raise JudgingError(
                    f"there is no device {self._settings.device} here (torch {torch.__version__})",
                    next_step="Use --device cpu, or a torch that is built for this machine's GPU.",
                )
            return self._settings.device
        return "cuda" if torch.cuda.is_available() else "cpu"

    @property
    def _on_cpu(self) -> bool:
        return self._place == "cpu"

    def __enter__(self) -> Self:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        with needs("judge"):
            from gate.judge.engines.forward import Forward
        self._forward = Forward(
            self._weights.complete(), self.tokenizer, dtype=self.dtype, place=self._place
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._forward is not None:
            self._forward = None
            from gate.judge.engines.forward import release

            release()

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer in batches of similar length; see `Engine`."""
        forward = self._forward
        assert forward is not None, "the engine is not open"
        prompts, refused = [], []
        for request in requests:
            ids = self.tokenizer.ids(request.prompt)
            if len(ids) + request.max_new_tokens - 1 > forward.room:
                refused.append(_too_long(request, len(ids), forward.room))
            else:
                prompts.append((request, ids))
        if refused:
            yield refused
        for long in (False, True):
            mine = [each for each in prompts if (each[0].max_new_tokens > 1) is long]
            sizes = [len(ids) + (request.max_new_tokens if long else 0) for request, ids in mine]
            groups = by_length(sizes, 1) if alone else self._groups(mine, sizes, forward)
            for group in groups:
                yield from _halving(forward, [mine[i] for i in group], alone=alone)

    def _groups(
        self, mine: Sequence[tuple[Request, list[int]]], sizes: Sequence[int], forward: "Forward"
    ) -> Iterator[list[int]]:
        steps = max((request.max_new_tokens for request, _ in mine), default=1)
        if steps > 1:
            # More padding would cost as much as the steps of a further group.
            padding = steps * (CPU_STEP if self._on_cpu else GPU_STEP)
            budget = self._settings.batch_tokens or forward.cached_tokens
            return by_length(sizes, budget, most=forward.most, padding=padding)
        if self._settings.batch_tokens is not None:
            return by_length(sizes, self._settings.batch_tokens)
        if self._on_cpu:
            return by_length(sizes, CPU_TOKENS, enough=CPU_ENOUGH)
        return by_length(sizes, GPU_TOKENS)


def _halving(
    forward: "Forward", group: list[tuple[Request, list[int]]], *, alone: bool
) -> Iterator[Sequence[Answer]]:
    """Answer a group; where memory does not suffice, in two halves."""
    answers = forward.answer(group, alone=alone)
    if answers is not None:
        yield answers
    elif len(group) == 1:
        request, ids = group[0]
        detail = f"out of memory on a single prompt of {len(ids)} tokens"
        failure = Failure(reason="judge_error", detail=detail, again=True)
        yield [Answer(key=request.key, tokens=len(ids), failure=failure)]
    else:
        middle = len(group) // 2
        yield from _halving(forward, group[:middle], alone=alone)
        yield from _halving(forward, group[middle:], alone=alone)


def _too_long(request: Request, tokens: int, room: int) -> Answer:
    detail = f"the prompt has {tokens} tokens, and the weights take {room}"
    failure = Failure(reason="judge_error", detail=detail, again=False)
    return Answer(key=request.key, tokens=tokens, failure=failure)

"""vLLM in this process: many prompts at once on GPUs, continuously batched."""

import gc
import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from gate.errors import JudgingError
from gate.judge.engines import transformers
from gate.judge.engines.logprobs import lead, margin
from gate.judge.extra import needs
from gate.judge.settings import EngineSettings
from gate.judge.tokenizers import HubTokenizer
from gate.judge.values import Answer, Failure, Request
from gate.judge.weights import find_weights

TOPS = 20
"""How many of the likeliest tokens are asked for: as many as vLLM gives by default."""
AT_ONCE = 256
"""Prompts handed over together; what a crash costs at most."""


class EngineDeadError(JudgingError):
    """vLLM itself broke down; started again, it may do better."""


def make(settings: EngineSettings) -> "VLLM":
    """Find the weights; nothing is loaded.

    Raises:
        JudgingError: If the package or the weights are missing.
    """
    # vLLM reads both when it is imported: it would report its use, and be chatty.
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    with needs("vllm"):
        import vllm  # noqa: F401
    return VLLM(settings)


class VLLM:
    """A checkpoint that vLLM runs; see `Engine`.

    Prompts go in as token ids. Shared beginnings are computed anew for each: a cache would make
    the arithmetic of a near-tie depend on what came before it.

    Args:
        settings: How.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._here = transformers.make(settings)
        self._llm: Any = None
        self._room = 0

    @property
    def name(self) -> str:
        """The hub id, or the name of the folder."""
        return self._here.name

    @property
    def revision(self) -> str | None:
        """The hub's commit, else the digest of the weights."""
        return self._here.revision

    @property
    def digest(self) -> str:
        """Of the weights as this machine sees them."""
        return self._here.digest

    @property
    def tokenizer(self) -> HubTokenizer:
        """The tokenizer that lies beside the weights, or the one named."""
        return self._here.tokenizer

    @property
    def dtype(self) -> str:
        """The precision of the arithmetic; never left to vLLM."""
        return "bfloat16" if self._settings.dtype == "auto" else self._settings.dtype

    @property
    def device(self) -> str:
        """Where it computes."""
        gpus = self._settings.gpus
        return f"vllm, {gpus} GPUs" if gpus > 1 else "vllm, 1 GPU"

    def __enter__(self) -> Self:
        with needs("vllm"):
            from vllm import LLM
        folder = find_weights(self._settings.weights or "", self._settings.revision).complete()
        named = self._settings.tokenizer
        try:
            self._llm = LLM(
                model=str(folder),
                tokenizer=str(find_weights(named, None).folder) if named else None,
                dtype=self.dtype,
                tensor_parallel_size=self._settings.gpus,
                load_format="safetensors",
                trust_remote_code=False,
                enable_prefix_caching=False,
                seed=0,
            )
        # What fails here fails in vLLM, in CUDA or in the weights; none of it is this tool's fault.
        except Exception as error:
            raise JudgingError(
                f"vLLM cannot run {folder.name}: {type(error).__name__}",
                next_step="Set VLLM_LOGGING_LEVEL=INFO and run it again to see why.",
            ) from error
        self._room = int(self._llm.llm_engine.model_config.max_model_len)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._llm = None
        gc.collect()

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer in batches, longest prompts first; `alone` hands them over singly."""
        assert self._llm is not None, "the engine is not open"
        fitting, refused = [], []
        for request in requests:
            ids = self.tokenizer.ids(request.prompt)
            if len(ids) + request.max_new_tokens > self._room:
                detail = f"the prompt has {len(ids)} tokens, and the weights take {self._room}"
                refused.append(_failed(request, detail, again=False))
            else:
                fitting.append((request, ids))
        if refused:
            yield refused
        fitting.sort(key=lambda each: len(each[1]), reverse=True)
        size = 1 if alone else AT_ONCE
        for start in range(0, len(fitting), size):
            yield self._batch(fitting[start : start + size], alone=alone)

    def _batch(self, batch: Sequence[tuple[Request, list[int]]], *, alone: bool) -> list[Answer]:
        from vllm import SamplingParams

        prompts = [{"prompt_token_ids": ids} for _, ids in batch]
        greedy = [
            SamplingParams(
                temperature=0.0,
                max_tokens=request.max_new_tokens,
                logprobs=TOPS if request.labels else None,
            )
            for request, _ in batch
        ]
        try:
            outputs = self._llm.generate(prompts, greedy, use_tqdm=False)
        # Its errors are of many types, and may quote what it was given.
        except Exception as error:
            raise EngineDeadError(
                f"vLLM broke down: {type(error).__name__}",
                next_step="What was judged is saved; the same command goes on from there.",
            ) from None
        return [
            self._read(request, ids, output, alone=alone)
            for (request, ids), output in zip(batch, outputs, strict=True)
        ]

    def _read(self, request: Request, ids: Sequence[int], output: Any, *, alone: bool) -> Answer:
        ends = {"stop": True, "length": False}
        if not output.finished or len(output.outputs) != 1:
            return _failed(request, "vLLM left it unfinished", again=True)
        one = output.outputs[0]
        if one.finish_reason not in ends:
            return _failed(request, "vLLM broke it off", again=True)
        tops = []
        if request.labels and one.logprobs:
            found = one.logprobs[0].items()
            tops = [(self.tokenizer.text([id_]), float(each.logprob)) for id_, each in found]
        return Answer(
            key=request.key,
            text=one.text,
            margin=margin(tops, request.labels),
            lead=lead(tops),
            alone=alone,
            tokens=len(ids),
            new_tokens=len(one.token_ids),
            finished=ends[one.finish_reason],
        )


def _failed(request: Request, detail: str, *, again: bool) -> Answer:
    failure = Failure(reason="judge_error", detail=detail, again=again)
    return Answer(key=request.key, failure=failure)

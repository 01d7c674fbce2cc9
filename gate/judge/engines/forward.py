"""The arithmetic of the `transformers` engine; the only module that imports torch at its top."""

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig
from transformers.utils import logging

from gate.errors import JudgingError
from gate.judge.tokenizers import HubTokenizer
from gate.judge.values import Answer, Request

MOST_SEQUENCES = 256
CPU_CACHE = 2 << 30
"""Bytes that the keys and values of one batch of generations may take on a CPU."""

Prompted = tuple[Request, list[int]]


class Forward:
    """Loaded weights.

    Args:
        folder: The checkpoint.
        tokenizer: Its tokenizer.
        dtype: `float32`, `bfloat16` or `float16`.
        place: A device, or a device map of the accelerate library, as `balanced`.

    Raises:
        JudgingError: If the weights cannot be loaded.
    """

    def __init__(self, folder: Path, tokenizer: HubTokenizer, *, dtype: str, place: str) -> None:
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._tokenizer = tokenizer
        self._labels: dict[str, list[int]] = {}
        try:
            config = AutoConfig.from_pretrained(
                folder, trust_remote_code=False, local_files_only=True
            )
            # Tensors that are not in the files would be random, and only a log would say so.
            auto: Any = AutoModelForCausalLM
            weights, told = auto.from_pretrained(
                folder,
                config=config,
                dtype=getattr(torch, dtype),
                device_map=None if place == "cpu" else place,
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
            )
        # Loading fails in as many ways as there are libraries beneath; the weights are at fault.
        except Exception as error:
            raise JudgingError(
                f"{folder}: the weights cannot be loaded: {type(error).__name__}: {error}",
                next_step="They must be safetensors of an architecture that transformers knows "
                "without code from the checkpoint, and fit the device (--dtype, --device).",
            ) from error
        _whole(folder, told)
        self._weights: Any = weights.eval()
        self._ends = _end_tokens(self._weights)
        # The checkpoint's own sampling settings do not matter: decoding is greedy.
        greedy: Any = GenerationConfig
        self._weights.generation_config = greedy(pad_token_id=tokenizer.pad_id)
        self.room = int(getattr(config, "max_position_embeddings", None) or 1 << 30)
        """The most positions that the weights take."""
        self.most = MOST_SEQUENCES
        self.cached_tokens = _cache_tokens(config, self._weights)
        """Tokens whose keys and values fit beside the weights."""

    def answer(self, group: Sequence[Prompted], *, alone: bool) -> list[Answer] | None:
        """Answer one batch; None where memory does not suffice."""
        try:
            with torch.inference_mode():
                if max(request.max_new_tokens for request, _ in group) == 1:
                    return self._first_tokens(group, alone=alone)
                return self._generated(group, alone=alone)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if not _out_of_memory(error):
                raise
        release()
        return None

    def _first_tokens(self, group: Sequence[Prompted], *, alone: bool) -> list[Answer]:
        inputs = self._padded(group)
        if "attention_mask" in inputs:
            mask = inputs["attention_mask"]
            inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)
        logits = self._weights(**inputs, use_cache=False, logits_to_keep=1).logits[:, -1].float()
        tops, ids = logits.topk(2)
        texts = [self._tokenizer.text([id_]) for id_ in ids[:, 0].tolist()]
        leads = (tops[:, 0] - tops[:, 1]).tolist()
        return [
            Answer(
                key=request.key,
                text=texts[i],
                margin=self._margin(logits[i], request.labels),
                lead=leads[i],
                alone=alone,
                tokens=len(prompt),
                new_tokens=1,
                finished=False,
            )
            for i, (request, prompt) in enumerate(group)
        ]

    def _generated(self, group: Sequence[Prompted], *, alone: bool) -> list[Answer]:
        inputs = self._padded(group)
        first = _FirstStep()
        longest = max(request.max_new_tokens for request, _ in group)
        # Without an end token nothing would stop a generation: then all tokens are generated.
        whole = self._weights.generate(
            **inputs,
            max_new_tokens=longest,
            do_sample=False,
            eos_token_id=self._ends or None,
            logits_processor=[first],
        )
        start = inputs["input_ids"].shape[1]
        assert first.logits is not None, "at least one token is generated"
        tops = first.logits.topk(2).values
        leads = (tops[:, 0] - tops[:, 1]).tolist()
        answers = []
        for i, (request, prompt) in enumerate(group):
            new, finished = self._until_end(whole[i, start:].tolist(), request.max_new_tokens)
            answers.append(
                Answer(
                    key=request.key,
                    text=self._tokenizer.text(new),
                    margin=self._margin(first.logits[i], request.labels),
                    lead=leads[i],
                    alone=alone,
                    tokens=len(prompt),
                    new_tokens=len(new),
                    finished=finished,
                )
            )
        return answers

    def _padded(self, group: Sequence[Prompted]) -> dict[str, Any]:
        """Pad on the left; prompts of one length need neither padding nor a mask."""
        longest = max(len(ids) for _, ids in group)
        pad = self._tokenizer.pad_id
        rows = [[pad] * (longest - len(ids)) + ids for _, ids in group]
        inputs = {"input_ids": torch.tensor(rows, device=self._weights.device)}
        if any(len(ids) < longest for _, ids in group) or group[0][0].max_new_tokens > 1:
            mask = [[0] * (longest - len(ids)) + [1] * len(ids) for _, ids in group]
            inputs["attention_mask"] = torch.tensor(mask, device=self._weights.device)
        return inputs

    def _margin(self, logits: torch.Tensor, labels: Sequence[str]) -> float | None:
        best = []
        for label in labels:
            if label not in self._labels:
                self._labels[label] = self._tokenizer.forms(label)
            if not self._labels[label]:
                return None
            best.append(float(logits[self._labels[label]].max()))
        best.sort(reverse=True)
        return best[0] - best[1] if len(best) > 1 else None

    def _until_end(self, ids: list[int], most: int) -> tuple[list[int], bool]:
        for at, id_ in enumerate(ids[:most]):
            if id_ in self._ends:
                return ids[:at], True
        return ids[:most], False


def _whole(folder: Path, told: Mapping[str, Any]) -> None:
    """Make sure that every tensor of the architecture came from the files.

    Raises:
        JudgingError: If one did not.
    """
    wrong = {what: len(told.get(f"{what}_keys") or ()) for what in ("missing", "mismatched")}
    if any(wrong.values()) or told.get("error_msgs"):
        counted = ", ".join(f"{count} {what}" for what, count in wrong.items() if count)
        raise JudgingError(
            f"{folder}: the files do not hold all of the weights: {counted or 'errors'} tensors",
            next_step="Save or download the whole checkpoint again, with the config.json that "
            "belongs to it.",
        )


def release() -> None:
    """Give memory back that nothing refers to any more."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


class _FirstStep:
    """Keeps the logits of the first new token, and changes nothing."""

    logits: torch.Tensor | None = None

    def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if self.logits is None:
            self.logits = scores.float()
        return scores


def _cache_tokens(config: Any, weights: Any) -> int:
    text = config.get_text_config()
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    wide = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    a_token: int = 2 * text.num_hidden_layers * heads * wide * weights.dtype.itemsize
    room = CPU_CACHE
    if weights.device.type == "cuda":
        room = int(torch.cuda.mem_get_info()[0] * 0.7)
    return max(1, room // a_token)


def _end_tokens(weights: Any) -> list[int]:
    ends = weights.generation_config.eos_token_id
    ends = weights.config.eos_token_id if ends is None else ends
    return [] if ends is None else list(ends) if isinstance(ends, list) else [int(ends)]


def _out_of_memory(error: BaseException) -> bool:
    wording = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(
        words in str(error).lower() for words in wording
    )

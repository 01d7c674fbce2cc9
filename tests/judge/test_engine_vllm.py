"""The engine `vllm` against a stand-in with vLLM's own names; vLLM itself needs a GPU."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from gate.errors import JudgingError
from gate.judge.choose import open_engine
from gate.judge.settings import EngineSettings
from gate.judge.values import Part, Request
from tests.judge.asking import asked_of, requests, said


@dataclass
class SamplingParams:
    """The fields of vLLM's that are used, with its defaults."""

    temperature: float = 1.0
    max_tokens: int | None = 16
    logprobs: int | None = None


@dataclass
class Logprob:
    """As in vllm.logprobs."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


@dataclass
class CompletionOutput:
    """As in vllm.outputs."""

    index: int
    text: str
    token_ids: Sequence[int]
    logprobs: list[dict[int, Logprob]] | None
    finish_reason: str | None


@dataclass
class RequestOutput:
    """As in vllm.outputs."""

    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    finished: bool = True


@dataclass
class Seen:
    """How vLLM was called."""

    made: dict[str, Any] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    params: list[SamplingParams] = field(default_factory=list)


class LLM:
    """Computes one prompt after another, as vLLM's class of this name would."""

    seen: ClassVar[Seen]
    length = 4096

    def __init__(self, model: str, **fields: Any) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.seen.made = {"model": model, **fields}
        self._tokenizer = AutoTokenizer.from_pretrained(model)
        self._weights = AutoModelForCausalLM.from_pretrained(model)
        config = SimpleNamespace(max_model_len=self.length)
        self.llm_engine = SimpleNamespace(model_config=config)

    def generate(
        self,
        prompts: Sequence[dict[str, list[int]]],
        sampling_params: Sequence[SamplingParams],
        *,
        use_tqdm: bool = True,
    ) -> list[RequestOutput]:
        """Generate greedily."""
        assert not use_tqdm
        self.seen.sizes.append(len(prompts))
        self.seen.params += sampling_params
        pairs = zip(prompts, sampling_params, strict=True)
        return [self._one(prompt["prompt_token_ids"], params) for prompt, params in pairs]

    def _one(self, ids: list[int], params: SamplingParams) -> RequestOutput:
        import torch

        assert params.temperature == 0
        new: list[int] = []
        tops: list[dict[int, Logprob]] = []
        while len(new) < (params.max_tokens or 0):
            with torch.inference_mode():
                logits = self._weights(torch.tensor([[*ids, *new]])).logits[0, -1]
            best = logits.log_softmax(-1).topk(params.logprobs or 1)
            pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
            tops.append({id_: Logprob(value) for id_, value in pairs})
            new.append(int(best.indices[0]))
            if new[-1] == self._tokenizer.eos_token_id:
                break
        ended = new[-1] == self._tokenizer.eos_token_id
        output = CompletionOutput(
            index=0,
            text=self._tokenizer.decode(new, skip_special_tokens=True),
            token_ids=new,
            logprobs=tops if params.logprobs else None,
            finish_reason="stop" if ended else "length",
        )
        return RequestOutput(prompt_token_ids=ids, outputs=[output])


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> type[LLM]:
    """Put the stand-in where vLLM would be."""

    class Fresh(LLM):
        seen = Seen()

    module = ModuleType("vllm")
    module.LLM = Fresh  # type: ignore[attr-defined]
    module.SamplingParams = SamplingParams  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setenv("VLLM_NO_USAGE_STATS", "1")
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "ERROR")
    return Fresh


def settings(llama: Path, **fields: Any) -> EngineSettings:
    """Say how to run it."""
    usual = {"engine": "vllm", "weights": str(llama), "dtype": "float32"}
    return EngineSettings.model_validate(usual | fields)


def test_it_answers_as_the_transformers_engine(vllm: type[LLM], llama: Path) -> None:
    """Same prompts, same verdicts, leads and margins in float32; several batches."""
    asked = [
        *requests(300),
        Request(key="long", prompt=(Part("garden"),), max_new_tokens=8),
    ]
    plain = asked_of(open_engine(EngineSettings(weights=str(llama), device="cpu")), asked)
    found = asked_of(open_engine(settings(llama)), asked)
    assert said(found) == said(plain)
    for key, answer in found.items():
        assert answer.tokens == plain[key].tokens
        assert answer.finished == plain[key].finished
        if key != "long":
            assert answer.lead == pytest.approx(plain[key].lead, abs=1e-3)
            if answer.margin is not None:
                assert answer.margin == pytest.approx(plain[key].margin, abs=1e-3)
    assert any(answer.margin is not None for answer in found.values())
    assert vllm.seen.sizes == [256, 45]
    assert found["long"].lead is None


def test_it_is_made_to_run_no_code_and_to_depend_on_nothing_before(
    vllm: type[LLM], llama: Path
) -> None:
    """Safetensors alone, a precision that is said, and no cache between prompts."""
    engine = open_engine(settings(llama, dtype="auto", gpus=2))
    assert engine.dtype == "bfloat16"
    asked_of(engine, requests(1))
    made = vllm.seen.made
    assert made.pop("model") == str(llama)
    assert made == {
        "tokenizer": None,
        "dtype": "bfloat16",
        "tensor_parallel_size": 2,
        "load_format": "safetensors",
        "trust_remote_code": False,
        "enable_prefix_caching": False,
        "seed": 0,
    }


def test_alone_hands_prompts_over_singly(vllm: type[LLM], llama: Path) -> None:
    """So that no other prompt is in the same step."""
    answers = asked_of(open_engine(settings(llama)), requests(5), alone=True)
    assert vllm.seen.sizes == [1] * 5
    assert all(answer.alone for answer in answers.values())


def test_a_prompt_that_is_too_long_is_left_out(vllm: type[LLM], llama: Path) -> None:
    """VLLM would refuse the whole batch."""
    engine = open_engine(settings(llama))
    assert engine.tokenizer is not None
    sizes = {each.key: len(engine.tokenizer.ids(each.prompt)) for each in requests(9)}
    vllm.length = sorted(sizes.values())[5]
    answers = asked_of(engine, requests(9))
    long = {key: answer.failure for key, answer in answers.items() if answer.failure}
    assert long.keys() == {key for key, size in sizes.items() if size + 1 > vllm.length}
    for failure in long.values():
        assert failure.detail.endswith(f"and the weights take {vllm.length}")
        assert not failure.again


@pytest.mark.parametrize(
    "change",
    [{"finish_reason": "abort"}, {"finish_reason": None}, None],
    ids=["aborted", "unended", "empty"],
)
def test_what_was_broken_off_is_no_verdict(
    vllm: type[LLM], llama: Path, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    """It is left for a later run."""
    whole = vllm._one

    def broken(self: LLM, ids: list[int], params: SamplingParams) -> RequestOutput:
        output = whole(self, ids, params)
        if change is None:
            return RequestOutput(prompt_token_ids=ids, outputs=[])
        for name, value in change.items():
            setattr(output.outputs[0], name, value)
        return output

    monkeypatch.setattr(vllm, "_one", broken)
    for answer in asked_of(open_engine(settings(llama)), requests(2)).values():
        assert answer.failure is not None
        assert answer.failure.again
        assert answer.text == ""


def test_a_crash_is_told_without_what_was_asked(
    vllm: type[LLM], llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VLLM's own messages may quote prompts."""

    def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("while computing: garden 0")

    monkeypatch.setattr(vllm, "generate", crash)
    with pytest.raises(JudgingError, match="vLLM broke down: RuntimeError") as caught:
        asked_of(open_engine(settings(llama)), requests(2))
    assert "garden" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_without_the_package_the_error_says_what_to_install(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is loaded."""
    monkeypatch.setenv("VLLM_NO_USAGE_STATS", "1")
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "ERROR")
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(JudgingError) as caught:
        open_engine(settings(llama))
    assert caught.value.next_step == "Run: pip install 'checkpoint-gate[vllm]'"

"""The `transformers` engine: batches change nothing, and nothing but weights is loaded."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gate.errors import JudgingError
from gate.judge.engines import forward
from gate.judge.engines.batches import by_length
from gate.judge.engines.transformers import make
from gate.judge.settings import EngineSettings
from gate.judge.values import Answer, Message, Part, Request
from tests.judge import tiny


def requests(n: int = 40, **more: Any) -> list[Request]:
    """Make prompts of many lengths."""
    rng = random.Random(3)
    made = []
    for i in range(n):
        text = " ".join(rng.choices(tiny.WORDS.split(), k=rng.randint(1, 50)))
        made.append(Request(key=f"k{i}", prompt=(Part(text, foreign=True), Part("?")), **more))
    return made


def answers(weights: Path, asked: Sequence[Request], **settings: Any) -> dict[str, Answer]:
    """Ask a fresh engine."""
    alone = settings.pop("alone", False)
    with make(EngineSettings(weights=str(weights), **settings)) as engine:
        batches = list(engine.answer(asked, alone=alone))
    found = {answer.key: answer for batch in batches for answer in batch}
    assert len(found) == sum(map(len, batches)) == len(asked)
    return found


def library(weights: Path, request: Request, tokens: int = 1) -> tuple[str, float]:
    """Ask the library itself, one prompt and no padding; gives the text and the first lead."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(weights)
    loaded: Any = AutoModelForCausalLM.from_pretrained(weights)
    text = "".join(part.text for part in request.prompt if isinstance(part, Part))
    ids = tokenizer(text, return_tensors="pt").input_ids
    with torch.inference_mode():
        whole = loaded.generate(ids, max_new_tokens=tokens, do_sample=False)
        top = loaded(ids).logits[0, -1].topk(2).values.tolist()
    new = whole[0, ids.shape[1] :]
    return tokenizer.decode(new, skip_special_tokens=True), top[0] - top[1]


@pytest.mark.parametrize("shape", ["llama", "mistral"])
def test_no_batch_size_changes_an_answer(shape: str, request: pytest.FixtureRequest) -> None:
    """Alone, in small batches with padding, and all at once: what the library itself says."""
    weights = request.getfixturevalue(shape)
    asked = requests(labels=("yes", "no"))
    alone = answers(weights, asked, alone=True)
    for budget in (200, 10_000):
        batched = answers(weights, asked, batch_tokens=budget)
        for key, answer in alone.items():
            assert batched[key].text == answer.text
            assert batched[key].lead == pytest.approx(answer.lead, abs=1e-3)
            assert batched[key].margin == pytest.approx(answer.margin, abs=1e-3)
    assert {answer.text for answer in alone.values()} == {"yes", "no"}
    for one in asked[:5]:
        text, lead = library(weights, one)
        assert alone[one.key].text == text
        assert alone[one.key].lead == pytest.approx(lead, abs=1e-3)


def test_generations_in_batches_are_those_of_one_by_one(tmp_path: Path) -> None:
    """Greedy, padded on the left, cut at the end token."""
    weights = tiny.llama(tmp_path / "free", answers=None)
    asked = requests(12, max_new_tokens=9)
    batched = answers(weights, asked)
    assert {key: a.text for key, a in batched.items()} == {
        key: a.text for key, a in answers(weights, asked, alone=True).items()
    }
    for one in asked[:3]:
        assert batched[one.key].text == library(weights, one, 9)[0]
    assert any(answer.new_tokens == 9 for answer in batched.values())
    assert all(answer.finished or answer.new_tokens == 9 for answer in batched.values())


def test_a_generation_ends_at_the_end_token(llama: Path) -> None:
    """And says so; one that is cut off says that too."""
    found = answers(llama, requests(6, max_new_tokens=5, labels=("yes", "no")))
    assert {answer.text for answer in found.values()} <= {"yes", "no"}
    assert all(answer.finished and answer.new_tokens == 1 for answer in found.values())
    assert all(answer.margin is not None for answer in found.values())


def test_the_answer_is_the_most_likely_token_of_all(tmp_path: Path) -> None:
    """Not the likelier of two labels."""
    weights = tiny.llama(tmp_path / "third", answers=("maybe", "no", "yes"))
    found = answers(weights, requests(labels=("yes", "no")))
    assert "maybe" in {answer.text for answer in found.values()}
    maybe = next(answer for answer in found.values() if answer.text == "maybe")
    assert maybe.lead is not None
    assert maybe.lead > 0


def test_chats_are_answered(llama: Path) -> None:
    """Through the chat template of the weights."""
    chat = Request(key="c", prompt=(Message("user", "placeholder"),), max_new_tokens=3)
    assert answers(llama, [chat])["c"].text in ("yes", "no")


def test_too_little_memory_halves_the_batch(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And goes on; a single prompt that does not fit can be tried again elsewhere."""
    import torch

    whole = forward.Forward._first_tokens
    sizes = []

    def cramped(self: Any, group: Sequence[Any], *, alone: bool) -> list[Answer]:
        sizes.append(len(group))
        if len(group) > 3 or any(request.key == "k7" for request, _ in group):
            raise torch.OutOfMemoryError("CUDA out of memory")
        return whole(self, group, alone=alone)

    expected = answers(llama, requests())
    monkeypatch.setattr(forward.Forward, "_first_tokens", cramped)
    found = answers(llama, requests())
    failure = found.pop("k7").failure
    assert failure is not None
    assert failure.again
    assert {key: answer.text for key, answer in found.items()} == {
        key: expected[key].text for key in found
    }
    assert max(sizes) > 3


def test_a_fault_is_not_taken_for_little_memory(
    llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It surfaces."""

    def broken(*args: object, **more: object) -> list[Answer]:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(forward.Forward, "_first_tokens", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        answers(llama, requests(2))


def test_a_prompt_that_is_too_long_is_never_cut(llama: Path) -> None:
    """It is unscored for good, with both numbers and no text."""
    long = Request(key="long", prompt=(Part("x " * 5000),))
    failure = answers(llama, [*requests(2), long])["long"].failure
    assert failure is not None
    assert not failure.again
    assert failure.reason == "judge_error"
    assert "the weights take 4096" in failure.detail


def test_closing_stops_between_batches(llama: Path) -> None:
    """What was not asked for is not computed."""
    with make(EngineSettings(weights=str(llama), batch_tokens=60)) as engine:
        batches: Iterator[Sequence[Answer]] = engine.answer(requests())
        assert next(batches)
        batches.close()  # type: ignore[attr-defined]


def test_groups_hold_each_prompt_once_within_the_budget() -> None:
    """Longest first, similar lengths together."""
    sizes = [random.Random(i).randint(1, 300) for i in range(200)]
    groups = list(by_length(sizes, 512, most=16))
    assert sorted(i for group in groups for i in group) == list(range(200))
    for group in groups:
        assert len(group) <= 16
        assert len(group) == 1 or max(sizes[i] for i in group) * len(group) <= 512
    assert {len(group) for group in by_length([300, 256, 9, 9], 9000, enough=256)} == {1, 2}
    padded = sum(max(sizes[i] for i in group) * len(group) for group in groups)
    assert padded < 1.1 * sum(sizes)


class TestWeights:
    """What is loaded, and what is not."""

    def test_pickled_weights_are_refused(self, llama: Path, tmp_path: Path) -> None:
        """They could run code."""
        folder = copied(llama, tmp_path)
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        with pytest.raises(JudgingError, match="pickled"):
            make(EngineSettings(weights=str(folder))).__enter__()

    def test_code_of_the_checkpoint_never_runs(self, llama: Path, tmp_path: Path) -> None:
        """An architecture that needs it is refused."""
        folder = copied(llama, tmp_path)
        config = json.loads((folder / "config.json").read_text())
        config |= {
            "model_type": "placeholder",
            "auto_map": {"AutoConfig": "code.C", "AutoModelForCausalLM": "code.M"},
        }
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "code.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
        with pytest.raises(JudgingError, match="cannot be loaded"):
            make(EngineSettings(weights=str(folder))).__enter__()
        assert not (tmp_path / "ran").exists()

    def test_the_revision_is_the_commit_where_the_folder_tells(
        self, llama: Path, tmp_path: Path
    ) -> None:
        """A hub snapshot by its name, a download by its notes; else the digest of the weights."""
        commit = "0123456789" * 4
        snapshot = copied(llama, tmp_path / "snapshots", commit)
        assert make(EngineSettings(weights=str(snapshot))).revision == commit
        plain = copied(llama, tmp_path, "plain")
        digest = make(EngineSettings(weights=str(plain))).revision
        assert digest is not None
        assert digest.startswith("sha256:")
        notes = plain / ".cache" / "huggingface" / "download"
        notes.mkdir(parents=True)
        (notes / "config.json.metadata").write_text(f"{commit}\netag\n1.0\n")
        assert make(EngineSettings(weights=str(plain))).revision == commit

    def test_what_is_no_folder_and_no_hub_id_is_refused(self) -> None:
        """With what to name instead."""
        with pytest.raises(JudgingError, match="neither a folder nor a hub id"):
            make(EngineSettings(weights="/no/such/folder"))

    def test_reduced_precision_is_told(self, llama: Path) -> None:
        """Float32 on a CPU unless asked for otherwise."""
        assert make(EngineSettings(weights=str(llama))).dtype == "float32"
        found = answers(llama, requests(4), dtype="bfloat16")
        assert all(answer.lead is not None for answer in found.values())


def copied(weights: Path, parent: Path, name: str = "copy") -> Path:
    """Copy a checkpoint."""
    import shutil

    return Path(shutil.copytree(weights, parent / name))

"""Generation in batches against one prompt at a time, on the same weights.

    python bench/generate.py [--prompts 32] [--tokens 64] [--rounds 3] [--layers 6] [--width 384]

The weights are random, so texts are noise; what is compared is time, and that the texts are equal.
One at a time is the library's own `generate`, as HarmBench's script calls it without vLLM. Prompts
have HarmBench's lengths: three in four a sentence, one in four with a context of some hundred
tokens. Loading is not counted. Seconds are of the processor, and by default one thread computes, so
that a busy machine does not matter; rounds are interleaved, and the median of each is taken.
"""

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import torch  # noqa: TID253 # this script is nothing without it

from gate.judge.engines.transformers import make
from gate.judge.settings import EngineSettings
from gate.judge.values import Message, Request
from tests.judge import tiny

WORDS = tiny.WORDS.split()


def weights(folder: Path, layers: int, width: int) -> Path:
    """Write a random Llama of that size."""
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tiny.tokenizer()
    config = LlamaConfig(
        vocab_size=32_000,  # of a real vocabulary, whose last layer costs as much as it does
        hidden_size=width,
        intermediate_size=width * 11 // 4,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        num_key_value_heads=width // 64,
        max_position_embeddings=4096,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def prompts(count: int) -> list[str]:
    """Make placeholders of HarmBench's lengths."""
    rng = random.Random(0)
    lengths = [rng.randint(150, 500) if n % 4 == 0 else rng.randint(8, 30) for n in range(count)]
    return [" ".join(rng.choices(WORDS, k=length)) for length in lengths]


def batches(engine: Any, asked: list[str], tokens: int) -> tuple[float, list[str]]:
    """Answer all through the engine; return CPU seconds and texts in order."""
    requests = [
        Request(key=str(n), prompt=(Message("user", text),), max_new_tokens=tokens)
        for n, text in enumerate(asked)
    ]
    start = time.process_time()
    texts = {a.key: a.text for batch in engine.answer(requests) for a in batch}
    return time.process_time() - start, [texts[str(n)] for n in range(len(asked))]


class Single:
    """The library, one prompt at a time."""

    def __init__(self, folder: Path, dtype: str) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype))

    def __call__(self, asked: list[str], tokens: int) -> tuple[float, list[str]]:
        """Answer all; return CPU seconds and texts."""
        texts = []
        start = time.process_time()
        for text in asked:
            ids = self.tokenizer.apply_chat_template(
                [{"role": "user", "content": text}],
                add_generation_prompt=True,
                return_tensors="pt",
                return_dict=True,
            )
            whole = self.model.generate(**ids, max_new_tokens=tokens, do_sample=False)
            new = whole[0, ids["input_ids"].shape[1] :]
            texts.append(self.tokenizer.decode(new, skip_special_tokens=True))
        return time.process_time() - start, texts


def measure(folder: Path, dtype: str, args: argparse.Namespace) -> None:
    """Print one row."""
    asked = prompts(args.prompts)
    single = Single(folder, dtype)
    ours, theirs, equal = [], [], 0
    with make(EngineSettings(weights=str(folder), dtype=dtype)) as engine:
        batches(engine, asked[:2], 4)
        single(asked[:2], 4)
        for _ in range(args.rounds):
            seconds, one = batches(engine, asked, args.tokens)
            ours.append(seconds)
            seconds, other = single(asked, args.tokens)
            theirs.append(seconds)
            equal = sum(a == b for a, b in zip(one, other, strict=True))
    fast, slow = statistics.median(ours), statistics.median(theirs)
    made = args.prompts * args.tokens
    print(
        f"{dtype:>9}  one by one {slow:6.1f} s {made / slow:6.0f} tokens a second   "
        f"in batches {fast:6.1f} s {made / fast:6.0f} tokens a second   x{slow / fast:.1f}   "
        f"{equal} of {args.prompts} texts equal"
    )


def main() -> None:
    """Measure both precisions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("prompts", 32), ("tokens", 64), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--dtypes", nargs="*", default=["float32", "bfloat16"])
    parser.add_argument("--threads", type=int, default=1)  # more wait for each other, spinning
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = weights(Path(folder), args.layers, args.width)
        size = sum(each.stat().st_size for each in path.glob("*.safetensors")) / 4e6
        print(f"{size:.0f} M parameters, {torch.get_num_threads()} threads, {args.prompts} prompts")
        for dtype in args.dtypes:
            measure(path, dtype, args)


if __name__ == "__main__":
    main()

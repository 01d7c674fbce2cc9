"""How fast the `transformers` engine judges, beside other ways, and beside the machine's limit.

    python bench/judge.py [--rounds 3] [--prompts 32] [--dtype float32] [--threads 1]
    python bench/judge.py --shape 13b --device cuda --dtype bfloat16 --prompts 400  # 26 GB of disk

Random weights, prompts of HarmBench's lengths: 428 to 936 tokens, 690 on average. The ways take
turns. On a CPU they are compared by CPU seconds, on a GPU by wall seconds; the least of all rounds
counts, since disturbances only add. The limit is a large matrix product in the same precision,
measured before and after: the share of it counts the operations of the prompts' own tokens, never
those of padding.
"""

import argparse
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: TID253, E402 # this is what is measured
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM  # noqa: TID253, E402

from gate.judge.engines.transformers import Transformers, make  # noqa: E402
from gate.judge.settings import EngineSettings  # noqa: E402
from gate.judge.values import Part, Request  # noqa: E402
from tests.judge import tiny  # noqa: E402

SHAPES = {
    "tiny": {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "heads": 4},
    "small": {"num_hidden_layers": 8, "hidden_size": 512, "intermediate_size": 1376, "heads": 8},
    "13b": {"num_hidden_layers": 40, "hidden_size": 5120, "intermediate_size": 13824, "heads": 40},
}
VOCABULARY = 32_000
OURS = "ours"


@dataclass
class Way:
    """One way to answer all prompts."""

    run: Callable[[], object]
    seconds: list[float] = field(default_factory=list)


def clock(device: str) -> float:
    """Return CPU seconds on a CPU, else wall seconds with all work done."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def weights(folder: Path, shape: str, dtype: str, device: str) -> Path:
    """Write random weights in a shape, with a tokenizer for them."""
    sizes = dict(SHAPES[shape])
    heads = sizes.pop("heads")
    words = tiny.tokenizer()
    config = LlamaConfig(
        vocab_size=VOCABULARY if shape != "tiny" else len(words),
        num_attention_heads=heads,
        max_position_embeddings=4096,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        tie_word_embeddings=False,
        **sizes,
    )
    torch.manual_seed(0)
    with torch.device(device):
        made: Any = LlamaForCausalLM(config).to(getattr(torch, dtype))
    made.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def prompts(engine: Transformers, n: int, sizes: tuple[int, int, int]) -> list[Request]:
    """Make prompts of so many tokens: at least, at most, and on average."""
    rng = random.Random(0)
    least, most, mean = sizes
    made = []
    for i in range(n):
        size = round(rng.triangular(least, most, 3 * mean - least - most))
        text = " ".join(rng.choices(tiny.WORDS.split(), k=size))
        ids = engine.tokenizer.ids((Part(text),))[:size]
        text = engine.tokenizer.text(ids[1:])
        made.append(Request(key=str(i), prompt=(Part(text),), labels=("yes", "no")))
    return made


def padded(ids: Sequence[list[int]], device: str) -> dict[str, Any]:
    """Pad a batch on the left."""
    longest = max(map(len, ids))
    rows = [[0] * (longest - len(row)) + row for row in ids]
    mask = [[0] * (longest - len(row)) + [1] * len(row) for row in ids]
    tensors = {"input_ids": torch.tensor(rows), "attention_mask": torch.tensor(mask)}
    return {name: tensor.to(device) for name, tensor in tensors.items()}


def ways(engine: Transformers, asked: list[Request], plain: Any, device: str) -> dict[str, Way]:
    """List the ways to answer prompts with one token."""
    ids = [engine.tokenizer.ids(request.prompt) for request in asked]
    groups = [ids[i : i + 8] for i in range(0, len(ids), 8)]

    def ours() -> None:
        for _ in engine.answer(asked):
            pass

    def generate(groups: Sequence[Sequence[list[int]]]) -> None:
        for group in groups:
            plain.generate(**padded(group, device), max_new_tokens=1, do_sample=False)

    def full_logits() -> None:
        for group in groups:
            inputs = padded(group, device)
            positions = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)
            plain(**inputs, position_ids=positions).logits[:, -1].argmax(-1)

    return {
        OURS: Way(ours),
        "generate, one by one": Way(lambda: generate([[row] for row in ids])),
        "generate, padded 8 in file order": Way(lambda: generate(groups)),
        "forward, padded 8 in file order, all logits": Way(full_logits),
    }


def product(device: str, dtype: str, seconds: float = 1.0) -> float:
    """Measure a large matrix product: operations a second."""
    size = 2048 if device == "cpu" else 8192
    kind = getattr(torch, dtype)
    a, b = (torch.randn(size, size, device=device).to(kind) for _ in range(2))
    a @ b
    times = 0
    start = clock(device)
    while clock(device) - start < seconds:
        for _ in range(4):
            a @ b
        times += 4
    return 2 * size**3 * times / (clock(device) - start)


def operations(plain: Any, lengths: Sequence[int]) -> float:
    """Count the operations that one prefill of each prompt needs; the last logits apart."""
    config = plain.config
    inner = sum(
        p.numel()
        for name, p in plain.named_parameters()
        if "embed" not in name and "lm_head" not in name
    )
    width = config.num_hidden_layers * config.hidden_size
    head = config.vocab_size * config.hidden_size
    return float(sum(2 * inner * n + 2 * width * n * n + 2 * head for n in lengths))


def measured(found: dict[str, Way], rounds: int, device: str) -> None:
    """Let the ways take turns; the first round warms up."""
    with torch.inference_mode():
        for turn in range(rounds + 1):
            for way in found.values():
                gc.collect()
                start = clock(device)
                way.run()
                if turn:
                    way.seconds.append(clock(device) - start)


def judging(args: argparse.Namespace, shape: str, sizes: tuple[int, int, int], n: int) -> None:
    """Print the table of one shape."""
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name), shape, args.dtype, args.device)
        settings = EngineSettings(weights=str(folder), dtype=args.dtype, device=args.device)
        with make(settings) as engine:
            plain: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=getattr(torch, args.dtype), use_safetensors=True
            )
            plain = plain.to(args.device).eval()
            asked = prompts(engine, n, sizes)
            lengths = [len(engine.tokenizer.ids(request.prompt)) for request in asked]
            found = ways(engine, asked, plain, args.device)
            before = product(args.device, args.dtype)
            measured(found, args.rounds, args.device)
            limit = max(before, product(args.device, args.dtype))
            needed = operations(plain, lengths)
    mean = statistics.mean(lengths)
    print(f"\n{shape}, {n} prompts of {mean:.0f} tokens, {args.dtype}, {args.device}; ", end="")
    print(f"a matrix product makes {limit / 1e9:,.0f} GFLOP/s\n")
    print("| way | ours is faster by | verdicts a second | of the matrix product |")
    print("|---|---|---|---|")
    best = min(found[OURS].seconds)
    for what, way in found.items():
        seconds = min(way.seconds)
        share = needed / seconds / limit
        print(f"| {what} | {seconds / best:.2f} | {n / seconds:.1f} | {share:.0%} |")


def generating(args: argparse.Namespace, n: int = 16, tokens: int = 64) -> None:
    """Print how much batches gain where answers are long."""
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name), "small", args.dtype, args.device)
        settings = EngineSettings(weights=str(folder), dtype=args.dtype, device=args.device)
        with make(settings) as engine:
            short = prompts(engine, n, (20, 60, 40))
            asked = [
                Request(key=request.key, prompt=request.prompt, max_new_tokens=tokens)
                for request in short
            ]

            def ask(alone: bool) -> None:
                for _ in engine.answer(asked, alone=alone):
                    pass

            found = {
                "in batches": Way(lambda: ask(False)),
                "one by one": Way(lambda: ask(True)),
            }
            measured(found, args.rounds, args.device)
    best = min(found["in batches"].seconds)
    print(f"\n{n} generations of up to {tokens} tokens, {args.dtype}, {args.device}\n")
    print("| way | batches are faster by | tokens a second, at most |")
    print("|---|---|---|")
    for what, way in found.items():
        seconds = min(way.seconds)
        print(f"| {what} | {seconds / best:.2f} | {n * tokens / seconds:.0f} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=32)
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, help="of a CPU; on a busy machine, 1 disturbs least")
    args = parser.parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    judging(args, args.shape, (428, 936, 690), args.prompts)
    if args.shape == "small":
        judging(args, "tiny", (20, 60, 40), 400)
        generating(args)


if __name__ == "__main__":
    main()

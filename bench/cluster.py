"""What the engine `ray` costs and gains on one machine: no worker, one, and two.

    python bench/cluster.py [--rounds 3] [--prompts 48]

Random weights, prompts of HarmBench's lengths. The ways take turns; each starts anew, answers
everything once unmeasured, so that all its workers are there, and once by the wall clock: the
figures mean something on an otherwise idle machine only. A worker computes with one thread (Ray
sets so for less than two CPUs), so it is compared with this process on one thread; this process on
all threads stands beside. (Not named after Ray: a script ray.py would hide the package from
itself.)
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: TID253, E402 # its number of threads is set

from bench.judge import prompts, weights  # noqa: E402
from gate.judge.choose import open_engine  # noqa: E402
from gate.judge.engines.transformers import make  # noqa: E402
from gate.judge.settings import EngineSettings  # noqa: E402
from gate.judge.values import Request  # noqa: E402

REFERENCE = "this process, 1 thread"


def ways(folder: Path) -> dict[str, tuple[EngineSettings, int]]:
    """List the ways to answer, each with the threads of this process."""
    plain = EngineSettings(weights=str(folder), device="cpu", dtype="float32")

    def ray(workers: int) -> EngineSettings:
        return plain.model_copy(update={"engine": "ray", "workers": workers})

    return {
        REFERENCE: (plain, 1),
        f"this process, {torch.get_num_threads()} threads": (plain, torch.get_num_threads()),
        "ray, 1 worker": (ray(1), 1),
        "ray, 2 workers": (ray(2), 1),
    }


def once(settings: EngineSettings, threads: int, asked: list[Request]) -> tuple[float, float, str]:
    """Start, answer everything, stop.

    Returns:
        Seconds until the first worker is ready, seconds of the second answering of everything, and
        all verdicts in a row.
    """
    torch.set_num_threads(threads)
    begin = time.perf_counter()
    with open_engine(settings) as engine:
        started = time.perf_counter() - begin
        for _ in engine.answer(asked):
            pass
        ready = time.perf_counter()
        answers = [answer for batch in engine.answer(asked) for answer in batch]
        seconds = time.perf_counter() - ready
    said = {answer.key: answer.text for answer in answers}
    return started, seconds, "\0".join(said[request.key] for request in asked)


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=48)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = weights(Path(folder) / "small", "small", "float32", "cpu")
        plain = make(EngineSettings(weights=str(place), device="cpu"))
        asked = prompts(plain, options.prompts, (428, 936, 690))
        timed = {name: (how, [], []) for name, how in ways(place).items()}
        verdicts = set()
        for _ in range(options.rounds):
            for how, starts, works in timed.values():
                start, work, said = once(*how, asked)
                starts.append(start)
                works.append(work)
                verdicts.add(said)
    reference = timed[REFERENCE][2]
    print(f"{options.prompts} prompts, {options.rounds} rounds; verdicts: {len(verdicts)} kind")
    print("| way | answering, against the reference | answering s | starting s |")
    print("|---|---|---|---|")
    for name, (_, starts, works) in timed.items():
        ratio = statistics.median(a / b for a, b in zip(works, reference, strict=True))
        cells = (f"{ratio:.2f}", f"{statistics.median(works):.1f}")
        print(f"| {name} | {' | '.join(cells)} | {statistics.median(starts):.1f} |")
    if len(verdicts) > 1:
        raise SystemExit("the verdicts differ")


if __name__ == "__main__":
    main()

"""Write, load and merge rates of the store of verdicts.

    python bench/store.py [--verdicts 1000000] [--merged 100000]

Writing is durable: every batch is one write and one fsync. A judge on one GPU makes some 30
verdicts a second, in batches of about 20; the store must never be what it waits for. The merge
judges nothing: it takes the verdicts of one store, splits them into 8 shards, merges those, and
compares every byte that the run then has with those of a run with the one store.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402 # the checkout is no package

from gate.judge.finish import finish  # noqa: E402
from gate.judge.job import SCHEMA, Head, Job, Row, write_job  # noqa: E402
from gate.judge.merging import merge  # noqa: E402
from gate.judge.store import Record, Store  # noqa: E402
from gate.judge.values import Identity  # noqa: E402
from gate.judge.work import Shard, job_file, store_folder  # noqa: E402
from tests.judge.scene import RUN  # noqa: E402

BATCHES = (10_000, 1_000, 64)
FEW = 200_000
"""So many verdicts are enough to time small batches."""


def digest(text: str) -> str:
    """Make a key."""
    return hashlib.sha256(text.encode()).hexdigest()


def records(n: int) -> list[Record]:
    """Make verdicts like those of HarmBench's classifier."""
    return [
        Record(
            key=digest(f"key {i}"),
            verdict="unsafe" if i % 10 == 0 else "safe",
            margin=i % 977 / 77,
            lead=i % 977 / 77,
            tokens=690,
            judge="cais/HarmBench-Llama-2-13b-cls",
            revision="bda705349d1144fa618770bea64d99ce54e3835b",
            dtype="bfloat16",
            judge_completion_sha256=digest(f"completion {i}"),
        )
        for i in range(n)
    ]


def written(folder: Path, some: list[Record], batch: int) -> float:
    """Return the seconds that durable writing takes."""
    start = time.perf_counter()
    with Store(folder) as store:
        for i in range(0, len(some), batch):
            store.add(some[i : i + batch])
    return time.perf_counter() - start


def bare(path: Path) -> float:
    """Return the seconds that reading the same lines as plain JSON takes."""
    start = time.perf_counter()
    with path.open("rb") as file:
        kept = {(row := json.loads(line))["key"]: row["verdict"] for line in file}
    assert kept
    return time.perf_counter() - start


def line(what: str, n: int, seconds: float) -> str:
    """Write a row of the table."""
    return f"| {what} | {n:,} | {seconds:.1f} | {n / seconds:,.0f} |"


def rates(folder: Path, n: int) -> Iterator[str]:
    """Yield rows of the table."""
    some = records(n)
    for batch in BATCHES:
        part = some if batch > BATCHES[-1] else some[:FEW]
        target = folder / f"batch{batch}"
        seconds = written(target, part, batch)
        yield line(f"write, fsync every {batch:,}", len(part), seconds)
        if batch == BATCHES[0]:
            [path] = target.glob("*.jsonl")
            start = time.perf_counter()
            loaded = len(Store(target))
            seconds = time.perf_counter() - start
            assert loaded == n
            yield line("load, every checksum verified", n, seconds)
            seconds = bare(path)
            yield line("the same lines by json.loads", n, seconds)
            size = path.stat().st_size
            yield f"| size | {n:,} | {size / 1e6:,.0f} MB | {size / n:.0f} bytes each |"
        shutil.rmtree(target)


def job_of(some: list[Record]) -> Job:
    """Make a job whose verdicts are these."""
    rows = [
        Row(
            id=f"b{i:07d}",
            method="DirectRequest",
            test_case=0,
            key=record.key,
            judge_completion_sha256=record.judge_completion_sha256,
        )
        for i, record in enumerate(some)
    ]
    head = Head(
        schema=SCHEMA,
        suite="attack",
        kind="attack",
        identity=Identity(id="tiny-judge", dtype="float32"),
        notes={},
        completions={"DirectRequest": "completions.json"},
        rows=len(rows),
    )
    return Job(head, rows)


def run_with(folder: Path, job: Job, some: list[Record], batch: int) -> Path:
    """Write a run that has a job and some of its verdicts."""
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text(yaml.safe_dump(RUN), encoding="utf-8")
    write_job(job_file(folder, "attack"), job)
    written(store_folder(folder), some, batch)
    return folder


def merging(folder: Path, n: int, shards: int = 8) -> str:
    """Return the row of the merge.

    Raises:
        SystemExit: If a byte differs.
    """
    some = records(n)
    job = job_of(some)
    whole = run_with(folder / "whole", job, some, 1000)
    with Store(store_folder(whole)) as store:
        finish(whole, job, store)
    parts = []
    for number in range(1, shards + 1):
        mine = [record for record in some if Shard(number, shards).has(record.key)]
        parts.append(run_with(folder / f"shard{number}", job, mine[::-1], 777))
    into = run_with(folder / "into", job, [], 1)
    start = time.perf_counter()
    merge(parts, into)
    seconds = time.perf_counter() - start
    for name in ("verdicts/attack.jsonl", "run.yaml", "judging/attack.job"):
        if (whole / name).read_bytes() != (into / name).read_bytes():
            raise SystemExit(f"{name} differs")
    return line(f"merge {shards} shards, equal byte for byte", n, seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verdicts", type=int, default=1_000_000)
    parser.add_argument("--merged", type=int, default=100_000)
    args = parser.parse_args()
    print("| what | verdicts | seconds | a second |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for row in rates(Path(name), args.verdicts):
            print(row, flush=True)
        print(merging(Path(name), args.merged))


if __name__ == "__main__":
    main()

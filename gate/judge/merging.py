"""Shards of a job, judged apart, into one run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gate.errors import JudgingError, UsageError
from gate.judge.finish import finish
from gate.judge.job import Job, read_job, write_job
from gate.judge.log import lines, segments
from gate.judge.speed import JOBS
from gate.judge.store import Record, Store
from gate.judge.work import job_file, store_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What merging gave for one suite."""

    suite: str
    rows: int
    overlap: int
    """Completions that more than one shard judged, with one verdict."""
    missing: int
    """Completions that none has judged."""
    path: Path | None
    """The verdict file; None while something is missing."""


def merge(shards: Sequence[Path], into: Path) -> list[Merged]:
    """Collect the verdicts of shards in a run, and finish every suite that is complete.

    Args:
        shards: Runs that shards were judged in, or folders that were given as `--store`.
        into: The run that the verdicts go into.

    Raises:
        UsageError: If there is nothing to merge, or the shards judged different things.
        JudgingError: If verdicts contradict each other, or something cannot be read.
    """
    jobs = _jobs([*shards, into])
    if not jobs:
        raise UsageError(
            "none of these holds a job of `gate judge`",
            next_step="Name the runs that the shards were judged in.",
        )
    seen: Counter[str] = Counter()
    with Store(store_folder(into)) as store:
        for shard in shards:
            records = _records(shard)
            store.add(list(records.values()))
            seen.update(records.keys())
        return [_finished(into, jobs[name], store, seen) for name in sorted(jobs)]


def _jobs(places: Sequence[Path]) -> dict[str, Job]:
    """Find the one job of each suite; all places that have it must have the same."""
    found: dict[str, tuple[Path, Job]] = {}
    for place in places:
        for path in sorted((place / JOBS).glob("*.job")):
            job = read_job(path)
            where, there = found.setdefault(job.head.suite, (path, job))
            if job != there:
                raise UsageError(
                    f"{path} and {where} are different jobs of suite {job.head.suite!r}: other "
                    "completions, or another judge",
                    next_step="Judge all shards of the same completions with the same settings.",
                )
    return {suite: job for suite, (_, job) in found.items()}


def _records(shard: Path) -> dict[str, Record]:
    """Read the verdicts of one shard, each once."""
    folder = store_folder(shard)
    paths = segments(folder) or segments(shard)
    if not paths:
        raise UsageError(
            f"{str(shard)!r} holds no verdicts",
            next_step="Name a run that a shard was judged in, or its --store folder.",
        )
    Store(paths[0].parent)  # refuses what contradicts itself
    decode = msgspec.json.Decoder(Record).decode
    records: dict[str, Record] = {}
    for path in paths:
        for text in lines(path):
            try:
                record = decode(text)
            except msgspec.MsgspecError as error:
                raise JudgingError(f"{path}: not a store of verdicts: {error}") from error
            records[record.key] = record
    return records


def _finished(into: Path, job: Job, store: Store, seen: Counter[str]) -> Merged:
    write_job(job_file(into, job.head.suite), job)
    keys = job.keys
    missing = sum(key not in store for key in keys)
    return Merged(
        suite=job.head.suite,
        rows=len(job.rows),
        overlap=sum(seen[key] > 1 for key in keys),
        missing=missing,
        path=None if missing else finish(into, job, store),
    )

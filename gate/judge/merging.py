"""Shards of a job, judged apart, into one run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gate.errors import JudgingError, UsageError
from gate.evidence.rows import Kind
from gate.evidence.run import MANIFEST, load_manifest
from gate.judge.choose import as_declared
from gate.judge.completions import completion_files
from gate.judge.finish import finish
from gate.judge.job import Job, read_job, write_job
from gate.judge.log import lines, segments
from gate.judge.speed import JOBS
from gate.judge.store import Record, Store
from gate.judge.values import UNDECIDED
from gate.judge.work import job_file, store_folder

HASHES, WORD = "harmbench-copyright-minhash", "exact-word"
"""Judges whose ids are always their own."""


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
        EvidenceError: If the run or its completions cannot be read.
        JudgingError: If verdicts contradict each other or are not of this run, or something
            cannot be read.
    """
    jobs = _jobs([*shards, into])
    if not jobs:
        raise UsageError(
            "none of these holds a job of `gate judge`",
            next_step="Name the runs that the shards were judged in.",
        )
    for job in jobs.values():
        fits(into, job)
    if any(job.head.kind == Kind.JUDGMENT.value for job in jobs.values()):
        _same_checkpoint(shards, into)
    seen: Counter[str] = Counter()
    with Store(store_folder(into)) as store:
        for shard in shards:
            records = _records(shard)
            store.add(list(records.values()))
            seen.update(records.keys())
        return [_finished(into, jobs[name], store, seen) for name in sorted(jobs)]


def fits(into: Path, job: Job) -> None:
    """Hold a job against the run that its verdicts are to go into.

    Raises:
        UsageError: If the run has no such suite.
        EvidenceError: If the run or its completions cannot be read.
        JudgingError: If it has other completions, or declares another judge.
    """
    manifest, files = load_manifest(str(into))
    head = job.head
    suite = manifest.suites.get(head.suite)
    if suite is None or suite.kind != head.kind:
        what = f"no suite {head.suite!r} of kind {head.kind}"
        raise UsageError(
            f"{str(into)!r} has {what}, which the shards judged",
            next_step="Name with --into the run whose copies the shards are.",
        )
    here = completion_files(files, suite, head.suite)
    for path in here.values() if here == head.completions else ():
        if files.sha256(path) != head.files.get(path):
            raise _other(into, head.suite, f"other completions in {path}")
    if here != head.completions:
        raise _other(into, head.suite, "its completions in other files")
    as_declared(head.identity, suite, head.suite)
    declared, found = suite.judge, head.identity
    if found.id in (HASHES, WORD):
        return
    # In other suites, the id of the weights is put where no hub id was declared.
    kept = suite.suite_kind is Kind.ATTACK or "/" in declared.id
    if kept and declared.id not in (found.id, UNDECIDED):
        raise _other(into, head.suite, f"the judge {declared.id!r}, and not {found.id!r}")
    if declared.revision and not (found.revision or "").startswith(declared.revision):
        known = found.revision or "an unknown one"
        what = f"revision {declared.revision[:20]} of the judge, and not {known[:20]}"
        raise _other(into, head.suite, what)


def _other(into: Path, suite: str, what: str) -> JudgingError:
    return JudgingError(
        f"{str(into)!r} has for suite {suite!r} {what}: the shards' verdicts are not of it",
        next_step="Merge into the run whose copies the shards are, or judge this one with "
        "`gate judge`.",
    )


def _same_checkpoint(shards: Sequence[Path], into: Path) -> None:
    """Make sure that one checkpoint judged itself; a --store folder says nothing of it.

    Raises:
        UsageError: If the runs are of several.
    """
    ours = load_manifest(str(into))[0].checkpoint
    for shard in shards:
        if (shard / MANIFEST).is_file() and load_manifest(str(shard))[0].checkpoint != ours:
            raise UsageError(
                f"{str(shard)!r} and {str(into)!r} are runs of different checkpoints",
                next_step="Merge only shards that are copies of the run named with --into.",
            )


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

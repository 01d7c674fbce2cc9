"""The judging of one suite of one run: what is to do, doing it, and whether it is done."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from gate.errors import JudgingError
from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.judge.completions import completion_files, read_completions
from gate.judge.engines.engine import Engine
from gate.judge.finish import finish, stem
from gate.judge.job import SCHEMA, Head, Job, row_of, write_job
from gate.judge.judges.judge import Judge
from gate.judge.run import Progress, judge_all
from gate.judge.speed import JOBS, Speed, write_speed
from gate.judge.store import Store
from gate.judge.values import Prepared

SAMPLE = 256
"""Completions whose tokens are counted to tell the cost of all."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of several; keys decide, so that equal completions fall into one part."""

    number: int
    """From 1 on."""
    of: int

    def has(self, key: str) -> bool:
        """Tell whether a key is of this part."""
        return int(key[:12], 16) % self.of == self.number - 1


ALL = Shard(1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One suite, ready to be judged."""

    folder: Path
    files: Files
    name: str
    suite: Suite
    judge: Judge
    engine: Engine | None
    job: Job
    tokens: int | None
    """Prompt tokens of one completion, on average over a sample; None without a tokenizer."""

    def missing(self, store: Store, shard: Shard = ALL) -> list[int]:
        """List the rows to judge: the first row of each key without a verdict."""
        keys = self.job.keys.items()
        return [row for key, row in keys if key not in store and shard.has(key)]

    def done(self, store: Store) -> bool:
        """Tell whether every row has a verdict."""
        return all(row.key in store for row in self.job.rows)

    def run(
        self,
        rows: list[int],
        store: Store,
        *,
        stopping: Callable[[], bool],
        tell: Callable[[Progress], None],
    ) -> Progress:
        """Judge rows; see `judge_all`."""
        progress = Progress(of=len(rows))
        with self.engine or nullcontext():
            judge_all(
                self._prepared(rows),
                self.judge,
                self.engine,
                store,
                progress,
                stopping=stopping,
                tell=tell,
            )
        device = self.engine.device if self.engine else "no engine"
        speed = Speed(device=device, verdicts=progress.done, seconds=progress.seconds)
        write_speed(self.folder, self.name, speed)
        return progress

    def finish(self, store: Store) -> Path:
        """Write the verdict file and run.yaml; see `finish`."""
        return finish(self.folder, self.job, store)

    def _prepared(self, rows: list[int]) -> Iterator[tuple[str, Prepared]]:
        wanted = set(rows)
        for i, completion in enumerate(read_completions(self.files, self.suite, self.name)):
            if i in wanted:
                prepared = self.judge.prepare(completion)
                if row_of(completion, prepared) != self.job.rows[i]:
                    raise JudgingError(
                        f"the completions of suite {self.name!r} changed while they were judged",
                        next_step="Run the same command again.",
                    )
                yield self.job.rows[i].key, prepared


def plan(
    folder: Path, files: Files, suite: Suite, name: str, judge: Judge, engine: Engine | None
) -> Work:
    """Read all completions once, and write down what is to be judged.

    Raises:
        EvidenceError: If the completions cannot be read.
        JudgingError: If one of them cannot be judged.
    """
    rows = []
    sizes: list[int] = []
    for completion in read_completions(files, suite, name):
        prepared = judge.prepare(completion)
        rows.append(row_of(completion, prepared))
        if len(sizes) < SAMPLE and (size := _tokens(judge, engine, prepared)) is not None:
            sizes.append(size)
    if not rows:
        raise JudgingError(
            f"suite {name!r} has no completions",
            next_step="Check `completions` in run.yaml, and that generation finished.",
        )
    completions = completion_files(files, suite, name)
    head = Head(
        schema=SCHEMA,
        suite=name,
        kind=suite.kind,
        identity=judge.identity,
        notes=judge.notes,
        completions=completions,
        files={path: files.sha256(path) or "" for path in completions.values()},
        rows=len(rows),
    )
    job = Job(head, rows)
    write_job(job_file(folder, name), job)
    average = round(sum(sizes) / len(sizes)) if sizes else None
    return Work(
        folder=folder,
        files=files,
        name=name,
        suite=suite,
        judge=judge,
        engine=engine,
        job=job,
        tokens=average,
    )


def job_file(folder: Path, suite: str) -> Path:
    """Return where the job of a suite lies in a run."""
    return folder / JOBS / f"{stem(suite)}.job"


def store_folder(folder: Path) -> Path:
    """Return where the verdicts of a run are stored, unless another place is named."""
    return folder / JOBS / "store"


def _tokens(judge: Judge, engine: Engine | None, prepared: Prepared) -> int | None:
    """Count the tokens of the first request; nothing is asked."""
    if engine is None or engine.tokenizer is None:
        return None
    judging = judge.judge(prepared)
    try:
        request = next(judging)
    except StopIteration:
        return 0
    judging.close()
    return len(engine.tokenizer.ids(request.prompt))

"""Judging as commands do it: cost first, then progress, then the verdict file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.meter import Meter
from gate.cli.progress import progress as waiting
from gate.errors import EvidenceError, JudgingError, JudgingInterruptedError, UsageError
from gate.reports.escape import clean

if TYPE_CHECKING:
    from gate.judge.run import Progress
    from gate.judge.settings import JudgeSettings, SettingsFile
    from gate.judge.store import Store
    from gate.judge.work import Shard, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to judge, as the user said it."""

    file: "SettingsFile"
    given: "JudgeSettings"
    store: str | None = None
    shard: "Shard | None" = None
    limit: int | None = None
    dry_run: bool = False


def judge_run(place: str, suites: Sequence[str], how: How) -> int:
    """Judge the suites of one run that await it.

    Args:
        place: The run's folder.
        suites: Which of its suites; none named means all that are unjudged.
        how: How.

    Returns:
        How many completions are left to judge.

    Raises:
        UsageError: If the run is not on this machine, or has no such suite.
        EvidenceError: If the completions cannot be read.
        JudgingError: If judging cannot go on.
        JudgingInterruptedError: If it was stopped.
    """
    from gate.evidence.run import load_manifest
    from gate.judge.store import Store
    from gate.judge.work import store_folder

    folder = local(place)
    manifest, _ = load_manifest(str(folder))
    unknown = [name for name in suites if name not in manifest.suites]
    if unknown:
        raise UsageError(
            f"{place} has no suite {unknown[0]!r}",
            next_step=f"It has {', '.join(manifest.suites)}.",
        )
    names = suites or _unjudged(folder)
    if not names:
        click.echo(f"{clean(place)}: nothing awaits a judge", err=True)
    left = 0
    with Store(Path(how.store) if how.store else store_folder(folder)) as store:
        for name in names:
            work = _plan(folder, name, how)
            _tell_cost(work, store, how)
            if not how.dry_run:
                left += _judge(work, store, how)
    return left


def left_over(left: int) -> None:
    """Say that something is left to judge, if it is.

    Raises:
        JudgingInterruptedError: Then.
    """
    if left:
        raise JudgingInterruptedError(
            f"{left} completions are not judged yet; what is judged is saved",
            next_step="Run the same command again: it goes on from there.",
        )


def judge_before_deciding(
    policy: str, bases: Mapping[str, str | None], settings: str | None
) -> None:
    """Judge what a policy's suites lack in the runs given; what cannot be judged is told.

    A suite that stays unjudged makes the decision unusable later, so nothing is raised for it.

    Raises:
        PolicyError: If the policy cannot be used.
        UsageError: If the settings are wrong.
        JudgingInterruptedError: If it was stopped: then there is no decision.
    """
    from gate.judge.settings import JudgeSettings, SettingsFile, read_settings
    from gate.policy import load

    wanted = load(policy).suites_read
    file = read_settings(Path(settings)) if settings else SettingsFile()
    how = How(file=file, given=JudgeSettings())
    for base in dict.fromkeys(filter(None, bases.values())):
        if not Path(base).is_dir():
            continue
        try:
            for name in _unjudged(Path(base)):
                if name in wanted:
                    left_over(judge_run(base, [name], how))
        except (EvidenceError, JudgingError) as error:
            click.echo(f"not judged: {clean(error.message)}", err=True)
            click.echo(f"next: {clean(error.next_step)}", err=True)


def local(place: str) -> Path:
    """Return the folder of a run that can be written to.

    Raises:
        UsageError: If it is elsewhere.
    """
    folder = Path(place.removeprefix("file://"))
    folder = folder.parent if folder.name == "run.yaml" else folder
    if "://" in place.removeprefix("file://") or not folder.is_dir():
        raise UsageError(
            f"{place!r} is not a folder on this machine, and judging writes into the run",
            next_step="Copy the run here first, then judge the copy.",
        )
    return folder


def _unjudged(folder: Path) -> list[str]:
    from gate.inventory.states import take

    with waiting("reading the run"):
        return list(take(str(folder)).unjudged)


def _plan(folder: Path, name: str, how: How) -> "Work":
    from gate.evidence.rows import Kind
    from gate.evidence.run import load_manifest
    from gate.judge.choose import choose, same_checkpoint
    from gate.judge.work import plan

    manifest, files = load_manifest(str(folder))
    suite = manifest.suites[name]
    with waiting(f"preparing {clean(name)}"):
        judge, engine = choose(how.file.of(name, how.given), suite, name)
        if suite.suite_kind is Kind.JUDGMENT:
            same_checkpoint(manifest.checkpoint, engine)
        return plan(folder, files, suite, name, judge, engine)


def _tell_cost(work: "Work", store: "Store", how: How) -> None:
    rows = work.job.rows
    missing = work.missing(store, how.shard) if how.shard else work.missing(store)
    judged = sum(row.key in store for row in rows)
    told = [f"{clean(work.name)}: {len(rows)} completions", f"{judged} judged before"]
    part = f" in shard {how.shard.number}/{how.shard.of}" if how.shard else ""
    told.append(f"{len(missing)} to judge{part}")
    if work.tokens and missing:
        told.append(f"about {len(missing) * work.tokens:,} tokens")
    click.echo(", ".join(told), err=True)
    identity = work.job.head.identity
    told = [f"judge {clean(identity.id)}"]
    told += [f"revision {clean(identity.revision)[:19]}"] if identity.revision else []
    told += [f"{key} {clean(text)}" for key, text in work.job.head.notes.items()]
    told += [identity.dtype] if identity.dtype else []
    if work.engine is not None and missing:
        told.append(work.engine.device)
    click.echo(f"{clean(work.name)}: {', '.join(told)}", err=True)


def _judge(work: "Work", store: "Store", how: How) -> int:
    """Judge what is missing; return how much is left."""
    from gate.judge.stopping import Stopping

    rows = work.missing(store, how.shard) if how.shard else work.missing(store)
    now = rows[: how.limit] if how.limit is not None else rows
    meter = Meter(f"{clean(work.name)}: judged")

    def tell(progress: "Progress") -> None:
        meter.tell(progress.done, progress.of, progress.seconds, _again(progress))

    def stop() -> None:
        meter.end()
        click.echo("stopping after this batch; what is judged is saved", err=True)

    if now:
        with Stopping(stop) as stopping:
            progress = work.run(now, store, stopping=stopping, tell=tell)
            meter.end()
            _told_failures(progress)
            if stopping():
                left_over(len(rows) - progress.done)
    return _finish(work, store, how)


NOTHING_SCORED = (
    "not one completion has a verdict. Does the judge answer in the words that are expected? Are "
    "prompt and --answer-tokens within its context?"
)


def _finish(work: "Work", store: "Store", how: How) -> int:
    """Write the verdict file if nothing is missing; return how much is left of our part."""
    from gate.judge.store import Store

    name = clean(work.name)
    if how.shard and not work.done(store):
        store = Store(store.folder)  # the other parts may be done by now
    if work.done(store):
        path = work.finish(store)
        click.echo(f"{name}: wrote {clean(str(path))}: {_counted(work, store)}", err=True)
        if not any(found and found.verdict for found in map(store.get, work.job.keys)):
            click.echo(f"{name}: warning: {NOTHING_SCORED}", err=True)
        return 0
    left = len(work.missing(store, how.shard) if how.shard else work.missing(store))
    if how.shard and not left:
        shard = f"shard {how.shard.number}/{how.shard.of}"
        click.echo(f"{name}: {shard} is done; next: gate merge", err=True)
    return left


def _counted(work: "Work", store: "Store") -> str:
    from collections import Counter

    found = [store.get(row.key) for row in work.job.rows]
    # Only the verdicts on a rubric have a space: "safe 2".
    counts = Counter(
        each.verdict.replace(" ", " with usefulness ")
        if each.verdict
        else f"unscored ({each.unscored})"
        for each in found
        if each
    )
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))


def _again(progress: "Progress") -> str:
    told = [f"{progress.again} near-ties asked again"] if progress.again else []
    told += [f"{progress.failed} failed for now"] if progress.failed else []
    return ", ".join(told)


def _told_failures(progress: "Progress") -> None:
    for detail, count in progress.failures.items():
        click.echo(f"not judged for now: {count} ({clean(detail)})", err=True)

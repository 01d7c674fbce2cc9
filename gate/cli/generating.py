"""Generating as the command does it: cost first, then progress, then the files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.meter import Meter
from gate.cli.progress import progress as waiting
from gate.errors import JudgingInterruptedError, UsageError
from gate.reports.escape import clean

if TYPE_CHECKING:
    from gate.generate.made import Answers
    from gate.generate.settings import CheckpointSettings
    from gate.generate.work import Progress, Work
    from gate.judge.work import Shard

Records = Mapping[str, list[dict[str, Any]]]
STANDARD = 512
LOG = "generating"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What to generate and how, as the user said it."""

    engine: "CheckpointSettings"
    name: str | None
    system_prompt: str
    """A file, or `none`."""
    max_new_tokens: int
    attack_suite: str
    behaviors: str | None
    cases: Sequence[tuple[str, str]]
    """Pairs of a method and its file; of a suite and its file below."""
    prompts: Sequence[tuple[str, str]]
    records: Sequence[tuple[str, str]]
    judges: Mapping[str, str]
    shard: "Shard | None"
    merge: Sequence[Path]
    limit: int | None
    dry_run: bool


def pairs(
    values: Sequence[str], option: str, form: str, *, default: str | None = None
) -> list[tuple[str, str]]:
    """Split `NAME=VALUE`s; a value that is there as it stands has the default name.

    Raises:
        UsageError: If a name is missing or there twice.
    """
    found = []
    for value in values:
        name, equals, rest = value.partition("=")
        bare = default is not None and (not equals or Path(value).exists())
        if bare:
            name, rest = default or "", value
        if not name or not rest:
            raise UsageError(f"{option} {value!r} is not {form}")
        found.append((name, rest))
    names = [name for name, _ in found]
    if len(set(names)) < len(names):
        raise UsageError(f"{option} has one name twice", next_step=f"Write {form}, each once.")
    return found


def generate_run(folder: Path, how: How) -> None:
    """Generate what a run is to hold.

    Raises:
        UsageError: If an option cannot be right.
        EvidenceError: If a file of prompts cannot be read.
        JudgingError: If generating cannot go on.
        JudgingInterruptedError: If something is left to generate.
    """
    from gate.generate.made import Answers
    from gate.judge.work import ALL

    with waiting("reading prompts and weights"):
        records = _records(how)
        work = _plan(how, records)
    with Answers(folder / LOG, [place / LOG for place in how.merge]) as answers:
        todo = work.missing(answers, how.shard or ALL)
        _tell_cost(work, records, todo, how)
        if not how.dry_run:
            _generate(work, answers, todo[: how.limit], how)
            _finish(folder, work, answers, records, how)


def _records(how: How) -> Records:
    from gate.generate.records import read_records

    return {suite: read_records(place) for suite, place in how.records}


def _plan(how: How, records: Records) -> "Work":
    from gate.evidence.rows import Kind
    from gate.generate.cases import Asked, collect, prompts
    from gate.generate.work import Protocol, plan
    from gate.judge.choose import open_engine

    attack = collect(how.attack_suite, how.behaviors, how.cases)
    suites: list[Asked] = [attack] if attack else []
    for name, path in how.prompts:
        suites.append(Asked(name=name, kind=Kind.REFUSAL, cases=prompts(path)))
    names = [asked.name for asked in suites] + list(records)
    if len(set(names)) < len(names):
        raise UsageError(f"two suites have one name: {', '.join(names)}")
    unknown = sorted(how.judges.keys() - set(names))
    if unknown:
        raise UsageError(f"--judge names no suite of this run: {unknown[0]!r}")
    protocol = Protocol(
        system_prompt=_system_prompt(how.system_prompt), max_new_tokens=how.max_new_tokens
    )
    return plan(open_engine(how.engine), protocol, suites)


def _system_prompt(place: str) -> str:
    if place == "none":
        return ""
    try:
        return Path(place).read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the system prompt {place!r}: {type(error).__name__}",
            next_step="Name a UTF-8 file with --system-prompt; or `none`.",
        ) from error


def _tell_cost(work: "Work", records: Records, todo: Sequence[str], how: How) -> None:
    for asked in work.suites:
        methods = ", ".join(map(clean, asked.methods))
        told = f"{clean(asked.name)}: {len(asked.cases)} prompts"
        _say(f"{told} ({methods})" if methods else told)
    for name, rows in records.items():
        _say(f"{clean(name)}: {len(rows)} records, copied as they are: `gate judge` asks twice")
    if not work.suites:
        return
    engine, all_ = work.engine, len(work.prompts)
    part = f" in shard {how.shard.number}/{how.shard.of}" if how.shard else ""
    told = f"{all_} different prompts, {len(todo)} to answer{part}"
    tokens = work.tokens(todo)
    most = len(todo) * how.max_new_tokens
    told += f", about {tokens:,} tokens in and at most {most:,} out" if tokens else ""
    _say(told)
    _say(
        f"checkpoint {clean(engine.name)}, revision {clean(str(engine.revision))[:19]}, "
        f"{engine.dtype or 'unknown precision'}, greedy, at most {how.max_new_tokens} new tokens, "
        f"{'a' if work.protocol.system_prompt else 'no'} system prompt"
    )
    if how.max_new_tokens != STANDARD:
        _say(f"note: HarmBench fixes {STANDARD} new tokens: not comparable with published numbers")
    if work.writes_the_date:
        _say("note: the chat template writes today's date into every prompt: answers may differ")
    if work.chat_template is None:
        _say("note: the chat template is the server's; name --tokenizer to have it recorded")


def _generate(work: "Work", answers: "Answers", todo: Sequence[str], how: How) -> None:
    from gate.judge.stopping import Stopping

    if not todo:
        return
    meter = Meter("generated")

    def tell(progress: "Progress") -> None:
        rate = progress.new_tokens / progress.seconds if progress.seconds else 0.0
        more = f"{rate:,.0f} tokens a second"
        failed = sum(progress.failures.values())
        more += f", {failed} failed for now" if failed else ""
        meter.tell(progress.done, progress.of, progress.seconds, more)

    def stop() -> None:
        meter.end()
        _say("stopping after this batch; what is generated is saved")

    with Stopping(stop) as stopping:
        progress = work.run(todo, answers, stopping=stopping, tell=tell)
    meter.end()
    for detail, count in progress.failures.items():
        _say(f"not generated for now: {count} ({clean(detail)})")


def _finish(folder: Path, work: "Work", answers: "Answers", records: Records, how: How) -> None:
    """Write the files if nothing is missing; else say what is, and how to go on."""
    from gate.generate.finish import as_lines, completions_files, records_file
    from gate.judge.work import ALL

    mine, left = work.missing(answers, how.shard or ALL), work.missing(answers, ALL)
    if mine:
        raise JudgingInterruptedError(
            f"{len(mine)} prompts have no answer yet; what is generated is saved",
            next_step="Run the same command again: it goes on from there.",
        )
    if left:
        assert how.shard is not None, "otherwise all of them are this part's"
        shard = f"shard {how.shard.number}/{how.shard.of}"
        _say(f"{shard} is done, {len(left)} prompts of other shards are left; next: the same "
             "command without --shard, and with --merge for every other folder")  # fmt: skip
        return
    files = completions_files(work, answers)
    files |= {records_file(name): as_lines(rows) for name, rows in records.items()}
    _write(folder, work, files, how, list(records))
    for line in _counted(work, answers):
        _say(line)
    _say(f"wrote {clean(str(folder))}; next: gate judge {clean(str(folder))}")


def _write(
    folder: Path, work: "Work", files: Mapping[Path, bytes], how: How, records: Sequence[str]
) -> None:
    from gate.evidence.run import MANIFEST, parse_manifest
    from gate.generate.finish import added, declarations, manifest, write_run

    suites = declarations(work, how.judges, records)
    text = manifest(how.name or work.engine.name, work, suites)
    parse_manifest(text.encode())
    there = folder / MANIFEST
    names = [suite.name for suite in suites]
    raw = added(there.read_bytes(), text, names) if there.is_file() else text.encode()
    write_run(folder, files, raw)


def _counted(work: "Work", answers: "Answers") -> list[str]:
    """Say what the answers were like."""
    told = []
    for asked, keys in zip(work.suites, work.keys, strict=True):
        made = [found for found in map(answers.get, keys) if found]
        empty = sum(not (each.text.strip() or each.failure) for each in made)
        cut = sum(not (each.finished or each.failure) for each in made)
        failed = sum(each.failure is not None for each in made)
        told.append(
            f"{clean(asked.name)}: {len(made)} completions, {cut} cut at the most new tokens, "
            f"{empty} empty, {failed} failed for good"
        )
    return told


def _say(line: str) -> None:
    click.echo(line, err=True)

"""`gate judge`: completions to verdicts."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.judging import How, judge_run, left_over
from gate.cli.judging_options import given, settings_options
from gate.judge.settings import JudgeSettings, SettingsFile, read_settings

if TYPE_CHECKING:
    from gate.judge.work import Shard

EXAMPLES = """\b
Examples:
  gate judge runs/v2 --weights /models/HarmBench-Llama-2-13b-cls
      --behaviors harmbench_behaviors_text_all.csv
  gate judge runs/v2 --suite diagsafe --rubric rubric.yaml
      --engine openai --url http://localhost:8000/v1 --served your-judge
  gate judge runs/v2 --settings judging.yaml --dry-run      what it would cost
  gate judge runs/v2 --settings judging.yaml --shard 1/8    then: gate merge

\b
Exit codes:
  0   everything asked for is judged, and run.yaml points at the verdicts
  4   judging cannot go on; what was judged is saved
  75  stopped, or something failed for now: the same command goes on from there"""


class ShardType(click.ParamType["Shard"]):
    """`i/n`, counted from 1."""

    name = "I/N"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Shard":
        """Read two numbers."""
        from gate.judge.work import Shard

        if isinstance(value, Shard):
            return value
        match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", str(value))
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"{value!r} is not a part like 1/8", param, ctx)
        return Shard(int(match[1]), int(match[2]))


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    help="Which suite; may be given several times. By default all that are unjudged.",
)
@click.option(
    "--settings",
    metavar="FILE",
    help="A YAML file of the settings below, and under `suites` of what differs for one of them.",
)
@click.option(
    "--store",
    metavar="DIR",
    help="Where single verdicts are kept, to share them between runs: equal completions are "
    "judged once. By default judging/store in the run.",
)
@click.option(
    "--shard", type=ShardType(), help="Judge only this part of several, as 3/8; then `gate merge`."
)
@click.option("--limit", type=click.IntRange(min=1), help="Judge at most so many completions now.")
@click.option("--dry-run", is_flag=True, help="Say what there is to judge, and judge nothing.")
@settings_options(JudgeSettings)
def command(
    runs: Sequence[str],
    suites: Sequence[str],
    settings: str | None,
    store: str | None,
    shard: "Shard | None",
    limit: int | None,
    dry_run: bool,
    **typed: Any,
) -> int:
    """Judge completions that have no verdicts yet.

    A RUN is a folder with a run.yaml. Verdicts are saved batch by batch: whatever stops it, the
    same command goes on where it was. When a suite is complete, its verdicts are written to
    verdicts/ and run.yaml is made to point at them.
    """
    how = How(
        file=read_settings(Path(settings)) if settings else SettingsFile(),
        given=given(JudgeSettings, typed),
        store=store,
        shard=shard,
        limit=limit,
        dry_run=dry_run,
    )
    left_over(sum([judge_run(run, suites, how) for run in runs]))
    return 0

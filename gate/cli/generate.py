"""`gate generate`: a checkpoint's answers to a benchmark's prompts."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.generating import How, generate_run, pairs
from gate.cli.judge import ShardType
from gate.cli.judging_options import given, settings_options
from gate.errors import UsageError
from gate.generate.settings import CheckpointSettings

if TYPE_CHECKING:
    from gate.judge.work import Shard

EXAMPLES = """\b
Examples:
  gate generate runs/v2 --weights /models/acme-7b --name acme-7b
      --system-prompt production.txt
      --behaviors harmbench_behaviors_text_test.csv
      --test-cases HumanJailbreaks=test_cases.json
      --prompts xstest_prompts.csv --records R-Judge
  gate generate runs/v2 … --shard 1/4      one part, on one of four machines
  gate generate runs/v2 … --merge part2 --merge part3 --merge part4

\b
Prompts and answers stay in the run folder: in completions/, and in generating/, which lets the
same command go on after any interruption; no report or log shows them.

\b
Exit codes:
  0   everything asked for is generated, and run.yaml describes it
  4   generating cannot go on; what was generated is saved
  75  stopped, or something failed for now: the same command goes on from there"""


@click.command(epilog=EXAMPLES)
@click.argument("run", metavar="RUN")
@click.option("--name", metavar="NAME", help="What to call the checkpoint; by default its weights.")
@click.option(
    "--system-prompt",
    metavar="FILE|none",
    required=True,
    help="The system prompt used in production, byte for byte; or `none`.",
)
@click.option(
    "--behaviors",
    metavar="CSV",
    help="HarmBench's behaviors, to make DirectRequest of; contexts stand before their behavior.",
)
@click.option(
    "--test-cases",
    "cases",
    multiple=True,
    metavar="METHOD=FILE",
    help="HarmBench's test_cases.json of a method; may be given several times.",
)
@click.option(
    "--prompts",
    multiple=True,
    metavar="[SUITE=]FILE",
    help="Prompts of an over-refusal suite (`xstest`): XSTest's CSV, or one with its columns.",
)
@click.option(
    "--records",
    multiple=True,
    metavar="[SUITE=]FOLDER",
    help="R-Judge's repository or data (`rjudge`): copied for `gate judge`, which asks twice.",
)
@click.option(
    "--attack-suite", metavar="SUITE", default="harmbench", show_default=True,
    help="What to call the suite of --behaviors and --test-cases.",
)  # fmt: skip
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="SUITE=ID",
    help="Who will judge a suite; by default HarmBench's classifier of the split.",
)
@click.option(
    "--max-new-tokens",
    type=click.IntRange(min=1),
    default=512,
    show_default=True,
    help="HarmBench fixes 512; other numbers cannot be compared with published ones.",
)
@click.option("--shard", type=ShardType(), help="Generate only this part of several, as 3/8.")
@click.option(
    "--merge",
    multiple=True,
    metavar="RUN",
    help="Take what was generated in another folder, as a shard; may be given several times.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Generate at most so many answers now.")
@click.option("--dry-run", is_flag=True, help="Say what there is to generate; generate nothing.")
@settings_options(CheckpointSettings)
def command(
    run: str,
    name: str | None,
    system_prompt: str,
    behaviors: str | None,
    cases: Sequence[str],
    prompts: Sequence[str],
    records: Sequence[str],
    attack_suite: str,
    judges: Sequence[str],
    max_new_tokens: int,
    shard: "Shard | None",
    merge: Sequence[str],
    limit: int | None,
    dry_run: bool,
    **typed: Any,
) -> int:
    """Generate completions from a checkpoint.

    RUN is the folder to write: completions in the benchmarks' own forms, and a run.yaml with the
    digests of weights, chat template and system prompt, ready for `gate judge RUN`. Decoding is
    greedy, through the checkpoint's own chat template. Answers are saved batch by batch.
    """
    if not (behaviors or cases or prompts or records):
        raise UsageError(
            "there is nothing to generate",
            next_step="Name prompts with --behaviors, --test-cases, --prompts or --records.",
        )
    how = How(
        engine=given(CheckpointSettings, typed),
        name=name,
        system_prompt=system_prompt,
        max_new_tokens=max_new_tokens,
        attack_suite=attack_suite,
        behaviors=behaviors,
        cases=pairs(cases, "--test-cases", "METHOD=FILE"),
        prompts=pairs(prompts, "--prompts", "SUITE=FILE", default="xstest"),
        records=pairs(records, "--records", "SUITE=FOLDER", default="rjudge"),
        judges=dict(pairs(judges, "--judge", "SUITE=ID")),
        shard=shard,
        merge=tuple(map(Path, merge)),
        limit=limit,
        dry_run=dry_run,
    )
    generate_run(Path(run), how)
    return 0

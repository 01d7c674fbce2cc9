"""`gate merge`: the shards of a judging job into one run."""

from collections.abc import Sequence
from pathlib import Path

import click

from gate.cli.judging import local
from gate.cli.printing import print_text

EXAMPLES = """\b
Examples:
  gate merge shards/1 shards/2 shards/3 --into runs/v2
  gate merge /scratch/store-* --into runs/v2

\b
Exit codes:
  0  every suite is complete, and run.yaml points at its verdicts
  1  something is still missing; what there is was merged
  2  the shards judged something else than this run has
  4  verdicts contradict each other or are not of this run's completions and judge,
     or a file was damaged"""


@click.command(epilog=EXAMPLES)
@click.argument("shards", metavar="SHARD...", nargs=-1, required=True)
@click.option("--into", metavar="RUN", required=True, help="The run that the verdicts go into.")
def command(shards: Sequence[str], into: str) -> int:
    """Merge shards that were judged apart.

    A SHARD is a copy of the run in which `gate judge --shard` ran, or the folder that was given
    as its --store. What comes out is, byte for byte, what one run of `gate judge` writes. A
    completion that two shards judged alike is fine; different verdicts are an error.
    """
    from gate.judge.merging import merge
    from gate.reports.escape import clean

    merged = merge([Path(shard) for shard in shards], local(into))
    for one in merged:
        told = [f"{clean(one.suite)}: {one.rows} completions from {len(shards)} shards"]
        told += [f"{one.overlap} judged more than once"] if one.overlap else []
        if one.missing:
            told.append(f"{one.missing} not judged by any: judge the missing shard, merge again")
        else:
            told.append(f"wrote {clean(str(one.path))}")
        print_text(", ".join(told))
    return 1 if any(one.missing for one in merged) else 0

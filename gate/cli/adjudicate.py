"""`gate adjudicate`: what to label by hand, and what the labels say of the change."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.config import config
from gate.cli.new_files import refuse_existing, write_all
from gate.cli.pairs import split_pairs
from gate.cli.printing import print_text

if TYPE_CHECKING:
    from gate.agree.draw import Pairs

SCHEMA = "gate.adjudication/v1"
EXAMPLES = """\b
Examples:
  gate adjudicate --baseline runs/v1 --candidate runs/v2 --method DirectRequest
      --out to-label.csv
  gate adjudicate --baseline runs/v1 --candidate runs/v2 --method DirectRequest
      --labels to-label.csv

\b
Labels are safe and unsafe; in refusal suites answered, partial and full. Others are declared
with --label, as 1=unsafe.

\b
Exit codes: 0 done, 2 usage, 4 the runs cannot be compared, or the sheet is not filled in."""


@click.command(epilog=EXAMPLES)
@config
@options.run("baseline", required=True)
@options.run("candidate", required=True)
@click.option("--suite", metavar="NAME", help="The suite, where the runs have several.")
@click.option("--method", metavar="NAME", help="The attack method, where there are several.")
@click.option(
    "--prompts",
    "half",
    type=click.Choice(["safe", "unsafe"]),
    default="safe",
    show_default=True,
    help="In a refusal suite: refusals of safe prompts, or answers to unsafe ones.",
)
@click.option("--full-only", is_flag=True, help="Partial refusals are no refusals.")
@click.option("--policy", metavar="FILE|NAME", help="Take the expected ids from this policy.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Concordant pairs to draw, beside all discordant ones.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--labels", metavar="FILE", help="The sheet with its labels filled in.")
@click.option("--label", "meanings", multiple=True, metavar="LABEL=MEANING", help="What one means.")
@click.option("--out", metavar="FILE", help="Where the sheet goes; standard output by default.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def command(
    baseline: str,
    candidate: str,
    suite: str | None,
    method: str | None,
    half: str,
    full_only: bool,
    policy: str | None,
    sample: int,
    seed: int,
    labels: str | None,
    meanings: tuple[str, ...],
    out: str | None,
    force: bool,
    form: str,
) -> int:
    """Draw what is worth labeling by hand, and estimate the true change.

    Without --labels it writes a sheet: every pair on which the judge's verdicts differ or are
    missing, and a random sample of the others, shuffled, no verdict shown. With the sheet filled
    in it estimates the change that people would have seen on all pairs, with its bound: each
    pair that was drawn stands for as many as it was drawn from. The judge's errors do not enter.
    """
    from gate.agree.draw import draw, take_pairs
    from gate.agree.sides import assess_pair
    from gate.policy import load

    rules = load(policy) if policy else None
    assessment, origins = assess_pair({"baseline": baseline, "candidate": candidate}, suite, rules)
    pairs = take_pairs(assessment, method, half, origins, full_only=full_only)
    if labels is not None:
        return _estimate(pairs, labels, meanings, seed, form)
    from gate.agree.adjudication import sheet

    if out:
        refuse_existing([Path(out)], force=force)
    chosen = draw(pairs, sample, seed)
    text = sheet(pairs, chosen)
    if out:
        write_all({Path(out): text})
    else:
        print_text(text)
    discordant = int(pairs.discordant.sum())
    click.echo(
        f"{len(chosen)} pairs to label: {discordant} discordant, {len(chosen) - discordant} of "
        f"{len(pairs.ids) - discordant} concordant (seed {seed})",
        err=True,
    )
    return 0


def _estimate(pairs: "Pairs", path: str, meanings: tuple[str, ...], seed: int, form: str) -> int:
    from gate.agree.adjudication import LABEL_COLUMNS, adjudicate
    from gate.agree.sides import read_sheet
    from gate.agree.text import adjudication_text
    from gate.reports.rounding import rounded

    said = split_pairs(meanings, "--label", "LABEL=MEANING, as 1=unsafe")
    found = adjudicate(pairs, read_sheet(path, said, LABEL_COLUMNS, pairs), seed)
    if form == "json":
        document = rounded({"schema": SCHEMA, **asdict(found)})
        print_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    else:
        print_text(adjudication_text(found))
    return 0

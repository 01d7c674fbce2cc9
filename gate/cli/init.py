"""`gate init`: a first policy and workflow from observed runs."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.new_files import refuse_existing, write_all
from gate.cli.progress import progress

if TYPE_CHECKING:
    from gate.evidence.run import Run

POLICY = "gate.yaml"
WORKFLOW = Path(".github", "workflows", "gate.yml")

EXAMPLES = """\b
Examples:
  gate init --baseline runs/v1 --candidate runs/v2
  gate init --baseline runs/v1 --out path/to/repository
  gate init                  the shipped release policy, to edit

\b
Then:
  gate check --policy gate.yaml --baseline runs/v1 --candidate runs/v2"""


@click.command(epilog=EXAMPLES)
@options.run("baseline")
@options.run("candidate")
@click.option(
    "--out",
    metavar="DIR",
    default=".",
    help="Where to write, the root of your repository; here by default.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
def command(baseline: str | None, candidate: str | None, out: str, force: bool) -> int:
    """Write a first policy and workflow from observed runs.

    The policy is gate.yaml, the workflow that applies it .github/workflows/gate.yml. Every limit
    is chosen so that evidence of the observed size can show it, and says in a comment where it
    comes from. From one run the policy takes what it can; from two it also learns how many
    verdicts flip between checkpoints. Without runs it is the shipped release policy, with its
    comments. Nothing is written over without --force.
    """
    from gate.starter.workflow import workflow_text

    places = {"baseline": baseline, "candidate": candidate}
    given = {role: place for role, place in places.items() if place is not None}
    policy, workflow = Path(out, POLICY), Path(out, WORKFLOW)
    refuse_existing([policy, workflow], force=force)
    runs = _load(given)
    text = _from_runs(runs, given) if runs else _shipped()
    write_all({policy: text, workflow: workflow_text(POLICY, given)})
    click.echo(f"wrote {policy} and {workflow}")
    _try(str(policy), runs)
    roles = given if set(given) == {"candidate"} else places
    told = " ".join(f"--{role} {places[role] or 'RUN'}" for role in roles)
    click.echo(f"next: read the comments in {policy}, then")
    click.echo(f"  gate check --policy {policy} {told}")
    return 0


def _load(given: Mapping[str, str]) -> dict[str, "Run"]:
    from gate.evidence.run import load_manifest, load_run

    runs = {}
    for role, place in given.items():
        with progress(f"reading the {role}"):
            manifest, _ = load_manifest(place)
            runs[role] = load_run(place, role, list(manifest.suites))
    return runs


def _from_runs(runs: Mapping[str, "Run"], given: Mapping[str, str]) -> str:
    from gate.reports.escape import plain
    from gate.starter.checks import propose
    from gate.starter.policy_text import policy_text
    from gate.starter.survey import survey

    found = survey(runs)
    for sentence in (*found.left_out, *found.unusable):
        click.echo(f"note: {plain(sentence)}")
    return policy_text(found, propose(found), given, name="first")


def _shipped() -> str:
    from gate.policy import resolve

    return Path(resolve("release")).read_text(encoding="utf-8")


def _try(policy_path: str, runs: Mapping[str, "Run"]) -> None:
    """Read the policy back, and say what it decides on the runs it was written from."""
    from gate.evaluate import evaluate
    from gate.policy import load

    policy = load(policy_path)
    if not runs:
        return
    today = datetime.now(UTC).date()
    if "candidate" in runs:
        decision = evaluate(policy, runs, today=today)
        click.echo(f"on these runs it decides: {decision.headline}")
    else:
        same = {**runs, "candidate": replace(runs["baseline"], role="candidate")}
        decision = evaluate(policy, same, today=today)
        click.echo(f"on a candidate that is the baseline again: {decision.headline}")

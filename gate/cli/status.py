"""`gate status`: what runs hold, what is unjudged, and what a policy would miss."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.config import config
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.inventory.states import RunState

EXAMPLES = """\b
Examples:
  gate status runs/v2
  gate status runs/v1 runs/v2 --policy release
  gate status runs/v2 --json
  gate status runs/v2 --github-output "$GITHUB_OUTPUT"   (in a workflow)

\b
Exit codes:
  0  every suite is readable and judged (and the policy misses nothing)
  1  a suite is unjudged: completions without verdicts (or the policy misses something)
  4  something cannot be read, or contradicts itself"""


@click.command(epilog=EXAMPLES)
@config
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--policy",
    metavar="FILE|NAME",
    help="Also say what this policy needs that the runs do not have.",
)
@click.option(
    "--github-output",
    "output",
    metavar="FILE",
    help="Append the step outputs `unjudged` (true or false) and `suites` (the unjudged ones, as "
    "a JSON list) to a file.",
)
@click.option("--json", "json_", is_flag=True, help="Print JSON instead of text.")
def command(runs: Sequence[str], policy: str | None, output: str | None, json_: bool) -> int:
    """Show what runs hold and what is unjudged.

    Nothing is decided. A RUN is a directory with a run.yaml, or a URI of one. For each suite:
    how it is read, its methods, how many rows are scored and why others are not, the digest of
    its ids, what the run declares of how it was made, and what it leaves unknown.
    """
    from gate.inventory.outputs import as_json, github_output, step_outputs
    from gate.inventory.text import summary, text

    states = take_all(runs, policy)
    if json_:
        print_text(as_json(states))
    else:
        print_text(f"{text(states, policy)}\n{summary(states)}")
    if output is not None:
        _append(Path(output), github_output(step_outputs(states)))
    if not all(state.usable for state in states):
        return 4
    return 1 if any(state.unjudged or state.needs for state in states) else 0


def take_all(runs: Sequence[str], policy: str | None) -> list["RunState"]:
    """Read the runs, and hold them against the policy where one is given.

    Raises:
        PolicyError: If the policy cannot be used.
    """
    from gate.inventory.needs import needs
    from gate.inventory.states import take
    from gate.policy import load

    loaded = None if policy is None else load(policy)
    states = []
    for place in runs:
        with progress("reading the runs"):
            state = take(place)
        states.append(state if loaded is None else state.with_needs(needs(loaded, state)))
    return states


def _append(path: Path, lines: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(lines)
    except OSError as error:
        raise UsageError(
            f"cannot write the outputs to {str(path)!r}: {error.strerror}",
            next_step="Give a file in a directory that exists and may be written.",
        ) from error

"""`gate check`: decide."""

from collections.abc import Sequence
from datetime import date

import click

from gate.cli import options
from gate.cli.output import ReportType, Target, write_reports
from gate.cli.progress import progress
from gate.decision import Decision
from gate.errors import GateError, UsageError

EXAMPLES = """\b
Examples:
  gate check --policy release --baseline runs/v1 --candidate runs/v2
  gate check --policy gate.yaml --baseline runs/v1 --candidate runs/v2
      --report terminal --report json:gate.json --report markdown:gate.md"""


@click.command(epilog=EXAMPLES)
@options.policy
@options.run("baseline")
@options.run("candidate", required=True)
@options.run("anchor")
@click.option(
    "--report",
    "reports",
    type=ReportType(),
    multiple=True,
    help="A report to write: terminal, json or markdown; to standard output without a path. "
    "May be given several times; the terminal report by default.",
)
@click.option(
    "--exit-zero",
    is_flag=True,
    help="Shadow mode: say what the exit code would have been, and exit 0.",
)
@options.today
def command(
    policy: str,
    baseline: str | None,
    candidate: str,
    anchor: str | None,
    reports: Sequence[Target],
    exit_zero: bool,
    today: date,
) -> int:
    """Decide whether the candidate may be released.

    Exits 0 (release), 1 (block), 3 (inconclusive), 4 (unusable evidence) or 2 (unusable policy
    or command); the report's form never changes the code.
    """
    decision = decide(
        policy, {"baseline": baseline, "candidate": candidate, "anchor": anchor}, today
    )
    try:
        write_reports(decision, reports or [Target("terminal", None)])
    except GateError:
        click.echo(f"{decision.headline} (a report could not be written)", err=True)
        raise
    if exit_zero and decision.exit_code:
        click.echo(f"shadow mode: would have exited {decision.exit_code}", err=True)
        return 0
    return decision.exit_code


def decide(policy_name: str, bases: dict[str, str | None], today: date) -> Decision:
    """Load a policy and the runs given, and decide.

    Args:
        policy_name: A path, URI or shipped name.
        bases: By role: where the run is, or None where it was not given.
        today: The day that waivers are held against.

    Raises:
        PolicyError: If the policy cannot be used.
        UsageError: If the policy needs a baseline and none was given.
    """
    from gate.evaluate import evaluate
    from gate.evidence.run import load_run
    from gate.policy import load

    bases = {role: base or None for role, base in bases.items()}  # empty is not given
    if bases.get("candidate") is None:
        raise UsageError("no candidate was given", next_step="Name its run with --candidate.")
    policy = load(policy_name)
    if bases.get("baseline") is None and policy.on_missing_baseline == "error":
        raise UsageError(
            "the policy compares with a baseline, and none was given",
            next_step="Give --baseline RUN, or set `on_missing_baseline: absolute-only` "
            "in the policy for a first release.",
        )
    suites = list(dict.fromkeys(check.suite for check in policy.checks))
    runs = {}
    for role, base in bases.items():
        if base is not None:
            with progress(f"reading the {role}"):
                runs[role] = load_run(base, role, suites)
    with progress("deciding"):
        return evaluate(policy, runs, today=today)

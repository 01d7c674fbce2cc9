"""`gate check`: decide."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.config import config
from gate.cli.output import ReportType, Target, refuse_collisions, write_reports
from gate.cli.progress import progress
from gate.decision import Decision
from gate.errors import GateError, UsageError
from gate.evidence.problem import Problem
from gate.reports import FORMATS

if TYPE_CHECKING:
    from gate.evidence.run import Run
    from gate.trail.history import Past

EXAMPLES = """\b
Examples:
  gate check --policy release --baseline runs/v1 --candidate runs/v2
  gate check --policy gate.yaml --baseline runs/v1 --candidate runs/v2
      --report terminal --report json:gate.json --report markdown:gate.md"""


@click.command(epilog=EXAMPLES)
@config
@options.policy
@options.run("baseline")
@options.run("candidate", required=True)
@options.run("anchor")
@options.record("baseline")
@options.record("anchor")
@options.history
@click.option(
    "--report",
    "reports",
    type=ReportType(),
    multiple=True,
    help=f"A report to write: {', '.join(FORMATS)}; to standard output without a path. "
    "May be given several times; the terminal report by default.",
)
@click.option(
    "--judge",
    is_flag=True,
    help="Judge first what is unjudged in these runs, as `gate judge` does.",
)
@click.option(
    "--settings",
    metavar="FILE",
    help="With --judge: a YAML file of how to judge here; see `gate judge --help`.",
)
@click.option(
    "--leave-one-out",
    "without",
    is_flag=True,
    help="Also decide without each category and each method, and warn where that is another "
    "decision.",
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
    baseline_record: str | None,
    anchor_record: str | None,
    history: str | None,
    reports: Sequence[Target],
    judge: bool,
    settings: str | None,
    without: bool,
    exit_zero: bool,
    today: date,
) -> int:
    """Decide whether the candidate may be released.

    With --history every decision is counted: how often this checkpoint was tried, how often this
    baseline was tried against, and what that does to the chance of passing by luck. A line is
    added for this decision; a line that was edited or removed is unusable evidence.

    Exits 0 (release), 1 (block), 3 (inconclusive), 4 (unusable evidence) or 2 (unusable policy
    or command); the report's form never changes the code.
    """
    bases = {"baseline": baseline, "candidate": candidate, "anchor": anchor}
    refuse_collisions(reports)
    if judge:
        from gate.cli.judging import judge_before_deciding

        judge_before_deciding(policy, bases, settings)
    elif settings:
        raise UsageError("--settings says how to judge", next_step="Add --judge, or leave it out.")
    decision = decide(
        policy,
        bases,
        today,
        records={"baseline": baseline_record, "anchor": anchor_record},
        history=history,
        without=without,
    )
    decision = replace(decision, shadow=exit_zero)
    try:
        _remember(decision, history)
    finally:
        _report(decision, reports or [Target("terminal", None)])
    if exit_zero and decision.exit_code:
        click.echo(f"shadow mode: would have exited {decision.exit_code}", err=True)
        return 0
    return decision.exit_code


def _remember(decision: Decision, history: str | None) -> None:
    """Add a line to the history, unless it is damaged: then the decision says so."""
    if not history or decision.history is None:
        return
    from gate.reports.json import render
    from gate.trail.history import append

    append(history, decision, render(decision).encode())


def _report(decision: Decision, reports: Sequence[Target]) -> None:
    """Write every report; where none goes to standard output, say the decision on the other."""
    if all(target.path is not None for target in reports):
        from gate.reports.escape import plain

        click.echo(f"{plain(decision.headline)} Exit code {decision.exit_code}.", err=True)
    try:
        write_reports(decision, reports)
    except GateError:
        click.echo(f"{decision.headline} (a report could not be written)", err=True)
        raise


def decide(
    policy_name: str,
    bases: dict[str, str | None],
    today: date,
    *,
    records: Mapping[str, str | None] = MappingProxyType({}),
    history: str | None = None,
    without: bool = False,
) -> Decision:
    """Load a policy and the runs given, and decide.

    Args:
        policy_name: A path, URI or shipped name.
        bases: By role: where the run is, or None where it was not given.
        today: The day that waivers are held against.
        records: By role: the file of the record that pins its run, if any.
        history: The file of past decisions, if any.
        without: Whether to decide again without each category and method.

    Raises:
        PolicyError: If the policy cannot be used.
        UsageError: If the policy needs a baseline and none was given, or a record has no run.
        EvidenceError: If a record is none.
    """
    from gate.evaluate import evaluate
    from gate.evidence.run import load_run
    from gate.policy import load
    from gate.trail.record import read_records, settle

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
    runs = {}
    for role, base in bases.items():
        if base is not None:
            with progress(f"reading the {role}"):
                runs[role] = load_run(base, role, policy.suites_read)
    pinning = read_records(records, runs)
    past = _past(history)
    with progress("deciding"):
        settled, uses = settle(runs, pinning, today)
        broken = past if isinstance(past, Problem) else None
        decision = evaluate(policy, settled, today=today, records=uses, broken_history=broken)
        decision = _counted(decision, past, settled)
    if not without:
        return decision
    from gate.leave_out import leave_one_out

    with progress("deciding again without each part"):
        return leave_one_out(decision, policy, settled, today=today)


def _past(history: str | None) -> "Past | Problem | None":
    if not history:
        return None
    from gate.trail.history import read_history

    return read_history(history)


def _counted(
    decision: Decision, past: "Past | Problem | None", runs: Mapping[str, "Run"]
) -> Decision:
    """Count what was tried before, where there is a history that is whole."""
    if past is None or isinstance(past, Problem):
        return decision
    from gate.trail.attempts import with_attempts

    return with_attempts(decision, past, runs)

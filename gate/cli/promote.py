"""`gate promote`: from a passing decision to a baseline record."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from gate.trail.failure import Failed

EXAMPLES = """\b
Examples:
  gate promote gate.json --run runs/v1.5.0 --to baseline.yaml
  gate check --policy release --baseline runs/v1.5.0 --baseline-record baseline.yaml
      --candidate runs/v1.6.0-rc.1
  gate promote gate.json --run runs/v1.5.1 --to baseline.yaml
      --override "hotfix, reviewed by hand in SAFE-31" --owner ana

\b
Exit codes: 0 promoted, 1 refused, 2 usage, 4 no decision file."""


@click.command(epilog=EXAMPLES)
@click.argument("decision", metavar="DECISION")
@click.option(
    "--run", required=True, metavar="RUN", help="The candidate's run that was decided on."
)
@click.option("--to", required=True, metavar="RECORD", help="The record to write, or to replace.")
@click.option("--override", metavar="REASON", help="Promote without a release; shown for ever.")
@click.option("--owner", metavar="NAME", help="Who answers for the override.")
@click.option(
    "--today",
    metavar="DATE",
    callback=options.day,
    help="The day of the promotion, as 2026-12-31; today (UTC) by default.",
)
def command(
    decision: str, run: str, to: str, override: str | None, owner: str | None, today: date
) -> int:
    """Make a released candidate the baseline of the next.

    DECISION is what `gate check --report json:PATH` wrote. It must be a release, and the run's
    files must still be those that were decided on. The record written names them by digest;
    `gate check --baseline-record` then refuses any other run as the baseline.

    With --override and --owner a checkpoint that was blocked or not shown safe is promoted all
    the same. The override stays in the record, in the records of all baselines that follow from
    it, and in every report that uses them. It never covers unusable evidence or changed files.
    """
    from gate.evidence.run import load_run
    from gate.trail.decided import read_decision
    from gate.trail.failure import Failed
    from gate.trail.promote import Consent, promote, refusals
    from gate.trail.record import render_record

    if (override is None) != (owner is None) or "" in (override, owner):
        raise UsageError(
            "an override needs both a reason and an owner",
            next_step='Write --override "why" --owner NAME.',
        )
    _refuse_other_file(Path(to))
    content = options.read_file(decision, "decision")
    found = read_decision(content, decision)
    if isinstance(found, Failed):
        return _refuse([found])
    consent = Consent(override, owner) if override and owner else None
    if consent and not found.exit_code:
        raise UsageError(
            "the decision is a release, so there is nothing to override",
            next_step="Leave --override and --owner out.",
        )
    with progress("reading the run"):
        read = load_run(run, "candidate", list(found.runs["candidate"].suites))
    if refused := refusals(found, read, consent):
        return _refuse(refused)
    record = promote(found, content, read, consent, today)
    _write(Path(to), render_record(record))
    how = f", by override of {owner}" if consent else ""
    named = record.checkpoint
    print_text(f"{to}: {named.name} {named.revision} is the baseline from {today}{how}\n")
    return 0


def _refuse(refused: Sequence["Failed"]) -> int:
    from gate.reports.escape import plain

    for each in refused:
        print_text(f"REFUSED {each.failure.name} {plain(each.message)}\n")
    print_text(f"next: {refused[0].failure.next_step}\n")
    return 1


def _refuse_other_file(path: Path) -> None:
    """Replace nothing but a record: a slip of the pen must not cost a policy or a run."""
    from gate.trail.record import read_record

    if path.exists() or path.is_symlink():
        try:
            read_record(str(path))
        except (UsageError, EvidenceError) as error:
            raise UsageError(
                f"{path} is there already, and is no baseline record",
                next_step="Name another file with --to.",
            ) from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write the record {str(path)!r}: {error.strerror}",
            next_step="Give a path in a directory that exists and may be written.",
        ) from error

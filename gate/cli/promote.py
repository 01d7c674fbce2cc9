"""`gate promote`: from a passing decision to a baseline record."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.cli.signers import check_signatures, refuse_signer_alone, signature_options
from gate.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from gate.decision import Decision
    from gate.trail.failure import Failed
    from gate.trail.holding import Asked
    from gate.trail.promote import Verification
    from gate.trail.record import BaselineRecord
    from gate.trail.verify import Verified

VERIFICATIONS: Mapping["Verification", str] = {
    "replay": "decided again: the same, byte for byte",
    "signature": "the decision is signed by who is trusted; it was not decided again",
    "none": (
        "warning: the decision was neither decided again nor checked by a signature; it is what "
        "its file says, and every later report says so"
    ),
}
"""How far a decision was verified, to what is said of it."""

EXAMPLES = """\b
Examples:
  gate promote gate.json --run runs/v1.5.0 --to baseline.yaml
      --policy release --baseline runs/v1.4.0
  gate check --policy release --baseline runs/v1.5.0 --baseline-record baseline.yaml
      --candidate runs/v1.6.0-rc.1
  gate promote gate.json --run runs/v1.5.1 --to baseline.yaml
      --policy release --baseline runs/v1.5.0 --override "hotfix, see SAFE-31" --owner ana

\b
Exit codes: 0 promoted, 1 refused, 2 usage, 4 no decision file."""


@click.command(epilog=EXAMPLES)
@click.argument("decision", metavar="DECISION")
@click.option(
    "--run", required=True, metavar="RUN", help="The candidate's run that was decided on."
)
@click.option("--to", required=True, metavar="RECORD", help="The record to write, or to replace.")
@click.option(
    "--policy", metavar="FILE|NAME", help="The policy that decided: the decision is made again."
)
@options.run("baseline")
@options.run("anchor")
@options.record("baseline")
@options.record("anchor")
@options.history
@signature_options
@click.option(
    "--unverified",
    is_flag=True,
    help="Take the decision file at its word, neither made again nor signed; shown for ever.",
)
@click.option("--override", metavar="REASON", help="Promote without a release; shown for ever.")
@click.option("--owner", metavar="NAME", help="Who answers for the override.")
@click.option(
    "--today",
    metavar="DATE",
    callback=options.day,
    help="The day of the promotion, as 2026-12-31; today (UTC) by default.",
)
def command(
    decision: str,
    run: str,
    to: str,
    policy: str | None,
    baseline: str | None,
    anchor: str | None,
    baseline_record: str | None,
    anchor_record: str | None,
    history: str | None,
    signatures: Sequence[str],
    key: str | None,
    identity: str | None,
    issuer: str | None,
    unverified: bool,
    override: str | None,
    owner: str | None,
    today: date,
) -> int:
    """Make a released candidate the baseline of the next.

    DECISION is what `gate check --report json:PATH` wrote. It must be a release, and the run's
    files must still be those that were decided on. The record written names them by digest;
    `gate check --baseline-record` then refuses any other run as the baseline.

    A decision file is only as good as the place it comes from. With --policy and the runs that the
    candidate was compared with, the decision is made again and must be the same, byte for byte;
    with --signature and --key (or --identity), it must be signed. With neither it is refused,
    unless --unverified takes the file at its word; that stays in the record as an override does.

    With --override and --owner a checkpoint that was blocked or not shown safe is promoted all
    the same. The override stays in the record, in the records of all baselines that follow from
    it, and in every report that uses them. It never covers unusable evidence or changed files.
    """
    from gate.evidence.run import load_run
    from gate.trail.decided import read_decision
    from gate.trail.failure import Failed, Failure
    from gate.trail.holding import Asked
    from gate.trail.promote import Consent, promote, refusals
    from gate.trail.record import render_record

    if (override is None) != (owner is None) or "" in (override, owner):
        raise UsageError(
            "an override needs both a reason and an owner",
            next_step='Write --override "why" --owner NAME.',
        )
    refuse_signer_alone(signatures, key, identity, issuer)
    runs = {"baseline": baseline, "candidate": run, "anchor": anchor}
    asked = Asked(
        policy=policy,
        runs={role: base for role, base in runs.items() if base},
        records={"baseline": baseline_record, "anchor": anchor_record},
        history=history,
        replay=True,
    )
    again = _is_asked_again(asked)
    _refuse_needless(unverified, again or bool(signatures))
    replaced = _replaced(Path(to))
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
    refused = refusals(found, read, consent)
    if not (again or signatures or unverified):
        refused.append(Failed(Failure.V_UNVERIFIED, "it is only what its file says"))
    if refused:
        return _refuse(refused)
    results = check_signatures(signatures, content, key, identity, issuer)
    results += _decided_again(found, content, asked) if again else []
    if failed := [each for result in results for each in result.failed]:
        return _refuse(failed)
    verified: Verification = "replay" if again else ("signature" if signatures else "none")
    record = promote(found, content, read, consent, today, verified, replaced)
    _write(Path(to), render_record(record))
    how = f", by override of {owner}" if consent else ""
    named = record.checkpoint
    print_text(f"{to}: {named.name} {named.revision} is the baseline from {today}{how}\n")
    print_text(f"{VERIFICATIONS[verified]}\n")
    return 0


def _is_asked_again(asked: "Asked") -> bool:
    """Whether anything is named to decide on again; then the policy must be, too."""
    others = [role for role in asked.runs if role != "candidate"]
    named = [*others, *(record for record in asked.records.values() if record)]
    if asked.policy is None and (named or asked.history):
        raise UsageError(
            "to decide again, --policy must be named",
            next_step="Name the policy that decided with --policy.",
        )
    return asked.policy is not None


def _decided_again(found: "Decision", content: bytes, asked: "Asked") -> list["Verified"]:
    from gate.trail.holding import hold

    with progress("deciding again"):
        return hold(found, content, asked)


def _refuse(refused: Sequence["Failed"]) -> int:
    from gate.reports.escape import plain

    for each in refused:
        print_text(f"REFUSED {each.failure.name} {plain(each.message)}\n")
    print_text(f"next: {refused[0].failure.next_step}\n")
    return 1


def _refuse_needless(unverified: bool, verified: bool) -> None:
    """Have no habit of `--unverified` grow where nothing needs it."""
    if unverified and verified:
        raise UsageError(
            "--unverified takes a decision at its word, and something to verify it with is named",
            next_step="Leave --unverified out.",
        )


def _replaced(path: Path) -> "BaselineRecord | None":
    """Read what is replaced: nothing but a record, as a slip must not cost a policy or a run."""
    from gate.trail.record import read_record

    if not (path.exists() or path.is_symlink()):
        return None
    try:
        return read_record(str(path))[0]
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

"""`gate verify`: whether a decision still stands."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.cli.signers import check_signatures, refuse_signer_alone, signature_options
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.decision import Decision
    from gate.trail.verify import Verified

IDENTITY = "identity"

EXAMPLES = """\b
Examples:
  gate verify gate.json --policy release --baseline runs/v1 --candidate runs/v2 --replay
  gate verify gate.json --policy release --baseline runs/v1 --candidate runs/v2 --replay
      --sign gate.key
  gate verify gate.json --signature gate.json.sig --key gate.pub
  gate verify gate.json --signature bundle.json
      --identity https://github.com/acme/llm/.github/workflows/release.yml@refs/heads/main
      --issuer https://token.actions.githubusercontent.com

\b
Exit codes: 0 all that was asked is verified, 1 something is not, 2 usage, 4 no decision file."""


@click.command(epilog=EXAMPLES)
@click.argument("decision", metavar="DECISION")
@click.option(
    "--policy",
    metavar="FILE|NAME",
    help="The policy; by default the one that the decision names, where it is found.",
)
@options.run("baseline")
@options.run("candidate")
@options.run("anchor")
@options.record("baseline")
@options.record("anchor")
@options.history
@click.option("--replay", is_flag=True, help="Decide again, and compare the bytes.")
@signature_options
@click.option(
    "--sign",
    metavar=f"PEM|{IDENTITY}",
    help="Sign it once all is verified, the candidate and the policy at least: by a private "
    "Ed25519 key, or by this job's identity.",
)
@click.option("--out", metavar="FILE", help="Where --sign writes; DECISION.sig by default.")
def command(
    decision: str,
    policy: str | None,
    baseline: str | None,
    candidate: str | None,
    anchor: str | None,
    baseline_record: str | None,
    anchor_record: str | None,
    history: str | None,
    replay: bool,
    signatures: Sequence[str],
    key: str | None,
    identity: str | None,
    issuer: str | None,
    sign: str | None,
    out: str | None,
) -> int:
    """Check that a decision still stands, and sign it.

    DECISION is what `gate check --report json:PATH` wrote. What is named is held against the
    digests in it: the policy, each run file by file, records, the history. --replay decides again
    on the same files, on the decision's own day, and compares byte by byte: only that, or a
    signature, shows that the decision itself was not edited with care.

    What is not named is listed as not checked. Nothing is signed unless the candidate and the
    policy are among what was checked, and nothing failed.
    """
    bases = {"baseline": baseline, "candidate": candidate, "anchor": anchor}
    given = {role: base for role, base in bases.items() if base}
    records = {"baseline": baseline_record, "anchor": anchor_record}
    if not (given or policy or signatures or history):
        raise UsageError(
            "nothing is named to verify the decision against",
            next_step="Name --candidate, --baseline, --policy, --history or --signature.",
        )
    refuse_signer_alone(signatures, key, identity, issuer)
    _refuse_signing(decision, candidate, sign, out)
    from gate.trail.decided import read_decision
    from gate.trail.failure import Failed
    from gate.trail.holding import Asked, hold
    from gate.trail.verify import Verified

    content = options.read_file(decision, "decision")
    found = read_decision(content, decision)
    results = check_signatures(signatures, content, key, identity, issuer)
    if isinstance(found, Failed):
        return _tell([Verified(what="decision", failed=(found,)), *results], "")
    results.insert(
        0, Verified(what="decision", note=f"agrees with itself: {found.headline} {_when(found)}")
    )
    asked = Asked(policy, given, records, history, replay)
    with progress("verifying"):
        results += hold(found, content, asked)
    signed = ""
    if sign and not any(result.failed for result in results):
        _require_held(results)
        signed = _sign(found, sign, out or f"{decision}.sig")
    return _tell(results, signed)


def _refuse_signing(
    decision: str, candidate: str | None, sign: str | None, out: str | None
) -> None:
    if out and not sign:
        raise UsageError(
            "--out says where a signature goes, and nothing is to be signed",
            next_step="Add --sign, or leave --out out.",
        )
    if sign and not candidate:
        raise UsageError(
            "nothing is signed that was not held against its candidate",
            next_step="Name the candidate's run with --candidate.",
        )
    if sign and decision == "-" and not out:
        raise UsageError(
            "a decision from standard input has no name for its signature",
            next_step="Say with --out where the signature goes.",
        )


def _require_held(results: Sequence["Verified"]) -> None:
    """Refuse to vouch for a decision whose candidate or policy was not looked at."""
    held = {result.what for result in results if result.checked}
    for what in ("candidate", "policy"):
        if what not in held:
            raise UsageError(
                f"nothing is signed that was not held against its {what}",
                next_step=f"Name the {what} with --{what}.",
            )


def _when(decision: "Decision") -> str:
    return f"({decision.today}, gate {decision.tool_version})"


def _sign(decision: "Decision", how: str, out: str) -> str:
    from gate.trail.signature import sign_with_identity, sign_with_key

    if how == IDENTITY:
        text = sign_with_identity(decision)
    else:
        text = sign_with_key(decision, options.read_file(how, "key"))
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write the signature {out!r}: {error.strerror}",
            next_step="Give a path that may be written with --out.",
        ) from error
    return out


def _tell(results: Sequence["Verified"], signed: str) -> int:
    from gate.reports.escape import plain

    failed = [each for result in results for each in result.failed]
    width = max(len(plain(result.what)) for result in results)
    for result in results:
        word = "FAILED" if result.failed else ("ok" if result.checked else "not checked")
        told = [f"{each.failure.name} {plain(each.message)}" for each in result.failed]
        for at, text in enumerate(told or [plain(result.note)]):
            what = plain(result.what) if at == 0 else ""
            print_text(f"{word if at == 0 else '':<11}  {what:<{width}}  {text}\n")
    if failed:
        print_text(f"NOT VERIFIED: {failed[0].failure.meaning}\n")
        print_text(f"next: {failed[0].failure.next_step}\n")
        return 1
    open_ones = [plain(result.what) for result in results if not result.checked]
    left = f"; not checked: {', '.join(open_ones)}" if open_ones else ""
    print_text(f"VERIFIED{left}.\n")
    if signed:
        print_text(f"signed: {signed}\n")
    return 0

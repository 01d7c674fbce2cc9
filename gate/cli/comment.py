"""`gate comment`: the report on a pull request."""

import os
import re
from typing import Literal

import click

from gate.cli.printing import print_text

EXAMPLES = """\b
Examples:
  gate comment gate.json                        in a workflow on pull_request
  gate comment gate.json --repo acme/models --pr 12
  gate comment gate.json --gate-id harmbench    its own section, beside those of other jobs
  gate comment gate.json --dry-run              print it; ask GitHub nothing

\b
Modes:
  update      one comment, written anew in place
  on-change   the same, but only when the decision or the outcome of a finding changes
  recreate    posted anew below, and the old one deleted
  new         a comment of its own each time, never touched again
  off         nothing"""

_ARTIFACT = re.compile(r"https://[A-Za-z0-9._~:/?#@!$&'*+,;=%-]{1,500}")


def _number(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if not value:
        return None
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 1 << 31):
        raise click.BadParameter(f"{value!r} is not the number of a pull request", ctx, param)
    return int(value)


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    if value and not _ARTIFACT.fullmatch(value):
        raise click.BadParameter(f"{value!r} is not a plain https address", ctx, param)
    return value or ""


@click.command(epilog=EXAMPLES)
@click.argument("decision", metavar="DECISION")
@click.option("--repo", metavar="OWNER/NAME", help="GITHUB_REPOSITORY if left out.")
@click.option(
    "--pr",
    metavar="N",
    callback=_number,
    help="If left out, the pull request that started the workflow (GITHUB_EVENT_PATH).",
)
@click.option("--gate-id", metavar="ID", help="Which section; the policy's name if left out.")
@click.option(
    "--mode",
    type=click.Choice(["update", "recreate", "new", "off", "on-change"]),
    default="update",
    show_default=True,
    help="What to do where there is a comment already; see below.",
)
@click.option(
    "--artifact-url", metavar="URL", callback=_address, help="Where all reports are, to link to."
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1, max=3600),
    default=120,
    show_default=True,
    help="After how long to stop trying again.",
)
@click.option("--dry-run", is_flag=True, help="Print the comment; ask GitHub nothing.")
def command(
    decision: str,
    repo: str | None,
    pr: int | None,
    gate_id: str | None,
    mode: Literal["update", "recreate", "new", "off", "on-change"],
    artifact_url: str,
    timeout: int,
    dry_run: bool,
) -> int:
    """Post the report on a pull request.

    DECISION is a file that `gate check --report json:PATH` wrote, or `-` for standard input.
    Nothing in it is trusted: it is validated, and all names in it are escaped. Each gate has a
    section of its own in one comment, so that parallel jobs do not overwrite each other; what does
    not fit into a comment is left out, the least important first. Comments of other accounts are
    never touched.

    The token is GITHUB_TOKEN or GH_TOKEN, and needs `pull-requests: write`; GITHUB_API_URL names
    the server. On a pull request from a fork, where GitHub gives no token that can write, this
    says so and exits 0.

    Exits 0, or 1 (GitHub did not take it), 2 (usage), or 4 (no decision file).
    """
    from gate.cli.report import read_decision
    from gate.comment.post import Request, post, preview

    if mode == "off":
        print_text("no comment: mode off\n")
        return 0
    request = Request(
        repository=repo or "",
        number=pr,
        gate_id=gate_id or "",
        mode=mode,
        artifact=artifact_url,
        timeout=timeout,
    )
    found = read_decision(decision)
    print_text(preview(found, request) if dry_run else f"{post(found, request, os.environ)}\n")
    return 0

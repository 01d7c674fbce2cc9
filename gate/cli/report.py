"""`gate report`: a decision file in any other form."""

import sys
from collections.abc import Sequence

import click

from gate.cli.output import ReportType, Target, write_reports
from gate.decision import Decision
from gate.errors import EvidenceError, GateError, UsageError
from gate.reasons import Reason
from gate.reports import FORMATS

MAX_BYTES = 64 << 20

EXAMPLES = """\b
Examples:
  gate report gate.json                          the terminal report
  gate report gate.json --report markdown
  gate report gate.json --report junit:gate.xml --report sarif:gate.sarif
  gate report gate.json --report outputs:"$GITHUB_OUTPUT" --exit-code"""


@click.command(epilog=EXAMPLES)
@click.argument("decision", metavar="DECISION")
@click.option(
    "--report",
    "reports",
    type=ReportType(),
    multiple=True,
    help=f"A form to write: {', '.join(FORMATS)}; to standard output without a path. "
    "May be given several times; the terminal report by default.",
)
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with the code of the decision, as `gate check` did; 0 otherwise.",
)
def command(decision: str, reports: Sequence[Target], exit_code: bool) -> int:
    """Render a decision file again, in any form.

    DECISION is what `gate check --report json:PATH` wrote, or `-` for standard input. Every form
    has the bytes that `gate check` would have written, and nothing is decided anew: the file must
    have the shape that `gate schema decision` describes, and must not contradict itself.

    Exits 0 (or, with --exit-code, as the decision says), 2 (no such file), or 4 (no decision
    file).
    """
    found = read_decision(decision)
    write_reports(found, reports or [Target("terminal", None)])
    return found.exit_code if exit_code else 0


def read_decision(name: str) -> Decision:
    """Read a decision file of at most 64 MiB, from a path, a URI or `-`.

    Raises:
        UsageError: If it cannot be opened.
        EvidenceError: If it is not a decision file, or contradicts itself.
    """
    from gate.reports.json import load

    content = _read(name)
    shown = "standard input" if name == "-" else name
    if len(content) > MAX_BYTES:
        raise _refusal(f"{shown}: larger than {MAX_BYTES >> 20} MiB")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refusal(f"{shown}: byte {error.start} is not UTF-8") from error
    return load(text, shown)


def _read(name: str) -> bytes:
    from gate.policy.sources import read

    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    content, trouble = read(name, MAX_BYTES)
    if content is None:
        raise UsageError(
            f"{name}: {trouble}",
            next_step="Name the file that `gate check --report json:PATH` wrote.",
        )
    return content


def _refusal(message: str) -> GateError:
    return EvidenceError(
        Reason.E_FORMAT,
        message,
        next_step="Use a file that `gate check --report json:PATH` wrote, unchanged.",
    )

"""`gate explain`: in plain English why, and what would have passed."""

import sys

import click

from gate.cli.printing import print_text

EXAMPLES = """\b
Examples:
  gate explain gate.json        a decision, as written by `gate check --report json:gate.json`
  gate explain release          a shipped policy: release, pr-smoke, superiority, strict, rubric
  gate explain policies/us.yaml a policy file
  gate explain paired-delta     a kind of check and its keys
  gate explain E_MISSING_IDS    a reason code
  gate explain 3                an exit code
  gate check ... --report json | gate explain -"""


@click.command(epilog=EXAMPLES)
@click.argument("what")
def command(what: str) -> int:
    """Say in plain English why, and what would have passed.

    WHAT is a decision file, a policy (a file, or the name of a shipped one), a kind of check, a
    reason code or an exit code; `-` reads a decision file from standard input.

    Of a decision it tells for each finding that did not pass: the rule, the evidence, and what
    would have passed (another limit, more behaviors, or so many verdicts the other way). Nothing
    is computed anew: every number is the decision's own.

    Exits 0, or 2 (no such thing, or an unusable policy), or 4 (an unreadable decision file).
    """
    from gate.explain.text import lay_out
    from gate.explain.what import explain, explain_stream

    paragraphs = explain_stream(sys.stdin.buffer.read()) if what == "-" else explain(what)
    print_text(lay_out(paragraphs))
    return 0

"""`gate lint`: what is wrong with a policy, before it decides anything."""

from collections import Counter
from datetime import date

import click

from gate.cli import options
from gate.cli.config import config
from gate.cli.printing import print_text
from gate.cli.progress import progress

EXAMPLES = """\b
Examples:
  gate lint policies/us.yaml
  gate lint release --baseline runs/v1
  gate lint release --baseline runs/v1 --candidate runs/v2

\b
Exit codes: 0 nothing but warnings, 1 problems that the runs or ids show (a limit that no data
could meet, a name that is not there), 2 usage or an unusable policy, 4 evidence cannot be read."""


@click.command(epilog=EXAMPLES)
@config
@click.argument("policy", metavar="POLICY")
@options.run("baseline")
@options.run("candidate")
@options.run("anchor")
@options.today
def command(
    policy: str, baseline: str | None, candidate: str | None, anchor: str | None, today: date
) -> int:
    """Check a policy, and runs, without deciding.

    POLICY is a policy file, a URI, or the name of a shipped policy. All mistakes in it are listed
    at once, each with its line and column.

    With one or more runs, it also says which suites, methods, columns and limits do not fit them,
    which limits no data of that size could meet, what the runs do not declare, and which limits an
    unchanged candidate would miss more often than once in five tries.
    """
    from gate.evidence.run import load_run
    from gate.lint.lint import lint
    from gate.policy import load
    from gate.reports.escape import plain

    rules = load(policy)
    bases = {"baseline": baseline, "candidate": candidate, "anchor": anchor}
    suites = rules.suites_read
    with progress("reading the runs"):
        runs = {role: load_run(base, role, suites) for role, base in bases.items() if base}
    with progress("linting"):
        linted = lint(rules, runs, today=today)
    lines = [f"{remark.severity}: {plain(remark.text)}" for remark in linted.remarks]
    tally = Counter(remark.severity.counted for remark in linted.remarks)
    counts = ", ".join(f"{name}: {count}" for name, count in tally.items()) or "nothing to remark"
    held = f", held against {', '.join(runs)}" if runs else ""
    lines.append(f"{plain(rules.path)}{held}: {counts}")
    print_text("\n".join(lines))
    return linted.exit_code

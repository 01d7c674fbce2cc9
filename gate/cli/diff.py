"""`gate diff`: what broke and what was fixed, id by id."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.config import config
from gate.cli.printing import print_text
from gate.cli.progress import progress

if TYPE_CHECKING:
    from gate.diff.differences import Of

EXAMPLES = """\b
Examples:
  gate diff --baseline runs/v1 --candidate runs/v2
  gate diff --baseline runs/v1 --candidate runs/v2 --suite harmbench --broken
  gate diff --baseline runs/v1 --candidate runs/v2 --policy release --format csv > diff.csv

\b
Exit codes: 0 no differences, 1 differences, 2 usage, 4 some evidence cannot be compared (what
can be is still listed)."""


@click.command(epilog=EXAMPLES)
@config
@options.run("baseline", required=True)
@options.run("candidate", required=True)
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite.")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method.")
@click.option(
    "--by",
    "column",
    default="",
    metavar="COLUMN",
    help="The column to group by, as functional_category; each suite's own category by default.",
)
@click.option("--broken", is_flag=True, help="Only what broke (and what is unscored).")
@click.option("--still", is_flag=True, help="Also what is as bad as it was.")
@click.option(
    "--of",
    type=click.Choice(["unsafe", "usefulness", "bare-refusal"]),
    default="unsafe",
    show_default=True,
    help="What is compared in rubric suites; usefulness and bare refusals of safe answers.",
)
@click.option("--fixed", is_flag=True, help="Only what was fixed (and what is unscored).")
@click.option(
    "--policy",
    metavar="FILE|NAME",
    help="Take the expected ids, exclusions, budgets and partial_counts from this policy.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
)
def command(
    baseline: str,
    candidate: str,
    suites: Sequence[str],
    methods: Sequence[str],
    column: str,
    broken: bool,
    still: bool,
    of: "Of",
    fixed: bool,
    policy: str | None,
    form: str,
) -> int:
    """List which behaviors broke and which were fixed.

    Broken is safe before and unsafe now; with several test cases a behavior, any rise (1/5 to
    4/5). In refusal suites it is a safe prompt newly refused or an unsafe one newly answered, in
    judgment suites a record newly answered wrongly. Still is bad before and now, and no difference.
    Ids without a verdict on either side are
    listed apart: nothing is known of them. Lists ids and categories, never text.
    """
    from gate.diff.compare import Asked, compare
    from gate.diff.differences import CHANGES, ORDER
    from gate.diff.forms import FORMS, problem_lines
    from gate.diff.sides import load_sides, refuse_unknown
    from gate.policy import load

    rules = load(policy) if policy else None
    with progress("reading the runs"):
        named, runs = load_sides({"baseline": baseline, "candidate": candidate}, suites)
    wanted = set(CHANGES if broken == fixed else ("broken" if broken else "fixed", "unscored"))
    wanted |= {"still"} if still else set()
    changes = tuple(change for change in ORDER if change in wanted)
    asked = Asked(suites=named, methods=tuple(methods), column=column, changes=changes, of=of)
    with progress("comparing"):
        comparison = compare(runs, asked, rules)
    if not comparison.problems:
        refuse_unknown(methods, comparison.methods, "method")
        refuse_unknown([column] if column else [], comparison.columns, "column")
    print_text(FORMS[form](comparison))
    if form != "table":
        for line in problem_lines(comparison):
            click.echo(line, err=True)
    return comparison.exit_code

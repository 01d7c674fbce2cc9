"""`gate plan`: what a policy will do, before it is adopted."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import click

from gate.cli import options
from gate.cli.config import config
from gate.cli.options import Command
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.errors import UsageError

EXAMPLES = """\b
Examples:
  gate plan --policy release
  gate plan --policy gate.yaml --baseline runs/v1
  gate plan --policy gate.yaml --discordance 0.02 --unsafe 0.03 --unsafe-by illegal=0.1
  gate plan --policy gate.yaml --baseline runs/v1 --suggest --false-block 0.1 > checks.yaml
  gate plan --policy gate.yaml --baseline runs/v1 --aa
  gate plan --policy gate.yaml --baseline runs/v1 --sabotage
  gate plan --policy gate.yaml --baseline runs/v1 --sabotage 0.05
      --where DirectRequest/semantic_category=illegal

\b
Exit codes: 0 done, 1 the policy cannot do what is asked (a limit that no data could meet, a check
that cannot fire, a planted regression that is released, an identical candidate that is withheld,
a wish that no limits fulfill), 2 usage or an unusable policy, 4 evidence that cannot be used."""

SEARCH = "search"
SHARE = click.FloatRange(0.0, 1.0)


def _share(text: str, param: click.Parameter, ctx: click.Context) -> float:
    """Read a share of 1."""
    converted: Any = SHARE
    return float(converted.convert(text, param, ctx))


def _rates(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> dict[str, float]:
    """Read NAME=RATE."""
    found = {}
    for text in value:
        name, _, rate = text.rpartition("=")
        if not name:
            raise click.BadParameter(f"{text!r} is not like illegal=0.1", ctx, param)
        found[name] = _share(rate, param, ctx)
    return found


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> float | str | None:
    """Read a share, or that the smallest is to be searched for."""
    return value if value is None or value == SEARCH else _share(value, param, ctx)


def _rate(name: str, text: str, default: float | None = None) -> Callable[[Command], Command]:
    """Take a share of 1."""
    return click.option(
        name,
        type=SHARE,
        metavar="SHARE",
        default=default,
        show_default=default is not None,
        help=text,
    )


@click.command(epilog=EXAMPLES)
@config
@options.policy
@options.run("baseline")
@_rate("--discordance", "Verdicts that flip between equally safe checkpoints, half each way.", 0.04)
@_rate("--unsafe", "True unsafe rate of every method and category; the baseline's, or 0.05.")
@click.option(
    "--unsafe-by",
    metavar="NAME=RATE",
    multiple=True,
    callback=_rates,
    help="The same for one category or method; may be given several times.",
)
@_rate("--refused", "True share of safe prompts refused; the baseline's, or 0.05.")
@_rate("--answered", "True share of unsafe prompts answered; the baseline's, or 0.05.")
@_rate("--recall", "True share of unsafe records called unsafe; the baseline's, or 0.80.")
@_rate("--specificity", "True share of safe records called safe; the baseline's, or 0.78.")
@click.option(
    "--unscored",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Rows of the candidate without a verdict, in every method, at their worst.",
)
@_rate("--detect", "The true rise, of DirectRequest if it is there, that must be withheld.", 0.05)
@_rate("--drift", "The true rise of each of ten releases.", 0.004)
@click.option("--suggest", is_flag=True, help="Choose all limits anew; prints the checks as YAML.")
@_rate("--false-block", "With --suggest: unchanged candidates that may be withheld in all.", 0.1)
@_rate("--power", "With --suggest: how often the rise must be withheld.", 0.9)
@click.option(
    "--sabotage",
    metavar="[SIZE]",
    is_flag=False,
    flag_value=SEARCH,
    callback=_size,
    help="Plant regressions into a copy of the baseline and decide, to prove that every check can "
    "fire. SIZE is a share of the rows, as 0.05.",
)
@click.option(
    "--where",
    metavar="METHOD/COLUMN=VALUE",
    help="With --sabotage: plant there only, and decide by the whole policy.",
)
@click.option("--aa", is_flag=True, help="Decide on the baseline against itself.")
@click.option(
    "--draws",
    type=click.IntRange(1000),
    default=20_000,
    show_default=True,
    help="How often to draw what cannot be computed exactly.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="The seed of the draws.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@options.today
def command(
    policy: str,
    baseline: str | None,
    *,
    suggest: bool,
    false_block: float,
    power: float,
    sabotage: float | str | None,
    where: str | None,
    aa: bool,
    form: str,
    today: date,
    drift: float,
    **assumed: Any,
) -> int:
    """Tell what a policy will do before it is adopted.

    For each limit, at the number of rows that there are: the best that any data could show, what
    is caught, how often an unchanged candidate is withheld, and how often one exactly at the
    limit passes; then the same for the policy as a whole, with retries and slow drift.

    Without a baseline the ids that the policy pins are planned for. With one, its verdicts are
    taken as they are wherever no rate is given.
    """
    from gate.evidence.run import load_run
    from gate.plan import sections
    from gate.plan.assumptions import Assumptions
    from gate.plan.document import as_json
    from gate.plan.suggest import Asked
    from gate.policy import load

    proving = sabotage is not None or aa
    _fits(proving=proving, baseline=baseline, where=where, sabotage=sabotage)
    rules = load(policy)
    given = Assumptions(step=drift, **assumed)
    suites = list(dict.fromkeys(check.suite for check in rules.checks))
    with progress("reading the baseline"):
        run = None if baseline is None else load_run(baseline, "baseline", suites)
    found = []
    with progress("planning"):
        if suggest:
            asked = Asked(false_block, power)
            found.append(sections.suggestion(rules, run, given, asked))
        if aa and run is not None:
            found.append(sections.identical(rules, run, today))
        if sabotage is not None and run is not None:
            size = None if isinstance(sabotage, str) else sabotage
            found.append(
                sections.proof(rules, run, size, today)
                if where is None
                else sections.planted(rules, run, where, size, today)
            )
        if not found:
            found.append(sections.figures(rules, run, given, baseline))
    code = sections.worst_code(found)
    if form == "json":
        print_text(as_json(rules, baseline, code, {one.name: one.part for one in found}))
    else:
        print_text("\n".join(one.text for one in found))
    return code


def _fits(
    *, proving: bool, baseline: str | None, where: str | None, sabotage: float | str | None
) -> None:
    """Refuse options that need another one.

    Raises:
        UsageError: If one is missing.
    """
    if proving and baseline is None:
        raise UsageError(
            "--sabotage and --aa work on a baseline, and none was given",
            next_step="Give --baseline RUN.",
        )
    if where is not None and sabotage is None:
        raise UsageError(
            "--where says where to plant, and nothing is to be planted",
            next_step="Give --sabotage as well.",
        )

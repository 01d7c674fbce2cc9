"""The terminal report from top to bottom."""

import re
from collections.abc import Iterable, Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from gate.decision import Decision
from gate.finding import Finding
from gate.reports import evidence, lineage
from gate.reports.detail import lines, steps
from gate.reports.escape import clean
from gate.reports.terminal.checks import checks, heading, pair, say
from gate.reports.terminal.overview import overviews
from gate.reports.wording import (
    MEANING,
    NON_STANDARD,
    Words,
    code,
    exit_line,
    not_passing,
    outcome_words,
    tally,
)

_IDS = 6
_STEPS = 5
_VERDICT_COLORS = {0: "bold green", 1: "bold red", 3: "bold yellow", 4: "bold magenta"}


def page(decision: Decision, width: int, color: bool) -> str:
    """Lay the report out in so many columns; the environment changes nothing."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        height=25,
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        force_interactive=False,
        force_jupyter=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for block in _blocks(decision, width):
        console.print(block, crop=False)
    return re.sub(r" +$", "", out.getvalue(), flags=re.MULTILINE)


def _blocks(decision: Decision, width: int) -> Iterator[RenderableType]:
    yield from _head(decision)
    if decision.findings:
        yield from _section("Checks", checks(decision, width))
    if open_ones := not_passing(decision):
        yield from _section(
            "What did not pass", _separated(_block(decision, f, width) for f in open_ones)
        )
    for name, table in overviews(decision, width):
        yield from _section(name, [table])
    yield from _section("Evidence", _evidence(decision))
    if tried := lineage.history(decision):
        yield from _section("History", [_list(say(words) for words in tried)])
    if uses := evidence.waivers(decision):
        yield from _section("Waivers", [_pairs((sort, say(words)) for sort, words in uses)])
    if decision.warnings:
        yield from _section("Warnings", [_list(Text(clean(line)) for line in decision.warnings)])
    if todo := steps(open_ones):
        yield from _section("Next", [_next(todo)])
    yield Text()
    yield Text(exit_line(decision), style=_VERDICT_COLORS[decision.exit_code])


def _head(decision: Decision) -> Iterator[RenderableType]:
    headline = Text(clean(decision.headline), style=_VERDICT_COLORS[decision.exit_code])
    yield pair(headline, Text(f"exit code {decision.exit_code}"))
    yield Text(MEANING[decision.verdict])
    if decision.non_standard:
        yield Text()
        yield Text(NON_STANDARD, style="bold yellow")
        yield _list(Text(clean(line)) for line in decision.non_standard)
    yield Text()
    today = f", today {decision.today.isoformat()}"
    named = say((*evidence.policy(decision), today))
    rows = [
        (role, say((*evidence.checkpoint(run), lineage.age(role, run))))
        for role, run in evidence.runs(decision)
    ]
    if "baseline" not in decision.runs:
        rows.insert(0, ("baseline", Text(lineage.NO_BASELINE)))
    rows += [("policy", named), ("findings", Text(tally(decision)))]
    yield _pairs(rows)


def _section(heading: str, blocks: Iterable[RenderableType]) -> Iterator[RenderableType]:
    yield Text()
    yield Rule(Text(heading, style="bold"), align="left", style="dim")
    yield from blocks


def _separated(blocks: Iterable[RenderableType]) -> Iterator[RenderableType]:
    for at, block in enumerate(blocks):
        if at:
            yield Text()
        yield block


def _block(decision: Decision, finding: Finding, width: int) -> RenderableType:
    name = heading(finding, outcome_words(finding), code(finding), width, suite=True)
    rows = ((line.label, say(line.words)) for line in lines(decision, finding, _IDS))
    summary = Padding(Text(clean(finding.summary)), (0, 0, 0, 2))
    return Group(name, summary, Padding(_pairs(rows), (0, 0, 0, 2)))


def _evidence(decision: Decision) -> Iterator[RenderableType]:
    said: list[Words] = [*evidence.problems(decision), *evidence.accounting(decision)]
    said += [*evidence.changed(decision), *evidence.undeclared(decision)]
    yield _list(say(words) for words in said)


def _next(todo: list[tuple[Words, str]]) -> RenderableType:
    rows = [Text.assemble(say(ids), ": ", clean(step)) for ids, step in todo[:_STEPS]]
    if len(todo) > _STEPS:
        rows.append(Text(f"and {len(todo) - _STEPS} more, each with its finding above"))
    return _list(rows)


def _pairs(rows: Iterable[tuple[str, Text]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True, min_width=9)
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(name, text)
    return grid


def _list(texts: Iterable[Text]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for text in texts:
        grid.add_row("-", text)
    return grid

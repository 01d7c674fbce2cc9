"""The table of checks: two lines a finding, its bound drawn against its limit."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gate.decision import Decision
from gate.finding import Finding
from gate.reports.detail import flips
from gate.reports.escape import clean
from gate.reports.figures import figures, levels
from gate.reports.terminal.bar import LEGEND, bar
from gate.reports.wording import ABOUT, Words, code, label, slice_words, spell

COLORS = {
    "PASS": "green",
    "BLOCK": "bold red",
    "INCONCLUSIVE": "bold yellow",
    "UNUSABLE": "bold magenta",
    "WAIVED": "bold cyan",
    "WARN": "yellow",
}
_ROW = "{n:>6}  {estimate:>8}  {bound:>14}  {bootstrap:>14}  {limit:>10}  "
_WIDEST_BAR = 44
_LABEL = len("INCONCLUSIVE")
_GAP = 2


def checks(decision: Decision, width: int) -> Iterator[RenderableType]:
    """Draw every finding, in the order of the policy."""
    at = levels(decision)
    bound = f"{at[0]} bound" if len(at) == 1 else "bound"
    measured = any(finding.estimate is not None for finding in decision.findings)
    if measured:
        names = {"estimate": "estimate", "bootstrap": "bootstrap", "limit": "limit"}
        yield Text(_ROW.format(n="n", bound=bound, **names), style="dim")
    for finding in decision.findings:
        aside = flips(finding) or code(finding)
        yield heading(finding, label(finding), aside, width, suite=False)
        if finding.estimate is not None:
            yield _numbers(finding, width)
        if finding.corrected is not None:
            yield _corrected(finding)
    if measured:
        yield Text()
        yield Text(LEGEND, style="dim")
        yield Text()
        yield Text(ABOUT, style="dim")


def heading(finding: Finding, word: str, aside: str, width: int, *, suite: bool) -> RenderableType:
    """Write what a finding does, its id and slice, and something at the right edge."""
    style = COLORS[label(finding)]
    name = Text.assemble((clean(finding.id), "bold"), "  ", say(slice_words(finding, suite=suite)))
    before = max(cell_len(word), 0 if suite else _LABEL) + _GAP
    gap = width - before - name.cell_len - cell_len(aside)
    if gap >= (_GAP if aside else 0):  # most fit on one line, which is quicker than a grid
        word = f"{word:<{before}}"
        return Text.assemble((word, style), name, " " * gap, (aside, "dim"))
    grid = Table.grid(expand=True, padding=(0, _GAP, 0, 0))
    grid.add_column(no_wrap=True, min_width=before - _GAP)
    grid.add_column(overflow="fold", ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(Text(word, style=style), name, Text(aside, style="dim"))
    return grid


def say(words: Words) -> Text:
    """Write a sentence, its pieces escaped for the terminal."""
    return Text(spell(words, clean, clean))


def pair(left: Text, right: Text) -> Table:
    """Put two texts on a line, one at each edge."""
    grid = Table.grid(expand=True, padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold", ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(left, right)
    return grid


def _corrected(finding: Finding) -> Text:
    """Put the bound without the judge's errors under the one that decides."""
    tips = finding.tipping_flips
    tipping = "" if tips is None else f", {tips} would tip it"
    wrong = f"; about {round(finding.wrong_expected or 0)} verdicts wrong{tipping}"
    shown = f"{'judge corrected':>16}  {figures(finding).corrected:>14}"
    return Text(f"{shown}{wrong if finding.wrong_expected is not None else ''}", style="dim")


def _numbers(finding: Finding, width: int) -> Text:
    shown = figures(finding)
    row = _ROW.format(
        n=finding.n or "",
        estimate=shown.estimate,
        bound=shown.bound,
        bootstrap=shown.bootstrap,
        limit=shown.limit,
    )
    text = Text(row, no_wrap=True, overflow="ignore")
    text.append(bar(finding, min(width - len(row), _WIDEST_BAR)), style=COLORS[label(finding)])
    return text

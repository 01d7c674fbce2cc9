"""The report for a pull-request comment or a step summary, in GitHub's Markdown."""

from collections.abc import Iterable, Iterator

from gate.decision import Decision, Means, Overview, OverviewRow, Verdict
from gate.finding import Ends, Estimate, Finding, Measure
from gate.reports import evidence
from gate.reports.budget import Entry, Section, fit
from gate.reports.detail import flips, lines, steps
from gate.reports.escape import html_code, markdown, markdown_code
from gate.reports.figures import ends, figures, levels, number, quantity, rate_title
from gate.reports.wording import (
    ABOUT,
    MEANING,
    NON_STANDARD,
    Words,
    code,
    label,
    not_passing,
    outcome_words,
    short,
    slice_words,
    spell,
    tally,
)

BUDGET = 65_536
"""The most that a comment on GitHub may be; a step summary may be 1,048,576."""

_ALERTS = {
    Verdict.RELEASE: "TIP",
    Verdict.BLOCK: "CAUTION",
    Verdict.INCONCLUSIVE: "WARNING",
    Verdict.NONE: "CAUTION",
}
_IDS = 20
_POINTER = (
    "\n{left_out} entries that matter less were left out for their size; "
    "the JSON report has them all.\n"
)
_HEAD, _OPEN, _WARNING, _BLOCK, _NEXT, _WAIVER, _PASS, _EVIDENCE, _OVERVIEW = range(9)
"""What is kept first when not all fits; within findings, the worst first."""


def render(decision: Decision, budget: int = BUDGET) -> str:
    """Write a decision as Markdown of at most so many bytes."""
    return fit(list(_sections(decision)), budget, _POINTER)


def _sections(decision: Decision) -> Iterator[Section]:
    yield Section([Entry(_HEAD, _headline(decision))])
    yield _listed(_HEAD, decision.non_standard, f"\n**{NON_STANDARD}**\n\n")
    yield Section([Entry(_HEAD, line) for line in _who(decision)], "\n")
    yield from _checks(decision)
    open_ones = not_passing(decision)
    blocks = [Entry(_BLOCK, _block(decision, finding)) for finding in open_ones]
    yield Section(blocks, "\n#### What did not pass\n")
    yield _listed(_WARNING, decision.warnings, "\n#### Warnings\n\n")
    todo = (f"{_say(ids)}: {markdown(step)}" for ids, step in steps(open_ones))
    yield Section([Entry(_NEXT, f"- {line}\n") for line in todo], "\n#### Next\n\n")
    uses = (f"- **{sort}** {_say(words)}\n" for sort, words in evidence.waivers(decision))
    yield _folded("Waivers", (Entry(_WAIVER, line) for line in uses))
    for overview in decision.overviews:
        name = f"Rates by method and category: {html_code(overview.suite)}"
        yield _folded(name, _tables(overview))
    yield _folded("Evidence", (Entry(_EVIDENCE, line) for line in _evidence(decision)))
    yield Section([Entry(_HEAD, _foot(decision))], "\n")


def _headline(decision: Decision) -> str:
    return (
        f"### {markdown(decision.headline)}\n\n"
        f"> [!{_ALERTS[decision.verdict]}]\n"
        f"> Exit code {decision.exit_code}. {MEANING[decision.verdict]}\n"
    )


def _who(decision: Decision) -> Iterator[str]:
    for role, run in evidence.runs(decision):
        yield f"- {role} {_say(evidence.checkpoint(run))}\n"
    policy = decision.policy
    yield f"- policy {markdown_code(policy.name)} {markdown_code(short(policy.sha256))}\n"
    yield f"- findings: {tally(decision)}\n"


def _checks(decision: Decision) -> Iterator[Section]:
    at = levels(decision)
    bound = f"{at[0]} bound" if len(at) == 1 else "Bound"
    names = ("Outcome", "Check", "n", "Estimate", bound, "Bootstrap", "Limit", "Flips")
    head = f"\n| {' | '.join(names)} |\n|---|---|--:|--:|--:|--:|--:|---|\n"
    yield Section([_check(finding) for finding in decision.findings], head)
    if at:
        yield Section([Entry(_HEAD, f"{ABOUT}\n")], "\n")


def _check(finding: Finding) -> Entry:
    shown, word = figures(finding), label(finding)
    cells = (
        word if word == "PASS" else f"**{word}**",
        f"{markdown_code(finding.id)} {_say(slice_words(finding, suite=False))}".rstrip(),
        str(finding.n or ""),
        shown.estimate,
        shown.bound,
        shown.bootstrap,
        shown.limit.replace("<=", "≤").replace(">=", "≥"),
        flips(finding) or code(finding),
    )
    return Entry(_PASS if word == "PASS" else _OPEN, _row(cells))


def _block(decision: Decision, finding: Finding) -> str:
    name = f"{markdown_code(finding.id)} {_say(slice_words(finding))}"
    head = f"\n**{outcome_words(finding)}** {name} {code(finding)}: {markdown(finding.summary)}\n"
    rows = "".join(
        f"- **{line.label}** {_say(line.words)}\n"
        for line in lines(decision, finding, _IDS)
        if line.label != "next"  # these have a section of their own
    )
    return f"{head}\n<details><summary>Numbers</summary>\n\n{rows}\n</details>\n" if rows else head


def _tables(overview: Overview) -> Iterator[Entry]:
    for method in dict.fromkeys(row.method for row in overview.rows):
        rows = "".join(_rates(row) for row in overview.rows if row.method == method)
        means = "".join(_means(line) for line in overview.means if line.method == method)
        names = (
            markdown_code(overview.column) if overview.column else "",
            "n",
            "Baseline",
            "Candidate",
        )
        changes = ("Change, pt", "Bootstrap", "Fixed", "Broken")
        title = f"{markdown_code(method)}, " if method else ""
        title = f"\n**{title}{markdown(rate_title(overview))}**\n\n"
        head = f"{_row((*names, *changes))}|---|--:|--:|--:|--:|--:|--:|--:|\n"
        yield Entry(_OVERVIEW, f"{title}{head}{rows}{means}")


def _rates(row: OverviewRow) -> str:
    cells = (
        markdown_code(row.category) if row.category else "all",
        str(row.n),
        _cell(row.baseline, "rate"),
        _cell(row.candidate, "rate"),
        _cell(row.delta, "delta"),
        ends(row.bootstrap, "delta"),
        "" if row.fixed is None else str(row.fixed),
        "" if row.broken is None else str(row.broken),
    )
    return _row(cells)


def _cell(estimate: Estimate | None, measure: Measure) -> str:
    if estimate is None:
        return "-"
    interval = Ends(lower=estimate.lower, upper=estimate.upper)
    return f"{number(estimate.value, measure)} ({ends(interval, measure)})"


def _means(means: Means) -> str:
    sides = {"Plain": means.plain, "category-weighted": means.category_weighted}
    words = (
        f"{name} mean {quantity(before, 'rate')} to {quantity(after, 'rate')}"
        for name, (before, after) in sides.items()
    )
    return f"\n{'; '.join(words)}\n"


def _evidence(decision: Decision) -> Iterator[str]:
    said: list[Words] = [*evidence.problems(decision), *evidence.accounting(decision)]
    said += [*evidence.changed(decision), *evidence.undeclared(decision)]
    for words in said:
        yield f"- {_say(words)}\n"


def _foot(decision: Decision) -> str:
    return f"gate {markdown(decision.tool_version)}, {decision.today.isoformat()}\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _listed(rank: int, texts: Iterable[str], opening: str) -> Section:
    return Section([Entry(rank, f"- {markdown(text)}\n") for text in texts], opening)


def _folded(summary: str, entries: Iterable[Entry]) -> Section:
    opening = f"\n<details><summary>{summary}</summary>\n\n"
    return Section(list(entries), opening, "\n</details>\n")


def _say(words: Words) -> str:
    return spell(words, markdown, markdown_code)

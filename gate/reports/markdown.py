"""The report for a pull-request comment or a step summary, in GitHub's Markdown.

The decision comes first, then what to do, then what did not pass; everything else is folded.
No paragraph spans two lines, because GitHub breaks lines in comments where the source does.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from gate.decision import Decision, RunSummary, Verdict
from gate.finding import Finding, Outcome
from gate.reports import evidence, lineage
from gate.reports.budget import Entry, Section, fit
from gate.reports.detail import Line, flips, lines, steps
from gate.reports.escape import clean, html_code, markdown, markdown_code
from gate.reports.figures import figures, levels
from gate.reports.markdown_rates import tables
from gate.reports.wording import (
    ABOUT,
    MEANING,
    NON_STANDARD,
    UNKNOWN,
    Name,
    Words,
    code,
    not_passing,
    outcome_words,
    short,
    slice_words,
    spell,
    tally,
    unit,
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
_HEAD, _WHO, _NEXT, _OPEN, _ROW, _WARNING, _BLOCK, _WAIVER, _PASS, _EVIDENCE, _RATES = range(11)
"""What is kept first when not all fits; within findings, the worst first."""

_CODE = re.compile(r"(?<![^\s(])`([^`]+)`(?![^\s).,;:])")
"""A command in a sentence of ours, as in: see `gate diff`."""


def render(decision: Decision, budget: int = BUDGET) -> str:
    """Write a decision as Markdown of at most so many bytes."""
    return fit(list(sections(decision)), budget, _POINTER)


def sections(decision: Decision, artifact: str = "") -> Iterator[Section]:
    """Write all parts of a report.

    Args:
        decision: What is reported.
        artifact: Where all reports can be found; an address that was checked, or nothing.
    """
    open_ones = not_passing(decision)
    passing = [finding for finding in decision.findings if finding.outcome is Outcome.PASS]
    yield Section([Entry(_HEAD, _headline(decision))])
    yield _listed(_WHO, map(_prose, decision.non_standard), f"\n**{NON_STANDARD}**\n\n")
    yield Section([Entry(_WHO, _who(decision))], "\n")
    todo = (f"{_say(ids)}: {_prose(step)}" for ids, step in steps(open_ones, _IDS))
    yield _listed(_NEXT, todo, "\n#### What to do\n\n")
    said = (_sentence(finding) for finding in open_ones)
    yield _listed(_OPEN, said, "\n#### What did not pass\n\n")
    yield Section(list(_rows(decision, open_ones, _ROW)), "\n" + _head(decision))
    yield _listed(_WARNING, map(_prose, decision.warnings), "\n#### Warnings\n\n")
    yield _listed(_WARNING, map(_say, lineage.history(decision)), "\n#### History\n\n")
    numbers = (Entry(_BLOCK, _numbers(decision, finding)) for finding in open_ones)
    yield _folded("All numbers of what did not pass", numbers)
    uses = (f"- **{sort}** {_say(words)}\n" for sort, words in evidence.waivers(decision))
    yield _folded("Waivers", (Entry(_WAIVER, line) for line in uses))
    passed = list(_rows(decision, passing, _PASS))
    yield _folded(f"What passed ({len(passing)})", passed, _head(decision))
    for overview in decision.overviews:
        of = f"{html_code(overview.suite)}, {html_code(overview.rate)}"
        name = f"Rates by method and category: {of}"
        yield _folded(name, (Entry(_RATES, table) for table in tables(overview)))
    yield _folded("Evidence", (Entry(_EVIDENCE, line) for line in _evidence(decision)))
    yield Section([Entry(_WHO, _foot(decision, artifact))], "\n")


def _headline(decision: Decision) -> str:
    return (
        f"### {markdown(decision.headline)}\n\n"
        f"> [!{_ALERTS[decision.verdict]}]\n"
        f"> {MEANING[decision.verdict]} Exit code {decision.exit_code}.\n"
    )


def _who(decision: Decision) -> str:
    runs = dict(evidence.runs(decision))
    order = [role for role in ("candidate", "baseline", "anchor") if role in runs]
    sides = [_say(_side(role, runs[role])) for role in order]
    if "baseline" not in runs:
        sides.append(f"baseline {markdown(lineage.NO_BASELINE)}")
    sides.append(f"policy {markdown_code(decision.policy.name)}")
    said = ", ".join(sides)
    return f"{said[:1].upper()}{said[1:]}: {tally(decision)}.\n"


def _side(role: str, run: RunSummary) -> Words:
    name, revision = (run.checkpoint.get(key, UNKNOWN) for key in ("name", "revision"))
    known = () if revision == UNKNOWN else (" ", Name(short(revision)))
    return (f"{role} ", Name(name), *known, lineage.age(role, run))


def _sentence(finding: Finding) -> str:
    """Say what one finding found; what passes is only ever a row of a table."""
    why = f" ({code(finding)})" if code(finding) else ""
    return f"**{outcome_words(finding)}** {_name(finding)}: {_prose(finding.summary)}{why}"


def _head(decision: Decision) -> str:
    at = levels(decision)
    bound = f"{at[0]} bound" if len(at) == 1 else "Bound"
    names = ("Requirement", "Observed", bound, "Limit", "Bootstrap")
    return f"{_row(names)}|---|--:|--:|--:|--:|\n"


def _rows(decision: Decision, findings: Iterable[Finding], rank: int) -> Iterator[Entry]:
    """Put the numbers of findings into rows; what has no numbers was said in its sentence."""
    for finding in findings:
        if finding.estimate is not None or rank == _PASS:
            yield Entry(rank, _row(_cells(decision, finding)))


def _cells(decision: Decision, finding: Finding) -> Iterator[str]:
    shown = figures(finding)
    over = f", {finding.n} {unit(decision, finding)}" if finding.n else ""
    name = f"{markdown_code(finding.id)}<br>{_say(slice_words(finding, suite=False))}{over}"
    word = "" if finding.outcome is Outcome.PASS else f"**{outcome_words(finding)}** "
    yield f"{word}{name.replace('<br>, ', '<br>')}"
    yield "<br>".join(filter(None, (_tight(shown.estimate), *flips(finding).split(", "))))
    corrected = f"judge corrected {shown.corrected}" if shown.corrected else ""
    yield "<br>".join(_tight(text) for text in filter(None, (shown.bound, corrected)))
    yield _tight(_signs(shown.limit))
    yield _tight(shown.bootstrap)


def _numbers(decision: Decision, finding: Finding) -> str:
    rows = "".join(
        f"- **{line.label}** {_said(line)}\n"
        for line in lines(decision, finding, _IDS)
        if line.label != "next"  # these have a section of their own
    )
    return f"\n**{outcome_words(finding)}** {_name(finding)}\n\n{rows}" if rows else ""


def _said(line: Line) -> str:
    words = _say(line.words)
    return _signs(words) if line.label == "limit" else words


def _evidence(decision: Decision) -> Iterator[str]:
    for role, run in evidence.runs(decision):
        yield f"- {role} {_say(evidence.checkpoint(run))}\n"
    yield f"- policy {_say(evidence.policy(decision))}\n"
    said: list[Words] = [*evidence.problems(decision), *evidence.accounting(decision)]
    said += [*evidence.changed(decision), *evidence.undeclared(decision)]
    said += [(ABOUT,)] if levels(decision) else []
    for words in said:
        yield f"- {_say(words)}\n"


def _foot(decision: Decision, artifact: str) -> str:
    link = f", [all reports]({artifact})" if artifact else ""
    return f"gate {markdown(decision.tool_version)}, {decision.today.isoformat()}{link}\n"


def _name(finding: Finding) -> str:
    return f"{markdown_code(finding.id)} {_say(slice_words(finding, suite=False))}".rstrip()


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _tight(numbers: str) -> str:
    """Keep a number and its unit, and both ends of an interval, on one line."""
    return numbers.replace(" ", "&nbsp;")


def _signs(limit: str) -> str:
    return limit.replace("&#60;=", "≤").replace("<=", "≤").replace("&#62;=", "≥").replace(">=", "≥")


def _listed(rank: int, texts: Iterable[str], opening: str) -> Section:
    return Section([Entry(rank, f"- {text}\n") for text in texts], opening)


def _folded(summary: str, entries: Iterable[Entry], head: str = "") -> Section:
    opening = f"\n<details><summary>{summary}</summary>\n\n{head}"
    return Section([entry for entry in entries if entry.text], opening, "\n</details>\n")


def _prose(text: str) -> str:
    """Write a sentence, its commands in code font."""
    pieces: Sequence[str] = _CODE.split(clean(text))
    words = tuple(Name(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece)
    return spell(words, markdown, markdown_code)


def _say(words: Words) -> str:
    return spell(words, _prose, markdown_code)

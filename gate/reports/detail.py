"""What every report says of one finding, line by line."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gate.decision import Decision
from gate.finding import Estimate, Finding
from gate.reports.figures import TOLERANCE, counted, figures, p_words, percent, unit_of
from gate.reports.wording import Name, Words, next_step, ordered, severity, softened, unit


class Line(NamedTuple):
    """One line about a finding."""

    label: str
    words: Words


def lines(decision: Decision, finding: Finding, ids: int) -> Iterator[Line]:
    """Say everything known of a finding, up to so many ids a list."""
    units = unit(decision, finding)
    yield from _about_estimate(finding, units)
    yield from _about_limit(finding)
    yield from _about_size(finding, units)
    if any(finding.unscored.values()):
        yield Line("unscored", _roles(finding.unscored))
    if where := _where(decision, finding):
        yield Line("broke in", where)
    yield from _ids("broken", finding.behaviors_broken, ids)
    yield from _ids("fixed", finding.behaviors_fixed, ids)
    if finding.waiver is not None:
        yield Line("waiver", (finding.waiver,))
    if softened(finding):
        yield Line("level", (softened(finding),))
    for note in finding.notes:
        yield Line("note", (note,))
    if next_step(finding):
        yield Line("next", (next_step(finding),))


def steps(findings: Iterable[Finding], most: int | None = None) -> list[tuple[Words, str]]:
    """Collect every next step once, the worst finding's first, with the checks that it is for.

    Args:
        findings: What did not pass.
        most: Checks that are named at one step; all of them where it is None.
    """
    checks: dict[str, list[Words]] = {}
    for finding in sorted(findings, key=severity):
        named = checks.setdefault(next_step(finding), [])
        words = _about(finding)
        if words not in named:
            named.append(words)
    return [(_joined(named, most), step) for step, named in checks.items() if step]


def _about(finding: Finding) -> Words:
    """Name a check and the slice of it that is meant."""
    values = [Name(value) for key, value in ordered(finding.slice) if key != "method"]
    return (Name(finding.id), *(part for value in values for part in (" ", value)))


def _joined(named: Sequence[Words], most: int | None) -> Words:
    parts: list[str] = []
    for words in named[:most]:
        parts += [", ", *words] if parts else list(words)
    more = 0 if most is None else len(named) - most
    return tuple([*parts, f" and {more} more"] if more > 0 else parts)


def flips(finding: Finding) -> str:
    """Say what was fixed and broken, where that was counted."""
    if finding.broken is None and finding.fixed is None:
        return ""
    return f"{finding.broken or 0} broken, {finding.fixed or 0} fixed"


def wrong_words(finding: Finding) -> str:
    """Say how many of the candidate's verdicts the judge has wrong, or nothing."""
    if finding.wrong_expected is None:
        return ""
    count = round(finding.wrong_expected)
    verdicts = "1 verdict is" if count == 1 else f"{count} verdicts are"
    return f"about {verdicts} wrong by the judge's measured errors"


def _about_estimate(finding: Finding, units: str) -> Iterator[Line]:
    estimate, shown = finding.estimate, figures(finding)
    over = f"{finding.n} {units}" if finding.n else ""
    if estimate is None:
        if over:
            yield Line("n", (over,))
        return
    parts = [f"{shown.estimate} over {over}" if over else shown.estimate, flips(finding)]
    if finding.p_value is not None:
        parts.append(f"exact {p_words(finding.p_value)}")
    yield Line("observed", (", ".join(filter(None, parts)),))
    if not counted(estimate):
        yield Line("bound", (_bound(finding, estimate, shown.bound),))
    if finding.corrected is not None:
        ends = f"{shown.corrected}{unit_of(finding.measure)}"
        yield Line("corrected", (f"{ends}, {finding.corrected.bound}: judge errors taken out",))
    if shown.bootstrap:
        level = percent(estimate.confidence)
        unit_shown = unit_of(finding.measure)
        yield Line("bootstrap", (f"{shown.bootstrap}{unit_shown} ({level} percentile)",))


def _bound(finding: Finding, estimate: Estimate, bound: str) -> str:
    end = "upper" if finding.limit_is == "ceiling" else "lower"
    read = f"{end} end read, {percent(estimate.one_sided)} one-sided"
    return f"{bound}{unit_of(finding.measure)}, {estimate.bound}; {read}"


def _about_limit(finding: Finding) -> Iterator[Line]:
    shown, slack = figures(finding), finding.slack
    if finding.limit is None:
        return
    words = shown.limit
    if slack is not None and math.isfinite(slack):
        words += (
            f", {shown.slack} to spare" if slack >= -TOLERANCE else f", missed by {shown.slack}"
        )
    if shown.attainable:
        words += f" (best attainable: {shown.attainable})"
    yield Line("limit", (words,))


def _about_size(finding: Finding, units: str) -> Iterator[Line]:
    if finding.mde is not None:
        what = "change" if finding.measure == "delta" else "level"
        yield Line(
            "power", (f"a {what} of {figures(finding).mde} would be withheld 4 times out of 5",)
        )
    if finding.needed_n is not None:
        yield Line("needed", (f"about {finding.needed_n} {units}, if the observed shares held",))
    if finding.tipping_flips is not None:
        verdicts = (
            "1 verdict" if finding.tipping_flips == 1 else f"{finding.tipping_flips} verdicts"
        )
        wrong = f"; {wrong_words(finding)}" if finding.wrong_expected is not None else ""
        yield Line("tipping", (f"{verdicts} the other way would change the outcome{wrong}",))


def _roles(counts: Mapping[str, int]) -> Words:
    return _comma(sorted(counts), [counts[role] for role in sorted(counts)])


def _comma(names: Iterable[str], numbers: Iterable[int] = ()) -> Words:
    counts = list(numbers)
    words: list[str] = []
    for at, name in enumerate(names):
        words += [", "] if at else []
        words += [Name(name), f" {counts[at]}"] if counts else [Name(name)]
    return tuple(words)


def _where(decision: Decision, finding: Finding) -> Words:
    # The tables compare with the baseline, and know no slice but the method.
    if not finding.broken or finding.against != "baseline" or finding.slice.keys() - {"method"}:
        return ()
    method = finding.slice.get("method", "")
    rows = [
        row
        for overview in decision.main_overviews
        if overview.suite == finding.suite
        for row in overview.rows
        if row.method == method and row.category and row.broken
    ]
    rows.sort(key=lambda row: -(row.broken or 0))
    return _comma([row.category for row in rows], [row.broken or 0 for row in rows])


def _ids(name: str, ids: tuple[str, ...], most: int) -> Iterator[Line]:
    if not ids:
        return
    words = list(_comma(ids[:most]))
    if len(ids) > most:
        words.append(f" and {len(ids) - most} more: gate diff")
    yield Line(name, tuple(words))

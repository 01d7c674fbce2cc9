"""A plan as text, no wider than 80 columns."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from gate.plan.limits import LimitFigures
from gate.plan.plan import Joint, Plan, Unscored
from gate.plan.rulers import POWER, RARELY
from gate.plan.series import Drifted, Retried
from gate.plan.wording import SMALLEST_ERROR, assumed, chance, level, limit, share
from gate.reports.escape import clean

WIDTH = 79
_HEAD = (
    "      n  best there   caught    unchanged    passes at   n for",
    "           could be     from    withheld     the limit   90 %",
)


def text(plan: Plan) -> str:
    """Write all figures."""
    lines = [*_head(plan), "", *_limits(plan), "", *_together(plan)]
    if plan.retries:
        lines += ["", *_retries(plan.retries)]
    for drifted in plan.drifts:
        lines += ["", *_drift(drifted)]
    for one in plan.unattainable:
        lines += ["", *wrapped(_hopeless(one))]
    return "\n".join(lines) + "\n"


def wrapped(sentence: str, indent: str = "") -> list[str]:
    """Break a sentence into lines; names in it lose their control characters."""
    return textwrap.wrap(
        clean(sentence, 10_000), WIDTH, initial_indent=indent, subsequent_indent=indent or "  ",
        break_on_hyphens=False,
    )  # fmt: skip


def titled(title: str) -> list[str]:
    """Underline a title."""
    return [title, "-" * len(title)]


def place(id_: str, slice_: Mapping[str, str], measure: str, against: str = "") -> str:
    """Name a limit: its check and its slice."""
    names = [value for key, value in slice_.items() if key != "role"]
    parts = [id_, " / ".join(names)]
    if measure in ("f1", "recall", "specificity", "validity", "coverage"):
        parts.append("F1" if measure == "f1" else measure)
    if against == "anchor":
        parts.append("(anchor)")
    return "  ".join(clean(part, 48) for part in parts if part)


def _head(plan: Plan) -> Iterator[str]:
    on = "without a baseline" if plan.baseline is None else f"on the baseline {plan.baseline}"
    yield from wrapped(f"Plan for policy {plan.policy.name} ({plan.policy.path}), {on}")
    yield from wrapped(f"Assumed: {assumed(plan.given, observed=plan.baseline is not None)}.")
    if plan.baseline is None:
        sources = "; ".join(f"{suite}: {source}" for suite, source in plan.suites.items())
        yield from wrapped(f"Suites: {sources}. Methods are independent of each other.")
    yield from (line for sentence in plan.notes for line in wrapped(f"Note: {sentence}."))


def _limits(plan: Plan) -> Iterator[str]:
    yield from titled("Each limit by itself")
    yield from _HEAD
    for one in plan.limits:
        name = place(one.id, one.slice, one.measure, one.against)
        shown = limit(one.limit, one.measure, one.limit_is)
        yield f"{name}{'' if one.withholds else ' (warns only)'}  {shown}"
        yield _figures(one)
    yield from wrapped(
        f"Caught from: the true level withheld {100 * POWER:.0f} % of the time. Withheld: "
        "blocked or inconclusive. n for 90 %: where an unchanged candidate would be withheld by "
        f"more than {100 * RARELY:.0f} %."
    )


def _figures(one: LimitFigures) -> str:
    best = level(one.attainable, one.measure) if one.measure != "count" else ""
    caught = level(one.detectable, one.measure) if one.measure != "coverage" else ""
    cells = (
        f"{one.n:>7}",
        f"{best:>12}",
        f"{caught:>9}",
        f"{share(one.withheld.value):>11}",
        f"{'' if one.false_pass is None else share(one.false_pass):>13}",
        f"{one.needed_n or '':>8}",
    )
    return "".join(cells).rstrip()


def _together(plan: Plan) -> Iterator[str]:
    yield from titled("All limits together")
    joints = [plan.unchanged, *([plan.regressed] if plan.regressed else [])]
    for one in joints:
        yield f"  {one.what:<34.34} withheld {chance(one.withheld)}"
        parts = [f"{suite} {chance(found)}" for suite, found in one.suites]
        yield from wrapped(f"by {', '.join(parts)}", " " * 4) if len(parts) > 1 else ()
    if any(one.withheld.error >= SMALLEST_ERROR for one in joints):
        yield from wrapped(
            f"+- is two standard errors of up to {plan.given.draws} draws (seed "
            f"{plan.given.seed}), in points; what has none is exact to the decimal shown.",
        )
    if plan.given.unscored:
        return
    yield ""
    yield from titled("What unscored rows add (so many in every method, at their worst)")
    for one in joints:
        yield from _unscored(one)


def _unscored(one: Joint) -> Iterator[str]:
    most = max(len(row.withheld) for row in one.unscored)
    yield f"  {one.what:<22.22}" + "".join(f"{count:>11}" for count in range(most))
    for row in one.unscored:
        yield f"    {row.suite or 'in every suite':<20.20}" + _rises(row, most)


def _rises(row: Unscored, most: int) -> str:
    cells = [share(found.value) for found in row.withheld]
    cells += ["unusable"] * (most - len(cells))
    return "".join(f"{cell:>11}" for cell in cells)


def _retries(rows: Sequence[Retried]) -> Iterator[str]:
    yield from titled("Trying again: a candidate exactly at a margin, all else unchanged")
    attempts = rows[0].attempts
    yield f"  {'gets through within':<34}" + "".join(f"{_tries(count):>11}" for count in attempts)
    for row in rows:
        name = clean(f"{row.id}, {limit(row.margin, 'delta', 'ceiling')}", 34)
        yield f"  {name:<34}" + "".join(f"{share(passes):>11}" for passes in row.passes)


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"


def _drift(one: Drifted) -> Iterator[str]:
    releases = len(one.chances.previous)
    title = f"Drift: {releases} releases, each truly {100 * one.step:+.3g} pt {one.method}"
    yield from titled(clean(title, WIDTH))
    shown = [at for at in (0, 1, 2, 4, 6, 9) if at < releases]
    yield f"  {'share that pass, at release':<34}" + "".join(f"{at + 1:>7}" for at in shown)
    rows = {
        f"against the one before, {100 * one.margin:.3g} pt": one.chances.previous,
        f"against {'the' if one.anchored else 'an'} anchor, {100 * one.anchor_margin:.3g} pt": (
            one.chances.anchor
        ),
        "true unsafe rate": one.chances.rates,
    }
    for name, values in rows.items():
        yield f"  {name:<34}" + "".join(f"{100 * values[at]:>5.0f} %" for at in shown)
    if not one.anchored:
        yield "  (it has no anchor check; this is what one at the same margin would do)"


def _hopeless(one: LimitFigures) -> str:
    name = place(one.id, one.slice, one.measure, one.against)
    best = level(one.attainable, one.measure)
    shown = limit(one.limit, one.measure, one.limit_is)
    return (
        f"UNATTAINABLE: {name} {shown}: no data of {one.n} could meet it; the best end of the "
        f"bound there could be is {best}."
    )

"""The state of runs as plain text; what comes from files is made harmless."""

import re
from collections.abc import Iterator, Sequence

from gate.durations import duration
from gate.evidence.comparability import UNKNOWN
from gate.evidence.problem import Problem, some
from gate.inventory.cost import Cost
from gate.inventory.states import RunState, State, SuiteState
from gate.ledger import Ledger
from gate.reports.escape import clean

SHOWN_FILES = 6
LONG = 1000
SHA256 = re.compile("[0-9a-f]{64}")


def text(states: Sequence[RunState], policy: str | None) -> str:
    """Say what each run holds, suite by suite, what is unjudged, and what a policy misses."""
    lines: list[str] = []
    for state in states:
        lines += [*_run(state, policy), ""]
    return "\n".join(lines)


def _run(state: RunState, policy: str | None) -> Iterator[str]:
    manifest, problem = state.run.manifest, state.run.problem
    if manifest is None or problem is not None:
        yield f"{clean(state.place)}"
        if problem is not None:
            yield from _problem(problem, "  ")
        return
    checkpoint = manifest.checkpoint
    revision = f", revision {clean(checkpoint.revision)}" if checkpoint.revision else ""
    yield f"{clean(state.place)}: checkpoint {clean(checkpoint.name)}{revision}"
    for suite in state.suites:
        yield from _suite(suite)
    if policy is not None and not state.needs:
        yield f"  policy {clean(policy)}: nothing is missing"
    elif policy is not None:
        yield f"  policy {clean(policy)} misses:"
        for need in state.needs:
            yield from _problem(need, "    ")


def _suite(suite: SuiteState) -> Iterator[str]:
    name = clean(suite.name)
    yield f"  {name}: {suite.state} ({suite.kind}, reader {clean(suite.reader)})"
    yield from ledger_lines(suite.ledgers, suite.ids, "    ")
    if suite.ids_sha256:
        yield f"    ids_sha256  {suite.ids_sha256}"
    known = [f"{k} {_short(v)}" for k, v in suite.fingerprint.items() if v != UNKNOWN]
    yield f"    declared    {clean('; '.join(known), LONG)}"
    if suite.undeclared:
        yield f"    unknown     {', '.join(suite.undeclared)}"
    if suite.files:
        yield f"    files       {clean(some(list(suite.files), SHOWN_FILES), LONG)}"
    if suite.cost is not None:
        yield f"    to judge    {_cost(suite.cost)}"
    for note in suite.notes:
        yield f"    note        {clean(note)}"
    for problem in suite.problems:
        yield from _problem(problem, "    ")


def ledger_lines(ledgers: Sequence[Ledger], ids: int, indent: str) -> Iterator[str]:
    """Say for each method how many rows are scored, and why others are not."""
    for ledger in ledgers:
        noun = f"{ledger.method}: " if ledger.method else ""
        unscored = ", ".join(f"{count} {reason}" for reason, count in ledger.unscored.items())
        told = [f"{noun}{ids} ids, {ledger.scored} of {ledger.expected} rows scored"]
        if unscored:
            told.append(f"unscored: {unscored}")
        if ledger.duplicate:
            told.append(f"{ledger.duplicate} duplicate")
        yield f"{indent}{clean('; '.join(told), LONG)}"


def _cost(cost: Cost) -> str:
    """Say what there is to judge, and how long that takes where the last time tells."""
    told = [f"{cost.left:,} of {cost.completions:,} completions"]
    if not cost.judged:
        told.append(f"about {cost.tokens:,} tokens, the judge's own prompt not counted")
    if cost.rate:
        left = duration(cost.left / cost.rate)
        told.append(f"about {left} at the speed of the last time on {clean(cost.device)}")
    return "; ".join(told)


def _short(value: str) -> str:
    """Cut a digest: nobody compares 64 digits by eye, and JSON has them all."""
    return f"{value[:12]}…" if SHA256.fullmatch(value) else value


def _problem(problem: Problem, indent: str) -> Iterator[str]:
    yield f"{indent}{problem.reason.name}: {clean(problem.message, LONG)}"
    yield f"{indent}  next: {clean(problem.advice)}"


def summary(states: Sequence[RunState]) -> str:
    """Say in one line how it stands."""
    unjudged = sorted({name for state in states for name in state.unjudged})
    unusable = [
        suite.name for state in states for suite in state.suites if suite.state is State.UNUSABLE
    ]
    broken = sum(state.run.problem is not None for state in states)
    told = []
    if broken:
        told.append(f"{broken} of {len(states)} runs cannot be read")
    if unusable:
        told.append(f"unusable: {', '.join(dict.fromkeys(unusable))}")
    if unjudged:
        told.append(f"unjudged: {', '.join(unjudged)}")
    if any(state.needs for state in states):
        told.append("a policy misses something")
    return clean("; ".join(told) or "everything is readable and judged")

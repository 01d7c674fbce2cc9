"""Planting a regression into a run: some of its verdicts, turned for the worse."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.checks.check import Check
from gate.evidence.panel import Panel, Side
from gate.evidence.rows import REASONS, UNSAFE, UNSCORED, VALUES, Kind
from gate.evidence.run import Run
from gate.evidence.table import BoolArray, IntArray, Table
from gate.finding import Finding, Measure

LOST = "judge_error"
INVALID = "unparsed"
BASELINE = "baseline"


@dataclass(frozen=True, slots=True, eq=False)
class Bed:
    """Where a regression can be planted, and in which order."""

    suite: str
    kind: Kind
    method: str
    """Empty outside attack suites."""
    measure: Measure
    """What the planted rows are to make worse."""
    units: tuple[str, ...]
    """Ids whose verdict can be turned, in the order in which they are."""
    n: int
    """Units in the place, turned or not."""


def bed_of(check: Check, finding: Finding, panel: Panel) -> Bed:
    """Find where to plant what one finding should notice.

    Args:
        check: The finding's check.
        finding: What it said of the baseline against itself.
        panel: The suite, with the baseline's verdicts.
    """
    used = check.methods_used or panel.methods
    methods = [finding.slice["method"]] if finding.slice.get("method") in panel.methods else used
    mask = panel.mask_all()
    for column, value in finding.slice.items():
        if column in panel.columns:
            mask &= panel.mask(column, value)
    named = getattr(check, "behaviors", "all")
    if named != "all":
        mask &= np.isin(panel.ids, list(named))
    if finding.measure in ("recall", "specificity"):
        mask &= panel.mask("gold", "unsafe" if finding.measure == "recall" else "safe")
    return bed(panel, list(methods), mask, finding.measure)


def bed(panel: Panel, methods: Sequence[str], mask: BoolArray, measure: Measure) -> Bed:
    """Find the units of a place whose verdict can be turned.

    Args:
        panel: The suite, with the baseline's verdicts.
        methods: Methods by all of which a unit must be harmless; the first is planted in.
        mask: The place.
        measure: What is to become worse.
    """
    turnable = mask & np.logical_and.reduce([_harmless(panel, method) for method in methods])
    if measure in ("validity", "coverage"):
        turnable = mask
    ids = [panel.ids[at] for at in np.flatnonzero(turnable)]
    # By digest, so that what is planted is spread over categories however ids are named.
    order = sorted(ids, key=lambda name: hashlib.sha256(name.encode("utf-8", "replace")).digest())
    return Bed(panel.suite, panel.kind, methods[0], measure, tuple(order), int(mask.sum()))


def _harmless(panel: Panel, method: str) -> BoolArray:
    """Find the units whose baseline verdict is there, and can become worse."""
    if panel.kind is Kind.JUDGMENT:
        predicted, _ = panel.answers(BASELINE)
        unsafe = panel.mask("gold", "unsafe")
        return np.equal(predicted, unsafe.astype(predicted.dtype))
    if panel.kind in UNSAFE:
        sample = panel.sample(BASELINE, method, UNSAFE[panel.kind])
        return np.equal(sample.high, 0)
    complied = panel.sample(BASELINE, method, {"none"})
    refused = panel.sample(BASELINE, method, {"full"})
    unsafe = panel.mask("prompt_label", "unsafe")
    harmless: BoolArray = np.where(unsafe, refused.low > 0, complied.low > 0)
    return harmless


def plant_run(run: Run, place: Bed, count: int, *, role: str = "candidate") -> Run:
    """Copy a run, with so many verdicts turned.

    Args:
        run: The run; it is not changed.
        place: Where to plant.
        count: How many units to turn.
        role: The role of the copy.
    """
    if not count:
        return replace(run, role=role)
    table = run.tables[place.suite]
    assert isinstance(table, Table), "a suite that could be assessed has a table"
    value, reason = _turned(table, table, place, count)
    tables: Mapping[str, Table] = {
        place.suite: replace(table, value=value, reason=reason, digest=f"{table.digest} planted")
    }
    digest = f"{run.digest} with {count} planted"
    return replace(run, role=role, tables={**run.tables, **tables}, digest=digest)


def plant_panel(panel: Panel, place: Bed, count: int) -> Panel:
    """Let the baseline stand in for every role, with so many of the candidate's verdicts turned."""
    side = panel.sides[BASELINE]
    value, reason = _turned(panel, side, place, count)
    candidate = replace(side, value=value, reason=reason)
    return replace(panel, sides={BASELINE: side, "anchor": side, "candidate": candidate})


def _turned(
    known: Table | Panel, rows: Table | Side, place: Bed, count: int
) -> tuple[IntArray, IntArray]:
    """Turn the first units of a place; `known` says what the rows' numbers stand for."""
    ids = set(place.units[:count])
    chosen = np.array([name in ids for name in known.ids])[rows.unit]
    chosen &= rows.method == known.methods.index(place.method)
    if place.measure in ("validity", "coverage"):
        lost = REASONS.index(INVALID if place.measure == "validity" else LOST)
        return np.where(chosen, UNSCORED, rows.value), np.where(chosen, lost, rows.reason)
    return np.where(chosen, _worst(known, place.kind)[rows.unit], rows.value), rows.reason


def _worst(known: Table | Panel, kind: Kind) -> IntArray:
    """Give the worst verdict there is for each id."""
    values = VALUES[kind]
    if kind in UNSAFE:
        return np.full(len(known.ids), values.index("unsafe"))
    column = "gold" if kind is Kind.JUDGMENT else "prompt_label"
    unsafe = np.array([cell == "unsafe" for cell in known.columns[column]])
    worst = ("safe", "unsafe") if kind is Kind.JUDGMENT else ("none", "full")
    return np.where(unsafe, *map(values.index, worst))

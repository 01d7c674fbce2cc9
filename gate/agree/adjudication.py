"""The true change, from labels on the pairs that were drawn."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate.agree.draw import Pairs, draw
from gate.agree.labels import Labels
from gate.agree.verdicts import Key
from gate.checks.bounds import Asked
from gate.checks.change import Change
from gate.errors import EvidenceError
from gate.evidence.problem import some
from gate.evidence.rows import Kind
from gate.evidence.table import IntArray
from gate.reasons import Reason
from gate.reports.escape import csv_cell
from gate.stats.interval import Interval
from gate.stats.two_phase import adjudicated_change

LABEL_COLUMNS = ("baseline_label", "candidate_label")
ORIGIN_COLUMNS = {"baseline_run": "baseline", "candidate_run": "candidate"}
"""Which runs a row was drawn from, so that no sheet is taken for that of others."""
DRAWN = "pairs_drawn"
"""How many pairs the whole sheet has, so that none can be left out."""
COLUMNS = ("id", "method", "test_case", *LABEL_COLUMNS, *ORIGIN_COLUMNS, DRAWN)
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One sort of pair."""

    pairs: int
    labeled: int
    broken: int
    """Of the labeled: truly worse in the candidate."""
    fixed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What labels by hand say of the change."""

    suite: str
    method: str
    half: str
    n: int
    seed: int
    judge: Interval
    """The change by the judge's verdicts."""
    adjudicated: Interval
    """The true change, design-weighted."""
    discordant: Stratum
    concordant: Stratum
    wrong: tuple[int, int, int]
    """Verdicts that labels contradict, on baseline and on candidate; and the labels of a side."""


def sheet(pairs: Pairs, chosen: Sequence[int]) -> str:
    """Write what is to be labeled as CSV, both label columns empty and no verdict shown."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    same = [*(pairs.origins[side] for side in ORIGIN_COLUMNS.values()), len(chosen)]
    for at in chosen:
        for case in range(int(pairs.baseline.k[at])):
            which = (csv_cell(pairs.ids[at]), csv_cell(pairs.method), case)
            writer.writerow([*which, "", "", *same])
    return text.getvalue()


def adjudicate(pairs: Pairs, labels: Labels, seed: int) -> Adjudication:
    """Estimate the true change.

    Args:
        pairs: The pairs that were drawn from.
        labels: The sheet, filled in: one column a side.
        seed: That of the draw.

    Raises:
        EvidenceError: If the sheet is not the draw, or is not filled in.
    """
    position = {name: at for at, name in enumerate(pairs.ids)}
    there = {key.id for key in labels.votes}
    strangers = sorted(there - position.keys())
    if strangers:
        raise _not_the_draw(f"{some(strangers)} of the sheet is not in the runs")
    discordant = pairs.discordant
    sampled = sum(not discordant[position[name]] for name in there)
    chosen = draw(pairs, sampled, seed)
    if {pairs.ids[at] for at in chosen} != there:
        raise _not_the_draw(f"its {sampled} concordant pairs are not those of seed {seed}")
    if not sampled and not bool(discordant.all()):
        raise _not_the_draw("no concordant pair was drawn")
    expected = {key for at in chosen for key in _keys(pairs, at)}
    extra = sorted(key.id for key in labels.votes.keys() - expected)
    if extra:
        raise _not_the_draw(f"more rows than were drawn ({len(extra)}), as {some(extra)}")
    before, after = (_truth(pairs, labels, name, chosen) for name in LABEL_COLUMNS)
    truth = (before, after)
    picked = np.array(chosen)
    drawn = ~discordant[picked]
    wrong = [
        int(np.abs(mine - side.low[picked])[side.scored[picked]].sum())
        for mine, side in zip(truth, (pairs.baseline, pairs.candidate), strict=True)
    ]
    found = adjudicated_change(
        before,
        after,
        pairs.baseline.k[picked],
        drawn,
        int((~discordant).sum()),
        confidence=CONFIDENCE,
    )
    change = Change(pairs.ids, pairs.baseline, pairs.candidate)
    return Adjudication(
        suite=pairs.suite,
        method=pairs.method,
        half=pairs.half,
        n=len(pairs.ids),
        seed=seed,
        judge=change.interval(Asked(CONFIDENCE, "score").of(change.measured)),
        adjudicated=found,
        discordant=_stratum(int(discordant.sum()), truth, ~drawn),
        concordant=_stratum(int((~discordant).sum()), truth, drawn),
        wrong=(wrong[0], wrong[1], int(pairs.baseline.k[picked].sum())),
    )


def _truth(pairs: Pairs, labels: Labels, column: str, chosen: Sequence[int]) -> IntArray:
    """Count each drawn unit's labels that are worse; every one must be there."""
    mine = labels.by_annotator[column]
    counts, missing = [], []
    for at in chosen:
        keys = _keys(pairs, at)
        missing += [key.id for key in keys if key not in mine]
        counts.append(sum(mine.get(key) in pairs.counts for key in keys))
    if missing:
        message = f"{len(missing)} rows have no {column} yet, as {some(missing)}"
        raise EvidenceError(
            Reason.E_UNJUDGED, message, next_step="Fill in every row: none may be left out."
        )
    return np.array(counts, dtype=np.int64)


def _keys(pairs: Pairs, at: int) -> list[Key]:
    method = pairs.method if pairs.kind is Kind.ATTACK else ""
    return [Key(pairs.ids[at], method, case) for case in range(int(pairs.baseline.k[at]))]


def drawn_from(pairs: Pairs, found: Mapping[str, Collection[str]], count: int) -> None:
    """Refuse a sheet that other runs drew, or that is not whole.

    Args:
        pairs: The pairs of the runs that are given.
        found: What the sheet has in each of `ORIGIN_COLUMNS` and in `DRAWN`.
        count: How many pairs it has.

    Raises:
        EvidenceError: If it carries no digests, or others, or another count.
    """
    for column, side in ORIGIN_COLUMNS.items():
        if set(found.get(column, ())) != {pairs.origins[side]}:
            raise _not_the_draw(f"`{column}` is not the digest of this {side} in every row")
    if set(found.get(DRAWN, ())) != {str(count)}:
        raise _not_the_draw(f"it has {count} pairs, and `{DRAWN}` does not say so in every row")


def _stratum(pairs: int, truth: Sequence[IntArray], mine: np.ndarray) -> Stratum:
    shift = (truth[1] - truth[0])[mine]
    return Stratum(
        pairs=pairs,
        labeled=int(mine.sum()),
        broken=int((shift > 0).sum()),
        fixed=int((shift < 0).sum()),
    )


def _not_the_draw(what: str) -> EvidenceError:
    return EvidenceError(
        Reason.E_FORMAT,
        f"the sheet is not what these runs and this seed draw: {what}",
        next_step="Label the sheet that `gate adjudicate` wrote, whole, with its --seed.",
    )

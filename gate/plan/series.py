"""What many attempts, and many small steps, add up to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gate.plan.assumptions import Assumptions
from gate.plan.joint import withheld
from gate.plan.requirement import Requirement, Source
from gate.plan.staging import Stage
from gate.plan.world import Shift
from gate.stats.releases import Drift, drift, retried

RELEASES = 10
ATTEMPTS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Retried:
    """The chance that a candidate exactly at a limit gets through in several attempts."""

    id: str
    margin: float
    attempts: tuple[int, ...]
    passes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Drifted:
    """What a row of small steps does under one margin."""

    id: str
    method: str
    margin: float
    anchor_margin: float
    anchored: bool
    """Whether the policy compares with an anchor, or this is what it would see if it did."""
    step: float
    chances: Drift


def shift_of(wanted: Requirement, size: float) -> Shift:
    """Make what a requirement is about worse."""
    return Shift(wanted.sources[0], size, wanted.mask)


def _whole(staged: Sequence[Stage]) -> list[tuple[Stage, Requirement]]:
    """List the margins on a whole method (or half of a suite) against the baseline."""
    return [
        (one, part)
        for one in staged
        for part in one.requirements
        if part.measure == "delta"
        and part.against == "baseline"
        and len(part.sources) == 1
        and part.withholds
        and part.key[0].endswith("margin")
        and not _cut(part)
    ]


def _cut(wanted: Requirement) -> bool:
    """Tell whether it is about one value of the column that its check cuts by."""
    return getattr(wanted.check, "by", None) in wanted.label


def retries(staged: Sequence[Stage], given: Assumptions) -> list[Retried]:
    """Work out for each margin how often a candidate exactly at it gets through, all else equal."""
    found = []
    for _, part in _whole(staged):
        shifts = [shift_of(part, part.limit)] if part.limit > 0.0 else []
        chances = [one.chances(given, most=given.unscored, shifts=shifts) for one in staged]
        passes = 1.0 - withheld(chances, [given.unscored] * len(chances)).value
        often = tuple(retried(min(max(passes, 0.0), 1.0), count) for count in ATTEMPTS)
        found.append(Retried(part.check.id, part.limit, ATTEMPTS, often))
    return found


def drifts(staged: Sequence[Stage], given: Assumptions) -> list[Drifted]:
    """Follow ten releases that are each a little worse, under each margin on a whole method."""
    found = []
    for one, part in _whole(staged):
        source = part.sources[0]
        if not source.method or part.bound != "score":
            continue
        anchor = next((x for x in one.requirements if _is_anchor(x, source)), None)
        margin = part.limit if anchor is None else anchor.limit
        half, step = given.discordance / 2.0, given.step / 2.0
        rate = float(np.mean(one.world.candidate[source].base[part.mask]))
        chances = drift(
            part.n,
            max(half - step, 0.0),
            half + step,
            baseline_rate=rate,
            margin=part.limit,
            anchor_margin=margin,
            confidence=part.confidence,
            releases=RELEASES,
        )
        found.append(
            Drifted(
                part.check.id, source.method, part.limit, margin, anchor is not None, given.step,
                chances,
            )
        )  # fmt: skip
    return found


def _is_anchor(wanted: Requirement, source: Source) -> bool:
    whole = not _cut(wanted) and wanted.sources == (source,)
    return wanted.against == "anchor" and whole and wanted.measure == "delta"

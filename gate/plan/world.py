"""How verdicts come about, unit by unit: the baseline's, and whether the candidate's flips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate.evidence.panel import Panel
from gate.evidence.rows import UNSAFE, Kind
from gate.evidence.table import BoolArray, IntArray
from gate.plan import assumptions as defaults
from gate.plan.assumptions import Assumptions
from gate.plan.ground import BASELINE, Ground
from gate.plan.requirement import Requirement, Source
from gate.stats.interval import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Two verdicts on each unit, 1 counting against the checkpoint; arrays of one length."""

    base: FloatArray
    """The chance that the first verdict is 1; 0 or 1 where it is known."""
    keep: FloatArray
    """The chance that the second is 1 where the first is."""
    turn: FloatArray
    """The chance that the second is 1 where the first is not."""

    @property
    def later(self) -> FloatArray:
        """The chance that the second verdict is 1."""
        return self.base * self.keep + (1.0 - self.base) * self.turn

    @property
    def fixed(self) -> FloatArray:
        """The chance that the first is 1 and the second is not."""
        return self.base * (1.0 - self.keep)

    @property
    def broken(self) -> FloatArray:
        """The chance that the second is 1 and the first is not."""
        return (1.0 - self.base) * self.turn


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A true change for the worse: a share more of some units break."""

    source: Source
    size: float
    mask: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One suite: the verdicts of an unchanged candidate, and of the one that is looked at."""

    ground: Ground
    unchanged: Mapping[Source, Track]
    candidate: Mapping[Source, Track]

    @property
    def safe_half(self) -> BoolArray:
        """The safe records of a judgment suite; nothing in any other."""
        panel = self.ground.panel
        return panel.mask("gold", "safe") if panel.kind is Kind.JUDGMENT else ~panel.mask_all()

    def track(self, requirement: Requirement) -> Track:
        """Give the pair of verdicts that a requirement is about, worst method and anchor in."""
        tracks = [self.candidate[source] for source in requirement.sources]
        if requirement.against == "anchor":
            before = [self.unchanged[source] for source in requirement.sources]
            tracks = [_anchored(*pair) for pair in zip(before, tracks, strict=True)]
        return tracks[0] if len(tracks) == 1 else _worst(tracks)


def build_world(
    ground: Ground,
    sources: Sequence[Source],
    given: Assumptions,
    shifts: Sequence[Shift] = (),
) -> World:
    """Turn assumptions, and the baseline's verdicts where they are to be kept, into chances.

    In an unchanged candidate as many verdicts flip one way as the other, in every slice that
    has a rate of its own. Methods flip independently of each other.
    """
    unchanged = {source: _track(ground, source, given, ()) for source in sources}
    shifted = {
        source: _track(ground, source, given, [shift for shift in shifts if shift.source == source])
        for source in sources
    }
    return World(ground, unchanged, shifted if shifts else unchanged)


def _track(ground: Ground, source: Source, given: Assumptions, shifts: Sequence[Shift]) -> Track:
    assumed = _assumed(ground, source, given)
    if assumed is None:
        seen, known = _seen(ground.panel, source)
        rate = _smoothed(ground, seen)
        base = np.where(known, seen, 0.0) if bool(np.isin(seen, (0.0, 1.0)).all()) else rate
        lost = ~known
    else:
        rate = base = assumed
        lost = np.zeros(len(rate), dtype=bool)
    flips = np.minimum(given.discordance / 2.0, np.minimum(rate, 1.0 - rate))
    more = np.zeros_like(rate)
    for shift in shifts:
        more[shift.mask] += shift.size
    keep = 1.0 - np.divide(flips, rate, out=np.zeros_like(rate), where=rate > 0.0)
    turn = np.divide(flips + more, 1.0 - rate, out=np.ones_like(rate), where=rate < 1.0)
    # What the baseline has no verdict on counts as safe there, and is judged in the candidate.
    turn = np.where(lost, rate + more, turn)
    return Track(base, keep, np.minimum(turn, 1.0))


def _assumed(ground: Ground, source: Source, given: Assumptions) -> FloatArray | None:
    """Give the rate of each unit, or None where the baseline's own verdicts are to be taken."""
    match ground.panel.kind:
        case Kind.ATTACK | Kind.RUBRIC:
            return _unsafe(ground, source, given)
        case Kind.REFUSAL:
            halves = (("safe", given.refused, defaults.REFUSED),
                      ("unsafe", given.answered, defaults.ANSWERED))  # fmt: skip
            return _halves(ground, "prompt_label", halves)
        case Kind.JUDGMENT:
            recall, specificity = (
                None if share is None else 1.0 - share
                for share in (given.recall, given.specificity)
            )
            halves = (("unsafe", recall, 1.0 - defaults.RECALL),
                      ("safe", specificity, 1.0 - defaults.SPECIFICITY))  # fmt: skip
            return _halves(ground, "gold", halves)


def _unsafe(ground: Ground, source: Source, given: Assumptions) -> FloatArray | None:
    if ground.observed and given.unsafe is None and not given.unsafe_by:
        return None
    panel = ground.panel
    if given.unsafe is not None or not ground.observed:
        rates = np.full(len(panel.ids), defaults.UNSAFE if given.unsafe is None else given.unsafe)
    else:
        rates = _smoothed(ground, _seen(panel, source)[0])
    if source.method in given.unsafe_by:
        return np.full_like(rates, given.unsafe_by[source.method])
    for name, rate in given.unsafe_by.items():
        for column in panel.columns:
            rates[panel.mask(column, name)] = rate
    return rates


def _halves(
    ground: Ground, column: str, halves: Sequence[tuple[str, float | None, float]]
) -> FloatArray | None:
    if ground.observed and all(rate is None for _, rate, _ in halves):
        return None
    rates = np.zeros(len(ground.panel.ids))
    for name, rate, default in halves:
        rates[ground.panel.mask(column, name)] = default if rate is None else rate
    return rates


def _seen(panel: Panel, source: Source) -> tuple[FloatArray, BoolArray]:
    """Give the baseline's verdicts as rates, and which units have them."""
    if panel.kind is Kind.JUDGMENT:
        predicted, own_failure = panel.answers(BASELINE)
        wrong = own_failure | ((predicted == 1) != panel.mask("gold", "unsafe"))
        return wrong.astype(np.float64), (predicted >= 0) | own_failure
    if panel.kind in UNSAFE:
        sample = panel.sample(BASELINE, source.method, UNSAFE[panel.kind])
        return sample.low / sample.k, sample.scored
    refused = {"partial", "full"} if source.partial_counts else {"full"}
    sample = panel.sample(BASELINE, "", refused)
    answered = panel.sample(BASELINE, "", {"none", "partial", "full"} - refused)
    unsafe = panel.mask("prompt_label", "unsafe")
    return np.where(unsafe, answered.low, sample.low) / sample.k, sample.scored


def _smoothed(ground: Ground, seen: FloatArray) -> FloatArray:
    """Give every unit the rate of its slice, half a unit drawn in so that none is 0 or 1."""
    group = _slices(ground)
    size = np.bincount(group)
    rates: FloatArray = ((np.bincount(group, weights=seen) + 0.5) / (size + 1.0))[group]
    return rates


def _slices(ground: Ground) -> IntArray:
    """Number the slices that the policy looks at: halves by gold label or prompt label apart."""
    panel = ground.panel
    columns = [*ground.columns, "gold", "prompt_label"]
    cells = zip(*(panel.columns[name] for name in columns if name in panel.columns), strict=True)
    numbers: dict[tuple[str | None, ...], int] = {}
    found = [numbers.setdefault(cell, len(numbers)) for cell in cells]
    return np.array(found or [0] * len(panel.ids), dtype=np.int64)


def _anchored(before: Track, after: Track) -> Track:
    """Pair the candidate with a checkpoint as far before the baseline as an unchanged one after."""
    first = before.later
    both = after.base * before.keep * after.keep + (1.0 - after.base) * before.turn * after.turn
    return _paired(first, after.later, both)


def _worst(tracks: Sequence[Track]) -> Track:
    """Take the worst of several independent pairs."""
    none_first = np.prod([1.0 - track.base for track in tracks], axis=0)
    none_later = np.prod([1.0 - track.later for track in tracks], axis=0)
    neither = np.prod([(1.0 - track.base) * (1.0 - track.turn) for track in tracks], axis=0)
    both = 1.0 - none_first - none_later + neither
    return _paired(1.0 - none_first, 1.0 - none_later, both)


def _paired(first: FloatArray, later: FloatArray, both: FloatArray) -> Track:
    keep = np.divide(both, first, out=np.zeros_like(first), where=first > 0.0)
    turn = np.divide(later - both, 1.0 - first, out=np.zeros_like(first), where=first < 1.0)
    return Track(first, np.clip(keep, 0.0, 1.0), np.clip(turn, 0.0, 1.0))

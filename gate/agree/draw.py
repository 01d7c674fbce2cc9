"""Which pairs are worth labeling by hand: all discordant ones, and some of the concordant."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate.agree.verdicts import positives
from gate.errors import EvidenceError, UsageError
from gate.evidence.assess import Assessment
from gate.evidence.panel import Panel, Sample
from gate.evidence.rows import VALUES, Kind
from gate.evidence.table import BoolArray
from gate.reasons import Reason
from gate.suggestions import did_you_mean

SIDES = ("baseline", "candidate")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Both sides' verdicts on one method, or one half of a refusal suite."""

    suite: str
    kind: Kind
    method: str
    half: str
    """`safe` or `unsafe` prompts in a refusal suite; empty elsewhere."""
    ids: tuple[str, ...]
    baseline: Sample
    candidate: Sample
    counts: frozenset[str]
    """The verdicts that count as worse."""
    origins: Mapping[str, str]
    """By side: a digest of the run, as a sheet carries it."""

    @property
    def discordant(self) -> BoolArray:
        """Pairs whose verdicts differ, or that lack one."""
        known = self.baseline.scored & self.candidate.scored
        return np.logical_or(~known, np.not_equal(self.baseline.low, self.candidate.low))


def take_pairs(
    assessment: Assessment,
    method: str | None,
    half: str,
    origins: Mapping[str, str],
    *,
    full_only: bool,
) -> Pairs:
    """Find the pairs of one suite.

    Args:
        assessment: The suite of both runs.
        method: The attack method; None where there is only one.
        half: Which prompts of a refusal suite: `safe` or `unsafe`.
        origins: By side: a digest of the run.
        full_only: Whether partial refusals are none.

    Raises:
        EvidenceError: If the runs cannot be compared.
        UsageError: If there is no such method, or several and none is named.
    """
    for problem in assessment.problems_for(SIDES, () if method is None else (method,)):
        raise EvidenceError(problem.reason, problem.message, next_step=problem.advice)
    panel = assessment.panel
    if panel is None or not set(SIDES) <= panel.sides.keys():
        raise EvidenceError(Reason.E_EMPTY, f"{assessment.suite}: nothing to compare")
    if panel.kind is Kind.JUDGMENT:
        raise UsageError("a judgment suite carries its own labels: nothing is left to adjudicate")
    name = _method(panel, method)
    counts, mask = positives(panel.kind, full_only=full_only), panel.mask_all()
    if panel.kind is Kind.REFUSAL:
        mask = panel.mask("prompt_label", half)
        if half == "unsafe":
            counts = frozenset(VALUES[panel.kind]) - counts
    words = frozenset(word for word in VALUES[panel.kind] if word.split()[0] in counts)
    if not mask.any():
        raise UsageError(f"{panel.suite} has no {half} prompts")
    baseline, candidate = (panel.sample(role, name, words).part(mask) for role in SIDES)
    return Pairs(
        suite=panel.suite,
        kind=panel.kind,
        method=name,
        half=half if panel.kind is Kind.REFUSAL else "",
        ids=tuple(one for one, mine in zip(panel.ids, mask, strict=True) if mine),
        baseline=baseline,
        candidate=candidate,
        counts=counts,
        origins=origins,
    )


def _method(panel: Panel, method: str | None) -> str:
    if method is None and len(panel.methods) == 1:
        return panel.methods[0]
    if method in panel.methods:
        return str(method)
    there = ", ".join(filter(None, panel.methods)) or "none"
    near = did_you_mean(method or "", panel.methods)
    what = "several methods" if method is None else f"no method {method!r}"
    raise UsageError(
        f"{panel.suite} has {what} (there are {there}){near}",
        next_step="Name one with --method; methods are never pooled.",
    )


def draw(pairs: Pairs, sample: int, seed: int) -> tuple[int, ...]:
    """Choose every discordant pair and a random sample of the others, in an order of no meaning.

    The order of the sample is that of digests of seed and id, so that it is the same everywhere
    and a larger sample holds every smaller one.

    Args:
        pairs: The pairs.
        sample: Concordant pairs wanted, at least 1; fewer are taken where there are fewer.
        seed: Of the sample.

    Returns:
        Positions of the pairs chosen.
    """
    concordant = _shuffled(np.flatnonzero(~pairs.discordant).tolist(), pairs, f"draw {seed}")
    chosen = [*np.flatnonzero(pairs.discordant).tolist(), *concordant[:sample]]
    return tuple(_shuffled(chosen, pairs, f"order {seed}"))


def _shuffled(positions: Sequence[int], pairs: Pairs, salt: str) -> list[int]:
    def rank(at: int) -> bytes:
        text = f"{salt}\0{pairs.ids[at]}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    return sorted(positions, key=rank)

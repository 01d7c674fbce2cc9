"""Two judges held against each other on the same completions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.agree.measure import NO_VERDICT
from gate.agree.reliability import alpha, kappa
from gate.agree.verdicts import Key, Verdicts, nothing_common
from gate.errors import EvidenceError
from gate.reasons import Reason
from gate.stats.mcnemar import mcnemar_exact


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """How far two judges agree; neither is the truth."""

    positive: frozenset[str]
    keys: tuple[Key, ...]
    """Completions that both were given."""
    both: int
    """Both positive."""
    first: tuple[Key, ...]
    """Positive by the first alone."""
    second: tuple[Key, ...]
    neither: int
    unscored: tuple[Key, ...]
    """Without a verdict of at least one; counted as disagreement unless both have none."""
    kappa: float | None
    alpha: float | None
    p_value: float
    """Exact McNemar: whether one judge is positive more often."""
    categories: Mapping[str, tuple[int, int]]
    """Completions on which they agree, and all, by category."""
    alone: tuple[int, int]
    """Completions that only one of the runs has."""


def compare_judges(ours: Verdicts, theirs: Verdicts, positive: frozenset[str]) -> Between:
    """Compare the verdicts of two runs.

    Raises:
        EvidenceError: If the suites are of two kinds, or share no completion.
    """
    if ours.kind is not theirs.kind:
        message = f"{ours.suite} is of kind {ours.kind} in one run, {theirs.kind} in the other"
        raise EvidenceError(Reason.E_KIND, message)
    nothing_common("the runs", ours.words, theirs.words)
    keys = sorted(ours.words.keys() & theirs.words.keys())
    pairs = [(ours.words[key] or NO_VERDICT, theirs.words[key] or NO_VERDICT) for key in keys]
    cells: dict[tuple[bool, bool], list[Key]] = {}
    for key, (a, b) in zip(keys, pairs, strict=True):
        if NO_VERDICT not in (a, b):
            cells.setdefault((a in positive, b in positive), []).append(key)
    first, second = cells.get((True, False), []), cells.get((False, True), [])
    return Between(
        positive=positive,
        keys=tuple(keys),
        both=len(cells.get((True, True), [])),
        first=tuple(first),
        second=tuple(second),
        neither=len(cells.get((False, False), [])),
        unscored=tuple(key for key, p in zip(keys, pairs, strict=True) if NO_VERDICT in p),
        kappa=kappa(pairs),
        alpha=alpha({"first": [a for a, _ in pairs], "second": [b for _, b in pairs]}),
        p_value=mcnemar_exact(len(first), len(second)),
        categories=_by_category(ours, keys, pairs, positive),
        alone=(len(ours.words) - len(keys), len(theirs.words) - len(keys)),
    )


def _by_category(
    ours: Verdicts,
    keys: Sequence[Key],
    pairs: Sequence[tuple[str, str]],
    positive: frozenset[str],
) -> dict[str, tuple[int, int]]:
    found: dict[str, list[bool]] = {}
    for key, (a, b) in zip(keys, pairs, strict=True):
        name = ours.categories.get(key.id, "")
        if name:
            same = NO_VERDICT not in (a, b) and (a in positive) == (b in positive)
            found.setdefault(name, []).append(same)
    return {name: (sum(equal), len(equal)) for name, equal in sorted(found.items())}

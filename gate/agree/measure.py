"""A judge's verdicts held against people's labels."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gate.agree.labels import Labels
from gate.agree.reliability import alpha, kappa
from gate.agree.verdicts import Key, Verdicts, nothing_common
from gate.evidence.measured import Counts

Ties = Literal["against", "leave-out", "positive", "negative"]
TIES: tuple[Ties, ...] = ("against", "leave-out", "positive", "negative")
NO_VERDICT = "no verdict"
"""How reliability reads a completion that the judge gave no verdict on: as another answer."""

NO_CATEGORY = "(none)"


@dataclass(frozen=True, slots=True)
class Case:
    """One completion with a label."""

    key: Key
    category: str
    verdict: str | None
    votes: tuple[str, ...]
    label: bool | None
    """Whether people call it positive; None where they are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How one judge did."""

    cases: tuple[Case, ...]
    """Those that count."""
    positive: frozenset[str]
    total: Counts
    categories: Mapping[str, Counts]
    kappa: float | None
    alpha: float | None
    people_alpha: float | None
    """Of the annotators among themselves; None where there is one."""
    unanimous: int | None
    """Completions on which all annotators agree; None where there is one."""
    left_out: int
    """Ties that do not count."""
    unlabeled: int
    """Completions in the label file that nobody labeled."""
    elsewhere: int
    """Labels on completions that the run does not have."""
    without: int
    """Verdicts of the run that have no label."""


def hold(verdicts: Verdicts, labels: Labels, positive: frozenset[str], ties: Ties) -> Agreement:
    """Hold one judge's verdicts against the majority of labels.

    Args:
        verdicts: What the judge said.
        labels: What people said.
        positive: The verdicts that count.
        ties: What an equal number of votes either way means.

    Raises:
        EvidenceError: If no completion has both.
    """
    nothing_common("the run and the labels", verdicts.words, labels.votes)
    voted = {key: votes for key, votes in labels.votes.items() if votes}
    found = [
        Case(
            key=key,
            category=verdicts.categories.get(key.id, NO_CATEGORY if verdicts.by else ""),
            verdict=verdicts.words[key],
            votes=votes,
            label=_label(votes, positive, ties),
        )
        for key, votes in voted.items()
        if key in verdicts.words
    ]
    kept = [case for case in found if case.label is not None or ties != "leave-out"]
    several = len(labels.annotators) > 1
    names = sorted({case.category for case in kept} - {""})
    words = [(case.verdict or NO_VERDICT, _word(case.votes)) for case in kept]
    return Agreement(
        cases=tuple(kept),
        positive=positive,
        total=count(kept, positive),
        categories={
            name: count([case for case in kept if case.category == name], positive)
            for name in names
        },
        kappa=kappa(words),
        alpha=alpha({"judge": [a for a, _ in words], "people": [b for _, b in words]}),
        people_alpha=_people(labels, [case.key for case in kept]) if several else None,
        unanimous=_unanimous(kept) if several else None,
        left_out=len(found) - len(kept),
        unlabeled=len(labels.votes) - len(voted),
        elsewhere=len(voted) - len(found),
        without=len(verdicts.words) - len(found),
    )


def count(cases: Sequence[Case], positive: frozenset[str]) -> Counts:
    """Count right and wrong verdicts; what is open counts against the judge."""
    tally = Counter(_cell(case, positive) for case in cases)
    ids = [case.key.id for case in cases]
    called = [case for case in cases if _cell(case, positive) in ("tp", "fn", "open_fn")]
    positives = [case.key.id for case in called]
    negatives = list((Counter(ids) - Counter(positives)).elements())
    return Counts(
        **{cell: tally[cell] for cell in ("tp", "fn", "fp", "tn", "open_fn", "open_fp")},
        units=units(ids),
        positive_units=units(positives),
        negative_units=units(negatives),
    )


def units(ids: Iterable[str]) -> float:
    """Count what labels are worth where several are on one id (Kish 1965, "Survey Sampling").

    At worst a judge errs alike on all completions of an id: n labels in groups of sizes n_g are
    then worth n^2 / sum(n_g^2).
    """
    sizes = Counter(ids).values()
    square = sum(size * size for size in sizes)
    return sum(sizes) ** 2 / square if square else 0.0


def wrong(agreement: Agreement) -> Mapping[str, list[Case]]:
    """List the completions on which the judge is wrong, or counted so, by how."""
    found: dict[str, list[Case]] = {"fn": [], "fp": [], "open_fn": [], "open_fp": []}
    for case in agreement.cases:
        cell = _cell(case, agreement.positive)
        if cell in found:
            found[cell].append(case)
    return found


def _label(votes: Sequence[str], positive: frozenset[str], ties: Ties) -> bool | None:
    for_it = sum(vote in positive for vote in votes)
    if 2 * for_it != len(votes):
        return 2 * for_it > len(votes)
    return None if ties in ("against", "leave-out") else ties == "positive"


def _cell(case: Case, positive: frozenset[str]) -> str:
    says = None if case.verdict is None else case.verdict in positive
    match case.label, says:
        case True, True:
            return "tp"
        case True, False:
            return "fn"
        case False, True:
            return "fp"
        case False, False:
            return "tn"
        case (True, None) | (None, False):
            return "open_fn"
        case _:
            return "open_fp"


def _word(votes: Sequence[str]) -> str | None:
    """Give the label of more than half; None where there is none."""
    (word, most), *_ = Counter(votes).most_common(1)
    return word if 2 * most > len(votes) else None


def _people(labels: Labels, keys: Sequence[Key]) -> float | None:
    return alpha(
        {name: [mine.get(key) for key in keys] for name, mine in labels.by_annotator.items()}
    )


def _unanimous(cases: Sequence[Case]) -> int:
    return sum(len(set(case.votes)) == 1 for case in cases)

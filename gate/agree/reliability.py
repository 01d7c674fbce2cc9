"""Agreement beyond chance, by NLTK: Cohen's kappa and Krippendorff's alpha on nominal labels."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gate.errors import UsageError

if TYPE_CHECKING:
    from nltk.metrics.agreement import AnnotationTask


def kappa(pairs: Sequence[tuple[str, str | None]]) -> float | None:
    """Give Cohen's kappa (1960, Educ Psychol Meas 20:37).

    Args:
        pairs: Two raters' labels of each item; items with a None are left out.

    Returns:
        None where all labels are one, so that no agreement could be beyond chance.

    Raises:
        UsageError: If NLTK is not installed.
    """
    both = [pair for pair in pairs if pair[1] is not None]
    triples = [(rater, str(at), pair[i]) for at, pair in enumerate(both) for i, rater in _RATERS]
    return float(_task(triples).kappa()) if len({x for _, _, x in triples}) > 1 else None


def alpha(labels: Mapping[str, Sequence[str | None]]) -> float | None:
    """Give Krippendorff's alpha (2004, "Content Analysis").

    Args:
        labels: By rater: the labels of the same items, None where a rater has none.

    Returns:
        None where all labels are one, or no item has two.

    Raises:
        UsageError: If NLTK is not installed.
    """
    items = list(zip(*labels.values(), strict=True))
    rated = [at for at, item in enumerate(items) if sum(x is not None for x in item) > 1]
    triples = [
        (rater, str(at), str(mine[at]))
        for rater, mine in labels.items()
        for at in rated
        if mine[at] is not None
    ]
    return float(_task(triples).alpha()) if len({x for _, _, x in triples}) > 1 else None


_RATERS = ((0, "a"), (1, "b"))


def _task(triples: Sequence[tuple[str, str, str | None]]) -> "AnnotationTask":
    try:
        from nltk.metrics.agreement import AnnotationTask
    except ImportError as error:
        raise UsageError(
            "kappa and alpha need NLTK, which is not installed",
            next_step="Run: pip install 'checkpoint-gate[agree]'",
        ) from error
    return AnnotationTask(data=list(triples))

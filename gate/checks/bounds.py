"""Which bounds there are on what is measured, what they are called, and how one is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gate.evidence.panel import Sample
from gate.stats.grouped import Clusters

Bound = Literal["score", "exact", "bootstrap", "point"]
"""What a whole policy may ask for: every measure has these."""
ChangeBound = Literal[Bound, "strict"]
RateBound = Literal[Bound, "wilson", "jeffreys"]
F1Bound = Literal[RateBound, "bayes"]
AnyBound = Literal[ChangeBound, F1Bound]

Measured = Literal["change", "fractional change", "rate", "f1"]

NAMES: Mapping[Measured, Mapping[str, str]] = {
    "change": {
        "score": "Tango score",
        "exact": "melded exact McNemar",
        "strict": "Tango score",
    },
    "fractional change": {
        "score": "add-two bootstrap and score",
        "exact": "Tango score on summed rates",
        "strict": "Tango score on summed rates",
    },
    "rate": {
        "score": "Clopper-Pearson",
        "exact": "Clopper-Pearson",
        "wilson": "Wilson score",
        "jeffreys": "Jeffreys",
    },
    "f1": {
        "score": "Clopper-Pearson on Jaccard",
        "exact": "Clopper-Pearson on Jaccard",
        "wilson": "Wilson score on Jaccard",
        "jeffreys": "Jeffreys on Jaccard",
        "bayes": "Goutte-Gaussier posterior",
    },
}
"""The bounds of each measure, to their names in reports."""

OF_ALL: Mapping[str, str] = {"bootstrap": "percentile bootstrap", "point": "no bound"}
"""Those that are called the same whatever is measured."""

GROUPED_CHANGE = "melded exact McNemar"
"""What decides a change where groups are the units, but for the bootstrap."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a bound is to be computed."""

    confidence: float
    """Two-sided level, as 0.95."""
    bound: str
    resamples: int | None = None
    """Of the Monte-Carlo form of the bootstrap; None for its exact limit."""
    seed: int = 0

    def by(self, bound: str) -> "Asked":
        """Ask for another bound at the same level."""
        return replace(self, bound=bound)

    def of(self, measured: Measured) -> "Asked":
        """Fall back on the score bound where a measure has none of that name."""
        return self if self.bound in {**NAMES[measured], **OF_ALL} else self.by("score")

    def name(self, measured: Measured, *, grouped: bool) -> str:
        """Name the bound, as `Tango score` or `percentile bootstrap of 2,000 resamples`."""
        words = OF_ALL.get(self.bound) or NAMES[measured][self.bound]
        if self.bound == "point":
            return words
        if self.bound == "bootstrap" and self.resamples and measured != "f1":
            words += f" of {self.resamples:,} resamples, seed {self.seed}"
        elif grouped and self.bound != "bootstrap" and measured.endswith("change"):
            words = GROUPED_CHANGE
        return f"{words}, groups as the units" if grouped else words


def worth(sample: Sample) -> int:
    """Count the units of their own that a sample is worth: all of them where none are grouped."""
    clusters = Clusters.of(sample.groups, len(sample.k))
    return len(sample.k) if clusters is None else int(clusters.effective)

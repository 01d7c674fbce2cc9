"""Hold two sides of a panel against each other, id by id."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gate.diff.readings import (
    Reading,
    Side,
    attack_side,
    judgment_side,
    refusal_side,
    rubric_side,
)
from gate.evidence.panel import Panel
from gate.evidence.rows import Kind
from gate.evidence.table import GOLD_COLUMNS

Change = Literal["broken", "still", "fixed", "unscored"]
ORDER: tuple[Change, ...] = ("broken", "still", "fixed", "unscored")
"""In the order in which they are listed; unscored on either side is none of the others."""
CHANGES: tuple[Change, ...] = ("broken", "fixed", "unscored")
"""Those that are listed unless others are asked for: `still` is bad before and now."""
Of = Literal["unsafe", "usefulness", "bare-refusal"]
"""What is compared in rubric suites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One id that is not shown to be as it was."""

    id: str
    category: str
    """Its value in the column that the list is cut by; empty where it has none."""
    label: str
    """Its gold label or prompt label; empty in attack suites."""
    change: Change
    meaning: str
    """The change in the words of its kind of suite, as `newly refused`."""
    baseline: Reading
    candidate: Reading

    @property
    def counts(self) -> bool:
        """Whether the sides differ; ids that are alike on both, or have no verdict, do not."""
        if self.change == "still":
            return False
        return self.change != "unscored" or self.baseline != self.candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One suite, or one method of an attack suite."""

    suite: str
    kind: Kind
    method: str
    column: str
    """The column that the list is cut by; empty where the suite has none."""
    sizes: dict[str, int]
    """Ids by their value in that column, sorted."""
    differences: tuple[Difference, ...]
    shown: tuple[Change, ...] = CHANGES
    """The ways of changing that were asked for; of others nothing is said."""

    @property
    def n(self) -> int:
        """All ids."""
        return sum(self.sizes.values())

    def count(self, change: Change) -> int:
        """How many ids changed in one way."""
        return sum(each.change == change for each in self.differences)


def compare_sides(
    panel: Panel, method: str, *, column: str, refusals: Collection[str], of: Of = "unsafe"
) -> Section:
    """List what changed on one method, or in one suite that has none.

    Args:
        panel: A suite with both sides.
        method: One of its methods.
        column: What to cut the list by; empty for nothing.
        refusals: The verdicts of a refusal suite that are a refusal.
        of: What is compared in a rubric suite.
    """
    baseline = _side(panel, "baseline", method, refusals, of)
    candidate = _side(panel, "candidate", method, refusals, of)
    categories = _cells(panel, column)
    sizes = dict.fromkeys(sorted(set(categories)), 0)
    for category in categories:
        sizes[category] += 1
    found = sorted(
        _differences(panel, baseline, candidate, categories, _MEANINGS[of]),
        key=lambda each: (ORDER.index(each.change), each.meaning, each.category, each.id),
    )
    return Section(
        suite=panel.suite,
        kind=panel.kind,
        method=method,
        column=column,
        sizes=sizes,
        differences=tuple(found),
    )


def _side(panel: Panel, role: str, method: str, refusals: Collection[str], of: Of) -> Side:
    if panel.kind is Kind.RUBRIC and of != "unsafe":
        return rubric_side(panel, role, of)
    match panel.kind:
        case Kind.ATTACK | Kind.RUBRIC:
            return attack_side(panel, role, method)
        case Kind.REFUSAL:
            return refusal_side(panel, role, refusals)
        case Kind.JUDGMENT:
            return judgment_side(panel, role)


def _cells(panel: Panel, column: str) -> list[str]:
    cells: Sequence[str | None] = panel.columns.get(column, ())
    return [cell or "" for cell in cells] or [""] * len(panel.ids)


def _differences(
    panel: Panel,
    baseline: Side,
    candidate: Side,
    categories: Sequence[str],
    meanings: Mapping[Kind, tuple[str, str]],
) -> Iterator[Difference]:
    scored = baseline.sample.scored & candidate.sample.scored
    shift = np.where(scored, candidate.sample.low - baseline.sample.low, 0)
    label_column = next((name for name in GOLD_COLUMNS if panel.names(name)), "")
    labels = _cells(panel, label_column)
    # Of an unsafe prompt, a refusal is what is wanted.
    wanted = np.array([panel.kind is Kind.REFUSAL and label == "unsafe" for label in labels])
    low, k = candidate.sample.low, candidate.sample.k
    still = scored & (shift == 0) & np.where(wanted, low < k, low > 0)
    for at in np.flatnonzero(~scored | (shift != 0) | still).tolist():
        more = bool(shift[at] > 0)
        worse: Change = "broken" if more != wanted[at] else "fixed"
        change: Change = "unscored" if not scored[at] else "still" if still[at] else worse
        yield Difference(
            id=panel.ids[at],
            category=categories[at],
            label=labels[at],
            change=change,
            meaning=meanings[panel.kind][more] if change in ("broken", "fixed") else change,
            baseline=baseline.reading(at),
            candidate=candidate.reading(at),
        )


_PLAIN = {
    Kind.ATTACK: ("fixed", "broken"),
    Kind.REFUSAL: ("newly answered", "newly refused"),
    Kind.JUDGMENT: ("newly right", "newly wrong"),
    Kind.RUBRIC: ("fixed", "broken"),
}
_MEANINGS: Mapping[Of, Mapping[Kind, tuple[str, str]]] = {
    "unsafe": _PLAIN,
    "usefulness": {**_PLAIN, Kind.RUBRIC: ("more useful", "less useful")},
    "bare-refusal": {**_PLAIN, Kind.RUBRIC: ("no longer a bare refusal", "newly a bare refusal")},
}
"""What less and what more of what is counted is called."""

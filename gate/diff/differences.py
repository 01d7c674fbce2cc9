"""Hold two sides of a panel against each other, id by id."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gate.diff.readings import Reading, Side, attack_side, judgment_side, refusal_side
from gate.evidence.panel import Panel
from gate.evidence.rows import Kind
from gate.evidence.table import GOLD_COLUMNS

Change = Literal["broken", "fixed", "unscored"]
CHANGES: tuple[Change, ...] = ("broken", "fixed", "unscored")
"""In the order in which they are listed; unscored on either side is neither of the others."""


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
        """Whether the sides differ; ids without a verdict on both sides alike do not."""
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


def compare_sides(panel: Panel, method: str, *, column: str, refusals: Collection[str]) -> Section:
    """List what changed on one method, or in one suite that has none.

    Args:
        panel: A suite with both sides.
        method: One of its methods.
        column: What to cut the list by; empty for nothing.
        refusals: The verdicts of a refusal suite that are a refusal.
    """
    baseline = _side(panel, "baseline", method, refusals)
    candidate = _side(panel, "candidate", method, refusals)
    categories = _cells(panel, column)
    sizes = dict.fromkeys(sorted(set(categories)), 0)
    for category in categories:
        sizes[category] += 1
    found = sorted(
        _differences(panel, baseline, candidate, categories),
        key=lambda each: (CHANGES.index(each.change), each.meaning, each.category, each.id),
    )
    return Section(
        suite=panel.suite,
        kind=panel.kind,
        method=method,
        column=column,
        sizes=sizes,
        differences=tuple(found),
    )


def _side(panel: Panel, role: str, method: str, refusals: Collection[str]) -> Side:
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
    panel: Panel, baseline: Side, candidate: Side, categories: Sequence[str]
) -> Iterator[Difference]:
    scored = baseline.sample.scored & candidate.sample.scored
    shift = np.where(scored, candidate.sample.low - baseline.sample.low, 0)
    label_column = next((name for name in GOLD_COLUMNS if panel.names(name)), "")
    labels = _cells(panel, label_column)
    for at in np.flatnonzero(~scored | (shift != 0)).tolist():
        # Of an unsafe prompt, a refusal is what is wanted.
        wanted = panel.kind is Kind.REFUSAL and labels[at] == "unsafe"
        more = bool(shift[at] > 0)
        change: Change = "unscored" if not scored[at] else "broken" if more != wanted else "fixed"
        yield Difference(
            id=panel.ids[at],
            category=categories[at],
            label=labels[at],
            change=change,
            meaning=change if change == "unscored" else _MEANINGS[panel.kind][more],
            baseline=baseline.reading(at),
            candidate=candidate.reading(at),
        )


_MEANINGS = {
    Kind.ATTACK: ("fixed", "broken"),
    Kind.REFUSAL: ("newly answered", "newly refused"),
    Kind.JUDGMENT: ("newly right", "newly wrong"),
    Kind.RUBRIC: ("fixed", "broken"),
}
"""What less and what more of the verdicts counted is called."""

"""Aligned evidence: the verdicts of every role on one suite, over the same expected ids."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gate.evidence.measured import Measured
from gate.evidence.problem import Problem
from gate.evidence.rows import REASONS, VALUES, Kind
from gate.evidence.table import BoolArray, IntArray
from gate.ledger import Ledger

OWN_FAILURES = ("unparsed", "judge_refused", "checkpoint_error", "empty")
"""In a judgment suite the checkpoint is the judge: these are wrong answers, not missing ones."""

NO_VALUE = "(none)"
"""The slice of ids that have no value in a column where others have one."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Verdicts of one role on one method, one entry a unit, as counts out of `k`.

    A unit with unscored test cases is only known to lie between `low` and `high`.
    """

    low: IntArray
    """Test cases that count, with every unscored one as not counting."""
    high: IntArray
    """The same with every unscored one as counting."""
    k: IntArray
    """Test cases expected of the unit, at least 1."""
    gaps: IntArray
    """Unscored rows of the unit."""
    groups: IntArray | None = None
    """The group of near-duplicates that each unit is in; None where the policy declares none."""

    def part(self, mask: BoolArray) -> "Sample":
        """Take the units of a slice."""
        groups = None if self.groups is None else self.groups[mask]
        return Sample(self.low[mask], self.high[mask], self.k[mask], self.gaps[mask], groups)

    @property
    def scored(self) -> BoolArray:
        """Which units have no unscored test case."""
        return np.equal(self.low, self.high)

    @property
    def unscored(self) -> int:
        """The number of unscored rows."""
        return int(self.gaps.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One role's rows on the expected ids; `unit` and `method` index the panel's."""

    unit: IntArray
    method: IntArray
    value: IntArray
    reason: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One suite, ready to be checked."""

    suite: str
    kind: Kind
    ids: tuple[str, ...]
    """The expected ids, sorted."""
    methods: tuple[str, ...]
    """Every method of any role; one empty string outside attack suites."""
    columns: Mapping[str, Sequence[str | None]]
    """Per id: categories and gold labels."""
    sides: Mapping[str, Side]
    """By role; a role whose evidence could not be read is not there."""
    expected: Mapping[str, IntArray]
    """By method: test cases expected of each id."""
    ledgers: tuple[Ledger, ...]
    problems: Mapping[tuple[str, str], tuple[Problem, ...]]
    """By role and method; an empty string stands for every role or every method."""
    groups: IntArray | None = None
    """The group of each id, where the policy declares a column of near-duplicates."""
    pinned: str = "unpinned"
    """How the policy pins the ids, in words; `unpinned` where it does not."""
    measured: Measured | None = None
    """The judge's agreement with people, where the policy names it."""
    unmeasured: Problem | None = None
    """Why that agreement says nothing of the judge of these runs; None where it does."""
    beside: "Mapping[str, Panel]" = field(default_factory=dict)
    """Other suites that the same check reads."""

    def sample(self, role: str, method: str, counts: Collection[str]) -> Sample:
        """Count the verdicts of one role on one method.

        Args:
            role: A role that the panel has.
            method: A method that the panel has.
            counts: The verdicts that count, as `{"unsafe"}` or `{"partial", "full"}`.
        """
        side = self.sides[role]
        mine = side.method == self.methods.index(method)
        unit, value = side.unit[mine], side.value[mine]
        codes = [VALUES[self.kind].index(name) for name in sorted(counts)]
        size, k = len(self.ids), self.expected[method]
        low = np.bincount(unit[np.isin(value, codes)], minlength=size)
        known = np.bincount(unit[value >= 0], minlength=size)
        return Sample(low, low + (k - known), k, k - known, self.groups)

    def mask(self, column: str, name: str) -> BoolArray:
        """Find the units whose column has one value; none where there is no such column."""
        wanted = None if name == NO_VALUE else name
        cells = self.columns.get(column)
        if cells is None:
            return np.zeros(len(self.ids), dtype=bool)
        return np.fromiter((cell == wanted for cell in cells), dtype=bool, count=len(self.ids))

    def masks(self, column: str) -> dict[str, BoolArray]:
        """Find the units of every value of a column, in one pass."""
        number = {name: at for at, name in enumerate(self.names(column))}
        cells = self.columns.get(column, ())
        codes = np.array([number[NO_VALUE if cell is None else cell] for cell in cells])
        return {name: np.equal(codes, at) for name, at in number.items()}

    def mask_all(self) -> BoolArray:
        """Take every unit."""
        return np.ones(len(self.ids), dtype=bool)

    def names(self, column: str) -> list[str]:
        """List the values a column takes, sorted; empty where no id has one.

        Ids without a value are a slice of their own, so that none is left out.
        """
        cells = set(self.columns.get(column, ()))
        named = sorted(cell for cell in cells if cell is not None)
        return [*named, NO_VALUE] if named and None in cells else named

    def answers(self, role: str) -> tuple[IntArray, BoolArray]:
        """Give one role's answers in a judgment suite, one entry an id.

        Returns:
            The predicted values (0 safe, 1 unsafe, -1 none), and which of those without one are
            the checkpoint's own failure rather than missing evidence.
        """
        side = self.sides[role]
        value = np.full(len(self.ids), -1, dtype=np.int8)
        value[side.unit] = side.value
        reason = np.full(len(self.ids), REASONS.index("not_run"), dtype=np.int8)
        reason[side.unit] = side.reason
        own = np.isin(reason, [REASONS.index(name) for name in OWN_FAILURES])
        return value, own & (value < 0)

    def verdicts(self, role: str) -> IntArray:
        """Give one role's verdicts where every id has one, as indices; -1 where there is none."""
        side = self.sides[role]
        value = np.full(len(self.ids), -1, dtype=np.int8)
        value[side.unit] = side.value
        return value

    def ledger(self, role: str, method: str) -> Ledger | None:
        """Find the ledger of one role and method."""
        return next((x for x in self.ledgers if (x.role, x.method) == (role, method)), None)

"""What all checks have in common: the keys a policy writes, and the slices they are about."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from gate.checks.bounds import AnyBound, Asked
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.evidence.rows import RUBRIC_ITEMS, Kind
from gate.evidence.table import BoolArray
from gate.finding import Finding, Level
from gate.reasons import Reason
from gate.suggestions import did_you_mean

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Margin = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
NoLimit = Literal["none"]
ROLES_AGAINST = ("baseline", "anchor")
METHOD = Field(
    None,
    min_length=1,
    description="The attack method, which attack suites need; methods are never pooled.",
)
BOUND = Field(None, description="The deciding bound; the policy's `statistics` by default.")
Against = Annotated[
    Literal["baseline", "anchor"],
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": list(ROLES_AGAINST)},
                {
                    "type": "array",
                    "items": {"enum": list(ROLES_AGAINST)},
                    "minItems": 1,
                    "uniqueItems": True,
                },
            ]
        }
    ),
]
"""The role compared with; of a list in the file, the first: see `Check.comparisons`."""


POOLED = "(pooled)"
"""The slice of all values that have few units."""


def method_label(method: str | None) -> dict[str, str]:
    """Name the method in a slice; where suites have none, there is nothing to name."""
    return {} if method is None else {"method": method}


def method_mismatches(method: str | None, panel: Panel) -> list[str]:
    """Refuse to look at an attack suite without a method."""
    if panel.kind is Kind.ATTACK and method is None:
        there = ", ".join(panel.methods)
        return [f"method: missing; suite {panel.suite!r} has {there}, which are never pooled"]
    return []


@dataclass(frozen=True, slots=True)
class Slice:
    """Some units of a panel, and the limit they are held to."""

    label: Mapping[str, str]
    mask: BoolArray
    limit: float
    min_n: int = 1


class Check(BaseModel, ABC):
    """A requirement that can be evaluated on one suite."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kinds: ClassVar[frozenset[Kind]]
    """The kinds of suite it can read."""
    absolute_keys: ClassVar[tuple[str, ...]] = ()
    """Keys of limits on the candidate alone, in a check that also compares."""
    limit_keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of keys, as `("margin", "margins")`: one number, or one a value of `by`."""

    id: Id = Field(description="Names the check in reports and waivers.")
    check: str = Field(description="The kind of check.")
    suite: str = Field(description="The suite of the runs that it is about.", min_length=1)
    level: Level = Field(Level.BLOCK, description="What a finding that does not pass does.")
    on_inconclusive: Level = Field(
        Level.BLOCK, description="The same for findings that are inconclusive only."
    )
    confidence: float | None = Field(
        None, gt=0.5, lt=1, description="Two-sided level; the policy's `statistics` by default."
    )
    bound: AnyBound | None = BOUND

    _also: tuple[str, ...] = PrivateAttr(())
    _resamples: int | None = PrivateAttr(None)
    _seed: int = PrivateAttr(0)

    def drawing(self, resamples: int | None, seed: int) -> Self:
        """Add how the policy draws bootstrap bounds; the exact limit without resamples."""
        copy = self.model_copy()
        copy._resamples, copy._seed = resamples, seed
        return copy

    def against_also(self, roles: Sequence[str]) -> Self:
        """Add the other roles that `against` lists."""
        copy = self.model_copy()
        copy._also = tuple(roles)
        return copy

    def comparisons(self) -> list[Self]:
        """Give one check for each role that `against` lists, the candidate's own limits once."""
        also = self._also if len(self.roles_used) > 1 else ()
        rest = dict.fromkeys(self.absolute_keys)
        return [self, *(self.model_copy(update={**rest, "against": role}) for role in also)]

    @classmethod
    def kinds_meant(cls, keys: Collection[str]) -> frozenset[Kind]:
        """Tell which kinds of suite a check with these keys is about."""
        return cls.kinds

    @property
    def reads(self) -> frozenset[Kind]:
        """The kinds of suite it is about, as it was written."""
        return self.kinds_meant(self.model_fields_set)

    @property
    def level_of_confidence(self) -> float:
        """The two-sided level, once the policy has filled it in."""
        return 0.95 if self.confidence is None else self.confidence

    @property
    def deciding_bound(self) -> AnyBound:
        """The bound, once the policy has filled it in."""
        return self.bound or "score"

    @property
    def asked(self) -> Asked:
        """How its bounds are to be computed."""
        return Asked(self.level_of_confidence, self.deciding_bound, self._resamples, self._seed)

    @property
    def methods_used(self) -> tuple[str, ...]:
        """The methods whose evidence it needs; empty for every method."""
        return ()

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites whose evidence it needs, its own first."""
        return (self.suite,)

    @property
    def roles_used(self) -> tuple[str, ...]:
        """The roles whose evidence it needs, the candidate first."""
        return ("candidate",)

    def absolute(self) -> Self | None:
        """Give the part of the check that needs the candidate alone; None where there is none."""
        return self if self.roles_used == ("candidate",) else None

    def unfit(self, panel: Panel) -> Problem | None:
        """Find why the check cannot read a suite: another kind, or no such method."""
        if panel.kind not in self.kinds:
            kinds = " or ".join(sorted(kind.value for kind in self.kinds))
            message = f"{self.check} reads {kinds} suites; {panel.suite!r} is of kind {panel.kind}"
            return Problem(Reason.E_KIND, message)
        absent = [method for method in self.methods_used if method not in panel.methods]
        if absent:
            there = ", ".join(panel.methods)
            message = f"no run has method {', '.join(absent)} (there are {there})"
            return Problem(Reason.E_METHOD_MISSING, message)
        return None

    def mismatches(self, panel: Panel) -> list[str]:
        """List what the policy says of the suite that the evidence contradicts."""
        return []

    @abstractmethod
    def run(self, panel: Panel) -> Iterator[Finding]:
        """Evaluate it on usable evidence; one finding for each slice and limit."""


class SlicedCheck(Check):
    """A check that may be asked for slices, each with a limit of its own."""

    by: str | None = Field(None, description="A column: one finding for each of its values.")
    min_n: int = Field(
        1, ge=1, description="Units a slice needs before it can pass; fewer is inconclusive."
    )

    pool_below: int | None = Field(
        None, ge=2, description="Slices with fewer units are taken together, as one slice."
    )

    @model_validator(mode="after")
    def _limits_and_by_belong_together(self) -> "SlicedCheck":
        for _, several in self.limit_keys:
            if getattr(self, several) is not None and self.by is None:
                raise ValueError(f"`{several}` needs `by`: the column whose values it names")
        if self.pool_below is not None and self.by is None:
            raise ValueError("`pool_below` needs `by`: the column whose small slices are pooled")
        return self

    def slices(self, panel: Panel, one: str, several: str) -> list[Slice]:
        """Cut the panel into slices for one pair of limit keys.

        A single number holds for every slice of `by`, or for the whole suite where there is no
        `by` or where the slices have numbers of their own.
        """
        single, named = getattr(self, one), getattr(self, several, None)
        whole = panel.mask_all()
        found = []
        if single is not None and (self.by is None or named is not None):
            found.append(Slice({}, whole, single, self.min_n))
        if self.by is None:
            return found
        for name, mask in self._cut(panel, self.by):
            limit = single if named is None else named.get(name, named.get("default", "none"))
            if limit is not None and limit != "none":
                found.append(Slice({self.by: name}, mask, limit, self.min_n))
        return found

    def _cut(self, panel: Panel, column: str) -> list[tuple[str, BoolArray]]:
        """Find the units of every value of a column, values with few units taken together."""
        masks = list(panel.masks(column).items())
        small = [mask for _, mask in masks if int(mask.sum()) < (self.pool_below or 0)]
        if not small:
            return masks
        large = [(name, mask) for name, mask in masks if int(mask.sum()) >= (self.pool_below or 0)]
        return [*large, (POOLED, np.logical_or.reduce(small))]

    def mismatches(self, panel: Panel) -> list[str]:
        """List unknown columns, limits for values that no id has, values without a limit."""
        if self.by is None:
            return []
        names = [name for name, _ in self._cut(panel, self.by)]
        if not names:
            told = sorted(set(panel.columns) - {RUBRIC_ITEMS})
            known = ", ".join(name for name in told if panel.names(name))
            return [f"by: no id of suite {self.suite!r} has a {self.by!r} (columns: {known})"]
        found = []
        for _, several in self.limit_keys:
            limits = getattr(self, several)
            if limits is None:
                continue
            unknown = sorted(set(limits) - {*names, "default"})
            unlimited = [] if "default" in limits else sorted(set(names) - set(limits))
            found += [
                f"{several}: no id of suite {self.suite!r} has {self.by} {name!r} "
                f"(there are {', '.join(names)}){did_you_mean(name, names)}"
                for name in unknown
            ]
            found += [
                f"{several}: {self.by} {name!r} of suite {self.suite!r} has no limit; "
                "add one, or `default:`"
                for name in unlimited
            ]
        return found

"""A suite made ready: its world, and every limit on it with the counts that meet it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.checks.check import Check
from gate.plan.assumptions import Assumptions
from gate.plan.demand import Demand, demand
from gate.plan.ground import Ground, Grounds
from gate.plan.joint import SuiteChances, suite_chances
from gate.plan.requirement import Requirement, Source, requirements
from gate.plan.world import Shift, World, build_world


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One suite of an unchanged candidate."""

    ground: Ground
    requirements: tuple[Requirement, ...]
    world: World
    demands: tuple[Demand, ...]
    seed: int
    """What tells its draws from those of other suites."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The verdicts that its limits are about."""
        return _sources(self.requirements)

    def chances(
        self, given: Assumptions, *, most: int, shifts: Sequence[Shift] = ()
    ) -> SuiteChances:
        """Compute how often all that can withhold is met, for a candidate changed or not."""
        own = [shift for shift in shifts if shift.source in self.sources]
        world, demands = self.world, self.demands
        if own:
            world = build_world(self.ground, self.sources, given, own)
            demands = tuple(demand(one, world) for one in self.requirements)
        blocking = [one for one in demands if one.requirement.withholds]
        return suite_chances(world, blocking, given, most=most, seed=self.seed)


def stages(grounds: Grounds, given: Assumptions) -> tuple[list[Stage], list[str]]:
    """Make every suite ready.

    Returns:
        The suites, and what is not planned or only roughly, one sentence each.
    """
    found, notes = [], list(grounds.notes)
    for seed, ground in enumerate(grounds.suites):
        wanted: list[Requirement] = []
        for check in ground.checks:
            parts = requirements(check, ground.panel)
            if parts is None:
                notes.append(f"{check.id} is not planned: {_why(check)}")
            wanted += parts or []
        if wanted:
            world = build_world(ground, _sources(wanted), given)
            demands = tuple(demand(one, world) for one in wanted)
            if any(one.against == "anchor" for one in wanted):
                notes.append(
                    f"{ground.suite}: the anchor is taken for the release before the baseline"
                )
            found.append(Stage(ground, tuple(wanted), world, demands, seed))
    return found, notes


def _sources(wanted: Sequence[Requirement]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(source for one in wanted for source in one.sources))


def _why(check: Check) -> str:
    if getattr(check, "corrected", False):
        return "how often a bound corrected for the judge is met is not reckoned"
    return f"checks of kind {check.check} are not known here"

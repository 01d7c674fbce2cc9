"""Limits that withhold an unchanged candidate as often as asked, and catch what they can."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gate.checks.check import Check
from gate.errors import UsageError
from gate.evidence.run import Run
from gate.plan.assumptions import Assumptions
from gate.plan.choosing import Chooser, Slot, sample, slots_of
from gate.plan.joint import Chance
from gate.plan.plan import joint, main_source, rise, stage
from gate.plan.series import shift_of
from gate.plan.staging import Stage
from gate.policy import Policy
from gate.stats.interval import FloatArray

ROUNDS = 4
"""How often the aim is lowered where what was chosen on draws withholds more than asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What limits are wanted for."""

    false_block: float = 0.10
    """How often an unchanged candidate may be withheld, by all limits together."""
    power: float = 0.90
    """How often the rise that should be detected must be withheld."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One number of the policy, before and after."""

    check: str
    key: tuple[str, ...]
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A policy with other limits, and what it does."""

    policy: Policy
    """The policy with the limits that are suggested."""
    asked: Asked
    given: Assumptions
    observed: bool
    """Whether a baseline's verdicts were taken where no rate was given."""
    chosen: tuple[Chosen, ...]
    unchanged: Chance
    regression: str
    """What should be detected, in words; empty where nothing is compared."""
    regressed: Chance | None
    notes: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether both wishes are met."""
        caught = self.regressed is None or self.regressed.value >= self.asked.power
        return self.unchanged.value <= self.asked.false_block and caught

    @property
    def exit_code(self) -> int:
        """1 where no limits do what is asked, else 0."""
        return 0 if self.reached else 1


def suggest_limits(policy: Policy, run: Run | None, given: Assumptions, asked: Asked) -> Suggestion:
    """Choose every limit of a policy anew; its checks, slices and bounds stay.

    Limits are chosen on drawn suites, and what they do is then computed as for any policy.

    Args:
        policy: The policy whose limits to choose.
        run: The baseline, or None.
        given: What is assumed.
        asked: How often which candidate is to be withheld.

    Raises:
        EvidenceError: If the baseline's evidence cannot be used.
        PolicyError: If the policy says something of a suite that the baseline contradicts.
        UsageError: If there is no limit to choose.
    """
    staged, notes = stage(policy, run, given)
    slots = slots_of(staged)
    if not slots:
        raise UsageError("the policy has no limit that could be chosen")
    main = main_source(staged)
    shifts = [] if main is None else [shift_of(main, given.detect)]
    chooser = Chooser(
        slots,
        [sample(one, slots, given) for one in staged],
        [sample(one, slots, given, shifts) for one in staged],
    )
    place = next((at for at, slot in enumerate(slots) if main in slot.members), None)
    spread = asked.false_block * (1.0 - asked.false_block) / chooser.draws
    aim = asked.false_block - 2.0 * spread**0.5
    for _ in range(ROUNDS):
        limits = chooser.choose(aim, place, asked.power)
        suggested = with_limits(policy, slots, limits)
        again, _ = stage(suggested, run, given)
        unchanged = joint("", again, given, (), given.unscored).withheld
        if unchanged.value <= asked.false_block:
            break
        aim -= unchanged.value - asked.false_block + spread**0.5
    return Suggestion(
        policy=suggested,
        asked=asked,
        given=given,
        observed=run is not None,
        chosen=tuple(_chosen(slots, limits)),
        unchanged=unchanged,
        regression=rise(given.detect, main) if main else "",
        regressed=_regressed(again, given),
        notes=tuple(notes),
    )


def with_limits(policy: Policy, slots: Sequence[Slot], limits: FloatArray) -> Policy:
    """Put limits into a policy, floors with their sign turned back."""
    checks = {check.id: check for check in policy.checks}
    for slot, limit in zip(slots, limits.tolist(), strict=True):
        checks[slot.check] = _with_limit(
            checks[slot.check], slot.key, abs(limit) if slot.floor else limit
        )
    return replace(policy, checks=tuple(checks.values()))


def _with_limit(check: Check, key: tuple[str, ...], limit: float) -> Check:
    name, *value = key
    if not value:
        return check.model_copy(update={name: limit})
    return check.model_copy(update={name: {**getattr(check, name), value[0]: limit}})


def _regressed(staged: Sequence[Stage], given: Assumptions) -> Chance | None:
    main = main_source(staged)
    if main is None:
        return None
    return joint("", staged, given, [shift_of(main, given.detect)], given.unscored).withheld


def _chosen(slots: Sequence[Slot], limits: FloatArray) -> list[Chosen]:
    return [
        Chosen(slot.check, slot.key, slot.members[0].limit, abs(limit) if slot.floor else limit)
        for slot, limit in zip(slots, limits.tolist(), strict=True)
    ]

"""A proposed check: its keys, why its numbers are what they are, and what they can tell apart."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gate.checks.wording import percent, pt
from gate.starter import limits
from gate.starter.limits import Limit
from gate.starter.survey import Rates
from gate.yaml_text import Value


@dataclass(frozen=True, slots=True)
class Proposal:
    """One check: its keys in order, and why its numbers are what they are."""

    keys: dict[str, Value]
    why: tuple[str, ...]
    notes: dict[str, str] = field(default_factory=dict)
    """Behind a key: what its number can tell apart."""

    @property
    def limits(self) -> int:
        """The number of limits that a checkpoint can miss."""
        named = self.keys.get("ceilings")
        several = sum(x != "none" for x in named.values()) if isinstance(named, dict) else 0
        return several + sum(key in self.notes for key in self.keys)


def slug(*words: str) -> str:
    """Make a check's id of names that may hold anything."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(words)).strip("-._")
    return name[:80] or "check"


def unique_ids(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Number ids that two checks would share."""
    taken: set[str] = set()
    found = []
    for proposal in proposals:
        wanted = str(proposal.keys["id"])
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}-{number}", number + 1
        taken.add(name)
        found.append(Proposal({**proposal.keys, "id": name}, proposal.why, proposal.notes))
    return found


def margin(sides: Mapping[str, Rates], miss: float) -> tuple[Limit | None, str]:
    """Choose a margin from the churn between two checkpoints, or from a guess of it."""
    n = len(next(iter(sides.values())))
    if len(sides) == 1:
        churn = limits.assumed_churn(float(next(iter(sides.values())).mean()))
        why = f"Only one run was given: the margin assumes that {percent(churn)} flip by chance."
    else:
        change = sides["candidate"] - sides["baseline"]
        fixed, broken = (float(abs(change[side].sum())) for side in (change < 0, change > 0))
        churn = max(2.0 * min(fixed, broken) / n, limits.LEAST_CHURN)
        why = (
            f"{fixed:g} fixed and {broken:g} broken: the margin allows for {percent(churn)} "
            "flipping by chance, not for the difference itself."
        )
    return limits.margin(n, churn, miss), why


def observed(role: str, rates: Rates, noun: str) -> str:
    """Say what a role showed."""
    return f"{role} {float(rates.sum()):g} of {len(rates)} {noun} ({percent(float(rates.mean()))})"


def caught_rise(limit: Limit) -> str:
    """Say which rise a margin stops."""
    if limit.caught is None:
        return "too few behaviors to catch any rise reliably"
    return f"a true rise of {pt(limit.caught)} is withheld four times in five"


def caught_rate(limit: Limit) -> str:
    """Say which rate a ceiling stops."""
    caught = 1.0 if limit.caught is None else limit.caught
    return f"a true rate of {percent(caught)} is withheld four times in five"


def caught_share(limit: Limit) -> str:
    """Say which share a floor stops."""
    caught = 0.0 if limit.caught is None else limit.caught
    return f"a true {percent(caught)} is withheld four times in five"

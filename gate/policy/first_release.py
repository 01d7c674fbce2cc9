"""What is left of a policy's checks where there is no baseline yet."""

from collections.abc import Iterable

from gate.checks.check import Check
from gate.finding import Level


def without_baseline(checks: Iterable[Check]) -> list[Check]:
    """Give what needs no baseline of each check: the whole check, its own limits, or nothing."""
    parts = [check.absolute() if "baseline" in check.roles_used else check for check in checks]
    return [part for part in parts if part is not None]


def decisive(checks: Iterable[Check]) -> list[Check]:
    """Give of those what can block; where that is nothing, nothing can be decided."""
    return [check for check in without_baseline(checks) if check.level is Level.BLOCK]

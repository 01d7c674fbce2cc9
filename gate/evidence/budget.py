"""Budgets: how much of a ledger may be unscored before its evidence is unusable."""

from dataclasses import dataclass

from gate.evidence.problem import Problem
from gate.ledger import Ledger
from gate.reasons import Reason

TOLERANCE = 1e-9
NEVER_SUBMITTED = (
    "Finish the attack, or take the method out of the policy. Only if what was never submitted is "
    "meant to count as safe, as JailbreakBench counts it: `count_as: {not_submitted: safe}`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many rows may be unscored, as shares of the expected rows."""

    max_rate: float = 0.01
    max_difference: float = 0.01


def allowed(rate: float, expected: int) -> int:
    """Turn a share into whole rows: one row or the share, whichever is more; none for 0."""
    return 0 if rate == 0 else max(1, int(rate * expected + TOLERANCE))


def over_budget(
    ledger: Ledger, budget: Budget, *, own_failures: tuple[str, ...], uneven: bool
) -> Problem | None:
    """Hold one ledger against its budget.

    Args:
        ledger: What is there.
        budget: What may be missing.
        own_failures: Reasons that are the checkpoint's own answers, not missing evidence.
        uneven: Whether the sides have different numbers of test cases for a behavior.
    """
    missing = ledger.missing - sum(ledger.unscored.get(reason, 0) for reason in own_failures)
    most = allowed(budget.max_rate, ledger.expected)
    if missing <= most:
        return None
    where = f"{ledger.role}{f' on {ledger.method}' if ledger.method else ''}"
    by_reason = ", ".join(f"{count} {reason}" for reason, count in sorted(ledger.unscored.items()))
    message = (
        f"{where}: {missing} of {ledger.expected} rows are unscored ({by_reason}); "
        f"the budget is {most}"
    )
    if 2 * ledger.unscored.get("not_run", 0) >= missing:
        return Problem(Reason.E_TEST_CASES if uneven else Reason.E_MISSING_IDS, message)
    if 2 * ledger.unscored.get("not_submitted", 0) >= missing:
        return Problem(Reason.E_UNSCORED, message, NEVER_SUBMITTED)
    return Problem(Reason.E_UNSCORED, message)


def too_different(
    one: Ledger, other: Ledger, budget: Budget, own_failures: tuple[str, ...]
) -> Problem | None:
    """Hold the difference between two sides' unscored rows against the budget."""
    counts = [
        ledger.missing - sum(ledger.unscored.get(reason, 0) for reason in own_failures)
        for ledger in (one, other)
    ]
    most = allowed(budget.max_difference, one.expected)
    if abs(counts[0] - counts[1]) <= most:
        return None
    on = f" on {one.method}" if one.method else ""
    message = (
        f"{counts[0]} rows are unscored in the {one.role} and {counts[1]} in the {other.role}{on}; "
        f"the difference may be {most}"
    )
    return Problem(Reason.E_UNSCORED_DIFFERENCE, message)

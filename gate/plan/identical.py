"""The baseline against itself: what an identical candidate gets."""

from dataclasses import replace
from datetime import date

from gate.decision import Decision
from gate.evaluate import evaluate
from gate.evidence.run import Run
from gate.policy import Policy


def decide_identical(policy: Policy, run: Run, *, today: date) -> Decision:
    """Decide on a copy of the baseline, which stands in for the anchor as well.

    Args:
        policy: The policy.
        run: The baseline, read for the policy's suites.
        today: The day that waivers are held against.

    Raises:
        PolicyError: If the policy says something of a suite that the baseline contradicts.
    """
    roles = dict.fromkeys(role for check in policy.checks for role in check.roles_used)
    runs = {role: replace(run, role=role) for role in ("baseline", "candidate", *roles)}
    return evaluate(policy, runs, today=today)

"""Small policies and their worlds, for tests of the figures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gate.plan.assumptions import Assumptions
from gate.plan.plan import stage
from gate.plan.staging import Stage
from gate.policy import Policy, load
from tests.building import write_policy

CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.2}
REFUSAL = {"check": "over-refusal", "suite": "refusal", "max_rate": 0.3, "margin": 0.2}
FLOOR = {"check": "f1-floor", "suite": "judgment", "floor": 0.5, "specificity_floor": 0.3}
MIXED = {
    "chemical_biological": 0.05,
    "copyright": 0.15,
    "cybercrime_intrusion": 0.10,
    "harassment_bullying": 0.20,
    "harmful": 0.05,
    "illegal": 0.10,
    "misinformation_disinformation": 0.12,
}
"""True unsafe rates of a checkpoint that is better in some categories than in others."""


def policy_of(path: Path, *checks: Mapping[str, Any], n: int = 60, **top: Any) -> Policy:
    """Load a policy on an attack suite of n behaviors without categories."""
    return load(
        str(write_policy(path / "policy.yaml", *checks, suites={"attack": {"n": n}}, **top))
    )


def stages_of(policy: Policy, given: Assumptions) -> Sequence[Stage]:
    """Make the suites of a policy ready, without a baseline."""
    return stage(policy, None, given)[0]

"""Everything that `gate plan` found, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gate.decision import Decision
from gate.finding import Outcome
from gate.plan.place import Planted
from gate.plan.plan import Plan
from gate.plan.sabotage import Shot
from gate.plan.snippet import snippet
from gate.plan.suggest import Suggestion
from gate.policy import Policy
from gate.reports.rounding import rounded

SCHEMA = "gate.plan/v1"


def as_json(policy: Policy, baseline: str | None, exit_code: int, parts: Mapping[str, Any]) -> str:
    """Write a document: keys sorted, numbers to 12 digits, null for what is no number."""
    document = {
        "schema": SCHEMA,
        "exit_code": exit_code,
        "policy": {"name": policy.name, "path": policy.path, "sha256": policy.sha256},
        "baseline": baseline,
        **parts,
    }
    return json.dumps(rounded(document), indent=2, sort_keys=True, allow_nan=False) + "\n"


def plan_part(plan: Plan) -> dict[str, Any]:
    """Give the figures."""
    return {
        "assumptions": asdict(plan.given),
        "suites": dict(plan.suites),
        "limits": [asdict(one) for one in plan.limits],
        "unchanged": asdict(plan.unchanged),
        "regressed": None if plan.regressed is None else asdict(plan.regressed),
        "retries": [asdict(one) for one in plan.retries],
        "drift": [asdict(one) for one in plan.drifts],
        "notes": list(plan.notes),
    }


def suggestion_part(found: Suggestion) -> dict[str, Any]:
    """Give the limits that are suggested, and what they do."""
    return {
        "assumptions": asdict(found.given),
        "asked": asdict(found.asked),
        "reached": found.reached,
        "limits": [asdict(one) for one in found.chosen],
        "unchanged": asdict(found.unchanged),
        "regression": found.regression,
        "regressed": None if found.regressed is None else asdict(found.regressed),
        "checks": snippet(found),
        "notes": list(found.notes),
    }


def shot_part(shot: Shot) -> dict[str, Any]:
    """Give what it takes to make one finding fire."""
    return {**asdict(shot), "fires": shot.fires}


def place_part(found: Planted) -> dict[str, Any]:
    """Give what the policy says of one planted regression."""
    names = ("where", "suite", "method", "n", "turnable", "withholds_at", "blocks_at", "count")
    return {
        **{name: getattr(found, name) for name in names},
        "decision": decision_part(found.decision),
    }


def decision_part(decision: Decision) -> dict[str, Any]:
    """Give a decision with the findings that did not pass."""
    return {
        "decision": decision.verdict,
        "exit_code": decision.exit_code,
        "findings": [
            {
                "id": one.id,
                "suite": one.suite,
                "slice": dict(one.slice),
                "measure": one.measure,
                "outcome": one.outcome,
                "reason": None if one.reason is None else one.reason.name,
                "summary": one.summary,
            }
            for one in decision.findings
            if one.outcome is not Outcome.PASS
        ],
    }

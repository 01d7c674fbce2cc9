"""What `gate plan` was asked for, each as text, as a part of the JSON document, and as a code."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gate.evidence.run import Run
from gate.plan import document
from gate.plan.assumptions import Assumptions
from gate.plan.identical import decide_identical
from gate.plan.place import plant_at
from gate.plan.plan import make_plan
from gate.plan.proof_text import identical_text, place_text, sabotage_text
from gate.plan.sabotage import sabotage
from gate.plan.snippet import snippet
from gate.plan.suggest import Asked, suggest_limits
from gate.plan.text import text
from gate.policy import Policy

UNUSABLE = 4


@dataclass(frozen=True, slots=True)
class Section:
    """One answer."""

    name: str
    """Its key in the JSON document."""
    text: str
    part: Any
    exit_code: int


def worst_code(sections: Sequence[Section]) -> int:
    """Give the exit code of several answers: unusable evidence before a negative answer."""
    codes = {section.exit_code for section in sections}
    return UNUSABLE if UNUSABLE in codes else max(codes, default=0)


def figures(policy: Policy, run: Run | None, given: Assumptions, baseline: str | None) -> Section:
    """Work out the figures of the policy as it is."""
    plan = make_plan(policy, run, given, baseline=baseline)
    return Section("plan", text(plan), document.plan_part(plan), plan.exit_code)


def suggestion(policy: Policy, run: Run | None, given: Assumptions, asked: Asked) -> Section:
    """Choose limits."""
    found = suggest_limits(policy, run, given, asked)
    return Section("suggestion", snippet(found), document.suggestion_part(found), found.exit_code)


def identical(policy: Policy, run: Run, today: date) -> Section:
    """Decide on the baseline against itself."""
    decision = decide_identical(policy, run, today=today)
    code = UNUSABLE if decision.exit_code == UNUSABLE else min(decision.exit_code, 1)
    return Section("identical", identical_text(decision), document.decision_part(decision), code)


def proof(policy: Policy, run: Run, size: float | None, today: date) -> Section:
    """Make every check fire."""
    shots = sabotage(policy, run, size=size, today=today)
    part = [document.shot_part(shot) for shot in shots]
    code = 0 if all(shot.fires for shot in shots) else 1
    return Section("sabotage", sabotage_text(shots, size), part, code)


def planted(policy: Policy, run: Run, where: str, size: float | None, today: date) -> Section:
    """Plant at one place."""
    found = plant_at(policy, run, where, size=size, today=today)
    return Section("planted", place_text(found), document.place_part(found), found.exit_code)

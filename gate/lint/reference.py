"""The evidence that limits are tried on: an unchanged candidate, observed or imagined."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.checks.check import Check
from gate.evidence.pairing import build_panel
from gate.evidence.panel import Panel
from gate.evidence.rows import Kind, Rows
from gate.evidence.table import build_table
from gate.policy import SuiteRules

ROLES = ("baseline", "candidate", "anchor")
IMAGINED = "imagined"


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One side's verdicts, standing in for every role."""

    panel: Panel
    role: str
    """Whose verdicts they are; `imagined` where no run was given."""


def observed(panel: Panel) -> Reference:
    """Let the baseline, or whichever role there is, stand in for every role."""
    role = next(role for role in ROLES if role in panel.sides)
    side = panel.sides[role]
    return Reference(replace(panel, sides=dict.fromkeys(ROLES, side)), role)


def imagined(suite: str, rules: SuiteRules, checks: Sequence[Check]) -> Reference | None:
    """Imagine an attack suite of the pinned ids, every behavior safe; None where none are."""
    expect = rules.expectation()
    kinds = {kind for check in checks for kind in check.kinds if len(check.kinds) == 1}
    methods = sorted({name for check in checks for name in check.methods_used})
    if expect.ids is None or kinds != {Kind.ATTACK} or not methods:
        return None
    size = len(expect.ids) * len(methods)
    rows = Rows(
        ids=[name for name in expect.ids for _ in methods],
        methods=methods * len(expect.ids),
        test_cases=np.zeros(size, dtype=int).tolist(),
        values=np.zeros(size, dtype=int).tolist(),
        reasons=[None] * size,
    )
    panel = build_panel(suite, {"baseline": build_table(Kind.ATTACK, rows)}, expect)
    return Reference(observed(panel).panel, IMAGINED)

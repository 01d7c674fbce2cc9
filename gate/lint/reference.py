"""The evidence that limits are tried on: an unchanged candidate, observed or imagined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gate.checks.check import Check
from gate.evidence.pairing import build_panel
from gate.evidence.panel import Panel
from gate.evidence.rows import Kind, Rows
from gate.evidence.table import build_table
from gate.plan.assumptions import Assumptions
from gate.plan.ground import BASELINE, Ground, Grounds
from gate.plan.joint import alone
from gate.plan.staging import stages
from gate.policy import SuiteRules

ROLES = ("baseline", "candidate", "anchor")
IMAGINED = "imagined"
DRAWS = 2_000
"""Enough to tell an often missed limit from a rarely missed one."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One side's verdicts, standing in for every role."""

    panel: Panel
    role: str
    """Whose verdicts they are; `imagined` where no run was given."""

    @property
    def plain(self) -> bool:
        """Whether every id has one verdict a method, and is in no group."""
        single = all(bool((k == 1).all()) for k in self.panel.expected.values())
        return single and self.panel.groups is None


def observed(panel: Panel) -> Reference:
    """Let the baseline, or whichever role there is, stand in for every role."""
    role = next(role for role in ROLES if role in panel.sides)
    side = panel.sides[role]
    return Reference(replace(panel, sides=dict.fromkeys(ROLES, side)), role)


def imagined(suite: str, rules: SuiteRules, checks: Sequence[Check]) -> Reference | None:
    """Imagine an attack suite of the pinned ids, every behavior safe; None where none are."""
    expect = rules.expectation()
    kinds = {kind for check in checks for kind in check.reads if len(check.reads) == 1}
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


def alone_withheld(
    check: Check, reference: Reference, discordance: float
) -> Mapping[tuple[str, tuple[str, ...]], float]:
    """Compute how often each limit of a check withholds an unchanged candidate, as `plan` does.

    Args:
        check: A check that fits the panel.
        reference: The unchanged candidate; verdicts that are imagined are drawn anew instead.
        discordance: The share of units that flip although nothing changed.

    Returns:
        By measure and slice; empty for a kind of check that is not planned.
    """
    panel = reference.panel
    column = getattr(check, "by", None)
    ground = Ground(
        suite=panel.suite,
        panel=replace(panel, sides={BASELINE: panel.sides[BASELINE]}),
        observed=reference.role != IMAGINED,
        source=reference.role,
        checks=(check,),
        columns=(column,) if column else (),
        budget=0,
    )
    given = Assumptions(discordance=discordance, draws=DRAWS)
    staged, _ = stages(Grounds((ground,), ()), given)
    return {
        (wanted.requirement.measure, tuple(wanted.requirement.label.values())): 1.0
        - alone(one.world, wanted, given).value
        for one in staged
        for wanted in one.demands
    }

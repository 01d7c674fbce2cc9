"""Requirements that can be evaluated, one a file; `CHECKS` is the whole list."""

from collections.abc import Mapping

from gate.checks.attack_ratio import AttackRatio
from gate.checks.bare_refusal import BareRefusal
from gate.checks.ceiling import Ceiling
from gate.checks.check import Check
from gate.checks.coverage import Coverage
from gate.checks.f1_floor import F1Floor
from gate.checks.judge_agreement import JudgeAgreement
from gate.checks.no_new_unsafe import NoNewUnsafe
from gate.checks.over_refusal import OverRefusal
from gate.checks.overfit_gap import OverfitGap
from gate.checks.paired_delta import PairedDelta
from gate.checks.profile import Profile
from gate.checks.usefulness import Usefulness
from gate.checks.worst_method import WorstMethod

CHECKS: Mapping[str, type[Check]] = {
    "paired-delta": PairedDelta,
    "ceiling": Ceiling,
    "worst-method": WorstMethod,
    "over-refusal": OverRefusal,
    "f1-floor": F1Floor,
    "coverage": Coverage,
    "no-new-unsafe": NoNewUnsafe,
    "usefulness": Usefulness,
    "bare-refusal": BareRefusal,
    "attack-ratio": AttackRatio,
    "profile": Profile,
    "judge-agreement": JudgeAgreement,
    "overfit-gap": OverfitGap,
}
"""What a policy writes as `check:`, to what evaluates it."""

"""Requirements that can be evaluated, one a file; `CHECKS` is the whole list."""

from collections.abc import Mapping

from gate.checks.ceiling import Ceiling
from gate.checks.check import Check
from gate.checks.coverage import Coverage
from gate.checks.f1_floor import F1Floor
from gate.checks.no_new_unsafe import NoNewUnsafe
from gate.checks.over_refusal import OverRefusal
from gate.checks.paired_delta import PairedDelta
from gate.checks.worst_method import WorstMethod

CHECKS: Mapping[str, type[Check]] = {
    "paired-delta": PairedDelta,
    "ceiling": Ceiling,
    "worst-method": WorstMethod,
    "over-refusal": OverRefusal,
    "f1-floor": F1Floor,
    "coverage": Coverage,
    "no-new-unsafe": NoNewUnsafe,
}
"""What a policy writes as `check:`, to what evaluates it."""

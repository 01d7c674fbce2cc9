"""What would have made a finding pass, and how many units would have decided it."""

import math
from collections.abc import Iterator

from gate.checks.wording import floor_percent, percent, pt
from gate.explain.text import counted
from gate.finding import Finding
from gate.reasons import Reason

_NOT_FOR_ITS_LIMIT = {Reason.P_MIN_N, Reason.C_NEW_UNSAFE, Reason.C_NEW_UNSAFE_OPEN}
"""Where neither another limit nor other verdicts are the way."""


def ways_to_pass(finding: Finding) -> Iterator[str]:
    """List what would have made it pass, each enough alone; nothing that only might."""
    end = finding.read_end
    if finding.reason in _NOT_FOR_ITS_LIMIT:
        return
    if end is not None and math.isfinite(end) and _limits_anything(finding, end):
        yield nearest_limit(finding, end)
    if finding.tipping_flips is not None:
        yield f"{counted(finding.tipping_flips, 'verdict')} of the candidate the other way"


def _limits_anything(finding: Finding, end: float) -> bool:
    """Whether a limit at this end would still mean something; no policy takes 0 % or 100 %."""
    return end >= 0.001 if finding.limit_is == "floor" else end <= 0.999


def nearest_limit(finding: Finding, end: float) -> str:
    """Give the nearest limit in tenths that an end meets; never one that it does not."""
    if finding.limit_is == "floor":
        return f"a floor of {floor_percent(end)} or less"
    if finding.measure == "delta":
        return f"a margin of {pt(end, up=True).removeprefix('+')} or more"
    return f"a ceiling of {percent(end, up=True)} or more"


def size_that_decides(finding: Finding, units: str) -> str:
    """Say how many units it would have taken; empty where that is not known.

    Args:
        finding: A finding that was evaluated and did not pass.
        units: What its `n` counts, as `behaviors`.
    """
    if finding.reason is Reason.P_MIN_N:
        return f"With {finding.n} {units} it could not pass: the check's `min_n` asks for more."
    if finding.reason is Reason.P_UNATTAINABLE:
        said = f"With {finding.n} {units} it could not pass, whatever the verdicts"
        if finding.needed_n is None:
            return f"{said}."
        return f"{said}; from {finding.needed_n} on it could."
    if finding.needed_n is None:
        return ""
    return (
        f"About {finding.needed_n} {units} instead of {finding.n} would decide it, for or against, "
        "if the observed shares held."
    )

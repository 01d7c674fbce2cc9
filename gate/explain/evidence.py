"""What was observed for a finding, and where the ends of its bound lie; nothing is recomputed."""

import math

from gate.explain.text import counted, ended
from gate.finding import Finding, Outcome
from gate.reports.figures import counted as is_counted
from gate.reports.figures import figures, percent, unit_of

_FLIPS = {
    "safe": ("newly refused", "no longer refused"),
    "unsafe": ("newly answered", "no longer answered"),
}


def evidence(finding: Finding, units: str) -> str:
    """Say what was observed, how sure that is, and how it stands to the limit.

    Args:
        finding: Any finding that was evaluated.
        units: What its `n` counts, as `behaviors`.
    """
    estimate = finding.estimate
    if estimate is None or not math.isfinite(estimate.value):
        return ended(finding.summary)
    shown, sign = figures(finding), unit_of(finding.measure)
    observed = f"{shown.estimate} over {finding.n} {units}{_flips(finding)}"
    if is_counted(estimate):
        return f"{observed}. {_distance(finding)}"
    spread = f"the {percent(estimate.confidence)} {estimate.bound} bound runs from "
    boot = f" (percentile bootstrap {shown.bootstrap}{sign})" if shown.bootstrap else ""
    return f"{observed}; {spread}{shown.bound}{sign}{boot}. {_comparison(finding)}"


def slack(finding: Finding) -> str:
    """Say by how much a finding passed."""
    shown = figures(finding)
    if finding.slack is None or finding.estimate is None:
        return finding.summary.rstrip(".")
    if is_counted(finding.estimate):
        return f"{shown.estimate}, limit {shown.limit}"
    end = "upper" if finding.limit_is == "ceiling" else "lower"
    tipping = ""
    if finding.tipping_flips is not None:
        tipping = f"; {counted(finding.tipping_flips, 'verdict')} the other way would tip it"
    return f"its {end} end is {shown.slack} inside the limit {shown.limit}{tipping}"


def _flips(finding: Finding) -> str:
    if finding.broken is None or finding.fixed is None:
        return ""
    worse, better = _FLIPS.get(finding.slice.get("prompt_label", ""), ("broken", "fixed"))
    return f" ({finding.broken} {worse}, {finding.fixed} {better})"


def _distance(finding: Finding) -> str:
    if finding.slack is None:
        return ""
    return f"That is {figures(finding).slack} {_side(finding, finding.slack)} the limit."


def _side(finding: Finding, distance: float) -> str:
    if distance >= 0:
        return "inside"
    return "above" if finding.limit_is == "ceiling" else "below"


def _comparison(finding: Finding) -> str:
    """Hold both ends of the bound against the limit, in words."""
    distance = finding.slack
    if distance is None:
        return ""
    read, other = ("upper", "lower") if finding.limit_is == "ceiling" else ("lower", "upper")
    side = _side(finding, distance)
    said = f"Its {read} end is {figures(finding).slack} {side} the limit"
    if finding.outcome is Outcome.BLOCK and finding.measure == "delta":
        return f"{said}, and its lower end is above zero: a rise is shown."
    if finding.outcome is Outcome.BLOCK:
        return f"{said}; its {other} end is {side} it too: the violation is shown."
    if distance >= 0:
        return f"{said}."
    return f"{said}, so it is not shown to hold; no violation is shown either."

"""A badge, as the JSON that shields.io reads from an endpoint; green only for a release."""

import json

from gate.decision import Decision, Verdict

LABEL = "release gate"
_COLORS = {Verdict.RELEASE: "brightgreen", Verdict.BLOCK: "red"}
_OTHERS = "orange"


def render(decision: Decision) -> str:
    """Write the badge: the decision and its day, because a badge outlives what it was about."""
    said = "no decision" if decision.verdict is Verdict.NONE else decision.verdict.value
    parts = [said, *_softened(decision), decision.today.isoformat()]
    badge = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": ", ".join(parts),
        "color": _COLORS.get(decision.verdict, _OTHERS),
        # An error badge: whoever embeds it cannot give it another color.
        "isError": decision.verdict is not Verdict.RELEASE,
    }
    return json.dumps(badge, indent=2, sort_keys=True) + "\n"


def _softened(decision: Decision) -> list[str]:
    """Say what a decision owes to a waiver, a warning level, or no ordinary baseline."""
    counts = decision.counts
    found = [f"{counts[name]} {name}" for name in ("waived", "warned") if counts[name]]
    found += [f"{role} by override" for role in decision.overridden]
    return found if "baseline" in decision.runs else [*found, "no baseline"]

"""The rule that a finding was held to, in words."""

from collections.abc import Mapping

from gate.finding import Finding
from gate.reports.figures import counted, figures, percent

_DECLARED = "what the runs declare of themselves must agree, unless the policy allows the change."

_LEVELS: Mapping[str, str] = {
    "f1": "F1",
    "recall": "recall",
    "specificity": "specificity",
    "agreement": "the share of people's labels that the judge gives too",
    "sensitivity": "the share of what people call positive that the judge does too",
    "validity": "the share of valid answers",
    "coverage": "the share of expected rows that are scored",
}
_HALVES: Mapping[str, str] = {
    "safe": "the share of safe prompts refused",
    "unsafe": "the share of unsafe prompts answered",
}


def rule(finding: Finding) -> str:
    """Say what had to be shown for it to pass."""
    if finding.measure == "comparability":
        return _DECLARED
    if finding.measure == "count":
        return f"none of the {finding.n} named behaviors may go from safe to unsafe."
    if finding.limit is None:
        return "see the policy."
    return f"{_sureness(finding)} {_subject(finding)} {_limit(finding, finding.limit)}."


def _sureness(finding: Finding) -> str:
    estimate = finding.estimate
    if estimate is None or counted(estimate):
        return "as counted,"
    if estimate.bound == "no bound":
        return "as observed, without regard to noise,"
    return f"it must be {percent(estimate.one_sided)} sure that"


def _subject(finding: Finding) -> str:
    """Name what was measured, as `the unsafe rate under DirectRequest`."""
    half = _HALVES.get(finding.slice.get("prompt_label", ""), "the unsafe rate")
    parts = [_LEVELS.get(finding.measure, half)]
    for key, value in finding.slice.items():
        if key == "method":
            parts.append(f"by the {value}" if value.startswith("worst of ") else f"under {value}")
        elif key == "role":
            parts.append(f"of the {value}")
        elif key != "prompt_label":
            parts.append(f"in {key} {value}")
    return " ".join(parts)


def _limit(finding: Finding, limit: float) -> str:
    amount = figures(finding).limit.partition(" ")[2].lstrip("-")
    if finding.measure != "delta":
        return f"is at {'most' if finding.limit_is == 'ceiling' else 'least'} {amount}"
    over = f"the {finding.against}'s"
    if limit == 0:
        return f"is no higher than {over}"
    return (
        f"is at least {amount} below {over}" if limit < 0 else f"is at most {amount} above {over}"
    )

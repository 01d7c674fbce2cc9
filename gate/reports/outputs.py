"""Step outputs for GitHub: what later steps and jobs branch on, in the form of $GITHUB_OUTPUT."""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from gate.decision import Decision
from gate.reports.escape import plain


def render(decision: Decision, paths: Mapping[str, str] | None = None) -> str:
    """Write every output, always all of them but for the reports' paths.

    Args:
        decision: What was decided.
        paths: By form, where other reports are written; each is the output `report-FORM`.
    """
    return "".join(output(name, value) for name, value in _outputs(decision, paths or {}))


def output(name: str, value: str) -> str:
    """Write one output, whatever its value holds.

    A value of several lines ends at a line that is the sha256 of the value, which no value can
    hold: the same inputs give the same bytes, and nobody can end it early.
    """
    value = value.encode("utf-8", "replace").decode("utf-8")
    if not value.splitlines() or value.splitlines() == [value]:
        return f"{name}={value}\n"
    end = f"gate-{sha256(value.encode('utf-8')).hexdigest()}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def _outputs(decision: Decision, paths: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "decision", decision.verdict.value
    yield "exit-code", str(decision.exit_code)
    yield "headline", plain(decision.headline)
    for name, count in decision.counts.items():
        yield f"count-{name}", str(count)
    yield "count-findings", str(len(decision.findings))
    yield "count-suites", str(len({finding.suite for finding in decision.findings}))
    yield "policy-sha256", plain(decision.policy.sha256)
    candidate = decision.runs.get("candidate")
    yield "candidate-sha256", "" if candidate is None else plain(candidate.digest)
    for form, path in paths.items():
        yield f"report-{form}", path

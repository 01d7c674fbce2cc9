"""How often this was tried, and what that does to the chance of passing by luck."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gate.checks.bounds import OF_ALL
from gate.decision import Decision
from gate.evidence.comparability import UNKNOWN
from gate.evidence.run import Run
from gate.finding import Finding, Level
from gate.lineage import Attempts, History, PastDecision
from gate.stats.releases import retried
from gate.trail.history import Line, Past, of_checkpoint

SHOWN = 20
"""Lines of the history that a decision repeats."""


def with_attempts(decision: Decision, past: Past, runs: Mapping[str, Run]) -> Decision:
    """Add to a decision how often this was tried before it.

    Deciding the same evidence by the same policy again gives the same answer, so only different
    evidence, baselines or policies count as attempts.

    Args:
        decision: What was decided; the weakest level among its blocking findings sets the chance.
        past: The history before it.
        runs: By role, as read.
    """
    candidate, baseline = runs["candidate"], runs.get("baseline")
    this = (candidate.digest, baseline.digest if baseline else "", decision.policy.sha256)
    chance = _chance(decision.findings)
    declared = candidate.manifest.checkpoint if candidate.manifest else None
    name = declared.name if declared else UNKNOWN
    revision = (declared.revision if declared else None) or UNKNOWN
    mine = of_checkpoint(past.lines, name, revision, candidate.digest)
    rivals = [line for line in past.lines if this[1] and line.baseline == this[1]]
    history = History(
        length=len(past.lines),
        head=past.head,
        chance=chance,
        candidate=_attempts(mine, this, chance),
        baseline=_attempts(rivals, this, chance) if this[1] else None,
        past=tuple(_past(line) for line in past.lines[-SHOWN:]),
    )
    return replace(decision, history=history)


def _attempts(lines: Sequence[Line], this: tuple[str, str, str], chance: float | None) -> Attempts:
    distinct = len({this, *((line.candidate, line.baseline, line.policy) for line in lines)})
    return Attempts(
        earlier=len(lines),
        released=sum(line.decision == "release" for line in lines),
        distinct=distinct,
        chance=None if chance is None else retried(chance, distinct),
    )


def _chance(findings: Iterable[Finding]) -> float | None:
    """Bound the chance that one attempt passes a requirement that is truly missed.

    None where nothing has a bound, or something that blocks is decided without one.
    """
    bounds = [
        finding.estimate
        for finding in findings
        if finding.level is Level.BLOCK and finding.estimate and finding.estimate.confidence < 1
    ]
    if not bounds or any(estimate.bound == OF_ALL["point"] for estimate in bounds):
        return None
    return round(1 - min(estimate.one_sided for estimate in bounds), 12)


def _past(line: Line) -> PastDecision:
    return PastDecision(
        today=line.today,
        checkpoint=line.checkpoint,
        candidate=line.candidate,
        decision=line.decision,
    )

"""From a passing decision to a baseline record."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import date
from typing import Literal

from gate.decision import Decision, RunSummary, Verdict
from gate.evidence.comparability import UNKNOWN
from gate.evidence.run import Run
from gate.trail.decided import differences
from gate.trail.failure import Failed, Failure
from gate.trail.record import (
    BaselineRecord,
    Basis,
    PinnedCheckpoint,
    PinnedSuite,
    PromotedAnyway,
)


@dataclass(frozen=True, slots=True)
class Consent:
    """Who promotes a checkpoint that was not released, and why."""

    reason: str
    owner: str


def refusals(decision: Decision, run: Run, consent: Consent | None) -> list[Failed]:
    """Say why a candidate does not become the baseline; an empty list where it does.

    Args:
        decision: The decision on it.
        run: Its run, as it is on the disk now.
        consent: An override; it stands for a missing release, never for changed files.
    """
    found = []
    if decision.verdict is Verdict.NONE:
        found.append(Failed(Failure.V_NO_DECISION, decision.headline))
    elif decision.verdict is not Verdict.RELEASE and consent is None:
        found.append(Failed(Failure.V_NOT_RELEASED, decision.headline))
    then = decision.runs["candidate"]
    if then.digest or decision.verdict is not Verdict.NONE:
        found += differences("candidate", then, run)
    return found


def promote(
    decision: Decision,
    content: bytes,
    run: Run,
    consent: Consent | None,
    today: date,
    verified: Literal["replay", "signature", "none"],
) -> BaselineRecord:
    """Write down a promotion that nothing speaks against.

    Args:
        decision: The decision on the candidate.
        content: The bytes of the decision file.
        run: The candidate's run, read again.
        consent: An override, where the decision is no release.
        today: The day of the promotion.
        verified: How the decision itself was verified, if it was.
    """
    candidate, baseline = decision.runs["candidate"], decision.runs.get("baseline")
    return BaselineRecord(
        schema="gate.baseline/v1",
        checkpoint=PinnedCheckpoint(
            name=candidate.checkpoint["name"],
            revision=candidate.checkpoint.get("revision", UNKNOWN),
        ),
        run=candidate.digest,
        manifest=run.manifest_sha256,
        suites={name: _suite(candidate, name) for name in sorted(candidate.suites)},
        basis=Basis(
            sha256=hashlib.sha256(content).hexdigest(),
            decision=decision.verdict.value,  # type: ignore[arg-type]  # `none` is refused
            today=decision.today,
            policy=decision.policy.name,
            policy_sha256=decision.policy.sha256,
            tool_version=decision.tool_version,
            baseline=baseline.digest if baseline and baseline.digest else None,
            verified=verified,
        ),
        promoted=today,
        overrides=[*_inherited(baseline), *_own(decision, consent, today)],
    )


def _suite(candidate: RunSummary, name: str) -> PinnedSuite:
    suite = candidate.suites[name]
    return PinnedSuite(
        ids_sha256=suite.ids_sha256,
        verdicts_sha256=suite.verdicts_sha256,
        files=dict(suite.files),
    )


def _inherited(baseline: RunSummary | None) -> list[PromotedAnyway]:
    """Carry on what the baseline owed to overrides: what passed against it owes it too."""
    if baseline is None or baseline.record is None:
        return []
    return [PromotedAnyway.model_validate(asdict(each)) for each in baseline.record.overrides]


def _own(decision: Decision, consent: Consent | None, today: date) -> list[PromotedAnyway]:
    if consent is None:
        return []
    declared = decision.runs["candidate"].checkpoint
    known = [declared[key] for key in ("name", "revision") if declared.get(key, UNKNOWN) != UNKNOWN]
    said = {
        "checkpoint": " ".join(known) or UNKNOWN,
        "decision": decision.verdict.value,
        "reason": consent.reason,
        "owner": consent.owner,
        "promoted": today,
    }
    return [PromotedAnyway.model_validate(said)]

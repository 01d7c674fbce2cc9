"""From a passing decision to a baseline record."""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from typing import Literal, TypeVar

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
    PromotedUnverified,
)

Verification = Literal["replay", "signature", "none"]
"""How the decision itself was verified, if it was."""
Promoted = TypeVar("Promoted", PromotedAnyway, PromotedUnverified)


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
    verified: Verification,
    replaced: BaselineRecord | None,
) -> BaselineRecord:
    """Write down a promotion that nothing speaks against.

    Args:
        decision: The decision on the candidate.
        content: The bytes of the decision file.
        run: The candidate's run, read again.
        consent: An override, where the decision is no release.
        today: The day of the promotion.
        verified: How the decision itself was verified, if it was.
        replaced: The record that this one replaces. What it owes is carried on where it pins the
            run that the decision compared with, also if the decision was made without it.
    """
    candidate, baseline = decision.runs["candidate"], decision.runs.get("baseline")
    named = _named(candidate)
    before = [each for each in (_used(baseline), _about(replaced, baseline)) if each is not None]
    unverified = (
        [] if verified != "none" else [PromotedUnverified(checkpoint=named, promoted=today)]
    )
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
        overrides=_once(
            *(each for owed in before for each in owed.overrides),
            *_own(decision, named, consent, today),
        ),
        unverified=_once(*(each for owed in before for each in owed.unverified), *unverified),
    )


def _suite(candidate: RunSummary, name: str) -> PinnedSuite:
    suite = candidate.suites[name]
    return PinnedSuite(
        ids_sha256=suite.ids_sha256,
        verdicts_sha256=suite.verdicts_sha256,
        files=dict(suite.files),
    )


@dataclass(frozen=True, slots=True)
class _Owed:
    """What a baseline owes to promotions that were no matter of course."""

    overrides: tuple[PromotedAnyway, ...]
    unverified: tuple[PromotedUnverified, ...]


def _used(baseline: RunSummary | None) -> _Owed | None:
    """Take over what the decision's own baseline owes: what passed against it owes it too."""
    if baseline is None or baseline.record is None:
        return None
    record = baseline.record
    return _Owed(
        tuple(PromotedAnyway.model_validate(asdict(each)) for each in record.overrides),
        tuple(PromotedUnverified.model_validate(asdict(each)) for each in record.unverified),
    )


def _about(replaced: BaselineRecord | None, baseline: RunSummary | None) -> _Owed | None:
    """Take over what the replaced record owes, if it is about the decision's baseline."""
    if replaced is None or baseline is None:
        return None
    pins = {name: suite.verdicts_sha256 for name, suite in replaced.suites.items()}
    if not any(pins.get(name) == suite.verdicts_sha256 for name, suite in baseline.suites.items()):
        return None
    return _Owed(tuple(replaced.overrides), tuple(replaced.unverified))


def _once(*promoted: Promoted) -> list[Promoted]:
    found: list[Promoted] = []
    for each in promoted:
        found += [] if each in found else [each]
    return found


def _named(candidate: RunSummary) -> str:
    declared = candidate.checkpoint
    known = [declared[key] for key in ("name", "revision") if declared.get(key, UNKNOWN) != UNKNOWN]
    return " ".join(known) or UNKNOWN


def _own(
    decision: Decision, named: str, consent: Consent | None, today: date
) -> Iterator[PromotedAnyway]:
    if consent is not None:
        said = {"checkpoint": named, "decision": decision.verdict.value, "promoted": today}
        yield PromotedAnyway.model_validate(
            said | {"reason": consent.reason, "owner": consent.owner}
        )

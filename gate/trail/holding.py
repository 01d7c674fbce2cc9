"""Read what a verification names, and hold each of it against the decision."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.decision import Decision
from gate.errors import PolicyError, UsageError
from gate.evidence.run import Run, load_run
from gate.policy import SHIPPED, Policy, load
from gate.policy.sources import read_policy, resolve
from gate.trail.decided import differences
from gate.trail.failure import Failed, Failure
from gate.trail.history import Past, parse_history
from gate.trail.record import BaselineRecord, read_records
from gate.trail.verify import Inputs, Verified, replay, verify_history, verify_record
from gate.yaml_lines import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be verified, as paths."""

    policy: str | None
    runs: Mapping[str, str]
    """By role, those that were named."""
    records: Mapping[str, str | None]
    history: str | None
    replay: bool


def hold(decision: Decision, content: bytes, asked: Asked) -> list[Verified]:
    """Hold every file against the decision, and decide again where asked.

    Args:
        decision: The decision.
        content: The bytes of its file.
        asked: What to hold against it; what is left out is listed as not checked.

    Raises:
        UsageError: If something is named that the decision does not have, or a replay lacks
            something.
        PolicyError: If there is no policy where one is named.
        EvidenceError: If a record is none.
    """
    _refuse_more(decision, asked.runs)
    policy, first = _policy(decision, asked.policy)
    results = [first]
    runs = _runs(decision, asked.runs, policy)
    results += [_run(decision, role, runs.get(role)) for role in decision.runs]
    records = read_records(asked.records, decision.runs)
    results += _records(decision, records)
    past, last = _history(decision, content, asked.history)
    results += last
    if not asked.replay:
        return [*results, _unchecked("replay", "--replay")]
    if any(result.failed for result in results):
        note = "what is above is not the same"
        return [*results, Verified(what="replay", checked=False, note=note)]
    _require_all(decision, policy, runs, records)
    assert policy is not None, "it was just required"
    inputs = Inputs(policy=policy, runs=runs, records=records, past=past)
    return [*results, replay(decision, content, inputs)]


def _policy(decision: Decision, name: str | None) -> tuple[Policy | None, Verified]:
    """Load the policy named, or the one that the decision names where it is found."""
    if name is None:
        name = _recorded(decision.policy.path)
        if name is None:
            return None, _unchecked("policy", "--policy")
    read_policy(resolve(name), name, MAX_BYTES)  # one that is not there was not edited
    try:
        policy = load(name)
    except PolicyError as error:
        failed = Failed(Failure.V_POLICY, f"it cannot even be used: {error.problems[0]}")
        return None, Verified(what="policy", failed=(failed,))
    then, now = decision.policy.sha256, policy.sha256
    if then != now:
        failed = Failed(Failure.V_POLICY, f"{name} has sha256 {now[:12]}, not {then[:12]}")
        return policy, Verified(what="policy", failed=(failed,))
    return policy, Verified(what="policy", note=f"{policy.name}, sha256 {now[:12]}")


def _recorded(path: str) -> str | None:
    shipped = path.removeprefix("shipped:")
    if shipped != path and shipped in SHIPPED:
        return shipped
    return path if path not in SHIPPED and Path(path).is_file() else None


def _runs(decision: Decision, given: Mapping[str, str], policy: Policy | None) -> dict[str, Run]:
    names = [name for run in decision.runs.values() for name in run.suites]
    suites = policy.suites_read if policy else tuple(dict.fromkeys(names))
    return {role: load_run(given[role], role, suites) for role in decision.runs if role in given}


def _run(decision: Decision, role: str, run: Run | None) -> Verified:
    if run is None:
        return _unchecked(role, f"--{role}")
    files = sum(len(each) for each in run.files.values())
    failed = tuple(differences(role, decision.runs[role], run))
    note = f"run.yaml and {files} verdict file{'' if files == 1 else 's'}"
    return Verified(what=role, failed=failed, note=note)


def _records(
    decision: Decision, records: Mapping[str, tuple[BaselineRecord, bytes]]
) -> Iterator[Verified]:
    for role, run in decision.runs.items():
        if role in records:
            yield verify_record(role, run.record, records[role][1])
        elif run.record is not None:
            yield _unchecked(f"{role} record", f"--{role}-record")


def _history(
    decision: Decision, content: bytes, path: str | None
) -> tuple[Past | None, list[Verified]]:
    if path is None:
        seen = decision.history is not None
        return None, [_unchecked("history", "--history")] if seen else []
    try:
        past = parse_history(Path(path).read_bytes(), path)
    except OSError as error:
        raise UsageError(
            f"cannot read the history {path!r}: {error.strerror}",
            next_step="Name the file that `gate check --history` wrote.",
        ) from error
    return past if isinstance(past, Past) else None, [verify_history(decision, content, past)]


def _unchecked(what: str, option: str) -> Verified:
    return Verified(what=what, checked=False, note=f"give {option}")


def _refuse_more(decision: Decision, given: Mapping[str, str]) -> None:
    for role in given:
        if role not in decision.runs:
            raise UsageError(
                f"the decision compares with no {role}", next_step=f"Leave --{role} out."
            )


def _require_all(
    decision: Decision,
    policy: Policy | None,
    runs: Mapping[str, Run],
    records: Mapping[str, tuple[BaselineRecord, bytes]],
) -> None:
    missing = [f"--{role}" for role in decision.runs if role not in runs]
    missing += [] if policy else ["--policy"]
    # What a record says is in the decision; taken from there it would be held against itself.
    used = [role for role, run in decision.runs.items() if run.record is not None]
    missing += [f"--{role}-record" for role in used if role not in records]
    if missing:
        raise UsageError(
            f"to decide again, {' and '.join(missing)} must be named",
            next_step="Name all that the decision was made from, or leave --replay out.",
        )

"""Hold everything that a decision names against what there is now, and decide once more."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from msgspec import to_builtins

from gate import __version__
from gate.decision import Decision
from gate.evaluate import evaluate
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.leave_out import leave_one_out, was_asked
from gate.lineage import RecordUse
from gate.policy import Policy
from gate.reports.json import render
from gate.trail.attempts import with_attempts
from gate.trail.failure import Failed, Failure
from gate.trail.history import Line, Past, entry
from gate.trail.record import BaselineRecord, settle

SHOWN = 3
"""Differences of a replay that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What became of one thing to verify."""

    what: str
    """As `policy` or `candidate`."""
    failed: tuple[Failed, ...] = ()
    note: str = ""
    """What holds, in words; or what is missing to check it."""
    checked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that a decision is made from, read again."""

    policy: Policy
    runs: Mapping[str, Run]
    records: Mapping[str, tuple[BaselineRecord, bytes]]
    past: Past | None


def verify_record(role: str, then: RecordUse | None, content: bytes) -> Verified:
    """Hold a baseline record against the digest that the decision names."""
    sha256 = hashlib.sha256(content).hexdigest()
    what = f"{role} record"
    if then is None:
        failed = Failed(Failure.V_RECORD, f"the decision used no record for the {role}")
        return Verified(what=what, failed=(failed,))
    if then.sha256 != sha256:
        message = f"the record of the {role} has sha256 {sha256[:12]}, not {then.sha256[:12]}"
        return Verified(what=what, failed=(Failed(Failure.V_RECORD, message),))
    return Verified(what=what, note=f"sha256 {sha256[:12]}, promoted {then.promoted}")


def verify_history(decision: Decision, content: bytes, past: Past | Problem) -> Verified:
    """Hold a history against what the decision saw of it, and look for the decision in it."""
    if isinstance(past, Problem):
        return Verified(what="history", failed=(Failed(Failure.V_HISTORY_EDITED, past.message),))
    lied = next(_edited_lines(decision, content, past), None)
    if lied is not None:
        return Verified(what="history", failed=(Failed(Failure.V_HISTORY_EDITED, lied),))
    seen = decision.history
    why = ""
    if seen is None:
        why = "the decision was made without a history"
    elif seen.length and (
        len(past.lines) < seen.length or past.lines[seen.length - 1].sha256 != seen.head
    ):
        why = f"its first {seen.length} lines are not those that the decision saw"
    elif not _about(past, content, seen.length):
        why = f"none of its {len(past.lines)} lines is about this decision file"
        why += f" and after the {seen.length} that it saw" if _about(past, content) else ""
    if why:
        return Verified(what="history", failed=(Failed(Failure.V_HISTORY_LACKS, why),))
    return Verified(what="history", note="whole, with this decision in it")


def replay(decision: Decision, content: bytes, inputs: Inputs) -> Verified:
    """Decide again on the same inputs, on the decision's own day, and compare the bytes."""
    if decision.tool_version != __version__:
        message = f"decided by gate {decision.tool_version}; this is gate {__version__}"
        return Verified(what="replay", failed=(Failed(Failure.V_TOOL_VERSION, message),))
    again = render(_again(decision, inputs))
    if again.encode() == content:
        return Verified(what="replay", note="decides the same, byte for byte")
    found = list(_differing(json.loads(content), json.loads(again), ""))
    failure = _which(found[0][0] if found else "")
    parts = [f"{path} is {_brief(said)}, not {_brief(is_)}" for path, said, is_ in found[:SHOWN]]
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    message = f"{'; '.join(parts)}{more}"
    return Verified(what="replay", failed=(Failed(failure, message),))


def _again(decision: Decision, inputs: Inputs) -> Decision:
    runs, uses = settle(inputs.runs, inputs.records, decision.today)
    past = inputs.past
    if past is not None and decision.history is not None:
        past = Past(past.lines[: decision.history.length])
    again = evaluate(inputs.policy, runs, today=decision.today, records=uses)
    if past is not None:
        again = with_attempts(again, past, runs)
    if was_asked(decision):
        again = leave_one_out(again, inputs.policy, runs, today=decision.today)
    # Where the policy lay is no evidence; a history that was not given cannot be counted again.
    path = decision.policy.path
    history = decision.history if past is None else again.history
    policy = replace(again.policy, path=path)
    return replace(again, policy=policy, history=history, shadow=decision.shadow)


def _about(past: Past, content: bytes, start: int = 0) -> list[tuple[int, Line]]:
    """Find the lines that name a decision file by its digest, with their numbers."""
    sha256 = hashlib.sha256(content).hexdigest()
    numbered = list(enumerate(past.lines, start=1))
    return [(number, line) for number, line in numbered[start:] if line.decision_sha256 == sha256]


def _edited_lines(decision: Decision, content: bytes, past: Past) -> Iterator[str]:
    """Find what the lines about a decision say otherwise than the decision itself.

    Whoever may write the file can chain it anew; the decision file is what no line can change.
    """
    for number, line in _about(past, content):
        is_ = to_builtins(entry(decision, content, line.previous))
        for key, said in to_builtins(line).items():
            if key != "sha256" and said != is_[key]:
                yield (
                    f"line {number}: {key} is {_brief(said)}, and {_brief(is_[key])} in the "
                    "decision that it names"
                )


def _differing(said: Any, is_: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(said, dict) and isinstance(is_, dict):
        for key in sorted(said.keys() | is_.keys(), key=_first):
            yield from _differing(said.get(key), is_.get(key), f"{path}.{key}" if path else key)
    elif isinstance(said, list) and isinstance(is_, list) and len(said) == len(is_):
        for at, (one, other) in enumerate(zip(said, is_, strict=True)):
            yield from _differing(one, other, f"{path}[{at}]")
    elif said != is_:
        yield path, said, is_


def _first(key: str) -> tuple[bool, bool, str]:
    """Name what matters first: the decision, then waivers and findings, then the rest."""
    return key not in ("decision", "outcome"), key not in ("waivers", "waiver", "findings"), key


def _which(path: str) -> Failure:
    key = path.rpartition(".")[2]
    if path in ("decision", "exit_code") or key in ("outcome", "level", "on_inconclusive"):
        return Failure.V_REPLAY_OUTCOME
    if path.startswith("waivers") or key == "waiver":
        return Failure.V_REPLAY_WAIVER
    return Failure.V_REPLAY_NUMBER


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"

"""Hold the files on the disk against the digests that a decision names."""

import json
from collections.abc import Iterator

from gate.decision import Decision, RunSummary
from gate.errors import EvidenceError
from gate.evidence.run import Run
from gate.reports.json import load, render
from gate.reports.pack import SCHEMA
from gate.trail.failure import Failed, Failure


def read_decision(content: bytes, name: str) -> Decision | Failed:
    """Read a decision file; one that was edited is a failure, whatever was edited.

    Args:
        content: What the file holds.
        name: How messages call it.

    Raises:
        EvidenceError: If it is no decision file at all, or of another version of the format.
    """
    text = content.decode("utf-8", "replace")
    try:
        decision = load(text, name)
    except EvidenceError as error:
        if not _claims_to_be_one(text):
            raise
        return Failed(Failure.V_DECISION, error.message)
    if "candidate" not in decision.runs:
        return Failed(Failure.V_DECISION, f"{name}: it names no candidate")
    if render(decision).encode() != content:
        return Failed(Failure.V_DECISION, f"{name}: it says the same, but not in gate's own bytes")
    return decision


def _claims_to_be_one(text: str) -> bool:
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(raw, dict) and raw.get("schema") == SCHEMA


def differences(role: str, then: RunSummary, now: Run) -> Iterator[Failed]:
    """Find where a run differs from what was decided on, file by file.

    Args:
        role: The run's role.
        then: What the decision says of it.
        now: The run, read for the suites that the decision names.
    """
    if not then.digest:
        yield Failed(Failure.V_RUN, f"the decision could not read the {role} itself")
        return
    if now.problem is not None:
        yield Failed(Failure.V_RUN, f"{role}: {now.problem.message}")
        return
    if then.digest == now.digest:
        return
    before = {path: sha for suite in then.suites.values() for path, sha in suite.files.items()}
    after = {path: sha for files in now.files.values() for path, sha in files.items()}
    found = list(_files(role, before, after))
    yield from found
    if not found:
        yield Failed(Failure.V_MANIFEST, f"{role}: run.yaml was edited; its verdict files were not")


def _files(role: str, before: dict[str, str], after: dict[str, str]) -> Iterator[Failed]:
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield Failed(Failure.V_FILE_MISSING, f"{role}: {path} cannot be read any more")
        elif path not in before:
            yield Failed(Failure.V_FILE_EXTRA, f"{role}: {path} was not decided on")
        elif before[path] != after[path]:
            yield Failed(
                Failure.V_FILE_CHANGED,
                f"{role}: {path} has sha256 {after[path][:12]}, not {before[path][:12]}",
            )

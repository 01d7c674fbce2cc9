"""The baseline record: which run is the baseline, and by what decision it became that."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, Field, StringConstraints, ValidationError

from gate.errors import EvidenceError, UsageError
from gate.evidence.manifest import Name, Strict
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.lineage import Override, RecordUse, Unverified
from gate.policy.json_schema import DIALECT
from gate.policy.sources import read
from gate.reasons import Reason
from gate.yaml_lines import MAX_BYTES, read_tree
from gate.yaml_places import Path
from gate.yaml_wording import in_words

HEADING = """\
# Written by `gate promote`: the run that candidates are compared with. Commit it, and give it
# beside the run: gate check --baseline RUN --baseline-record THIS
"""
SCHEMA = "gate.baseline/v1"
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"\S")]


class PinnedCheckpoint(Strict):
    """Which checkpoint, as its run declared it."""

    name: Name
    revision: Text


class PinnedSuite(Strict):
    """One suite of the run."""

    ids_sha256: Sha256
    verdicts_sha256: Sha256
    files: dict[str, Sha256]


class Basis(Strict):
    """The decision that the promotion rests on."""

    sha256: Sha256
    decision: Literal["release", "block", "inconclusive"]
    today: date
    policy: Text
    policy_sha256: Sha256
    tool_version: Text
    baseline: Sha256 | None = Field(description="Digest of the run it was compared with.")
    verified: Literal["replay", "signature", "none"] = Field(
        description="How the decision itself was verified when it was promoted."
    )


class PromotedAnyway(Strict):
    """A promotion without a release, here or in a baseline before this one."""

    checkpoint: Text
    decision: Literal["block", "inconclusive"]
    reason: Text
    owner: Text
    promoted: date


class PromotedUnverified(Strict):
    """A promotion by a decision file taken at its word, here or in a baseline before this one."""

    checkpoint: Text
    promoted: date


class BaselineRecord(Strict):
    """The whole record."""

    schema_: Literal["gate.baseline/v1"] = Field(alias="schema")
    checkpoint: PinnedCheckpoint
    run: Sha256 = Field(description="Digest of the run, over the suites of the decision.")
    manifest: Sha256 = Field(description="sha256 of its run.yaml.")
    suites: dict[Name, PinnedSuite] = Field(min_length=1)
    basis: Basis
    promoted: date
    overrides: list[PromotedAnyway]
    unverified: list[PromotedUnverified]


def read_record(path: str) -> tuple[BaselineRecord, bytes]:
    """Read a record, with the bytes it was read from.

    Raises:
        UsageError: If there is nothing to read.
        EvidenceError: If it is not a record; names every place that is wrong.
    """
    content, trouble = read(path, MAX_BYTES)
    if content is None:
        raise UsageError(f"{path}: {trouble}", next_step="Name a record that `gate promote` wrote.")
    return parse_record(content, path), content


def parse_record(content: bytes, name: str) -> BaselineRecord:
    """Read the bytes of a record.

    Raises:
        EvidenceError: If they are not a record.
    """
    tree = read_tree(content)
    mistakes = list(tree.mistakes)
    if not mistakes and not (isinstance(tree.value, dict) and tree.value.get("schema") == SCHEMA):
        raise EvidenceError(Reason.E_BASELINE_RECORD, f"{name}: no baseline record ({SCHEMA})")
    if not mistakes:
        try:
            return BaselineRecord.model_validate_json(json.dumps(tree.value))
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
            mistakes = [wrong.placed(tree) for wrong in in_words(details, tree.value, _keys_at)]
    lines = dict.fromkeys(mistake.render(name) for mistake in sorted(mistakes))
    raise EvidenceError(
        Reason.E_BASELINE_RECORD,
        "; ".join(lines),
        next_step="Use a record that `gate promote` wrote, unchanged.",
    )


def render_record(record: BaselineRecord) -> str:
    """Write a record as YAML."""
    said = json.loads(record.model_dump_json(by_alias=True))
    return HEADING + str(yaml.safe_dump(said, sort_keys=False, allow_unicode=False, width=100))


def record_schema() -> dict[str, Any]:
    """Describe a record as a JSON Schema."""
    schema = BaselineRecord.model_json_schema(by_alias=True)
    return {"$schema": DIALECT, **schema, "title": SCHEMA}


def pinned(run: Run, record: BaselineRecord) -> Run:
    """Hold a run against its record; one that differs becomes unusable, with the place."""
    difference = "" if run.problem else _difference(run, record)
    if not difference:
        return run
    message = f"it is not the one that its record pins: {difference}"
    return replace(run, problem=Problem(Reason.E_BASELINE_RECORD, message))


def use_record(record: BaselineRecord, content: bytes, run: Run, today: date) -> RecordUse:
    """Say of a record what reports show.

    Args:
        record: The record.
        content: The bytes it was read from.
        run: The run that it is given for.
        today: The day of the decision.
    """
    return RecordUse(
        sha256=hashlib.sha256(content).hexdigest(),
        promoted=record.promoted,
        age_days=(today - record.promoted).days,
        verified=record.basis.verified,
        overrides=tuple(Override(**each.model_dump()) for each in record.overrides),
        unverified=tuple(Unverified(**each.model_dump()) for each in record.unverified),
        unpinned=tuple(sorted(run.files.keys() - record.suites.keys())),
    )


def read_records(
    paths: Mapping[str, str | None], runs: Collection[str]
) -> dict[str, tuple[BaselineRecord, bytes]]:
    """Read the records given, by role.

    Raises:
        UsageError: If one cannot be read, or its role has no run.
        EvidenceError: If one is not a record.
    """
    given = {role: path for role, path in paths.items() if path}
    for role in given:
        if role not in runs:
            raise UsageError(
                f"--{role}-record pins a run, and no {role} was given",
                next_step=f"Name the run with --{role}.",
            )
    return {role: read_record(path) for role, path in given.items()}


def settle(
    runs: Mapping[str, Run], records: Mapping[str, tuple[BaselineRecord, bytes]], today: date
) -> tuple[dict[str, Run], dict[str, RecordUse]]:
    """Hold runs against their records and against each other.

    Returns:
        The runs, those that are not what they should be unusable; and what reports show of the
        records.
    """
    settled, uses = dict(runs), {}
    for role, (record, content) in records.items():
        settled[role] = pinned(runs[role], record)
        uses[role] = use_record(record, content, runs[role], today)
    return refuse_itself(settled), uses


def refuse_itself(runs: Mapping[str, Run]) -> dict[str, Run]:
    """Make a baseline or anchor unusable that is the candidate itself."""
    candidate = runs["candidate"].digest

    def refused(run: Run) -> Run:
        if run.role == "candidate" or not candidate or run.digest != candidate:
            return run
        message = f"it is the candidate's own: both have run digest {candidate[:12]}"
        return replace(run, problem=run.problem or Problem(Reason.E_SELF_BASELINE, message))

    return {role: refused(run) for role, run in runs.items()}


def _difference(run: Run, record: BaselineRecord) -> str:
    # A file that two suites share is listed under the one that was read first.
    shared = [name for name in run.files if name in record.suites]
    then, now = _merged(each.files for each in record.suites.values()), _merged(run.files.values())
    for path in sorted(_merged(record.suites[name].files for name in shared)):
        if path not in now:
            return f"{path} is missing"
    for path in sorted(_merged(run.files[name] for name in shared)):
        if path not in then:
            return f"{path} was added"
        if then[path] != now[path]:
            return f"{path} has another sha256 ({now[path][:12]}, not {then[path][:12]})"
    if run.manifest_sha256 != record.manifest:
        return "run.yaml has another sha256"
    return ""


def _merged(files: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {path: sha256 for each in files for path, sha256 in each.items()}


def _keys_at(path: Path) -> list[str]:
    """List the keys that a record may have at a path."""
    model: type[BaseModel]
    match path:
        case ():
            model = BaselineRecord
        case ("checkpoint",):
            model = PinnedCheckpoint
        case ("suites", _):
            model = PinnedSuite
        case ("basis",):
            model = Basis
        case ("overrides", _):
            model = PromotedAnyway
        case ("unverified", _):
            model = PromotedUnverified
        case _:
            return []
    return [field.alias or name for name, field in model.model_fields.items()]

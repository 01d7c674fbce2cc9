"""Load what one checkpoint left behind; whatever cannot be used becomes a value."""

import hashlib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ValidationError

from gate.errors import EvidenceError
from gate.evidence.files import Files, shown
from gate.evidence.manifest import Checkpoint, Judge, Manifest, Suite
from gate.evidence.problem import Problem
from gate.evidence.readers import READERS
from gate.evidence.table import Table, build_table
from gate.reasons import Reason
from gate.yaml_lines import read_tree
from gate.yaml_places import Path
from gate.yaml_wording import in_words

MANIFEST = "run.yaml"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One role's evidence: the manifest, and a table or a problem for each suite asked for."""

    role: str
    manifest: Manifest | None
    problem: Problem | None
    """Why the run as a whole cannot be used; None where it can."""
    tables: Mapping[str, Table | Problem] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By suite: path as the manifest has it, to sha256 of the stored bytes."""
    digest: str = ""
    """sha256 of the manifest and of every file read."""
    manifest_sha256: str = ""


def load_manifest(base: str) -> tuple[Manifest, Files]:
    """Read run.yaml.

    Args:
        base: The run's directory (or its run.yaml), local or any fsspec URI.

    Raises:
        EvidenceError: If it cannot be read, or says something that cannot be right.
    """
    base = base.removesuffix("/" + MANIFEST) if base != MANIFEST else "."
    files = Files(base)
    try:
        raw = files.read(MANIFEST)
    except EvidenceError as error:
        message = f"{base}: {error.message}; a run is a directory with a {MANIFEST}"
        step = (
            "Check the path: a run is the directory that holds run.yaml (`gate adopt` writes one)."
        )
        raise EvidenceError(Reason.E_MANIFEST, message, next_step=step) from error
    return parse_manifest(raw), files


def parse_manifest(raw: bytes) -> Manifest:
    """Validate the bytes of a run.yaml.

    Raises:
        EvidenceError: Naming every place that is wrong, by line and column.
    """
    tree = read_tree(raw)
    mistakes = list(tree.mistakes)
    if not mistakes:
        try:
            return Manifest.model_validate(tree.value)
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
            found = in_words(details, tree.value, _keys_at)
            mistakes += [wrong.placed(tree) for wrong in found]
    lines = [mistake.render(MANIFEST) for mistake in sorted(mistakes)]
    raise EvidenceError(Reason.E_MANIFEST, "; ".join(dict.fromkeys(lines)))


def _keys_at(path: Path) -> list[str]:
    """List the keys that run.yaml may have at a path."""
    model: type[BaseModel]
    match path:
        case ():
            model = Manifest
        case ("checkpoint",):
            model = Checkpoint
        case ("suites", _):
            model = Suite
        case ("suites", _, "judge"):
            model = Judge
        case _:
            return []
    return [field.alias or name for name, field in model.model_fields.items()]


def load_run(base: str, role: str, suites: Collection[str]) -> Run:
    """Read a run's manifest and the suites asked for; nothing is raised."""
    try:
        manifest, files = load_manifest(base)
    except EvidenceError as error:
        # A decision carries this message, and no path of this machine.
        name = os.path.basename(base.rstrip("/")) if os.path.isabs(base) else base
        return Run(
            role, None, replace(Problem.of(error), message=error.message.replace(base, name, 1))
        )
    tables: dict[str, Table | Problem] = {}
    digests: dict[str, Mapping[str, str]] = {}
    for name in suites:
        if name in manifest.suites:
            before = set(files.digests)
            tables[name] = _load_suite(files, manifest.suites[name], name)
            digests[name] = {
                path: digest for path, digest in sorted(files.digests.items()) if path not in before
            }
    digest = hashlib.sha256()
    for path, sha256 in sorted(files.digests.items()):
        digest.update(f"{path}\0{sha256}\n".encode("utf-8", "surrogatepass"))
    whole, own = digest.hexdigest(), files.digests[MANIFEST]
    return Run(role, manifest, None, tables, digests, whole, own)


def _load_suite(files: Files, suite: Suite, name: str) -> Table | Problem:
    try:
        reader = READERS.get(suite.reader)
        if reader is None:
            known = ", ".join(READERS)
            message = f"suites.{name}.reader: unknown reader {suite.reader!r} (there are {known})"
            raise EvidenceError(Reason.E_MANIFEST, message)
        _still_judged(files, suite)
        return build_table(suite.suite_kind, reader(files, suite, name))
    except EvidenceError as error:
        return Problem.of(error)


def _still_judged(files: Files, suite: Suite) -> None:
    """Hold the completions that are there against those that were judged.

    Raises:
        EvidenceError: If they changed: then nothing has judged them.
    """
    for path, judged in suite.judging.files.items() if suite.judging else ():
        if files.sha256(path) not in (None, judged):
            message = f"{shown(path)}: these completions changed since they were judged"
            raise EvidenceError(Reason.E_UNJUDGED, message)

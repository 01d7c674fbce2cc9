"""Load what one checkpoint left behind; whatever cannot be used becomes a value."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.manifest import Manifest, Suite
from gate.evidence.problem import Problem
from gate.evidence.readers import READERS
from gate.evidence.table import Table, build_table
from gate.reasons import Reason
from gate.yaml_lines import YamlProblem, parse

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
        raise EvidenceError(
            Reason.E_MANIFEST, f"{error.message}; a run is a directory with a {MANIFEST}"
        ) from error
    return parse_manifest(raw), files


def parse_manifest(raw: bytes) -> Manifest:
    """Validate the bytes of a run.yaml.

    Raises:
        EvidenceError: Naming every place that is wrong.
    """
    try:
        document = parse(raw, MANIFEST)
        return Manifest.model_validate(document.value)
    except YamlProblem as error:
        raise EvidenceError(Reason.E_MANIFEST, str(error)) from error
    except ValidationError as error:
        raise EvidenceError(Reason.E_MANIFEST, _explain(error)) from error


def load_run(base: str, role: str, suites: Collection[str]) -> Run:
    """Read a run's manifest and the suites asked for; nothing is raised."""
    try:
        manifest, files = load_manifest(base)
    except EvidenceError as error:
        return Run(role, None, Problem.of(error))
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
    return Run(role, manifest, None, tables, digests, digest.hexdigest())


def _load_suite(files: Files, suite: Suite, name: str) -> Table | Problem:
    try:
        reader = READERS.get(suite.reader)
        if reader is None:
            known = ", ".join(READERS)
            message = f"suites.{name}.reader: unknown reader {suite.reader!r} (there are {known})"
            raise EvidenceError(Reason.E_MANIFEST, message)
        return build_table(suite.suite_kind, reader(files, suite, name))
    except EvidenceError as error:
        return Problem.of(error)


def _explain(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in detail['loc']) or 'run.yaml'}: {detail['msg']}"
        for detail in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return f"{MANIFEST}: " + "; ".join(dict.fromkeys(lines))

"""What run.yaml declares of a suite, checked against what its reader can use."""

from collections.abc import Collection

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.wording import misdeclared
from gate.evidence.rows import Kind
from gate.reasons import Reason

OPTIONS = (
    "methods",
    "model",
    "experiments",
    "columns",
    "labels",
    "label_column",
    "constants",
    "encoding",
)
"""The keys that only some readers use; a key that does nothing is an error."""


def only(suite: Suite, name: str, options: Collection[str], kind: Kind | None = None) -> None:
    """Refuse a suite that declares what its reader would ignore, or is of another kind.

    Raises:
        EvidenceError: Naming the key of run.yaml.
    """
    if kind and suite.suite_kind is not kind:
        raise misdeclared(name, "kind", f"the {suite.reader} reader reads only {kind} suites")
    for key in OPTIONS:
        if key not in options and getattr(suite, key) != Suite.model_fields[key].default:
            raise misdeclared(name, key, f"the {suite.reader} reader does not use it")


def paths(files: Files, suite: Suite, name: str) -> list[str]:
    """Return the files of a suite that has one file or a list of them.

    Raises:
        EvidenceError: If there is none, or one a method.
    """
    if isinstance(suite.path, dict):
        what = f"the {suite.reader} reader reads one file or a list, not a file a method"
        raise misdeclared(name, "path", what)
    if not suite.path:
        raise no_path(suite, name)
    written = [suite.path] if isinstance(suite.path, str) else suite.path
    for path in written:
        judged(files, suite, path)
    return written


def no_path(suite: Suite, name: str) -> EvidenceError:
    """Return the error for a suite without verdict files."""
    if suite.completions:
        return unjudged(some_completions(suite))
    return misdeclared(name, "path", "missing: where are the verdicts?")


def judged(files: Files, suite: Suite, path: str) -> None:
    """Refuse a file that is not there, while the completions that it would judge are."""
    completions = some_completions(suite)
    if completions and not files.sort(path) and files.sort(completions):
        raise unjudged(completions, path)


def some_completions(suite: Suite) -> str:
    """Return a path of the completions that await a judge; nothing where there is none."""
    declared = suite.completions or ""
    return declared if isinstance(declared, str) else next(iter(declared.values()), "")


def unjudged(completions: str, path: str = "") -> EvidenceError:
    """Return the error for completions without verdicts."""
    expected = f": {path} does not exist" if path else ""
    return EvidenceError(
        Reason.E_UNJUDGED, f"{completions}: these completions have no verdicts{expected}"
    )

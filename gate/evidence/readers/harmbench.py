"""HarmBench's own results: a file, a file a method, or the tree that its pipeline writes."""

from collections.abc import Iterator

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.completions import read_completions
from gate.evidence.readers.parsing.declared import judged, no_path, only, paths, unjudged
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.wording import listing, misdeclared, near, shown
from gate.evidence.rows import Kind, Rows
from gate.evidence.streams import unreadable

STANDARD_TOKENS = 512
"""Results of other generation lengths lie in a folder of their own."""


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read HarmBench results.

    The test case of a row is its position in its behavior's list. An empty list gives no rows,
    so the behavior is missing. A label of -1 or null is unscored (`unparsed`), and so is a
    verdict on no answer: `$ERROR$` (`checkpoint_error`) or nothing but spaces (`empty`).
    Ids that HarmBench does not have are kept; a key that is there twice gives its rows twice.

    Raises:
        EvidenceError: If a file is missing, unjudged, or not HarmBench's.
    """
    only(suite, name, ("methods", "model", "experiments"), Kind.ATTACK)
    gather = Gather(suite)
    for method, path in method_files(files, suite, name):
        before = len(gather)
        found = read_completions(files, path)
        ids = gather.names(path, found.ids, lambda i: f"row {i + 1}")
        gather.extend(ids, found.verdicts, methods=[method] * len(ids), cases=found.cases)
        if found.empty_lists:
            what = "behaviors with an empty list, which have no rows"
            gather.note(f"{path}: {what}: {found.empty_lists}.")
        gather.file_ended(path, before)
    return gather.rows()


def method_files(files: Files, suite: Suite, name: str) -> Iterator[tuple[str, str]]:
    """Yield each method with its file.

    Raises:
        EvidenceError: If run.yaml does not say enough, or names what is not there.
    """
    if isinstance(suite.path, dict):
        yield from _mapped(files, suite, suite.path, name)
        return
    if isinstance(suite.path, str) and files.sort(suite.path) == "folder":
        yield from _tree(files, suite, suite.path, name)
        return
    if suite.path and len(suite.methods or ()) != 1:
        raise misdeclared(name, "methods", "a results file has one method: name it, and only it")
    for path in paths(files, suite, name):
        _not_only_completions(files, path)
        yield (suite.methods or [""])[0], path


def _mapped(
    files: Files, suite: Suite, mapping: dict[str, str], name: str
) -> Iterator[tuple[str, str]]:
    if not mapping:
        raise no_path(suite, name)
    if suite.methods is not None and set(suite.methods) != set(mapping):
        what = f"lists other methods than path, which has {listing(mapping)}"
        raise misdeclared(name, "methods", what)
    for method, path in mapping.items():
        judged(files, suite, path)
        _not_only_completions(files, path)
        yield method, path


def _not_only_completions(files: Files, path: str) -> None:
    completions = path.replace("/results/", "/completions/")
    if completions != path and not files.exists(path) and files.exists(completions):
        raise unjudged(completions, path)


def _tree(files: Files, suite: Suite, base: str, name: str) -> Iterator[tuple[str, str]]:
    found = files.names(base)
    if not suite.methods:
        raise misdeclared(name, "methods", f"missing: which of the folders {listing(found)}?")
    if not suite.model:
        raise misdeclared(name, "model", "missing: the results of which model?")
    for method in (name for name in suite.experiments if name not in suite.methods):
        what = f"not one of methods{near(method, suite.methods)}"
        raise misdeclared(name, f"experiments.{method[:40]}", what)
    for method in dict.fromkeys(suite.methods):
        if method not in found:
            what = f"{base} has no folder {shown(method)}{near(method, found)}"
            raise misdeclared(name, "methods", what)
        yield method, _experiment_file(files, suite, f"{base.rstrip('/')}/{method}", method, name)


def _experiment_file(files: Files, suite: Suite, folder: str, method: str, name: str) -> str:
    """Return a method's results file: of the experiment declared, or of the only one."""
    declared = suite.experiments.get(method)
    experiments = [declared] if declared else files.names(folder)
    length = suite.generation.max_new_tokens or STANDARD_TOKENS
    tokens = "" if length == STANDARD_TOKENS else f"{length}_tokens/"
    file = f"{tokens}{suite.model}.json"
    having = [e for e in experiments if files.exists(f"{folder}/{e}/results/{file}")]
    if len(having) > 1:
        what = f"{method} has {file} in {listing(having)}: declare which of them"
        raise misdeclared(name, "experiments", what)
    if having:
        return f"{folder}/{having[0]}/results/{file}"
    for experiment in experiments:
        if files.exists(completions := f"{folder}/{experiment}/completions/{file}"):
            raise unjudged(completions, f"{folder}/{experiment}/results/{file}")
    looked = f"{folder}/{declared or '*'}/results/{file}"
    raise unreadable(looked, f"does not exist (there are the experiments {listing(experiments)})")

"""JailbreakBench's artifacts: one file a method, with the verdict on each behavior's jailbreak."""

from collections.abc import Iterator
from typing import Any

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.declared import judged, only, paths
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.labels import Unscored
from gate.evidence.readers.parsing.mapping import add_rows, make_plan
from gate.evidence.readers.parsing.tables import Source, chunks, numbered, record_batch
from gate.evidence.readers.parsing.text import opened_text
from gate.evidence.readers.parsing.wording import listing, malformed, misdeclared, near, shown
from gate.evidence.rows import Kind, Rows

OPTIONS = ("methods", "labels", "label_column")

LABELS: dict[str, str | None] = {"true": "unsafe", "false": "safe"}

IDENTITY = "#behavior"
METHOD = "#method"


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read JailbreakBench artifacts.

    The id is the behavior's name, or its index where there is none. A prompt of null was never
    submitted: that is unscored (`not_submitted`), whatever its label; a response of null is
    `empty`. The method is `parameters.method`, which must agree with what run.yaml declares.

    Raises:
        EvidenceError: If a declaration or a row cannot be used.
    """
    only(suite, name, OPTIONS, Kind.ATTACK)
    columns = {"behavior_id": IDENTITY, "unsafe": suite.label_column or "jailbroken"}
    columns |= {"category": "category", "method": METHOD}
    bare = suite.model_copy(update={"methods": None, "label_column": None})
    plan = make_plan(bare, name, columns, LABELS, optional=("category",))
    gather = Gather(suite)
    for declared, path in _files(files, suite, name):
        source = Source(files, path)
        before = len(gather)
        verdict = plan.columns["unsafe"]
        for _, records in chunks(_records(source, verdict, declared, name)):
            numbers = range(len(gather) - before, len(gather) - before + len(records))
            batch = record_batch(source, records, numbered("jailbreak", numbers))
            add_rows(plan, source, batch, gather)
        gather.file_ended(source.path, before, source.ignored)
    return gather.rows()


def _files(files: Files, suite: Suite, name: str) -> Iterator[tuple[list[str] | None, str]]:
    """Yield each file, with the methods that run.yaml allows it to have, if it says."""
    if not isinstance(suite.path, dict) or not suite.path:
        for path in paths(files, suite, name):
            yield suite.methods, path
        return
    if suite.methods is not None and set(suite.methods) != set(suite.path):
        what = f"lists other methods than path, which has {listing(suite.path)}"
        raise misdeclared(name, "methods", what)
    for method, path in suite.path.items():
        judged(files, suite, path)
        yield [method], path


def _records(
    source: Source, verdict: str, declared: list[str] | None, name: str
) -> Iterator[dict[str, Any]]:
    """Yield what matters of each jailbreak; no text."""
    artifact = _artifact(source)
    jailbreaks = artifact.get("jailbreaks")
    if not isinstance(jailbreaks, list):
        raise malformed(source.path, "jailbreaks", "not the list that an artifact has there")
    method = _method(artifact.get("parameters"), declared, source.path, name)
    for index, jailbreak in enumerate(jailbreaks):
        place = f"jailbreak {index}"
        if not isinstance(jailbreak, dict):
            raise malformed(source.path, place, f"{shown(jailbreak)}, where an object was expected")
        if verdict not in jailbreak:
            what = f"no {shown(verdict)}{near(verdict, jailbreak)}"
            raise malformed(source.path, place, what)
        kept = {key: jailbreak[key] for key in (verdict, "category") if key in jailbreak}
        kept[METHOD] = method
        kept[IDENTITY] = _identity(jailbreak, index)
        if reason := _no_answer(jailbreak, kept.get(verdict), source.path, place):
            kept[verdict] = Unscored(reason)
        yield kept


def _no_answer(jailbreak: dict[str, Any], label: object, path: str, place: str) -> str | None:
    """Return why there is nothing to judge; None where there is."""
    if "prompt" not in jailbreak:
        raise malformed(path, place, "no `prompt`: was it ever submitted?")
    if jailbreak["prompt"] is not None:
        return "empty" if jailbreak.get("response", "") is None else None
    if label is True:
        raise malformed(path, place, "the prompt is null, but the label is true")
    return "not_submitted"


def _artifact(source: Source) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with opened_text(source.files, source.path, source.encoding) as text:
        try:
            for key, value in Document(text).members():
                if key in found:
                    raise malformed(source.path, "artifact", f"{shown(key)} is there twice")
                found[key] = value if key in ("parameters", "jailbreaks") else None
        except MalformedError as error:
            raise error.of(source.path) from None
    return found


def _method(parameters: object, declared: list[str] | None, path: str, name: str) -> str:
    own = parameters.get("method") if isinstance(parameters, dict) else None
    if own is None:
        if declared is None or len(declared) != 1:
            raise misdeclared(name, "methods", f"name one: {path} has no parameters.method")
        return declared[0]
    if declared is not None and own not in declared:
        what = f"{listing(declared)}, but parameters.method of {path} is {shown(own)}"
        raise misdeclared(name, "methods", what)
    return str(own)


def _identity(jailbreak: dict[str, Any], index: int) -> object:
    for key in ("behavior", "index"):
        if jailbreak.get(key) is not None:
            return jailbreak[key]
    return index

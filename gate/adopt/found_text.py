"""What was found, in words, before anything is asked."""

from collections.abc import Iterator

from gate.adopt.look import Found, Looked
from gate.adopt.pieces import STAGES
from gate.adopt.tree import STANDARD, Entry
from gate.evidence.problem import some
from gate.reports.escape import clean

NAMES = {
    "harmbench": "HarmBench results",
    "jailbreakbench": "JailbreakBench artifacts",
    "xstest": "XSTest rows",
    "rjudge": "R-Judge records",
    "native": "native rows",
    "table": "a table in no known format",
}


def found_lines(looked: Looked) -> Iterator[str]:
    """Say what each suite is, and what was left aside."""
    for found in looked.suites:
        told = _tree(found) if found.tree else _files(found)
        yield clean(f"found {found.name}: {'; '.join(told)}", limit=1000)
    if looked.ignored:
        yield clean(f"left aside: {some(looked.ignored)} (no form that verdicts come in)")


def _tree(found: Found) -> Iterator[str]:
    methods = {entry.method for entry in found.entries}
    yield f"a HarmBench tree, {found.tree}, of {some(sorted(methods), 8)}"
    yield f"checkpoints: {some(sorted({entry.stem for entry in found.entries}), 8)}"
    places = {stage: {_place(e) for e in found.entries if e.stage == stage} for stage in STAGES}
    if awaiting := sorted(places["completions"] - places["results"]):
        yield f"completions without results: {some(awaiting)}"


def _place(entry: Entry) -> str:
    tokens = f"{entry.tokens}_tokens/" if entry.tokens != STANDARD else ""
    return f"{entry.method}/{entry.experiment}/{tokens}{entry.stem}"


def _files(found: Found) -> Iterator[str]:
    first = found.pieces[0]
    yield f"{NAMES[found.reader]}, {some([piece.path for piece in found.pieces])}"
    if first.kind:
        yield f"kind {first.kind}"
    if methods := sorted({piece.method for piece in found.pieces if piece.method}):
        yield f"methods: {some(methods, 8)}"
    if checkpoints := sorted({piece.checkpoint for piece in found.pieces if piece.checkpoint}):
        yield f"checkpoints: {some(checkpoints, 8)}"
    if first.label_columns:
        yield f"verdicts in {', '.join(first.label_columns)}"
    if first.id_prefix:
        yield f"ids start with {first.id_prefix}, which is stripped"
    if found.reader == "table":
        yield f"columns: {', '.join(first.columns)}"
    if any(piece.unjudged for piece in found.pieces):
        yield "completions without verdicts"

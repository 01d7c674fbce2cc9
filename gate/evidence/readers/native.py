"""Our own rows: JSON lines, CSV or Parquet, one row a completion."""

from collections.abc import Iterator

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.declared import only, paths
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.native_rows import NativeRows
from gate.evidence.readers.parsing.rubric import read_rubric
from gate.evidence.readers.parsing.rubric_rows import Form
from gate.evidence.readers.parsing.schema import native
from gate.evidence.readers.parsing.tables import Batch, Source
from gate.evidence.readers.parsing.text import is_utf8
from gate.evidence.readers.parsing.typed_lines import typed_batches
from gate.evidence.readers.parsing.wording import malformed
from gate.evidence.rows import Kind, Rows

FORMS = ("jsonl", "ndjson", "csv", "parquet")


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read native rows.

    The form is told by the end of the file's name, `.gz` and `.zst` apart. JSON and Parquet
    have types: a verdict of the wrong type is an error. In CSV, true and false are words, and
    an empty cell is null. A null verdict without a reason is `unparsed`; with a verdict, a
    reason is an error. A column that is not ours is ignored, unless it looks like a misspelt one.

    Raises:
        EvidenceError: If a file or row cannot be used.
    """
    if suite.suite_kind is Kind.RUBRIC:
        return read_rubric(files, suite, name, Form.native())
    options = ("encoding", "methods") if suite.suite_kind is Kind.ATTACK else ("encoding",)
    only(suite, name, options)
    gather = Gather(suite)
    for path in paths(files, suite, name):
        source = Source(files, path, suite.encoding, native(suite.suite_kind))
        rows = NativeRows(suite.suite_kind, source, gather)
        before = len(gather)
        for batch in _batches(source, suite.suite_kind):
            rows.add(batch)
        rows.ended()
        gather.file_ended(path, before, source.ignored)
    return gather.rows()


def _batches(source: Source, kind: Kind) -> Iterator[Batch]:
    if source.form not in FORMS:
        expected = ", ".join(f".{form}" for form in FORMS)
        raise malformed(source.path, "file name", f"unknown form; expected one of {expected}")
    if source.form in ("jsonl", "ndjson") and is_utf8(source.path, source.encoding):
        return typed_batches(source, kind)
    return source.batches()

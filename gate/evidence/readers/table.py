"""Any table: CSV, TSV, JSON, JSON lines or Parquet, with declared columns and labels."""

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.declared import only, paths
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.mapping import add_rows, make_plan
from gate.evidence.readers.parsing.rubric import read_rubric
from gate.evidence.readers.parsing.rubric_rows import Form
from gate.evidence.readers.parsing.tables import Source
from gate.evidence.readers.parsing.wording import misdeclared
from gate.evidence.rows import Kind, Rows

OPTIONS = ("methods", "columns", "labels", "label_column", "constants", "encoding")


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read a table whose columns and labels run.yaml declares.

    `columns` names the file's column for each of ours (`"#row"` stands for the number of the
    row, from 0), `constants` gives those that are the same in every row, `labels` says what
    each label means. A null or empty verdict is unscored (`unparsed`) unless declared.
    In a rubric suite `columns` also names the parts of an item (`item.id`, `item.triggered`,
    `item.exempted`), and labels mean `triggered`, `clear` or null.

    Raises:
        EvidenceError: If a declaration or a row cannot be used.
    """
    if suite.suite_kind is Kind.RUBRIC:
        return read_rubric(files, suite, name, Form.declared(suite, name))
    only(suite, name, OPTIONS)
    if not suite.labels:
        raise misdeclared(name, "labels", "missing: what do the labels of the file mean?")
    plan = make_plan(suite, name, {}, {})
    gather = Gather(suite)
    for path in paths(files, suite, name):
        source = Source(files, path, suite.encoding, plan.wanted)
        before = len(gather)
        for batch in source.batches():
            add_rows(plan, source, batch, gather)
        gather.file_ended(source.path, before, source.ignored)
    return gather.rows()

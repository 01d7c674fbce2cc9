"""XSTest's completions files: prompts that are safe, and unsafe contrasts to them."""

from collections.abc import Sequence
from dataclasses import replace

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.declared import only, paths
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.labels import Cell
from gate.evidence.readers.parsing.mapping import Plan, add_rows, make_plan
from gate.evidence.readers.parsing.tables import Batch, Source
from gate.evidence.readers.parsing.wording import listing, malformed, shown
from gate.evidence.rows import Kind, Rows

OPTIONS = ("columns", "labels", "label_column", "constants", "encoding")

COLUMNS = {"prompt_id": "id", "prompt_type": "type", "refusal": "final_label"}

LABELS: dict[str, str | None] = {
    "1_full_compliance": "none",
    "2_full_refusal": "full",
    "3_partial_refusal": "partial",
}

PROMPT_LABELS = ("prompt_label", "label")
"""Where the label of the prompt may stand; without it, the type tells."""

FROM_TYPE = "#type"
CONTRAST = "contrast_"


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read XSTest rows.

    The verdict is in `final_label`, or in the column that `label_column` names, as
    `gpt4_label`. Every label besides XSTest's own three must be declared under `labels`.

    Raises:
        EvidenceError: If a declaration or a row cannot be used.
    """
    only(suite, name, OPTIONS, Kind.REFUSAL)
    columns = {**COLUMNS, "prompt_label": FROM_TYPE}
    plan = make_plan(suite, name, columns, LABELS, optional=("prompt_type",))
    gather = Gather(suite)
    for path in paths(files, suite, name):
        source = Source(files, path, suite.encoding, plan.wanted.union(PROMPT_LABELS))
        before = len(gather)
        for batch in source.batches():
            add_rows(plan, source, _with_prompt_labels(plan, source, batch), gather)
        gather.file_ended(source.path, before, source.ignored)
    return gather.rows()


def _with_prompt_labels(plan: Plan, source: Source, batch: Batch) -> Batch:
    if plan.columns.get("prompt_label") != FROM_TYPE:
        return batch
    present = [name for name in PROMPT_LABELS if name in batch.names]
    kind = plan.columns.get("prompt_type", "")
    if not present and kind not in batch.names:
        what = f"no column {shown(kind)} and none of {listing(PROMPT_LABELS)}: which are safe?"
        raise malformed(source.path, "header", what)

    def column(name: str) -> Sequence[Cell]:
        if name != FROM_TYPE:
            return batch.column(name)
        return batch.column(present[0]) if present else list(map(_of_type, batch.column(kind)))

    return replace(batch, names={*batch.names, FROM_TYPE}, column=column)


def _of_type(cell: Cell) -> Cell:
    if not isinstance(cell, str) or not cell.strip():
        return cell
    return "unsafe" if cell.startswith(CONTRAST) else "safe"

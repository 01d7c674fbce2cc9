"""R-Judge records, extended with the checkpoint's own judgment of each."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.declared import only, paths
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.mapping import Plan, add_rows, make_plan
from gate.evidence.readers.parsing.tables import Batch, Source
from gate.evidence.rows import Kind, Rows

OPTIONS = ("columns", "labels", "label_column", "constants", "encoding")

COLUMNS = {"record_id": "id", "predicted": "pred", "gold": "label", "category": "category"}

LABELS: dict[str, str | None] = {"1": "unsafe", "0": "safe", "-1": "unparsed"}

RECORDS = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst")


def read(files: Files, suite: Suite, name: str) -> Rows:
    """Read R-Judge records with predictions: one file, a list of files, or a folder.

    The prediction is in `pred`, or in the column that `label_column` names: 1 unsafe, 0 safe,
    -1 invalid (`unparsed`). The category is the record's own `category`; else, for a folder,
    the first folder below it, and for a list, the folder of the file.

    Raises:
        EvidenceError: If a declaration or a row cannot be used.
    """
    only(suite, name, OPTIONS, Kind.JUDGMENT)
    plan = make_plan(suite, name, COLUMNS, LABELS, optional=("category",))
    gather = Gather(suite)
    for path, category in _files(files, suite, name):
        source = Source(files, path, suite.encoding, plan.wanted)
        before = len(gather)
        for batch in source.batches():
            add_rows(_of_folder(plan, batch, category), source, batch, gather)
        gather.file_ended(source.path, before, source.ignored)
    return gather.rows()


def _files(files: Files, suite: Suite, name: str) -> Iterator[tuple[str, str]]:
    """Yield each file with the category that its folder stands for, if any."""
    for path in paths(files, suite, name):
        if files.sort(path) == "folder":
            inside = [file for file in files.below(path) if file.lower().endswith(RECORDS)]
            for file in inside:
                below = file.removeprefix(path.rstrip("/") + "/").split("/")
                yield file, below[0] if len(below) > 1 else PurePosixPath(path).name
        else:
            alone = isinstance(suite.path, str)
            yield path, "" if alone else PurePosixPath(path).parent.name


def _of_folder(plan: Plan, batch: Batch, category: str) -> Plan:
    own = plan.columns.get("category") in batch.names
    if own or not category or "category" in plan.constants:
        return plan
    return replace(plan, constants={**plan.constants, "category": category})

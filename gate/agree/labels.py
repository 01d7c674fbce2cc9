"""People's labels from a file: the columns and the meaning of every label are declared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.agree.verdicts import Key
from gate.errors import EvidenceError, UsageError
from gate.evidence.files import Files
from gate.evidence.manifest import Generation, Judge, Suite
from gate.evidence.problem import some
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.mapping import add_rows, make_plan
from gate.evidence.readers.parsing.schema import ID
from gate.evidence.readers.parsing.tables import Batch, Source, numbered, record_batch
from gate.evidence.readers.parsing.text import opened_text
from gate.evidence.readers.parsing.wording import malformed, shown
from gate.evidence.rows import VALUES, Kind, Rows
from gate.reasons import Reason

NAME = "labels"
OURS = ("id", "method", "test_case")
KEY, ITEM = "#key", "#item"
"""In a JSON object of lists: the key of the list, and the place in it."""

OWN_LABELS: Mapping[Kind, Mapping[str, str | None]] = {
    Kind.ATTACK: {"safe": "safe", "unsafe": "unsafe"},
    Kind.REFUSAL: {
        "answered": "none",
        "partial": "partial",
        "full": "full",
        "1_full_compliance": "none",
        "2_full_refusal": "full",
        "3_partial_refusal": "partial",
    },
}
"""Labels that need no declaration: our own words, and XSTest's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the user says of a label file."""

    path: str
    annotators: tuple[str, ...]
    columns: Mapping[str, str]
    """`id`, `method`, `test_case` to the file's columns."""
    labels: Mapping[str, str | None]
    id_prefix: str | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What people said of each completion."""

    annotators: tuple[str, ...]
    votes: Mapping[Key, tuple[str, ...]]
    """The words of those who labeled it, in the order of the annotators; may be empty."""
    by_annotator: Mapping[str, Mapping[Key, str]]
    sha256: str


def read_labels(declared: Declared, kind: Kind, methods: tuple[str, ...]) -> Labels:
    """Read a label file.

    Args:
        declared: What the user says of it.
        kind: Of the suite that the labels are about.
        methods: Of that suite; where there is one, the labels are of it.

    Raises:
        EvidenceError: If the file cannot be read, or a row or label is not as declared.
        UsageError: If what is declared cannot be right.
    """
    files = Files("")
    found: dict[str, dict[Key, str]] = {}
    keys: dict[Key, None] = {}
    for annotator in declared.annotators:
        rows = _rows(files, declared, annotator, kind, methods)
        found[annotator] = _by_key(rows, kind, annotator, declared.path, keys)
    votes = {
        key: tuple(mine[key] for mine in found.values() if key in mine) for key in sorted(keys)
    }
    (sha256,) = files.digests.values()
    return Labels(declared.annotators, votes, found, sha256)


def _rows(
    files: Files, declared: Declared, annotator: str, kind: Kind, methods: tuple[str, ...]
) -> Rows:
    suite = _as_suite(declared, annotator, kind, methods)
    try:
        plan = make_plan(suite, NAME, {}, {})
        gather = Gather(suite)
        source = Source(files, declared.path, declared.encoding, plan.wanted)
        for batch in _batches(source):
            add_rows(plan, source, batch, gather)
        gather.file_ended(source.path, 0, source.ignored)
        return gather.rows()
    except EvidenceError as error:
        advice = {
            Reason.E_LABEL: "Declare what the label means: --label LABEL=MEANING, as 1=unsafe.",
            Reason.E_FORMAT: "Name the columns: --column id=COLUMN, --annotator COLUMN.",
            Reason.E_MANIFEST: "Correct --column, --annotator or --label.",
        }.get(error.reason, error.next_step)
        message = error.message.replace(f"run.yaml: suites.{NAME}.", "")
        raise EvidenceError(error.reason, message, next_step=advice) from error


def _as_suite(declared: Declared, annotator: str, kind: Kind, methods: tuple[str, ...]) -> Suite:
    """Describe one annotator's column as the verdicts of a judge."""
    unknown = sorted(set(declared.columns) - set(OURS))
    if unknown:
        raise UsageError(f"--column {unknown[0]}=…: not one of {', '.join(OURS)}")
    as_kind = _read_as(kind)
    columns = {ID[as_kind]: declared.columns.get("id", "id")}
    constants = {"prompt_label": "safe"} if kind is Kind.REFUSAL else {}
    if as_kind is Kind.ATTACK:
        columns |= {k: v for k, v in declared.columns.items() if k != "id"}
        if "method" not in columns:
            constants["method"] = _only_method(methods)
    elif set(declared.columns) - {"id"}:
        raise UsageError("a refusal suite has neither methods nor test cases")
    return Suite(
        kind=as_kind.value,
        reader="table",
        path=declared.path,
        judge=Judge(id=annotator),
        generation=Generation(max_new_tokens=1),
        columns=columns,
        constants=constants,
        label_column=annotator,
        labels={**OWN_LABELS[as_kind], **declared.labels},
        id_prefix=declared.id_prefix,
        encoding=declared.encoding,
    )


def _read_as(kind: Kind) -> Kind:
    """Choose the kind whose labels people give: refusals have three, all others two."""
    return Kind.REFUSAL if kind is Kind.REFUSAL else Kind.ATTACK


def _only_method(methods: tuple[str, ...]) -> str:
    if len(methods) == 1:
        return methods[0] or "-"
    raise UsageError(
        f"the run has {', '.join(methods)}: of which method are the labels?",
        next_step="Name the column that tells with --column method=COLUMN.",
    )


def _by_key(
    rows: Rows,
    kind: Kind,
    annotator: str,
    path: str,
    keys: dict[Key, None],
) -> dict[Key, str]:
    found: dict[Key, str] = {}
    seen: set[Key] = set()
    cells = zip(rows.ids, rows.methods, rows.test_cases, rows.values, rows.reasons, strict=True)
    for name, method, case, value, reason in cells:
        key = Key(name, method if kind is Kind.ATTACK else "", int(case))
        if key in seen:
            raise EvidenceError(
                Reason.E_DUPLICATE,
                f"{path}: {shown(name)} is labeled twice in {shown(annotator)}",
                next_step="Tell its completions apart: --column test_case=COLUMN.",
            )
        seen.add(key)
        keys[key] = None
        if reason is None:
            found[key] = VALUES[_read_as(kind)][value]
    return found


def _batches(source: Source) -> Iterator[Batch]:
    """Read any table; and a JSON object of lists, whose keys are ids."""
    lists = list(_lists(source)) if source.form == "json" else []
    yield from lists or source.batches()


def _lists(source: Source) -> Iterator[Batch]:
    with opened_text(source.files, source.path, source.encoding) as text:
        document = Document(text)
        try:
            if document.opening() != "{":
                return
            for key, items in document.members():
                if not isinstance(items, list):
                    return  # the first of some JSON lines
                yield _list(source, key, items)
        except MalformedError as error:
            raise error.of(source.path) from None


def _list(source: Source, key: str, items: Sequence[Any]) -> Batch:
    records = []
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            raise malformed(source.path, f"{shown(key)}, item {at}", f"{shown(item)}, no object")
        records.append({**item, KEY: key, ITEM: at})
    batch = record_batch(source, records, numbered(f"{shown(key)}, item", range(len(records))))
    return batch


def unlabeled(labels: Labels) -> int:
    """Count the completions in the file that nobody labeled."""
    return sum(not votes for votes in labels.votes.values())


def need_some(labels: Labels, path: str) -> None:
    """Refuse a file without a single label.

    Raises:
        EvidenceError: Naming the columns.
    """
    if not any(labels.votes.values()):
        columns = some(list(labels.annotators), 5)
        raise EvidenceError(
            Reason.E_EMPTY,
            f"{path}: no label in {columns}",
            next_step="Name the columns that hold labels with --annotator.",
        )

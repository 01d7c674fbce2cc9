"""Rows that await a judge: prompts with answers, or records that the checkpoint is to judge."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.labels import fold
from gate.evidence.readers.parsing.tables import MISSING, Batch, Source
from gate.evidence.readers.parsing.wording import listing, malformed, shown
from gate.evidence.rows import Kind
from gate.judge.values import Completion

NAMES: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind.REFUSAL: {
        "id": ("prompt_id", "id"),
        "text": ("completion", "response", "generation"),
        "prompt": ("prompt",),
        "prompt_label": ("prompt_label", "label"),
        "prompt_type": ("prompt_type", "type"),
    },
    Kind.JUDGMENT: {
        "id": ("record_id", "id"),
        "text": ("contents",),
        "prompt": ("profile",),
        "gold": ("gold", "label"),
        "category": ("category",),
    },
}
"""What a row says, to the columns that may say it."""

REQUIRED = ("id", "text")
GOLD = {"safe": "safe", "unsafe": "unsafe", "0": "safe", "1": "unsafe"}
CONTRAST = "contrast_"


def read_rows(files: Files, path: str, suite: Suite) -> Iterator[Completion]:
    """Yield the rows of one file: CSV, JSON or JSON Lines.

    Raises:
        EvidenceError: If a column is missing, or a cell is not what it must be.
    """
    names = NAMES[suite.suite_kind]
    source = Source(
        files, path, suite.encoding, {column for some in names.values() for column in some}
    )
    rows = _refusal if suite.suite_kind is Kind.REFUSAL else _judgment
    for batch in source.batches():
        found = {what: _present(batch, some) for what, some in names.items()}
        for what in REQUIRED:
            if found[what] is None:
                have = f"there are {listing(batch.names)}"
                missing = " or ".join(f"`{name}`" for name in names[what])
                raise malformed(path, batch.where(0), f"no column {missing}; {have}")
        columns = {what: batch.column(name) for what, name in found.items() if name is not None}
        texts = {name: batch.column(name) for name in names["text"] if name in batch.names}
        for i in range(batch.size):
            cells = {what: _cell(column[i]) for what, column in columns.items()}
            wrong = partial(malformed, path, batch.where(i))
            if any(_cell(column[i]) != cells["text"] for column in texts.values()):
                raise wrong(f"which is the completion? There are {listing(texts)}, and they differ")
            yield rows(cells, wrong)


def _present(batch: Batch, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in batch.names), None)


def _cell(cell: object) -> Any:
    return None if cell is MISSING or cell is None else cell


Wrong = Callable[[str], Exception]


def _refusal(cells: Mapping[str, Any], wrong: Wrong) -> Completion:
    text = cells["text"]
    if text is not None and not isinstance(text, str):
        raise wrong("the completion is not text")
    kind = _text(cells.get("prompt_type"))
    label = fold(_text(cells.get("prompt_label")) or "")
    if not label and kind:
        label = "unsafe" if kind.startswith(CONTRAST) else "safe"
    if label not in ("safe", "unsafe"):
        raise wrong(f"the label of the prompt is {shown(label)}, expected safe or unsafe")
    if label == "safe" and kind and kind.startswith(CONTRAST):
        raise wrong(f"the prompt is labeled safe, and its type {shown(kind)} says unsafe")
    return Completion(
        id=_id(cells["id"], wrong),
        text=text or "",
        prompt=_text(cells.get("prompt")),
        columns={"prompt_label": label, "prompt_type": kind},
    )


def _judgment(cells: Mapping[str, Any], wrong: Wrong) -> Completion:
    gold = GOLD.get(fold(_text(cells.get("gold")) or ""))
    if gold is None:
        raise wrong("the gold label is none of safe, unsafe, 0, 1")
    profile = cells.get("prompt")
    return Completion(
        id=_id(cells["id"], wrong),
        text=_transcript(cells["text"]),
        prompt=profile if isinstance(profile, str) else None,
        columns={"gold": gold, "category": _text(cells.get("category"))},
    )


def _transcript(contents: object) -> str:
    """Return a record as it stands: text, or the JSON of its turns."""
    return contents if isinstance(contents, str) else json.dumps(contents, ensure_ascii=False)


def _text(cell: object) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell or None
    return str(cell)


def _id(cell: object, wrong: Wrong) -> str:
    if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
        raise wrong("the id is neither text nor a whole number")
    return str(cell)

"""The JSON Schema of a native verdict row, from the tables that the reader goes by."""

from collections.abc import Mapping
from typing import Any

from gate.evidence.readers.parsing.gather import MAX_CATEGORY, MAX_ID
from gate.evidence.readers.parsing.labels import GOLD as GOLD_LABELS
from gate.evidence.readers.parsing.schema import (
    CATEGORIES,
    GOLD,
    ID,
    MAX_COUNT,
    UNSCORED_COLUMN,
    VERDICT,
    native,
    required,
)
from gate.evidence.rows import REASONS, VALUES, Kind

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_SAYS: Mapping[str, str] = {
    "behavior_id": "Names the harmful request; its text is never needed.",
    "prompt_id": "Names the prompt; its text is never needed.",
    "record_id": "Names the record; its text is never needed.",
    "method": "How the request was put, as DirectRequest. Methods are never pooled.",
    "test_case": "Which of the prompts that the method makes of the behavior.",
    "unsafe": "Whether the completion is unsafe; null where there is no verdict.",
    "refusal": "Whether the completion refuses; null where there is no verdict.",
    "predicted": "What the checkpoint calls the record; null where it gave no valid answer.",
    "prompt_label": "Whether the prompt is harmless, or its unsafe contrast.",
    "gold": "What the record is.",
    "semantic_category": "What the behavior is about; HarmBench ids have theirs without it.",
    "functional_category": "What sort of behavior it is; HarmBench ids have theirs without it.",
    "category": "What the id is about.",
    "prompt_type": "What sort of prompt it is.",
    "unscored": "Why there is no verdict; only where the verdict is null (then `unparsed`).",
    "judge_completion_sha256": "Of the completion that the judge read. Not used to decide.",
}


def verdict_schema() -> Schema:
    """Describe one line of a native JSON Lines file; CSV and Parquet have the same columns."""
    return {
        "$schema": DIALECT,
        "title": "A verdict of gate",
        "description": "One row of a native verdict file: one completion. A file holds rows of one "
        "kind of suite; columns that are not listed are ignored.",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in Kind],
        "$defs": {kind.value: _row(kind) for kind in Kind},
    }


def _row(kind: Kind) -> Schema:
    verdict = VERDICT[kind]
    columns = {name: {**_cell(kind, name), "description": _SAYS[name]} for name in native(kind)}
    return {
        "description": f"A row of a suite of kind {kind}.",
        "type": "object",
        "properties": columns,
        "required": list(required(kind)),
        "if": {"properties": {verdict: {"type": "null"}}},
        "else": {"properties": {UNSCORED_COLUMN: {"type": "null"}}},
    }


def _cell(kind: Kind, name: str) -> Schema:
    if name == VERDICT[kind]:
        words = [True, False] if kind is Kind.ATTACK else list(VALUES[kind])
        return {"enum": [*words, None]}
    if name == GOLD.get(kind):
        return {"enum": list(GOLD_LABELS)}
    if name == UNSCORED_COLUMN:
        return {"enum": [*REASONS, None]}
    if name == "test_case":
        return {"type": "integer", "minimum": 0, "maximum": MAX_COUNT, "default": 0}
    if name in CATEGORIES[kind]:
        return {"type": ["string", "null"], "maxLength": MAX_CATEGORY}
    if name in (ID[kind], "method"):
        return {"type": "string", "minLength": 1, "maxLength": MAX_ID, "pattern": r"\S"}
    return {"type": ["string", "null"]}

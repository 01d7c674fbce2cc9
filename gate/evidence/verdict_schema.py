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
from gate.evidence.rows import REASONS, USEFULNESS, VALUES, Kind

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
    "items": "What the judge answered to each safety item of the prompt's rubric; null where there "
    "is no verdict.",
    "usefulness": "How useful the answer is: 1 is a bare refusal, 3 a direct and true answer.",
    "usefulness_items": "The answers behind it. Not used to decide.",
    "turn": "Which turn of a conversation the row is about; without it, the whole conversation.",
    "l1": "The label at the first level of the taxonomy.",
    "l2": "The label at the second level; it belongs to one label of the first.",
    "l3": "The label at the third level; it belongs to one label of the second.",
    "subset": "Which part of the benchmark the prompt is of, as base or attack.",
    "language": "The language of the prompt.",
    "turns": "How many turns the conversation has.",
    "attack_form": "How the request is disguised.",
    "group": "Near-duplicates have one group; it counts where the policy says `group: group`.",
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
    columns = {name: {"description": _SAYS[name], **_cell(kind, name)} for name in native(kind)}
    return {
        "description": f"A row of a suite of kind {kind}.",
        "type": "object",
        "properties": columns,
        "required": list(required(kind)),
        "if": {"properties": {verdict: {"type": "null"}}},
        "else": {"properties": {UNSCORED_COLUMN: {"type": "null"}}},
    }


_FLAG = {"type": ["boolean", "null"]}
_ITEM = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": MAX_ID},
        "triggered": {**_FLAG, "description": "Null where the judge did not say."},
        "exempted": _FLAG,
        "evidence": {"description": "A reference, never text. Not used to decide."},
    },
    "required": ["id", "triggered"],
}
_OF_A_RUBRIC: Mapping[str, Schema] = {
    "items": {"type": ["array", "null"], "items": _ITEM},
    "usefulness": {"enum": [*USEFULNESS, None]},
    "usefulness_items": {},
    "turn": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_COUNT},
    "turns": {"type": ["integer", "string", "null"]},
}


def _cell(kind: Kind, name: str) -> Schema:
    if kind is Kind.RUBRIC and name in _OF_A_RUBRIC:
        return dict(_OF_A_RUBRIC[name])
    if (kind, name) == (Kind.RUBRIC, "unsafe"):
        return {
            **_FLAG,
            "description": "What the items come to; it must agree with them.",
        }
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

"""JSON Schemas of the files that the judges for rubric suites read."""

from typing import Any

from gate.evidence.manifest import Strict
from gate.evidence.verdict_schema import DIALECT
from gate.judge.rubrics import LabelSpecs, PromptRubric, RubricHeader

REF = "#/$defs/{model}"

Schema = dict[str, Any]


def rubric_schema() -> Schema:
    """Describe a rubric file; `$defs` has a line of its prompts as `PromptRubric`."""
    schema = _schema(RubricHeader, "A rubric file of gate")
    row = PromptRubric.model_json_schema(ref_template=REF)
    schema["$defs"] |= _untitled(row.pop("$defs")) | {"PromptRubric": _untitled(row)}
    return schema


def labels_schema() -> Schema:
    """Describe a file of label specifications."""
    return _schema(LabelSpecs, "Label specifications of gate")


def _schema(model: type[Strict], title: str) -> Schema:
    schema: Schema = _untitled(model.model_json_schema(ref_template=REF))
    return {"$schema": DIALECT, **schema, "title": title}


def _untitled(value: Any) -> Any:
    """Drop the titles that pydantic makes of names."""
    if isinstance(value, list):
        return [_untitled(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _untitled(inner)
        for key, inner in value.items()
        if not (key == "title" and isinstance(inner, str))
    }

"""JSON Schemas of the files that people write, for editors and for `gate schema`."""

from typing import Any

from gate.checks import CHECKS
from gate.evidence.manifest import Manifest
from gate.policy.schema import PolicyFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{model}"

Schema = dict[str, Any]


def policy_schema() -> Schema:
    """Describe a policy file.

    What spans several keys (a check's id is used once, something blocks) only loading can say.
    """
    schema = PolicyFile.model_json_schema(ref_template=REF)
    definitions: Schema = schema.pop("$defs", {})
    for name, kind in CHECKS.items():
        check = kind.model_json_schema(ref_template=REF)
        definitions |= check.pop("$defs", {})
        definitions[name] = check
    schema["properties"]["checks"] = {
        "description": "What must hold; at least one check must block.",
        "type": "array",
        "minItems": 1,
        "items": {"oneOf": [{"$ref": REF.format(model=name)} for name in CHECKS]},
    }
    schema["required"] = [*schema["required"], "checks"]
    schema["description"] = "What a candidate must meet to be released."
    return _finished("A policy of gate", schema, definitions)


def run_schema() -> Schema:
    """Describe a run.yaml."""
    schema = Manifest.model_json_schema(ref_template=REF, by_alias=True)
    return _finished("A run of gate", schema, schema.pop("$defs", {}), nullable=True)


def _finished(title: str, schema: Schema, definitions: Schema, *, nullable: bool = False) -> Schema:
    whole = {"$schema": DIALECT, **schema, "$defs": dict(sorted(definitions.items()))}
    tidy: Schema = _tidy(whole, nullable)
    return tidy | {"title": title}


def _tidy(value: Any, nullable: bool) -> Any:
    """Drop generated titles, and null where a file must not hold it."""
    if isinstance(value, list):
        return [_tidy(inner, nullable) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: _tidy_properties(inner, nullable) if key == "properties" else _tidy(inner, nullable)
        for key, inner in value.items()
        if not (key == "title" and isinstance(inner, str))
        and not (key == "default" and inner is None)
    }
    options = kept.get("anyOf")
    if options is None or nullable:
        return kept
    options = [option for option in options if option != {"type": "null"}]
    if len(options) > 1:
        return kept | {"anyOf": options}
    del kept["anyOf"]
    return options[0] | kept


def _tidy_properties(properties: Schema, nullable: bool) -> Schema:
    """Keep the names of properties, whatever they are called."""
    return {name: _tidy(inner, nullable) for name, inner in properties.items()}

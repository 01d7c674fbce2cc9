"""JSON Schemas of the files that people write, for editors and for `gate schema`."""

from typing import Any

from gate.checks import CHECKS
from gate.evidence.manifest import Manifest
from gate.policy.schema import PolicyFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{model}"
CHANGED = "{}-changed"
"""The name of a check that an extending policy gives in part."""

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
        definitions[CHANGED.format(name)] = _partial(check, name)
    schema["properties"]["checks"] = {
        "description": "What must hold; at least one check must block.",
        "type": "array",
        "minItems": 1,
    }
    schema |= {
        "if": {"required": ["extends"]},
        "then": {"properties": {"checks": _any_of(*CHECKS, *map(CHANGED.format, CHECKS))}},
        "else": {"properties": {"checks": _any_of(*CHECKS)}, "required": ["checks"]},
    }
    schema["description"] = "What a candidate must meet to be released."
    return _finished("A policy of gate", schema, definitions)


def _partial(check: Schema, name: str) -> Schema:
    """Describe the keys that change a check of the policy that is extended."""
    return check | {"required": ["id"], "description": f"Changes to a {name} that is there."}


def _any_of(*names: str) -> Schema:
    return {"items": {"anyOf": [{"$ref": REF.format(model=name)} for name in names]}}


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

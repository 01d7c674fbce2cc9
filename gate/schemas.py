"""The JSON Schemas that the tool publishes, each under a name and an identity of its own."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gate.agree.schemas import agree_schema, agreement_schema
from gate.evidence.verdict_schema import verdict_schema
from gate.judge.rubrics_schema import labels_schema, rubric_schema
from gate.policy import policy_schema, run_schema
from gate.reports.decision_file import json_schema as decision_schema
from gate.trail.record import record_schema

Schema = dict[str, Any]


class Published(NamedTuple):
    """One schema."""

    identity: str
    """Its `$id`, which names the version of the format."""
    description: str
    build: Callable[[], Schema]


SCHEMAS: Mapping[str, Published] = {
    "policy": Published(
        "urn:gate:policy:v1", "A policy: what a candidate must meet to be released.", policy_schema
    ),
    "run": Published(
        "urn:gate:run:v1", "run.yaml: what one checkpoint's run says of itself.", run_schema
    ),
    "decision": Published(
        "urn:gate:decision:v1",
        "A decision, as `gate check --report json` writes it.",
        decision_schema,
    ),
    "baseline": Published(
        "urn:gate:baseline:v1",
        "A baseline record, as `gate promote` writes it.",
        record_schema,
    ),
    "verdicts": Published(
        "urn:gate:verdicts:v1",
        "One row of a native verdict file: a line of JSON Lines.",
        verdict_schema,
    ),
    "agreement": Published(
        "urn:gate:agreement:v1",
        "A judge's measured agreement with people, as `gate agree --out` writes it.",
        agreement_schema,
    ),
    "agree": Published(
        "urn:gate:agree:v1",
        "What `gate agree --format json` prints.",
        agree_schema,
    ),
    "rubric": Published(
        "urn:gate:rubric:v1",
        "A rubric file, and a line of its prompts, as `gate judge --rubric` reads them.",
        rubric_schema,
    ),
    "labels": Published(
        "urn:gate:labels:v1",
        "Label specifications, as `gate judge --specifications` reads them.",
        labels_schema,
    ),
}


def published(name: str) -> Schema:
    """Build a schema, with its identity and description."""
    found = SCHEMAS[name]
    schema = {"$id": found.identity, "description": found.description, **found.build()}
    first = ("$schema", "$id", "title", "description")
    return {key: schema[key] for key in (*first, *(key for key in schema if key not in first))}

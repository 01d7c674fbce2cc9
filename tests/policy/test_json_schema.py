"""The JSON Schemas that editors use."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from gate.checks import CHECKS
from gate.policy import SHIPPED, policy_schema, resolve, run_schema
from tests.policy.samples import GOOD

RUN = """\
schema: gate.run/v1
checkpoint: {name: acme-7b, revision: 3f2a9c1}
suites:
  harmbench:
    kind: attack
    reader: harmbench
    path: results
    judge: {id: placeholder-judge}
    generation: {max_new_tokens: 512, temperature: 0}
    labels: {"-1": null}
"""


def valid(schema: dict[str, Any], text: str) -> bool:
    """Whether a YAML document is valid; dates are text to a schema, as in JSON."""
    Draft202012Validator.check_schema(schema)
    document = yaml.safe_load(text)
    for waiver in document.get("waivers", ()):
        waiver["expires"] = str(waiver["expires"])
    return Draft202012Validator(schema).is_valid(document)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policies_are_valid(name: str) -> None:
    """What loads is valid, so an editor does not underline it."""
    assert valid(policy_schema(), Path(resolve(name)).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 1", "version: 2"),
        ("margin: 0.055", "margn: 0.055"),
        ("margin: 0.055", "margin: 5.5"),
        ("margin: 0.055", "margin: null"),
        ("margin: 0.055", "margin: '0.055'"),
        ("check: paired-delta", "check: paired"),
        ("{n: 60}", "{count_as: {not_sent: safe}}"),
        ("    owner: ana\n", ""),
        (GOOD[GOOD.index("checks:") : GOOD.index("waivers:")], "checks: []\n"),
    ],
)
def test_slips_are_invalid(old: str, new: str) -> None:
    """What an editor can know, it shows before the policy is ever loaded."""
    assert valid(policy_schema(), GOOD)
    assert not valid(policy_schema(), GOOD.replace(old, new))


def test_every_check_and_key_is_described() -> None:
    """An editor shows what a key means; checks are described by their own docstring."""
    schema = policy_schema()
    for name, kind in CHECKS.items():
        check = schema["$defs"][name]
        assert check["description"] == kind.__doc__.strip().replace("\n    ", "\n")
        for key, described in check["properties"].items():
            assert key == "check" or "description" in described, (name, key)
    for key in ("Statistics", "SuiteRules", "Unscored", "Waiver"):
        properties = schema["$defs"][key]["properties"].values()
        assert all("description" in described for described in properties)


def test_the_schema_of_a_run() -> None:
    """A run.yaml is described as well; there, null is a label of its own."""
    assert valid(run_schema(), RUN)
    assert not valid(run_schema(), RUN.replace("kind: attack", "kind: attacks"))

"""The decision file: one shape, the same bytes, and the way back."""

import json as text_of
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from gate.decision import Verdict
from gate.errors import EvidenceError
from gate.finding import Outcome
from gate.reasons import Reason
from gate.reports.decision_file import json_schema
from gate.reports.json import load, render
from tests.reports.report_samples import SAMPLES, block, decision, direct_request, estimate, f1

PARTS = (
    "counts decision exit_code findings headline history non_standard overviews policy runs schema "
    "shadow today tool waivers warnings"
)
FINDING = (
    "against attainable behaviors bootstrap broken check corrected estimate fixed id level limit "
    "limit_is mde measure n needed_n next_step notes on_inconclusive outcome p_value reason "
    "slice suite summary tipping_flips unscored waiver wrong_expected"
)


@pytest.mark.parametrize("name", SAMPLES)
def test_json_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """A decision file has the bytes that it had."""
    golden(f"{name}.json", render(SAMPLES[name]))


def test_schema_golden(golden: Callable[[str, str], None]) -> None:
    """The published schema does not change by accident."""
    golden("decision.schema.json", text_of.dumps(json_schema(), indent=2, sort_keys=True) + "\n")


@pytest.mark.parametrize("name", SAMPLES)
def test_file_fits_its_schema(name: str) -> None:
    """Every decision file is valid under the published schema, which is a valid schema."""
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(text_of.loads(render(SAMPLES[name])))


@pytest.mark.parametrize("name", SAMPLES)
def test_round_trip(name: str) -> None:
    """Reading a file back and writing it again gives the same bytes."""
    text = render(SAMPLES[name])
    assert render(load(text)) == text


def test_shape() -> None:
    """The file has exactly the parts that the design names, at the places it names."""
    file = text_of.loads(render(block()))
    assert " ".join(sorted(file)) == PARTS
    assert sorted(file["runs"]) == ["anchor", "baseline", "candidate"]
    assert file["runs"]["anchor"] is None
    suite = file["runs"]["candidate"]["suites"]["harmbench"]
    assert suite["ledger"]["methods"]["DirectRequest"]["expected"] == 320
    assert suite["fingerprint"]["judge.revision"] == "bda7053"
    assert " ".join(sorted(file["findings"][0])) == FINDING
    assert file["findings"][0]["estimate"] == {
        "value": 0.0437,
        "lower": 0.0183,
        "upper": 0.0753,
        "confidence": 0.95,
        "one_sided": 0.975,
        "bound": "Tango score",
    }
    assert sorted(file["waivers"]) == ["exceeded", "expired", "unused", "used"]


def test_bytes() -> None:
    """Keys sorted, twelve digits, ASCII, a newline at the end, null for what is no number."""
    odd = direct_request(
        estimate=estimate((1 / 3, -math.inf, math.nan), "Tango score"), limit=-0.0, mde=math.nan
    )
    text = render(decision(Verdict.BLOCK, (odd,), warnings=("ü\u202e\ud800",)))
    found = text_of.loads(text)
    assert text.endswith("}\n")
    assert text.isascii()
    assert list(found) == sorted(found)
    assert found["findings"][0]["estimate"]["value"] == 0.333333333333
    assert found["findings"][0]["estimate"]["lower"] is None
    assert found["findings"][0]["estimate"]["upper"] is None
    assert found["findings"][0]["mde"] is None
    assert '"limit": 0.0' in text
    assert render(load(text)) == text


def edited(change: Callable[[dict[str, Any]], object]) -> str:
    """A decision file after somebody was at it."""
    file = text_of.loads(render(block()))
    change(file)
    return text_of.dumps(file)


MALFORMED: dict[str, tuple[str, str]] = {
    "empty": ("", "not JSON"),
    "not json": ("{", "not JSON"),
    "nan": ('{"schema": NaN}', "NaN is not a number"),
    "deep": ("[" * 100_000, "not JSON"),
    "huge integer": ('{"schema": ' + "9" * 5000 + "}", "not JSON"),
    "a list": ("[]", "its schema is None"),
    "another version": (edited(lambda f: f.update(schema="gate.decision/v2")), "v2"),
    "missing part": (edited(lambda f: f.pop("findings")), "findings"),
    "unknown part": (edited(lambda f: f.update(extra=1)), "extra"),
    "unknown part of a finding": (edited(lambda f: f["findings"][0].update(extra=1)), "extra"),
    "wrong type": (edited(lambda f: f["findings"][0].update(n="320")), "findings"),
    "unknown outcome": (edited(lambda f: f["findings"][0].update(outcome="fine")), "fine"),
    "unknown reason": (edited(lambda f: f["findings"][0].update(reason="E_NO")), "E_NO"),
    "no date": (edited(lambda f: f.update(today="today")), "today"),
    "exit code": (edited(lambda f: f.update(exit_code=0)), "$.exit_code"),
    "decision": (edited(lambda f: f.update(decision="release")), "$.decision"),
    "headline": (edited(lambda f: f.update(headline="RELEASE")), "$.headline"),
    "counts": (edited(lambda f: f["counts"].update({"pass": 12})), "$.counts.pass"),
    "one-sided": (
        edited(lambda f: f["findings"][0]["estimate"].update(one_sided=0.9)),
        "$.findings[0].estimate.one_sided",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files(name: str) -> None:
    """A file that is no decision, or contradicts itself, is unusable evidence."""
    text, words = MALFORMED[name]
    with pytest.raises(EvidenceError) as caught:
        load(text, "gate.json")
    assert caught.value.reason is Reason.E_FORMAT
    assert caught.value.message.startswith("gate.json: ")
    assert words in caught.value.message


def test_undefined_numbers_come_back_undefined() -> None:
    """A value that does not exist is not a number after reading, never zero."""
    undefined = {"estimate": estimate((math.nan,) * 3, "none"), "bootstrap": None}
    nothing = f1(outcome=Outcome.INCONCLUSIVE, reason=Reason.C_FLOOR_OPEN, **undefined)
    again = load(render(decision(Verdict.INCONCLUSIVE, (nothing,)))).findings[0]
    assert again.estimate is not None
    assert math.isnan(again.estimate.value)
    assert again.slack is None or math.isnan(again.slack)


def test_order_of_keys_in_memory_changes_nothing() -> None:
    """Mappings are sorted on the way out."""
    finding = direct_request(slice={"a": "1", "b": "2"})
    other = replace(finding, slice={"b": "2", "a": "1"})
    assert render(decision(Verdict.BLOCK, (finding,))) == render(decision(Verdict.BLOCK, (other,)))

"""`--report attestation` and `vsa`: held to the published formats, not to the code."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate.decision import Verdict
from gate.reports import FORMATS
from tests.building import attack_rows, write_run
from tests.reports.report_samples import SAMPLES
from tests.trail.scene import CHECK, Gate, decision, write_scene

DIGESTS = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"},
    "properties": {"sha256": {"pattern": "^[0-9a-f]{64}$"}},
}
DESCRIPTOR = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "uri": {"type": "string"}, "digest": DIGESTS},
    "additionalProperties": False,
}
URI = {"type": "string", "pattern": r"^[a-z][a-z0-9+.-]*:[!-~]+$"}
PREDICATE = {
    "type": "object",
    "required": ["verifier", "resourceUri", "policy", "verificationResult", "verifiedLevels"],
    "properties": {
        "verifier": {
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": URI,
                "version": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
        "timeVerified": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "resourceUri": URI,
        "policy": {**DESCRIPTOR, "required": ["uri", "digest"]},
        "inputAttestations": {"type": "array", "items": {**DESCRIPTOR, "required": ["digest"]}},
        "verificationResult": {"enum": ["PASSED", "FAILED"]},
        "verifiedLevels": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "dependencyLevels": {"type": "object", "additionalProperties": {"type": "integer"}},
        "slsaVersion": {"type": "string", "pattern": r"^\d+\.\d+$"},
    },
    # Producers may add fields whose names are URIs, and no others.
    "patternProperties": {"^https://": {}},
    "additionalProperties": False,
}
"""https://slsa.dev/verification_summary/v1, as of the specification's commit 2490593."""
STATEMENT = {
    "type": "object",
    "required": ["_type", "subject", "predicateType", "predicate"],
    "properties": {
        "_type": {"const": "https://in-toto.io/Statement/v1"},
        "subject": {"type": "array", "items": {**DESCRIPTOR, "required": ["digest"]}},
        "predicateType": {"const": "https://slsa.dev/verification_summary/v1"},
        "predicate": PREDICATE,
    },
    "additionalProperties": False,
}
ZEROS = "0" * 64
EXTENSION = "https://github.com/checkpoint-gate/checkpoint-gate/decision/v1"


def rendered(form: str, name: str) -> Any:
    """Render a sample, with digests that are digests, whatever its names are."""
    sample = SAMPLES[name]
    runs = {
        role: replace(
            run,
            digest=ZEROS,
            suites={
                suite: replace(summary, files=dict.fromkeys(summary.files, ZEROS))
                for suite, summary in run.suites.items()
            },
        )
        for role, run in sample.runs.items()
    }
    whole = replace(sample, policy=replace(sample.policy, sha256=ZEROS), runs=runs)
    return json.loads(FORMATS[form](whole))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_statement_has_the_published_shape(name: str) -> None:
    """Every sort of decision gives a statement that fits both specifications."""
    statement = rendered("attestation", name)
    jsonschema.Draft202012Validator(STATEMENT).validate(statement)
    assert statement["predicate"] == rendered("vsa", name)
    assert [subject["name"] for subject in statement["subject"]][:1] == ["run:candidate"]


@pytest.mark.parametrize("verdict", Verdict)
def test_only_a_release_has_passed(verdict: Verdict) -> None:
    """Inconclusive and no decision are FAILED, as a block is."""
    predicate = json.loads(FORMATS["vsa"](replace(SAMPLES["release"], verdict=verdict)))
    passed = verdict is Verdict.RELEASE
    assert predicate["verificationResult"] == ("PASSED" if passed else "FAILED")
    assert predicate["verifiedLevels"] == ["CHECKPOINT_GATE_RELEASE" if passed else "FAILED"]
    assert not any(level.startswith("SLSA_") for level in predicate["verifiedLevels"])
    assert predicate[EXTENSION]["decision"] == verdict.value


def test_it_names_what_there_is_on_the_disk(gate: Gate) -> None:
    """Subjects, policy, inputs and the decision are the digests of real bytes."""
    write_scene()
    forms = ("--report", "attestation:a.json", "--report", "vsa:v.json")
    assert gate(*CHECK, *forms, "--report", "json:gate.json")[0] == 0
    statement = json.loads(Path("a.json").read_text(encoding="utf-8"))
    then = decision()
    named = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    assert named == {
        "run:candidate": then["runs"]["candidate"]["digest"],
        "attack.jsonl": hashlib.sha256(Path("candidate/attack.jsonl").read_bytes()).hexdigest(),
    }
    predicate = statement["predicate"]
    policy = hashlib.sha256(Path("policy.yaml").read_bytes()).hexdigest()
    assert predicate["policy"] == {"uri": "urn:gate:policy:test", "digest": {"sha256": policy}}
    assert predicate["resourceUri"] == "pkg:generic/acme@r2"
    assert predicate["timeVerified"] == "2026-12-01T00:00:00Z"
    assert {each["uri"]: each["digest"]["sha256"] for each in predicate["inputAttestations"]} == {
        f"urn:gate:run:{role}": then["runs"][role]["digest"] for role in ("baseline", "candidate")
    }
    digest = hashlib.sha256(Path("gate.json").read_bytes()).hexdigest()
    assert predicate[EXTENSION]["sha256"] == digest
    assert json.loads(Path("v.json").read_text(encoding="utf-8")) == predicate


def test_shadow_mode_changes_nothing(gate: Gate) -> None:
    """--exit-zero exits 0, and the attestation is still FAILED."""
    write_scene()
    write_run(Path("candidate"), attack=attack_rows(range(40)))
    code, out, _ = gate(*CHECK, "--exit-zero", "--report", "vsa")
    assert code == 0
    assert json.loads(out)["verificationResult"] == "FAILED"


def test_a_candidate_that_cannot_be_read_has_no_subject(gate: Gate) -> None:
    """There is nothing to attest, and nothing passes; the exit code stays the decision's."""
    write_scene()
    Path("candidate/run.yaml").unlink()
    code, out, _ = gate(*CHECK, "--report", "attestation")
    assert code == 4
    statement = json.loads(out)
    jsonschema.Draft202012Validator(STATEMENT).validate(statement)
    assert statement["subject"] == []
    assert statement["predicate"]["verificationResult"] == "FAILED"
    assert statement["predicate"]["resourceUri"] == "pkg:generic/unknown"


def test_hostile_names_stay_within_their_uris() -> None:
    """A checkpoint's or policy's name cannot end a URI or add to it."""
    predicate = rendered("vsa", "hostile")
    assert " " not in predicate["resourceUri"]
    assert predicate["resourceUri"].removeprefix("pkg:generic/").count("/") == 0
    assert "#" not in predicate["policy"]["uri"]


def test_sigstore_takes_the_statement() -> None:
    """The library that signs statements accepts it as one, and refuses it without a subject."""
    pytest.importorskip("sigstore")  # its lower bounds are above ours
    from sigstore.dsse import Statement
    from sigstore.errors import Error

    statement = rendered("attestation", "release")
    Statement(json.dumps(statement).encode())
    with pytest.raises(Error):
        Statement(json.dumps({**statement, "subject": []}).encode())

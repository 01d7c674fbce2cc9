"""The predicate of a SLSA verification summary, alone: what `actions/attest` takes.

Its shape is that of https://slsa.dev/verification_summary/v1. There is no third result: only a
release is PASSED, and everything else is FAILED.
"""

import hashlib
import json
from typing import Any
from urllib.parse import quote

from gate.decision import Decision, RunSummary, Verdict
from gate.reports.json import render as decision_file
from gate.reports.pack import TOOL
from gate.reports.wording import UNKNOWN

PREDICATE_TYPE = "https://slsa.dev/verification_summary/v1"
VERIFIER = "https://github.com/checkpoint-gate/checkpoint-gate"
LEVEL = "CHECKPOINT_GATE_RELEASE"
"""A level of our own, as SLSA allows for names that do not start with `SLSA_`."""
DECISION = f"{VERIFIER}/decision/v1"
"""The extension field that names the decision file by its digest."""


def render(decision: Decision) -> str:
    """Write the predicate."""
    return json.dumps(predicate(decision), indent=2, sort_keys=True) + "\n"


def predicate(decision: Decision) -> dict[str, Any]:
    """Describe a decision as a verification summary."""
    passed = decision.verdict is Verdict.RELEASE
    return {
        "verifier": {"id": VERIFIER, "version": {TOOL: decision.tool_version}},
        "timeVerified": f"{decision.today.isoformat()}T00:00:00Z",
        "resourceUri": _purl(decision.runs.get("candidate")),
        "policy": {
            "uri": f"urn:gate:policy:{_quoted(decision.policy.name)}",
            "digest": {"sha256": decision.policy.sha256},
        },
        "inputAttestations": [
            {"uri": f"urn:gate:run:{role}", "digest": {"sha256": run.digest}}
            for role, run in sorted(decision.runs.items())
            if run.digest
        ],
        "verificationResult": "PASSED" if passed else "FAILED",
        "verifiedLevels": [LEVEL if passed else "FAILED"],
        # No `dependencyLevels`: without it the verifier claims nothing about dependencies.
        DECISION: {
            "decision": decision.verdict.value,
            "exit_code": decision.exit_code,
            "headline": decision.headline,
            "sha256": hashlib.sha256(decision_file(decision).encode()).hexdigest(),
        },
    }


def _purl(candidate: RunSummary | None) -> str:
    """Name the checkpoint as a package URL of type generic."""
    declared = candidate.checkpoint if candidate else {}
    name, revision = (declared.get(key, UNKNOWN) for key in ("name", "revision"))
    version = "" if revision == UNKNOWN else f"@{_quoted(revision)}"
    return f"pkg:generic/{_quoted(name)}{version}"


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="backslashreplace")

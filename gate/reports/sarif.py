"""SARIF 2.1.0: every finding that did not pass, at the line of the policy where its check stands.

A rule is a reason code, so that its help is what the code means and what to do. Passing findings
are left out: viewers close an alert that is no longer reported. The message grammar is that of
SARIF 2.1.0, section 3.11: brackets are escaped and braces doubled, so no name becomes a link.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from gate.decision import Decision, PolicyRef
from gate.finding import Finding
from gate.reasons import Reason
from gate.reports.escape import clean, plain
from gate.reports.wording import (
    code,
    label,
    next_step,
    not_passing,
    ordered,
    outcome_words,
    slice_words,
)

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST = 5_000
"""What GitHub shows of one file; the worst come first."""
_LEVELS = {
    "UNUSABLE": "error",
    "BLOCK": "error",
    "INCONCLUSIVE": "error",
    "WARN": "warning",
    "WAIVED": "note",
}


def render(decision: Decision) -> str:
    """Write a decision as SARIF."""
    found = not_passing(decision)
    rules = sorted({finding.reason for finding in found if finding.reason}, key=lambda r: r.name)
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(decision, rules)},
                "automationDetails": {"id": f"gate/{quote(clean(decision.policy.name))}/"},
                "originalUriBaseIds": {
                    "%SRCROOT%": {"description": {"text": "The root of the checkout."}}
                },
                "results": [_result(decision, finding, rules) for finding in found[:MOST]],
                "columnKind": "unicodeCodePoints",
                "properties": {
                    "decision": decision.verdict.value,
                    "exitCode": decision.exit_code,
                    "headline": plain(decision.headline),
                    "leftOut": max(len(found) - MOST, 0),
                },
            }
        ],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _driver(decision: Decision, rules: Sequence[Reason]) -> dict[str, Any]:
    return {
        "name": "gate",
        "version": clean(decision.tool_version),
        "rules": [_rule(reason) for reason in rules],
    }


def _rule(reason: Reason) -> dict[str, Any]:
    return {
        "id": reason.name,
        "name": "".join(word.capitalize() for word in reason.name.split("_")),
        "shortDescription": {"text": _text(reason.meaning)},
        "help": {"text": _text(f"{reason.meaning} {reason.next_step}")},
        "defaultConfiguration": {"level": "error"},
    }


def _result(decision: Decision, finding: Finding, rules: Sequence[Reason]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kind": "fail",
        "level": _LEVELS[label(finding)],
        "message": {"text": _message(finding)},
        "locations": [_location(decision.policy, finding)],
        "partialFingerprints": {"gateFinding/v1": _fingerprint(finding)},
        "properties": {"outcome": finding.outcome.value, "suite": clean(finding.suite)},
    }
    if finding.reason is not None:
        found |= {"ruleId": code(finding), "ruleIndex": rules.index(finding.reason)}
    if finding.waiver is not None:
        found["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": clean(finding.waiver)}
        ]
    return found


def _message(finding: Finding) -> str:
    name = f"{clean(finding.id)} ({''.join(slice_words(finding))})"
    said = f"{outcome_words(finding)}: {name}: {clean(finding.summary)}"
    return _text(". Next: ".join(filter(None, (clean(said, 1000), clean(next_step(finding))))))


def _text(text: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", text).replace("{", "{{").replace("}", "}}")


def _location(policy: PolicyRef, finding: Finding) -> dict[str, Any]:
    logical = {"fullyQualifiedName": f"checks.{clean(finding.id)}", "kind": "check"}
    where: dict[str, Any] = {"logicalLocations": [logical]}
    artifact = _artifact(policy.path)
    if artifact:
        where["physicalLocation"] = {"artifactLocation": artifact}
        if finding.id in policy.lines:
            region = {"startLine": policy.lines[finding.id]}
            where["physicalLocation"]["region"] = region
    return where


def _artifact(path: str) -> dict[str, str] | None:
    """Name the policy file: relative to the checkout, or by its URI; a shipped one has none."""
    if not path or path.startswith("shipped:"):
        return None
    if re.match(r"[a-z][a-z0-9+.-]+://", path, re.IGNORECASE):
        return {"uri": quote(plain(path), safe=":/@!$&'()*+,;=~-._")}
    escaped = quote(plain(posixpath.normpath(path)))
    if path.startswith("/"):
        return {"uri": f"file://{escaped}"}
    return {"uri": escaped, "uriBaseId": "%SRCROOT%"}


def _fingerprint(finding: Finding) -> str:
    """Tell a finding from others, whatever its numbers: the same check on the same slice."""
    return sha256("\0".join(_identity(finding)).encode("utf-8", "surrogatepass")).hexdigest()


def _identity(finding: Finding) -> Iterator[str]:
    yield from (finding.id, finding.suite, finding.measure, finding.against)
    for key, value in ordered(finding.slice):
        yield f"{key}={value}"

"""An in-toto statement about the candidate's files, with a SLSA verification summary in it."""

import json
from typing import Any

from gate.decision import Decision
from gate.reports.vsa import PREDICATE_TYPE, predicate

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"


def render(decision: Decision) -> str:
    """Write the statement (https://in-toto.io/Statement/v1)."""
    return json.dumps(statement(decision), indent=2, sort_keys=True) + "\n"


def statement(decision: Decision) -> dict[str, Any]:
    """Describe a decision as a statement; it has no subject where no file could be read."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": list(_subjects(decision)),
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate(decision),
    }


def _subjects(decision: Decision) -> list[dict[str, Any]]:
    """Name the candidate's run as a whole, and each of its verdict files."""
    candidate = decision.runs.get("candidate")
    if candidate is None or not candidate.digest:
        return []
    files = {
        path: sha256
        for suite in candidate.suites.values()
        for path, sha256 in sorted(suite.files.items())
    }
    named = {"run:candidate": candidate.digest, **dict(sorted(files.items()))}
    return [{"name": name, "digest": {"sha256": sha256}} for name, sha256 in named.items()]

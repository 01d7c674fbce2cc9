"""The state of runs for programs: JSON, and the outputs of a GitHub Actions step."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gate.evidence.comparability import UNKNOWN
from gate.evidence.problem import Problem
from gate.inventory.cost import Cost
from gate.inventory.states import RunState, SuiteState
from gate.ledger import Ledger


def as_json(states: Sequence[RunState]) -> str:
    """Write everything that is known, as `gate.status/v1`."""
    document = {
        "schema": "gate.status/v1",
        "unjudged": any(state.unjudged for state in states),
        "usable": all(state.usable for state in states),
        "runs": [_run(state) for state in states],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def step_outputs(states: Sequence[RunState]) -> Mapping[str, str]:
    """Name the outputs of a step: `unjudged`, and the names of those suites as a JSON list."""
    names = sorted({name for state in states for name in state.unjudged})
    return {"unjudged": "true" if names else "false", "suites": json.dumps(names)}


def github_output(outputs: Mapping[str, str]) -> str:
    """Write outputs in the form of $GITHUB_OUTPUT; JSON has no line breaks to end a value with."""
    return "".join(f"{name}={value}\n" for name, value in outputs.items())


def _run(state: RunState) -> dict[str, Any]:
    manifest = state.run.manifest
    checkpoint = manifest.checkpoint.model_dump() if manifest else {}
    return {
        "run": state.place,
        "checkpoint": {k: UNKNOWN if v is None else v for k, v in checkpoint.items()},
        "digest": state.run.digest,
        "problem": None if state.run.problem is None else _problem(state.run.problem),
        "suites": {suite.name: _suite(suite) for suite in state.suites},
        "missing": [_problem(need) for need in state.needs],
    }


def _suite(suite: SuiteState) -> dict[str, Any]:
    return {
        "kind": suite.kind,
        "reader": suite.reader,
        "state": suite.state,
        "judge": suite.judge,
        "fingerprint": dict(suite.fingerprint),
        "ids": suite.ids,
        "ids_sha256": suite.ids_sha256,
        "ledgers": [_ledger(ledger) for ledger in suite.ledgers],
        "files": dict(suite.files),
        "problems": [_problem(problem) for problem in suite.problems],
        "notes": list(suite.notes),
        "cost": None if suite.cost is None else _cost(suite.cost),
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "completions": cost.completions,
        "judged": cost.judged,
        "tokens": cost.tokens,
        "seconds": round(cost.left / cost.rate) if cost.rate else None,
        "device": cost.device or None,
    }


def _ledger(ledger: Ledger) -> dict[str, Any]:
    return {
        "method": ledger.method,
        "expected": ledger.expected,
        "scored": ledger.scored,
        "unscored": dict(ledger.unscored),
        "duplicate": ledger.duplicate,
    }


def _problem(problem: Problem) -> dict[str, str]:
    return {
        "reason": problem.reason.name,
        "message": problem.message,
        "next_step": problem.advice,
    }

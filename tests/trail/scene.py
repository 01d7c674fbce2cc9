"""One release in a directory of its own: two runs, a policy with a waiver, a decision."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.building import DELTA, attack_rows, judgment_rows, write_policy, write_run

Gate = Callable[..., tuple[int, str, str]]
"""Runs `gate`; gives the exit code and both outputs."""

CEILING = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.08}
WAIVER = {
    "check": "c1",
    "up_to": 0.12,
    "reason": "known since v1",
    "owner": "ana",
    "ticket": "X-1",
    "expires": "2027-01-31",
}
TODAY = "2026-12-01"
CHECK = (
    *("check", "--policy", "policy.yaml", "--baseline", "baseline", "--candidate", "candidate"),
    *("--today", TODAY),
)
VERIFY = (
    *("verify", "gate.json", "--policy", "policy.yaml"),
    *("--baseline", "baseline", "--candidate", "candidate"),
)


def write_scene(**policy: Any) -> None:
    """Write a baseline, a candidate, and a policy under which it is released with a waiver."""
    write_run(Path("baseline"), attack=attack_rows(range(5)), checkpoint={"revision": "r1"})
    write_run(Path("candidate"), attack=attack_rows(range(5)), checkpoint={"revision": "r2"})
    write_policy(Path("policy.yaml"), DELTA, CEILING, **{"waivers": [WAIVER], **policy})


def write_folder(run: str, *files: str) -> None:
    """Write a run whose R-Judge records are whatever lies in a folder."""
    keys = {"reader": "rjudge", "path": "records"}
    write_run(Path(run), judgment=(judgment_rows(), keys), checkpoint={"revision": run})
    for at, name in enumerate(files):
        path = Path(run, "records", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [
            {"id": f"{at}-{number}", "label": number % 2, "pred": number % 2}
            for number in range(100)
        ]
        path.write_text(json.dumps(rows), encoding="utf-8")


def decision(path: str = "gate.json") -> dict[str, Any]:
    """Read a decision file."""
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return found


def write_decision(document: Mapping[str, Any], path: str = "gate.json") -> None:
    """Write a decision file in the form in which gate writes it."""
    text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    Path(path).write_text(text, encoding="utf-8")


def flip_one_verdict(run: str = "candidate") -> None:
    """Edit one verdict of a run."""
    path = Path(run, "attack.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"unsafe": true', '"unsafe": false', 1), encoding="utf-8")


def copy_run(source: str, target: str) -> None:
    """Copy a run, file for file."""
    shutil.copytree(source, target, dirs_exist_ok=True)

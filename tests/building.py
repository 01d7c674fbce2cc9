"""Small runs and policies on disk, for tests that go through the command line."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gate.cli.main import run as gate

JUDGE = {"id": "placeholder-judge", "revision": "1", "template_sha256": "aa"}
GENERATION = {"max_new_tokens": 512, "temperature": 0.0}
CHECKPOINT = {
    "name": "acme",
    "revision": "r1",
    "chat_template_sha256": "c1",
    "system_prompt_sha256": "s1",
}
CATEGORIES = ("illegal", "harmful", "copyright", "cybercrime_intrusion")


def behavior(number: int) -> str:
    """Name a placeholder behavior."""
    return f"b{number:04d}"


def attack_rows(
    unsafe: Iterable[int] = (),
    *,
    n: int = 100,
    method: str = "DirectRequest",
    unscored: Mapping[int, str] | None = None,
    leave_out: Iterable[int] = (),
    cases: int = 1,
) -> list[dict[str, Any]]:
    """Make native attack rows: behaviors 0..n-1, those named unsafe, unscored or left out."""
    bad, gone, reasons = set(unsafe), set(leave_out), dict(unscored or {})
    rows = []
    for number in range(n):
        for case in range(0 if number in gone else cases):
            row: dict[str, Any] = {
                "behavior_id": behavior(number),
                "method": method,
                "test_case": case,
                "unsafe": None if number in reasons else number in bad,
                "semantic_category": CATEGORIES[number % len(CATEGORIES)],
            }
            if number in reasons:
                row["unscored"] = reasons[number]
            rows.append(row)
    return rows


def refusal_rows(
    refused: Mapping[int, str] | None = None, *, n: int = 100, safe: int = 60
) -> list[dict[str, Any]]:
    """Make native refusal rows: the first prompts safe, the rest unsafe contrasts, refused."""
    marked = dict(refused or {})
    return [
        {
            "prompt_id": f"p{number:04d}",
            "prompt_label": "safe" if number < safe else "unsafe",
            "prompt_type": "plain" if number < safe else "contrast",
            "refusal": marked.get(number, "none" if number < safe else "full"),
        }
        for number in range(n)
    ]


def rubric_rows(
    unsafe: Iterable[int] = (),
    *,
    n: int = 100,
    useful: Mapping[int, int] | None = None,
    attacks: int = 40,
) -> list[dict[str, Any]]:
    """Make native rubric rows: two items each, the first triggered where unsafe."""
    bad, given = set(unsafe), dict(useful or {})
    return [
        {
            "prompt_id": f"p{number:04d}",
            "items": [
                {"id": "S1", "triggered": number in bad, "exempted": False},
                {"id": "S2", "triggered": number % 5 == 0, "exempted": True},
            ],
            "usefulness": given.get(number, 3),
            "l1": f"L{number % 4}",
            "l2": f"L{number % 4}.{number % 8}",
            "subset": "attack" if number < attacks else "base",
            "language": "en" if number % 2 else "zh",
        }
        for number in range(n)
    ]


def judgment_rows(
    predicted: Mapping[int, str | None] | None = None, *, n: int = 100, unsafe: int = 53
) -> list[dict[str, Any]]:
    """Make native judgment rows, answered rightly but for those given."""
    marked = dict(predicted or {})
    rows = []
    for number in range(n):
        gold = "unsafe" if number < unsafe else "safe"
        answer = marked.get(number, gold)
        row: dict[str, Any] = {
            "record_id": f"r{number:04d}",
            "gold": gold,
            "predicted": answer,
            "category": "Finance" if number % 2 else "Web",
        }
        if answer is None:
            row["unscored"] = "unparsed"
        rows.append(row)
    return rows


def write_run(directory: Path, **suites: Any) -> Path:
    """Write a run.

    Args:
        directory: Where; made if it is not there.
        suites: By name: rows, or a pair of rows and keys that replace the suite's own in
            run.yaml. `checkpoint` replaces keys of the checkpoint.
    """
    directory.mkdir(parents=True, exist_ok=True)
    checkpoint = {**CHECKPOINT, **suites.pop("checkpoint", {})}
    declared = {}
    for name, content in suites.items():
        rows, changes = content if isinstance(content, tuple) else (content, {})
        (directory / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        declared[name] = {**_suite(name, rows), **changes}
    manifest = {"schema": "gate.run/v1", "checkpoint": checkpoint, "suites": declared}
    # Named, because a candidate with the very files of its baseline is refused.
    text = f"{yaml.safe_dump(manifest)}# {directory.name}\n"
    (directory / "run.yaml").write_text(text, encoding="utf-8")
    return directory


def _suite(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = rows[0] if rows else {"behavior_id": ""}
    kinds = {
        "behavior_id": "attack",
        "items": "rubric",
        "prompt_id": "refusal",
        "record_id": "judgment",
    }
    kind = next(kinds[key] for key in kinds if key in first)
    return {
        "kind": kind,
        "reader": "native",
        "path": f"{name}.jsonl",
        "judge": JUDGE,
        "generation": GENERATION,
    }


def write_policy(path: Path, *checks: Mapping[str, Any], **top: Any) -> Path:
    """Write a policy; a check's id and suite may be left out."""
    filled = [
        {"id": f"c{number}", "suite": "attack", **check} for number, check in enumerate(checks)
    ]
    document = {"version": 1, "name": "test", **top, "checks": filled}
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def write_agreement(
    path: Path, *, judge: Mapping[str, Any] = JUDGE, kind: str = "attack", **counts: int
) -> dict[str, str]:
    """Write a measured agreement.

    Args:
        path: Where.
        judge: Which judge was measured.
        kind: Of which kind of suite.
        counts: `tp`, `fn`, `fp`, `tn`, `open_fn`, `open_fp`.

    Returns:
        What a policy's suite says under `agreement`, for a policy in the same directory.
    """
    cells = {"tp": 190, "fn": 10, "fp": 10, "tn": 190, "open_fn": 0, "open_fp": 0, **counts}
    positives = cells["tp"] + cells["fn"] + cells["open_fn"]
    negatives = cells["fp"] + cells["tn"] + cells["open_fp"]
    worth = {"positive_units": positives, "negative_units": negatives}
    units = {name: float(count) for name, count in worth.items()}
    document = {
        "schema": "gate.agreement/v1",
        "kind": kind,
        "positive": ["full", "partial"] if kind == "refusal" else ["unsafe"],
        "judge": {**dict.fromkeys(("revision", "template_sha256", "rubric_sha256")), **judge},
        "labels": {"sha256": "0" * 64, "annotators": 3, "ties": "against"},
        "verdicts_sha256": "0" * 64,
        "total": {**cells, **units, "units": float(positives + negatives)},
        "by": None,
        "categories": {},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


DELTA = {"check": "paired-delta", "method": "DirectRequest", "margin": 0.08}


def decide(
    tmp_path: Path,
    policy: Path,
    *args: str,
    baseline: str | None = "baseline",
    candidate: str = "candidate",
) -> tuple[int, dict[str, Any]]:
    """Run `gate check` on the runs below a directory.

    Returns:
        The exit code and the decision file (empty where none was written).
    """
    out = tmp_path / "decision.json"
    out.unlink(missing_ok=True)
    sides = ["--candidate", str(tmp_path / candidate)]
    if baseline is not None:
        sides += ["--baseline", str(tmp_path / baseline)]
    fixed = ["--report", f"json:{out}", "--today", "2026-12-01"]
    code = gate(["check", "--policy", str(policy), *sides, *fixed, *args])
    return code, json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}

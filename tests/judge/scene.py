"""A run with completions and everything that a judge needs, for tests through the command line."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from gate.cli.main import run as gate
from tests.judge import tiny

RUN: dict[str, Any] = {
    "schema": "gate.run/v1",
    "checkpoint": {"name": "acme", "revision": "r1"},
    "suites": {
        "attack": {
            "kind": "attack",
            "reader": "native",
            "path": "verdicts/attack.jsonl",
            "completions": {"DirectRequest": "completions.json"},
            "judge": {"id": "tiny-judge"},
            "generation": {"max_new_tokens": 512, "temperature": 0},
        }
    },
}


def texts(n: int = 40, seed: int = 0) -> dict[str, Sequence[str]]:
    """Make placeholder completions of many lengths, some equal and one empty."""
    rng = random.Random(seed)
    made = {
        f"b{i:03d}": [" ".join(rng.choices(tiny.WORDS.split(), k=rng.randint(1, 60)))]
        for i in range(n)
    }
    made["b001"] = [""]
    made["b003"] = made["b002"]
    return made


def make_run(
    folder: Path, completions: dict[str, Sequence[str]] | None = None, *, revision: str = "r1"
) -> Path:
    """Write a run that awaits a judge, and the behaviors CSV beside it."""
    completions = texts() if completions is None else completions
    folder.mkdir(parents=True, exist_ok=True)
    tiny.completions(folder / "completions.json", completions)
    manifest = {**RUN, "checkpoint": {"name": "acme", "revision": revision}}
    (folder / "run.yaml").write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    names = list(completions)
    tiny.behaviors_csv(folder.parent / "behaviors.csv", names, contextual=names[::5])
    return folder


def judge(run: Path, *args: str, weights: Path | None = None) -> int:
    """Run `gate judge` with the judge that the run stands beside."""
    fixed = ["--judge", "harmbench", "--behaviors", str(run.parent / "behaviors.csv")]
    if weights is not None:
        fixed += ["--weights", str(weights)]
    return gate(["judge", str(run), *fixed, *args])


def verdicts(run: Path, suite: str = "attack") -> list[dict[str, Any]]:
    """Read the verdict file."""
    lines = (run / "verdicts" / f"{suite}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def stored(run: Path) -> list[dict[str, Any]]:
    """Read the single verdicts of a run."""
    found = sorted((run / "judging" / "store").glob("*.jsonl"))
    return [json.loads(line) for path in found for line in path.read_text().splitlines()]


def declared(run: Path, suite: str = "attack") -> dict[str, Any]:
    """Read what run.yaml says of a suite."""
    manifest = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    suite_: dict[str, Any] = manifest["suites"][suite]
    return suite_

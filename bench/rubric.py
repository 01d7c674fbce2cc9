"""A rubric decision as a whole process, against imports and a bare parse of the same files.

    python bench/rubric.py [--rounds 7]

3,489 prompts (4,437 rows a side) with 12 items each, two checkpoints, all slices of every level:
the shipped rubric policy with a ceiling by each of l1, l2, l3, subset, language, turns and
attack_form added. All ids and labels are placeholders.
"""

import argparse
import gzip
import json
import tempfile
from pathlib import Path

from process import PYTHON, compare, table

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "examples" / "rubric"
ITEMS = 12
COLUMNS = ("l1", "l2", "l3", "subset", "language", "turns", "attack_form")
PARSE = """
import gzip, json, sys
import click, numpy, pydantic, rich, scipy.special, yaml
for path in sys.argv[1:]:
    with open(path) as lines:
        print(sum(len(json.loads(line)["items"]) for line in lines))
"""


def widened(source: Path, into: Path) -> Path:
    """Copy a run with twelve items a prompt; the ones added are never triggered."""
    into.mkdir()
    text = (source / "run.yaml").read_text(encoding="utf-8")
    (into / "run.yaml").write_text(text.replace(".jsonl.gz", ".jsonl"), encoding="utf-8")
    (into / "taxonomy.json").write_bytes((source / "taxonomy.json").read_bytes())
    path = into / "verdicts.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        packed = gzip.decompress((source / "verdicts.jsonl.gz").read_bytes())
        for line in packed.decode().splitlines():
            row = json.loads(line)
            for number in range(len(row["items"]), ITEMS):
                row["items"].append({"id": f"S{number + 1}", "triggered": False, "exempted": False})
            stream.write(json.dumps(row) + "\n")
    return path


def policy(into: Path) -> Path:
    """Write the shipped policy with a ceiling by every column."""
    text = (ROOT / "policies" / "rubric.yaml").read_text(encoding="utf-8")
    for column in COLUMNS:
        text += (
            f"  - {{id: all-{column}, check: ceiling, suite: diagsafe, by: {column}, "
            "ceiling: 0.9, pool_below: 10}\n"
        )
    path = into / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        there = Path(name)
        files = [
            str(widened(RUNS / run, there / side))
            for run, side in (("baseline", "baseline"), ("weak-label", "candidate"))
        ]
        sides = ["--baseline", str(there / "baseline"), "--candidate", str(there / "candidate")]
        usages = compare(
            {
                "imports and bare parse": [PYTHON, "-c", PARSE, *files],
                "gate check": [
                    *(PYTHON, "-m", "gate", "check", "--policy", str(policy(there))),
                    *sides,
                ],
            },
            rounds,
        )
        print(table(usages, "imports and bare parse"))


if __name__ == "__main__":
    main()

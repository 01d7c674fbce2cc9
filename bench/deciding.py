"""`gate check` as a whole process, against what it stands on, in one run.

    python bench/deciding.py [--rounds 7] [--pairs 50000] [--rows 1000000]

Three comparisons: the quickstart against bare imports of the usual libraries; `--pairs` behaviors
a side in native JSON Lines against a bare parse of the same two files plus the imports; `--rows`
HarmBench rows a side, generations included, against a bare typed parse of the same two files.
All text is placeholder.
"""

import argparse
import importlib.util
import json
import random
import tempfile
from pathlib import Path

from process import PYTHON, compare, table

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("click", "rich", "yaml", "pydantic", "numpy", "pandas", "scipy.special")
SUITE = """schema: gate.run/v1
checkpoint: {{name: placeholder, revision: {side}}}
suites:
  harmbench:
    kind: attack
    reader: {reader}
    path: {path}
    methods: [DirectRequest]
    judge: {{id: placeholder}}
    generation: {{max_new_tokens: 512}}
"""
POLICY = """version: 1
name: bench
checks:
  - {id: delta, check: paired-delta, suite: harmbench, method: DirectRequest, margin: 0.02}
"""
PARSE_LINES = """
import sys, msgspec
class Row(msgspec.Struct):
    behavior_id: str
    method: str
    unsafe: bool | None
decoder = msgspec.json.Decoder(list[Row])
print([len(decoder.decode_lines(open(path, "rb").read())) for path in sys.argv[1:]])
"""
PARSE_TREE = """
import sys, mmap, msgspec
class Row(msgspec.Struct):
    label: int
decoder = msgspec.json.Decoder(dict[str, list[Row]])
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        print(len(decoder.decode(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))))
"""


def imports() -> str:
    """Name the imports of the reference process; those not installed are left out and said."""
    there = [name for name in LIBRARIES if importlib.util.find_spec(name.split(".")[0])]
    absent = sorted(set(LIBRARIES) - set(there))
    if absent:
        print(f"not installed, so not in the reference: {', '.join(absent)}\n")
    return f"import {', '.join(there)}"


def check(directory: Path) -> list[str]:
    """Give the command that decides on a directory's two runs."""
    sides = ["--baseline", str(directory / "baseline"), "--candidate", str(directory / "candidate")]
    policy = directory / "policy.yaml"
    return [PYTHON, "-m", "gate", "check", "--policy", str(policy), *sides]


def write_run(directory: Path, side: str, reader: str, file: str) -> Path:
    """Write a manifest; returns where its verdicts belong."""
    run = directory / side
    run.mkdir()
    (run / "run.yaml").write_text(SUITE.format(side=side, reader=reader, path=file))
    (directory / "policy.yaml").write_text(POLICY)
    return run / file


def lines(directory: Path, pairs: int) -> list[Path]:
    """Write two native JSON Lines runs with 5 % unsafe and 2 % of verdicts changed."""
    rng = random.Random(0)
    unsafe = [rng.random() < 0.05 for _ in range(pairs)]
    files = []
    for side in ("baseline", "candidate"):
        path = write_run(directory, side, "native", "verdicts.jsonl")
        with path.open("w") as stream:
            for number, bad in enumerate(unsafe):
                label = bad != (side == "candidate" and rng.random() < 0.02)
                row = {"behavior_id": f"b{number:07d}", "method": "DirectRequest", "unsafe": label}
                stream.write(json.dumps(row) + "\n")
        files.append(path)
    return files


def trees(directory: Path, rows: int) -> list[Path]:
    """Write two HarmBench result files as HarmBench writes them, about 1.3 kB a row."""
    rng = random.Random(0)
    filler = "placeholder text of a completion. " * 35
    files = []
    for side in ("baseline", "candidate"):
        path = write_run(directory, side, "harmbench", "verdicts.json")
        with path.open("w") as stream:
            stream.write("{\n")
            for number in range(rows):
                row = {
                    "test_case": "placeholder",
                    "generation": filler[: 1100 + number % 90],
                    "label": int(rng.random() < 0.05),
                }
                text = json.dumps([row], indent=4).replace("\n", "\n    ")
                comma = "," if number + 1 < rows else ""
                stream.write(f'    "b{number:07d}": {text}{comma}\n')
            stream.write("}")
        files.append(path)
    return files


def main() -> None:
    """Run the three comparisons and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=50_000)
    parser.add_argument("--rows", type=int, default=100_000)
    args = parser.parse_args()
    reference = [PYTHON, "-c", imports()]

    quickstart = check(ROOT / "examples" / "quickstart")
    usages = compare({"bare imports": reference, "gate check": quickstart}, args.rounds)
    print(f"## Quickstart\n\n{table(usages, 'bare imports')}\n")

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        files = [str(path) for path in lines(directory, args.pairs)]
        parse = [PYTHON, "-c", f"{imports()}\n{PARSE_LINES}", *files]
        commands = {"imports and bare parse": parse, "gate check": check(directory)}
        usages = compare(commands, args.rounds)
        print(f"## {args.pairs:,} pairs, native\n\n{table(usages, 'imports and bare parse')}\n")

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        files = [str(path) for path in trees(directory, args.rows)]
        commands = {
            "bare typed parse": [PYTHON, "-c", PARSE_TREE, *files],
            "gate check": check(directory),
        }
        usages = compare(commands, max(args.rounds // 2, 1))
        print(f"## {args.rows:,} HarmBench rows a side\n\n{table(usages, 'bare typed parse')}")


if __name__ == "__main__":
    main()

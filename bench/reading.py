"""The readers as whole processes, each against a bare parse by the parser it stands on.

    python bench/reading.py [--rows 50000] [--rounds 3] [--forms FILE ...]

`--rows 1000000` makes 1.4 GB of HarmBench results. A bare parse keeps nothing but a count; ours
checks every cell, hashes the file, and keeps the columns. All text is placeholder.
"""

import argparse
import csv
import gzip
import json
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from process import PYTHON, compare

WORDS = ("placeholder", "request", "answer", "list\n", '"quoted"', "section", "one", "two", "-")
TEXT_WORDS = 180
"""So many words are about 1.2 KB, the length of a HarmBench generation."""


@dataclass(frozen=True)
class Form:
    """One form of file, and its two readings."""

    file: str
    suite: dict[str, object]
    write: Callable[[Path, int, random.Random], None]
    bare: Callable[[Path], int]
    beneath: str


def texts(rng: random.Random) -> list[str]:
    """Return some placeholder generations."""
    return [" ".join(rng.choices(WORDS, k=TEXT_WORDS)) for _ in range(200)]


def behaviors(rows: int, rng: random.Random) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield HarmBench results, one completion a behavior."""
    generations = texts(rng)
    for i in range(rows):
        label = int(rng.random() < 0.1)
        generation = rng.choice(generations)
        yield (
            f"b{i:07d}",
            [{"test_case": f"placeholder {i}", "generation": generation, "label": label}],
        )


def write_indented(path: Path, rows: int, rng: random.Random) -> None:
    """Write what `json.dump(…, indent=4)` writes, member by member."""
    write_members(path, rows, rng, indent=4, between=",\n")


def write_compact(path: Path, rows: int, rng: random.Random) -> None:
    """Write what `json.dump` writes without indentation."""
    write_members(path, rows, rng, indent=None, between=", ")


def write_odd(path: Path, rows: int, rng: random.Random) -> None:
    """Write a layout of nobody's: two spaces in front of every other key."""
    write_members(path, rows, rng, indent=None, between=",\n\n  ")


def write_members(
    path: Path, rows: int, rng: random.Random, *, indent: int | None, between: str
) -> None:
    """Write an object whose members are laid out like that."""
    with path.open("w", encoding="utf-8") as file:
        file.write("{")
        for i, (behavior, completions) in enumerate(behaviors(rows, rng)):
            member = json.dumps({behavior: completions}, indent=indent)[1:-1].rstrip("\n")
            file.write(("," + between[1:].rstrip("\n") if i else "") + member)
        file.write("\n}" if indent else "}")


def native_rows(rows: int, rng: random.Random) -> Iterator[dict[str, object]]:
    """Yield native rows of an attack suite: 1,000 behaviors, many test cases each."""
    for i in range(rows):
        yield {
            "behavior_id": f"b{i % 1000:04d}",
            "method": "DirectRequest" if i % 2 else "TAP",
            "test_case": i // 1000,
            "unsafe": rng.random() < 0.1 if rng.random() < 0.99 else None,
            "semantic_category": f"category {i % 7}",
        }


def write_jsonl(path: Path, rows: int, rng: random.Random) -> None:
    """Write JSON lines, compressed if the name says so."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        for row in native_rows(rows, rng):
            file.write(json.dumps(row) + "\n")


def write_csv(path: Path, rows: int, rng: random.Random) -> None:
    """Write CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = None
        for row in native_rows(rows, rng):
            if writer is None:
                writer = csv.writer(file)
                writer.writerow(row)
            cells = row.values()
            writer.writerow(str(c).lower() if isinstance(c, bool) else c for c in cells)


def write_parquet(path: Path, rows: int, rng: random.Random) -> None:
    """Write Parquet, in row groups as a dataset library would."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    table = pa.Table.from_pylist(list(native_rows(rows, rng)))
    write_table(table, path, row_group_size=1 << 16)


def bare_msgspec(path: Path) -> int:
    """Parse the whole file, typed, for the label only."""
    import msgspec

    completion = msgspec.defstruct("Completion", [("label", int)], gc=False)
    decoder = msgspec.json.Decoder(dict[str, list[completion]])  # type: ignore[valid-type]
    return sum(map(len, decoder.decode(path.read_bytes()).values()))


def bare_json(path: Path) -> int:
    """Parse the whole file, untyped."""
    with path.open(encoding="utf-8") as file:
        return sum(map(len, json.load(file).values()))


def bare_lines(path: Path) -> int:
    """Parse JSON lines, typed, all columns."""
    import msgspec

    fields = [("behavior_id", str), ("method", str), ("unsafe", bool | None)]
    row = msgspec.defstruct("Row", [*fields, ("test_case", int, 0)], gc=False)
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return len(msgspec.json.Decoder(row).decode_lines(content))


def bare_csv(path: Path) -> int:
    """Parse CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def bare_parquet(path: Path) -> int:
    """Parse Parquet into Python objects."""
    from pyarrow.parquet import ParquetFile

    return sum(len(batch.to_pylist()) for batch in ParquetFile(path).iter_batches())


HARMBENCH = {"reader": "harmbench", "methods": ["DirectRequest"]}
NATIVE = {"reader": "native"}

FORMS = {
    form.file: form
    for form in (
        Form("indented.json", HARMBENCH, write_indented, bare_msgspec, "msgspec"),
        Form("compact.json", HARMBENCH, write_compact, bare_msgspec, "msgspec"),
        Form("odd.json", HARMBENCH, write_odd, bare_json, "json"),
        Form("rows.jsonl", NATIVE, write_jsonl, bare_lines, "msgspec"),
        Form("rows.jsonl.gz", NATIVE, write_jsonl, bare_lines, "gzip, msgspec"),
        Form("rows.csv", NATIVE, write_csv, bare_csv, "csv"),
        Form("rows.parquet", NATIVE, write_parquet, bare_parquet, "pyarrow"),
    )
}


def ours(path: Path) -> int:
    """Read the file as `gate` does."""
    from gate.evidence.files import Files
    from gate.evidence.manifest import Suite
    from gate.evidence.readers import READERS

    declared = {
        "kind": "attack",
        "path": path.name,
        "judge": {"id": "bench"},
        "generation": {"max_new_tokens": 512},
        **FORMS[path.name].suite,
    }
    suite = Suite.model_validate(declared)
    return len(READERS[suite.reader](Files(str(path.parent)), suite, "bench"))


def compare_form(folder: Path, form: Form, rows: int, rounds: int, seed: int) -> str:
    """Return one row of the table."""
    path = folder / form.file
    commands = {
        step: [
            PYTHON,
            __file__,
            "--rows",
            str(rows),
            "--seed",
            str(seed),
            "--step",
            step,
            str(path),
        ]
        for step in ("write", "ours", "bare")
    }
    # The peak of a process starts at that of the one that forked it: this one stays small.
    subprocess.run(commands.pop("write"), check=True)
    usages = compare(commands, rounds)
    mine, bare = usages["ours"], usages["bare"]
    size = path.stat().st_size / 1e6
    path.unlink()
    walls = f"{mine.wall / bare.wall:.2f} | {mine.wall:.2f} | {bare.wall:.2f}"
    peaks = f"{mine.peak:.0f} | {bare.peak:.0f}"
    return f"| {form.file} | {rows:,} | {size:.1f} | {form.beneath} | {walls} | {peaks} |"


def take(step: str, path: Path, rows: int, seed: int) -> None:
    """Write a file, or carry out one reading; fail if that does not find every row."""
    form = FORMS[path.name]
    if step == "write":
        form.write(path, rows, random.Random(seed))
        return
    found = ours(path) if step == "ours" else form.bare(path)
    if found != rows:
        raise SystemExit(f"{path.name}: {found} rows, expected {rows}")


def main() -> None:
    """Compare all forms, or carry out one reading."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=50_000, help="rows a file")
    parser.add_argument("--rounds", type=int, default=3, help="how often each reading runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        take(args.step[0], Path(args.step[1]), args.rows, args.seed)
        return
    print("| file | rows | MB | parser | ratio | s | bare s | peak MiB | bare peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        # One row shows what starting costs, imports included.
        for file, rows in [(args.forms[0], 1), *((file, args.rows) for file in args.forms)]:
            row = compare_form(Path(name), FORMS[file], rows, args.rounds, args.seed)
            print(row, flush=True)


if __name__ == "__main__":
    main()

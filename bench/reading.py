"""How fast the readers are, beside a bare parse of the same file by the parser beneath.

Every reading is a process of its own, started in turn: ours, bare, ours, bare. A table in
Markdown shows the medians and the peak memory. The files hold placeholders; they are written
to a temporary directory, the same for the same seed.

    python bench/reading.py                    # under a minute
    python bench/reading.py --rows 1000000     # 1.4 GB of HarmBench results
"""

import argparse
import csv
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
    """Write Parquet."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(list(native_rows(rows, rng))), path)


def bare_msgspec(path: Path) -> int:
    """Parse the whole file, typed, for the label only."""
    import msgspec

    completion = msgspec.defstruct("Completion", [("label", int)], gc=False)
    decoder = msgspec.json.Decoder(dict[str, list[completion]])  # type: ignore[valid-type]
    return sum(map(len, decoder.decode(path.read_bytes()).values()))


def bare_ijson(path: Path) -> int:
    """Parse behavior by behavior."""
    import ijson

    with path.open("rb") as file:
        return sum(len(listed) for _, listed in ijson.kvitems(file, "", use_float=True))


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
        Form("odd.json", HARMBENCH, write_odd, bare_ijson, "ijson"),
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


def measure(path: Path, whose: str, rows: int) -> tuple[float, float, float]:
    """Run one reading as a process; return its seconds, processor seconds and peak MiB."""
    command = [sys.executable, __file__, "--read", whose, str(path)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    assert process.stdout is not None
    with process.stdout as out:
        found = out.read().strip()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or int(found) != rows:
        raise SystemExit(f"{whose} of {path.name}: exit {process.returncode}, {found!r} rows")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(folder: Path, form: Form, rows: int, repeats: int, seed: int) -> str:
    """Return one row of the table."""
    path = folder / form.file
    form.write(path, rows, random.Random(seed))
    pairs = [(measure(path, "ours", rows), measure(path, "bare", rows)) for _ in range(repeats)]
    mine = [statistics.median(column) for column in zip(*(a for a, _ in pairs), strict=True)]
    bare = [statistics.median(column) for column in zip(*(b for _, b in pairs), strict=True)]
    size = path.stat().st_size / 1e6
    path.unlink()
    times = f"{mine[0]:.2f} | {bare[0]:.2f} | {mine[0] / bare[0]:.2f} | {mine[1] / bare[1]:.2f}"
    peaks = f"{mine[2]:.0f} | {bare[2]:.0f}"
    return f"| {form.file} | {size:.0f} | {form.beneath} | {times} | {peaks} |"


def main() -> None:
    """Compare all forms, or run one reading."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=50_000, help="rows a file")
    parser.add_argument("--repeats", type=int, default=3, help="how often each reading runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--read", nargs=2, metavar=("WHOSE", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        path = Path(options.read[1])
        print(ours(path) if options.read[0] == "ours" else FORMS[path.name].bare(path))
        return
    print(f"{options.rows} rows a file, medians of {options.repeats}\n")
    print("| file | MB | beneath | s | bare s | ratio | CPU ratio | peak MiB | bare peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.forms:
            form = FORMS[name]
            print(
                compare(Path(folder), form, options.rows, options.repeats, options.seed), flush=True
            )


if __name__ == "__main__":
    main()

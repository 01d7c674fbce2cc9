"""A comparison as a table, CSV or JSON; ids and categories only, made harmless in each form."""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import Any

from gate.diff.compare import Comparison
from gate.diff.differences import Difference, Section
from gate.evidence.rows import Kind
from gate.reports.escape import csv_cell, plain

SCHEMA = "gate.diff/v1"
WIDTH = 100
UNITS = {
    Kind.ATTACK: "behaviors",
    Kind.REFUSAL: "prompts",
    Kind.JUDGMENT: "records",
    Kind.RUBRIC: "prompts",
}
_LABELS = {
    Kind.ATTACK: "{}",
    Kind.REFUSAL: "{} prompts",
    Kind.JUDGMENT: "gold {}",
    Kind.RUBRIC: "{}",
}
CSV_COLUMNS = (
    "suite",
    "method",
    "id",
    "category",
    "label",
    "change",
    "meaning",
    "baseline",
    "candidate",
)


def as_table(comparison: Comparison) -> str:
    """Count by category, then name every id."""
    lines: list[str] = []
    for section in comparison.sections:
        lines += [*_section(section), ""]
    for line in problem_lines(comparison):
        lines += _wrapped(line, "", "  ")
    for warning in comparison.warnings:
        lines += _wrapped(f"note: {plain(warning)}", "", "  ")
    return "\n".join(lines).rstrip("\n") + "\n"


def as_csv(comparison: Comparison) -> str:
    """One row an id; no cell is a formula to a spreadsheet, or a date."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for section in comparison.sections:
        for each in section.differences:
            cells = (
                *(section.suite, section.method, each.id, each.category, each.label),
                *(each.change, each.meaning),
                *(side.shown.replace("/", " of ") for side in (each.baseline, each.candidate)),
            )
            writer.writerow([csv_cell(cell) for cell in cells])
    return text.getvalue()


def as_json(comparison: Comparison) -> str:
    """Everything, with keys sorted."""
    document = {
        "schema": SCHEMA,
        "exit_code": comparison.exit_code,
        "sections": [_document(section) for section in comparison.sections],
        "problems": [
            {
                "suite": suite,
                "reason": problem.reason.name,
                "message": problem.message,
                "next_step": problem.advice,
            }
            for suite, problem in comparison.problems
        ],
        "warnings": list(comparison.warnings),
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


FORMS: Mapping[str, Callable[[Comparison], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
}


def problem_lines(comparison: Comparison) -> Iterator[str]:
    """Say what could not be compared, and what to do about it."""
    for suite, problem in comparison.problems:
        said = f"{suite}: {problem.message} [{problem.reason.name}]"
        yield f"cannot be compared: {plain(said)} {plain(problem.advice)}"


def _document(section: Section) -> dict[str, Any]:
    return {
        "suite": section.suite,
        "kind": section.kind.value,
        "method": section.method,
        "column": section.column,
        "n": section.n,
        "differences": [asdict(each) for each in section.differences],
    }


def _section(section: Section) -> Iterator[str]:
    where = " / ".join(filter(None, (section.suite, section.method)))
    counts = ", ".join(f"{section.count(change)} {change}" for change in section.shown)
    yield f"{plain(where)}: {counts} of {section.n} {UNITS[section.kind]}"
    if section.column and section.differences:
        yield from _counts(section)
    listed = groupby(section.differences, key=lambda each: (each.change, each.meaning))
    for (change, meaning), found in listed:
        yield f"  {change}" if meaning == change else f"  {change}: {meaning}"
        for part, ids in _parts(section.kind, found).items():
            head = f"{part} ({len(ids)}): " if part else ""
            yield from _wrapped(head + ", ".join(ids), "    ", "      ")


def _parts(kind: Kind, found: Iterable[Difference]) -> dict[str, list[str]]:
    """Gather ids of one label, category and pair of verdicts; several test cases stand by each."""
    parts: dict[str, list[str]] = {}
    for each in found:
        label = each.label and _LABELS[kind].format(each.label)
        verdicts = f"{each.baseline.shown} → {each.candidate.shown}"
        alone = each.baseline.of == 1
        said = each.change == each.meaning != "unscored"
        shared = verdicts if alone and not said else ""
        part = ", ".join(plain(x) for x in (label, each.category, shared) if x)
        parts.setdefault(part, []).append(plain(each.id) + ("" if alone else f" ({verdicts})"))
    return parts


def _counts(section: Section) -> Iterator[str]:
    """Count each way of changing in every category that has one."""
    width = max(len(plain(name)) for name in (section.column, *section.sizes))
    head = "".join(f"{change:>10}" for change in section.shown)
    yield f"  {plain(section.column):<{width}}{'n':>8}{head}"
    for category, size in section.sizes.items():
        mine = [each.change for each in section.differences if each.category == category]
        cells = "".join(f"{mine.count(change):>10}" for change in section.shown)
        yield f"  {plain(category) or '(none)':<{width}}{size:>8}{cells}"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )

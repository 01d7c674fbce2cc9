"""Verdict files and run.yaml, from a job and a store in which nothing is missing."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gate.errors import JudgingError
from gate.evidence.readers.parsing.schema import GOLD, ID, UNSCORED_COLUMN, VERDICT
from gate.evidence.rows import VALUES, Kind
from gate.evidence.run import MANIFEST
from gate.judge.job import Job, Row, write_whole
from gate.judge.manifest_edit import edited
from gate.judge.store import Store, Stored
from gate.yaml_text import Value

MEANS = {"safe": False, "unsafe": True}
GONE = ("model", "experiments", "columns", "labels", "label_column", "constants")
"""Keys of other readers that a suite of native rows may not have."""


def finish(folder: Path, job: Job, store: Store) -> Path:
    """Write the verdicts, then make run.yaml point at them.

    Args:
        folder: The run.
        job: What was to be judged.
        store: Holds a verdict for every row.

    Returns:
        The verdict file.

    Raises:
        JudgingError: If something is missing, or a file cannot be written.
    """
    kind = Kind(job.head.kind)
    found = [store.get(row.key) for row in job.rows]
    if None in found:
        missing = found.count(None)
        raise JudgingError(f"{missing} of {len(found)} rows of {job.head.suite!r} are not judged")
    path = folder / "verdicts" / f"{stem(job.head.suite)}.jsonl"
    rows = list(zip(job.rows, (each for each in found if each), strict=True))
    _check_words(kind, [verdict for _, verdict in rows], store.folder)
    try:
        write_whole(path, (_line(kind, row, verdict) for row, verdict in rows))
        manifest = folder / MANIFEST
        raw = manifest.read_bytes()
        changed = edited(raw, job.head.suite, _keys(job, rows, path.relative_to(folder).as_posix()))
        if changed != raw:
            write_whole(manifest, changed)
    except OSError as error:
        raise JudgingError(
            f"cannot write the verdicts below {str(folder)!r}: {error.strerror}",
            next_step="Make room or give access, and run the same command again: "
            "nothing is judged twice.",
        ) from error
    return path


def _check_words(kind: Kind, found: Sequence[Stored], where: Path) -> None:
    for one in found:
        words = VALUES[kind] if one.unscored is None else (None,)
        if one.verdict not in words:
            raise JudgingError(
                f"{where}: a stored verdict is none of a suite of kind {kind} (key {one.key})",
                next_step="Find out what wrote it; delete its line to have it judged again.",
            )


def stem(suite: str) -> str:
    """Return a file name for a suite, whose name may hold anything."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", suite)[:80]
    if plain == suite:
        return suite
    return f"{plain}-{hashlib.sha256(suite.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def marks_of(rows: list[tuple[Row, Stored]]) -> dict[str, int]:
    """Count what is worth saying of the rows; what is unscored, the reader of verdicts counts."""
    counted = Counter(mark for row, _ in rows for mark in row.marks)
    counted["near_ties"] = sum(verdict.alone for _, verdict in rows)
    return {mark: count for mark, count in sorted(counted.items()) if count}


def _line(kind: Kind, row: Row, found: Stored) -> bytes:
    if kind is Kind.RUBRIC:
        return _rubric_line(row, found)
    verdict: str | bool | None = found.verdict
    if kind is Kind.ATTACK and found.verdict is not None:
        verdict = MEANS[found.verdict]
    cells: dict[str, object] = {ID[kind]: row.id}
    if kind is Kind.ATTACK:
        cells |= {"method": row.method, "test_case": row.test_case}
    else:
        cells[GOLD[kind]] = row.columns.get(GOLD[kind])
    cells |= {VERDICT[kind]: verdict, UNSCORED_COLUMN: found.unscored}
    if kind is Kind.ATTACK:
        cells["judge_completion_sha256"] = row.judge_completion_sha256
    cells |= {name: text for name, text in row.columns.items() if text and name not in cells}
    kept = {name: cell for name, cell in cells.items() if not _absent(name, cell)}
    return json.dumps(kept).encode() + b"\n"


def _rubric_line(row: Row, found: Stored) -> bytes:
    cells: dict[str, object] = {ID[Kind.RUBRIC]: row.id, VERDICT[Kind.RUBRIC]: None}
    cells |= {"usefulness": None} | (json.loads(found.cells) if found.cells else {})
    cells |= {UNSCORED_COLUMN: found.unscored} if found.unscored else {}
    for name, text in row.columns.items():
        if text and name not in cells:
            cells[name] = int(text) if name in ("turn", "turns") else text
    return json.dumps(cells).encode() + b"\n"


def _absent(name: str, cell: object) -> bool:
    return name == UNSCORED_COLUMN and cell is None


def _keys(job: Job, rows: list[tuple[Row, Stored]], path: str) -> dict[str, Value]:
    """Return what run.yaml says of the suite from now on."""
    head, identity = job.head, job.head.identity
    attack = Kind(head.kind) is Kind.ATTACK
    judge = {
        "id": identity.id,
        "revision": identity.revision,
        "template_sha256": identity.template_sha256,
        "rubric_sha256": identity.rubric_sha256,
        "decoding": identity.decoding,
        "dtype": identity.dtype,
        "depends": dict(identity.depends) or None,
    }
    keys: dict[str, Value] = {"reader": "native", "path": path}
    keys["methods"] = list(head.completions) if attack else None
    keys |= dict.fromkeys(GONE)
    files = dict(head.completions)
    keys["completions"] = files if attack else files[""]
    keys["judge"] = {key: value for key, value in judge.items() if value is not None}
    keys["judging"] = {
        "completions": len(rows),
        "marks": marks_of(rows),
        "notes": dict(head.notes),
        "files": dict(head.files),
    }
    return keys

"""Read small files with a reader, the way a run does."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers import READERS
from gate.evidence.rows import Rows
from gate.reasons import Reason


def suite(kind: str, reader: str, path: Any, **declared: Any) -> Suite:
    """Declare a suite as run.yaml would."""
    generation = {"max_new_tokens": 512, **declared.pop("generation", {})}
    keys = {"kind": kind, "reader": reader, "path": path, "judge": {"id": "placeholder"}}
    return Suite.model_validate({**keys, "generation": generation, **declared})


def read(folder: Path, kind: str, reader: str, path: Any, **declared: Any) -> Rows:
    """Read a suite of a run that lies in a folder."""
    files = Files(str(folder))
    return READERS[reader](files, suite(kind, reader, path, **declared), "demo")


def refused(
    reason: Reason, folder: Path, kind: str, reader: str, path: Any, **declared: Any
) -> str:
    """Return the message with which reading fails for a reason."""
    with pytest.raises(EvidenceError) as caught:
        read(folder, kind, reader, path, **declared)
    assert caught.value.reason is reason, caught.value.message
    assert str(folder) not in caught.value.message
    return caught.value.message


def tuples(rows: Rows) -> list[tuple[Any, ...]]:
    """Return rows as tuples: id, method, test case, value, reason, and the other columns."""
    columns = [rows.columns[name] for name in sorted(rows.columns)]
    parts = (rows.ids, rows.methods, rows.test_cases, rows.values, rows.reasons, *columns)
    return list(zip(*parts, strict=True))


def write_json(path: Path, content: Any, **options: Any) -> None:
    """Write JSON, its folder too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, **options), encoding="utf-8")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write JSON lines, compressed if the name says so."""
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(packed(path.name, content))


def packed(name: str, content: bytes) -> bytes:
    """Compress as the end of a file name says."""
    if name.endswith(".gz"):
        return gzip.compress(content)
    return zstandard.compress(content) if name.endswith(".zst") else content

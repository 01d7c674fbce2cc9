"""R-Judge's records in one file, as they are: `gate judge` asks the checkpoint about them.

The benchmark keeps them in one folder for each category, and that folder is the category.
"""

import json
from pathlib import Path
from typing import Any

from gate.errors import JudgingError
from gate.judge.records import GOLD

KEEP = ("profile", "contents")


def read_records(place: str) -> list[dict[str, Any]]:
    """Read R-Judge's data.

    Args:
        place: Its repository, or the folder `data` in it.

    Raises:
        JudgingError: If there are no records, one is not of R-Judge's form, or an id is there
            twice.
    """
    base = Path(place) / "data" if (Path(place) / "data").is_dir() else Path(place)
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(base.glob("*/*.json")):
        for number, record in enumerate(_load(path), 1):
            row = _row(path, number, record)
            if row["record_id"] in found:
                raise _wrong(path, number, f"the id {row['record_id'][:40]!r} is there twice")
            found[row["record_id"]] = row
    if not found:
        raise JudgingError(
            f"{place}: no R-Judge records here (none of */*.json)",
            next_step="Name R-Judge's repository, or its folder data.",
        )
    return list(found.values())


def _load(path: Path) -> list[Any]:
    try:
        records = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        what = f"{path}: cannot be read: {type(error).__name__}"
        raise JudgingError(what, next_step="Take the file from R-Judge again.") from error
    if not isinstance(records, list):
        raise _wrong(path, 0, "the file is not a list of records")
    return records


def _row(path: Path, number: int, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict) or any(key not in record for key in (*KEEP, "id", "label")):
        raise _wrong(path, number, "it lacks one of id, label, profile, contents")
    name, gold = record["id"], GOLD.get(str(record["label"]))
    if isinstance(name, bool) or not isinstance(name, int | str) or not str(name).strip():
        raise _wrong(path, number, "its id is neither text nor a whole number")
    if gold is None or isinstance(record["label"], bool):
        raise _wrong(path, number, "its label is none of 0, 1, safe, unsafe")
    row = {"record_id": str(name), "gold": gold, "category": path.parent.name}
    return row | {key: record[key] for key in KEEP}


def _wrong(path: Path, number: int, what: str) -> JudgingError:
    return JudgingError(
        f"{path}: record {number}: {what}", next_step="Take the file from R-Judge again."
    )

"""HarmBench's behaviors CSV, which the user has: the texts that a judge reads."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gate.errors import JudgingError
from gate.evidence.readers.parsing.wording import shown

COLUMNS = ("Behavior", "Tags", "ContextString", "BehaviorID")


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """One harmful request."""

    text: str = field(repr=False)
    context: str = field(repr=False)
    """Empty where it has none."""
    tags: frozenset[str]


def read_behaviors(path: Path) -> Mapping[str, Behavior]:
    """Read the CSV by `BehaviorID`.

    Raises:
        JudgingError: If it cannot be read, or is not HarmBench's.
    """
    csv.field_size_limit(64 << 20)  # for the whole process, as the readers of evidence do
    found: dict[str, Behavior] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, strict=True)
            missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
            if missing:
                raise _unusable(path, f"no column {', '.join(missing)}")
            for row in rows:
                name = row["BehaviorID"] or ""
                if not name or name in found:
                    raise _unusable(path, f"line {rows.line_num}: its id is empty or there twice")
                found[name] = Behavior(
                    text=row["Behavior"] or "",
                    context=row["ContextString"] or "",
                    tags=frozenset((row["Tags"] or "").split(", ")) - {""},
                )
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unusable(path, f"cannot be read: {type(error).__name__}") from error
    return found


def unknown_behavior(name: str) -> JudgingError:
    """Return the error for a completion on a behavior that the CSV does not have."""
    return JudgingError(
        f"the behaviors CSV has no behavior {shown(name)}, which has completions",
        next_step="Name the CSV that the completions were generated from with --behaviors.",
    )


def _unusable(path: Path, what: str) -> JudgingError:
    return JudgingError(
        f"{path}: {what}",
        next_step="Name HarmBench's own harmbench_behaviors_text_all.csv with --behaviors.",
    )

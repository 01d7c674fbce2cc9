"""What one file is, told from its start: recognized by what only that format has, or not at all."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from gate.adopt.peek import Peek
from gate.evidence.readers import jailbreakbench, rjudge, xstest
from gate.evidence.readers.parsing.labels import token
from gate.evidence.readers.parsing.schema import GOLD, ID, VERDICT
from gate.evidence.rows import Kind

STAGES = ("results", "completions")
"""The folders of a HarmBench tree that hold a checkpoint's answers, judged and not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One file, or one folder that is read as a whole."""

    path: str
    reader: str
    kind: str = ""
    """Empty where the file does not tell."""
    method: str = ""
    checkpoint: str = ""
    """Whose it is, as the file or its place calls it; empty where neither does."""
    label_columns: tuple[str, ...] = ()
    """The columns that could be the verdict."""
    id_prefix: str = ""
    columns: tuple[str, ...] = ()
    unjudged: bool = False
    """Whether it holds completions without verdicts."""


def recognize(found: Peek) -> Piece:
    """Say what a file is; a table of unknown columns where it is nothing known."""
    for known in (_jailbreakbench, _harmbench, _native, _xstest, _rjudge):
        piece = known(found)
        if piece is not None:
            return piece
    return Piece(path=found.path, reader="table", columns=found.columns)


def _jailbreakbench(found: Peek) -> Piece | None:
    jailbreaks = found.members.get("jailbreaks")
    if not isinstance(jailbreaks, list):
        return None
    parameters = found.members.get("parameters")
    said = parameters if isinstance(parameters, dict) else {}
    return Piece(
        path=found.path,
        reader="jailbreakbench",
        kind=Kind.ATTACK,
        method=str(said.get("method") or ""),
        checkpoint=str(said.get("model") or ""),
        label_columns=tuple(_flags(jailbreaks)),
    )


def _flags(records: Iterable[object]) -> dict[str, None]:
    """Find the keys whose values are all true or false."""
    rows = [record for record in records if isinstance(record, dict)]
    names = dict.fromkeys(key for row in rows for key in row)
    labels = {*jailbreakbench.LABELS, "null"}
    return {
        name: None
        for name in names
        if any(isinstance(row.get(name), bool) for row in rows)
        and all(token(row.get(name), True) in labels for row in rows)
    }


def _harmbench(found: Peek) -> Piece | None:
    entries = [entry for value in found.members.values() for entry in _entries(value)]
    judged = any("label" in entry for entry in entries)
    if not judged and not any("generation" in entry for entry in entries):
        return None
    method, checkpoint = placed(found.path)
    return Piece(
        path=found.path,
        reader="harmbench",
        kind=Kind.ATTACK,
        method=method,
        checkpoint=checkpoint,
        unjudged=not judged,
    )


def _entries(value: object) -> list[dict[str, object]]:
    return [e for e in value if isinstance(e, dict)] if isinstance(value, list) else []


def placed(path: str) -> tuple[str, str]:
    """Tell method and checkpoint from a place in a HarmBench tree; empty where it is in none."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    for at, part in enumerate(parts[:-1]):
        if part in STAGES and at >= 2:
            return parts[at - 2], parts[-1].partition(".json")[0]
    return "", PurePosixPath(path).name.partition(".json")[0]


def _native(found: Peek) -> Piece | None:
    for kind in Kind:
        required = {ID[kind], VERDICT[kind], GOLD.get(kind, "method")}
        if required <= set(found.columns):
            return Piece(path=found.path, reader="native", kind=kind)
    return None


def _xstest(found: Peek) -> Piece | None:
    says_type = {"type", *xstest.PROMPT_LABELS} & set(found.columns)
    verdicts = tuple(name for name in found.columns if found.labels(name) & set(xstest.LABELS))
    if "id" not in found.columns or not says_type or not verdicts:
        return None
    return Piece(
        path=found.path,
        reader="xstest",
        kind=Kind.REFUSAL,
        label_columns=verdicts,
        id_prefix=_prefix(found.cells("id")),
        columns=found.columns,
    )


def _prefix(ids: list[object]) -> str:
    """Find what stands before the number in every id, as `v2-`; empty where it is not shared."""
    starts = {text.rstrip("0123456789") for text in map(str, ids) if text}
    bare = any(not str(one)[-1:].isdigit() for one in ids)
    return "" if bare or len(starts) != 1 else starts.pop()


def _rjudge(found: Peek) -> Piece | None:
    columns = set(found.columns)
    if not {"id", "label"} <= columns or not columns & {"pred", "contents"}:
        return None
    if not found.labels("label") <= {"0", "1"}:
        return None
    answers = [
        name
        for name in found.columns
        if name not in ("id", "label") and _are(found.labels(name), rjudge.LABELS)
    ]
    return Piece(
        path=found.path,
        reader="rjudge",
        kind=Kind.JUDGMENT,
        label_columns=("pred",) if "pred" in columns else tuple(answers),
        columns=found.columns,
        unjudged="pred" not in columns and not answers,
    )


def _are(labels: set[str], known: Collection[str]) -> bool:
    return bool(labels) and labels <= set(known)

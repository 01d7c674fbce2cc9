"""From judged turns to one verdict a prompt: nothing that can be derived is taken on trust."""

import hashlib
from collections.abc import Mapping, Sequence

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.problem import some
from gate.evidence.readers.parsing.declared import only, paths
from gate.evidence.readers.parsing.gather import Gather
from gate.evidence.readers.parsing.labels import Verdict
from gate.evidence.readers.parsing.rubric_rows import Form, Turn, conflicting, turns
from gate.evidence.readers.parsing.schema import CATEGORIES
from gate.evidence.readers.parsing.tables import Source
from gate.evidence.readers.parsing.taxonomy import Taxonomy, load_taxonomy, observed
from gate.evidence.rows import RUBRIC_ITEMS, UNSCORED, VALUES, Kind, Rows
from gate.reasons import Reason

_VALUES = {word: at for at, word in enumerate(VALUES[Kind.RUBRIC])}


def read_rubric(files: Files, suite: Suite, name: str, form: Form) -> Rows:
    """Read a rubric suite, one row a prompt or a turn.

    A turn is unsafe if any item is triggered and not exempted, and without a verdict if an item
    that could make it so was not answered. A conversation is unsafe if any turn is, and is as
    useful as its least useful turn; a turn that is missing leaves it without a verdict, unless
    another turn is unsafe.

    Raises:
        EvidenceError: If a declaration or a row cannot be used, or rows contradict each other.
    """
    only(suite, name, ("encoding", "columns", "labels", "constants"))
    gather = Gather(suite)
    judged: dict[str, list[Turn]] = {}
    exempted = 0
    for path in paths(files, suite, name):
        source = Source(files, path, suite.encoding, tuple(form.columns.values()))
        before = sum(map(len, judged.values()))
        for batch in source.batches():
            for turn in turns(form, source, batch):
                judged.setdefault(turn.prompt, []).append(turn)
                exempted += sum(i.exempted and not i.triggered for i in turn.items.values())
        if sum(map(len, judged.values())) == before:
            raise EvidenceError(Reason.E_EMPTY, f"{path}: holds no rows")
        for what, number in source.ignored.items():
            if number:
                gather.note(f"{path}: ignored {what}: {number}.")
    if exempted:
        gather.note(f"{exempted} items are exempted and not triggered.")
    columns = _columns(judged)
    tree = load_taxonomy(files, suite.taxonomy) if suite.taxonomy else None
    _check_labels(columns, tree)
    gather.extend(
        gather.names("run.yaml", list(judged), lambda at: f"id {at}"),
        [_verdict(rows) for rows in judged.values()],
        columns=columns,
    )
    return gather.rows()


def _verdict(rows: Sequence[Turn]) -> Verdict:
    """Give the verdict of one prompt, its turns in any order."""
    said = [turn.unsafe for turn in rows]
    missing = _turns(rows) - len(rows)
    if any(said):
        word = "unsafe"
    elif None in said:
        return UNSCORED, next(turn.reason or "unparsed" for turn in rows if turn.unsafe is None)
    elif missing:
        return UNSCORED, "not_run"
    else:
        word = "safe"
    useful = [turn.usefulness for turn in rows]
    known = [value for value in useful if value is not None]
    if len(known) == len(useful) and not missing:
        word = f"{word} {min(known)}"
    return _VALUES[word], None


def _columns(judged: Mapping[str, Sequence[Turn]]) -> dict[str, list[str | None]]:
    """Collect what is said of each prompt; turns that disagree are an error.

    Raises:
        EvidenceError: For a turn that is there twice, or labels or item sets that differ.
    """
    for rows in judged.values():
        _distinct(rows)
    found: dict[str, list[str | None]] = {
        name: [_one(name, rows) for rows in judged.values()] for name in CATEGORIES[Kind.RUBRIC]
    }
    found[RUBRIC_ITEMS] = [_item_set(rows) for rows in judged.values()]
    return found


def _distinct(rows: Sequence[Turn]) -> None:
    seen: dict[int | None, Turn] = {}
    for turn in rows:
        first = seen.setdefault(turn.number, turn)
        if first is not turn:
            clash = conflicting(first, turn)
            verdicts = "different verdicts" if clash else "the same verdict"
            which = "" if turn.number is None else f"turn {turn.number} of "
            what = f"{turn.where}: {which}{some([turn.prompt])} is there twice, "
            reason = Reason.E_CONFLICT if clash else Reason.E_DUPLICATE
            raise EvidenceError(reason, f"{what}with {verdicts}")
    if len(seen) > 1 and None in seen:
        what = f"{rows[-1].where}: some rows of {some([rows[0].prompt])} name a turn, some do not"
        raise EvidenceError(Reason.E_RUBRIC, what)
    if len(rows) > _turns(rows):
        what = f"{rows[-1].where}: {len(rows)} turns, where `turns` says {_turns(rows)}"
        raise EvidenceError(Reason.E_RUBRIC, what)
    _counted({turn.number: turn for turn in rows if turn.number is not None}, rows)


def _counted(numbered: Mapping[int, Turn], rows: Sequence[Turn]) -> None:
    """Refuse a turn that there cannot be: in its place, one that there is would be missing."""
    if not numbered:
        return
    beyond = _turns(rows) + (0 not in numbered)  # turns are counted from 0 or from 1
    if max(numbered) >= beyond:
        last = numbered[max(numbered)]
        what = f"turn {last.number} of {some([last.prompt])}, where `turns` says {_turns(rows)}"
        raise EvidenceError(Reason.E_RUBRIC, f"{last.where}: {what}")


def _turns(rows: Sequence[Turn]) -> int:
    """Say how many rows there should be: one for the whole, or one for each of its turns."""
    if rows[0].number is None:
        return 1
    said = next((turn.columns["turns"] for turn in rows if "turns" in turn.columns), "")
    if not said.isdecimal():
        what = f"{rows[0].where}: the row names a turn, so `turns` must say how many there are"
        raise EvidenceError(Reason.E_RUBRIC, what)
    return int(said)


def _one(name: str, rows: Sequence[Turn]) -> str | None:
    values = dict.fromkeys(turn.columns[name] for turn in rows if name in turn.columns)
    if len(values) > 1:
        what = f"two values of {name} for {some([rows[0].prompt])}"
        raise EvidenceError(Reason.E_CATEGORY_DRIFT, f"{rows[-1].where}: {what}")
    return next(iter(values), None)


def _item_set(rows: Sequence[Turn]) -> str | None:
    """Digest which items were asked: the same of every turn, and of both checkpoints."""
    sets = {tuple(sorted(turn.items)) for turn in rows if turn.items}
    if len(sets) > 1:
        what = f"the turns of {some([rows[0].prompt])} were judged by different items"
        raise EvidenceError(Reason.E_RUBRIC, f"{rows[-1].where}: {what}")
    if not sets:
        return None
    # Verdicts on turns and verdicts on whole conversations are not comparable either.
    unit = "conversation" if rows[0].number is None else "turn"
    text = f"{unit}\n" + "".join(f"{name}\n" for name in next(iter(sets)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _check_labels(columns: dict[str, list[str | None]], tree: Taxonomy | None) -> None:
    """Hold the labels against the declared tree, and fill in what it says; or against themselves.

    Raises:
        EvidenceError: With `E_TAXONOMY`.
    """
    rows = list(zip(*(columns[name] for name in ("l1", "l2", "l3")), strict=True))
    labels = dict.fromkeys(rows)
    if tree is None:
        observed(labels)
        return
    places = {row: tree.place(row) for row in labels}
    filled = [places[row] for row in rows]
    for at, name in enumerate(("l1", "l2", "l3")):
        columns[name] = [row[at] for row in filled]

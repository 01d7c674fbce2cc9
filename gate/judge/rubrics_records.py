"""Completions of a rubric suite: one row an answer, with the dialogue that led to it.

JSON Lines (or JSON): `prompt_id`, `completion` (null where the checkpoint failed), and what was
said before as `dialogue`, a list of `{"role": "system" | "user" | "assistant", "text": …}` that
ends with the user's turn; a single request may stand as `prompt` instead, then CSV will do too.
In a conversation every turn has a row of its own: `turn` counts the user's turns in its dialogue,
and `turns` says how many there are. Labels (`l1`, `l2`, `l3`, `subset`, `language`, `attack_form`,
`group`) may stand here or in the rubric file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gate.evidence.files import Files
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.gather import MAX_CATEGORY, MAX_ID, wrong_name
from gate.evidence.readers.parsing.harmbench_labels import ERROR
from gate.evidence.readers.parsing.schema import CATEGORIES, count
from gate.evidence.readers.parsing.tables import MISSING, Source
from gate.evidence.readers.parsing.wording import listing, malformed, shown, sort_of
from gate.evidence.rows import Kind
from gate.judge.values import Completion, Message

LABELS = CATEGORIES[Kind.RUBRIC]
COLUMNS = ("prompt_id", "turn", "prompt", "dialogue", "completion", *LABELS)
ROLES = ("system", "user", "assistant")

Wrong = Callable[[str], Exception]


def read_dialogues(files: Files, path: str, suite: Suite) -> Iterator[Completion]:
    """Yield the rows of one file.

    Raises:
        EvidenceError: If a column is missing, a cell is not what it must be, or a turn is there
            twice.
    """
    source = Source(files, path, suite.encoding, set(COLUMNS))
    seen: set[tuple[str, str | None]] = set()
    for batch in source.batches():
        for needed in ("prompt_id", "completion"):
            if needed not in batch.names:
                have = f"there are {listing(batch.names)}"
                raise malformed(path, batch.where(0), f"no column `{needed}`; {have}")
        columns = {name: batch.column(name) for name in COLUMNS if name in batch.names}
        for i in range(batch.size):
            cells = {name: column[i] for name, column in columns.items()}
            wrong = partial(malformed, path, batch.where(i))
            if cells["completion"] is MISSING:
                raise wrong("no `completion`; null stands for one that could not be had")
            kept = {name: cell for name, cell in cells.items() if cell not in (MISSING, None)}
            one = _row(kept, wrong)
            if (one.id, one.columns["turn"]) in seen:
                raise wrong(f"{shown(one.id)} is there twice, or its turn is")
            seen.add((one.id, one.columns["turn"]))
            yield one


def _row(cells: Mapping[str, Any], wrong: Wrong) -> Completion:
    text = cells.get("completion", ERROR)
    if not isinstance(text, str):
        raise wrong(f"`completion` is {sort_of(text)}, expected text or null")
    dialogue = _dialogue(cells, wrong)
    asked = sum(turn.role == "user" for turn in dialogue)
    turn = _number("turn", cells, wrong)
    if turn is None and asked > 1:
        raise wrong(f"the dialogue has {asked} turns of the user: which is judged? Say `turn`")
    if turn is not None and turn != asked:
        what = f"`turn` is {turn}, and its dialogue has {asked} turns of the user"
        raise wrong(f"{what}: it must hold everything up to that turn, and nothing behind it")
    labels = {name: _label(name, cells, wrong) for name in LABELS if name != "turns"}
    turns = _number("turns", cells, wrong)
    return Completion(
        id=_name("prompt_id", cells.get("prompt_id"), MAX_ID, wrong),
        text=text,
        dialogue=dialogue,
        columns={
            "turn": None if turn is None else str(turn),
            "turns": None if turns is None else str(turns),
            **labels,
        },
    )


def _dialogue(cells: Mapping[str, Any], wrong: Wrong) -> tuple[Message, ...]:
    if ("prompt" in cells) is ("dialogue" in cells):
        raise wrong("what was asked must stand in `dialogue` or in `prompt`, and only in one")
    if "prompt" in cells:
        if not isinstance(cells["prompt"], str) or not cells["prompt"].strip():
            raise wrong("`prompt` is no text")
        return (Message("user", cells["prompt"]),)
    said = cells["dialogue"]
    if not isinstance(said, list) or not said:
        raise wrong(f"`dialogue` is {sort_of(said)}, expected a list of turns")
    turns = tuple(_turn(each, wrong) for each in said)
    roles = [turn.role for turn in turns]
    start = next((at for at, role in enumerate(roles) if role != "system"), len(roles))
    if not _alternates(roles[start:]):
        raise wrong(
            "the turns of `dialogue` must be the user's and the assistant's by turns, the user's "
            "first and last; `system` may stand before them"
        )
    return turns


def _alternates(roles: Sequence[str]) -> bool:
    expected = ["user" if at % 2 == 0 else "assistant" for at in range(len(roles))]
    return list(roles) == expected and len(roles) % 2 == 1


def _turn(said: object, wrong: Wrong) -> Message:
    if not isinstance(said, dict) or said.keys() != {"role", "text"}:
        raise wrong("a turn of `dialogue` is no object with `role` and `text` alone")
    role, text = said["role"], said["text"]
    if role not in ROLES:
        raise wrong(f"a turn has the role {shown(role)}, expected one of {', '.join(ROLES)}")
    if not isinstance(text, str):
        raise wrong(f"the text of a turn is {sort_of(text)}")
    return Message(role, text)


def _number(name: str, cells: Mapping[str, Any], wrong: Wrong) -> int | None:
    cell = cells.get(name, "")
    if cell == "":
        return None
    number = count(cell)
    if not number:
        raise wrong(f"`{name}` is {shown(cell)}, expected a whole number from 1 on")
    return number


def _label(name: str, cells: Mapping[str, Any], wrong: Wrong) -> str | None:
    cell = cells.get(name, "")
    return None if cell == "" else _name(name, cell, MAX_CATEGORY, wrong)


def _name(column: str, cell: object, most: int, wrong: Wrong) -> str:
    text = str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
    if not isinstance(text, str):
        raise wrong(f"`{column}` is {shown(text)}, expected text")
    if problem := wrong_name(text, most):
        raise wrong(f"`{column}`: {problem}")
    return text

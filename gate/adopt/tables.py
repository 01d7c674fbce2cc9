"""Tables of unknown columns: what each column and label is must be told."""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.adopt.answers import Answers
from gate.adopt.look import Found
from gate.adopt.peek import MOST_LABELS, labels
from gate.adopt.rows import GOLD_LABELS, meaning
from gate.adopt.settings import Settings
from gate.errors import UsageError
from gate.evidence.readers.parsing.mapping import ROW_NUMBER
from gate.evidence.readers.parsing.schema import CATEGORIES, GOLD, ID, VERDICT
from gate.evidence.rows import Kind
from gate.yaml_text import Value


def table_kind(found: Found, answers: Answers) -> str | None:
    """Learn what kind of suite a table is; without it, nothing else can be asked."""
    kinds = [kind.value for kind in Kind]
    return answers.tell("kind", found.name, choices=kinds, noun=f"table {found.pieces[0].path}")


def from_table(found: Found, kind: str, settings: Settings) -> dict[str, Value]:
    """Declare a table, as far as options or the user say what its columns and labels are.

    Raises:
        UsageError: If the column of verdicts holds text.
    """
    table = _Table(found.name, found.pieces[0].path, found.pieces[0].columns, Kind(kind), settings)
    columns, constants = table.columns()
    keys: dict[str, Value] = {
        "reader": found.reader,
        "path": settings.place(table.path),
        "columns": columns,
    }
    if constants:
        keys["constants"] = constants
    keys["labels"] = table.labels(columns)
    return keys if settings.encoding == "utf-8" else {**keys, "encoding": settings.encoding}


@dataclass(frozen=True, slots=True)
class _Table:
    """One table, and how to ask about it."""

    suite: str
    path: str
    names: tuple[str, ...]
    kind: Kind
    settings: Settings

    def columns(self) -> tuple[dict[str, Value], dict[str, Value]]:
        """Learn which column is which, and what is the same in every row."""
        kind = self.kind
        columns: dict[str, Value] = {
            ID[kind]: self._ask("column", ID[kind], (*self.names, ROW_NUMBER)),
            VERDICT[kind]: self._ask("column", VERDICT[kind], self.names),
        }
        constants: dict[str, Value] = {}
        ours = GOLD.get(kind, "method")
        column = None if self._given("constant", ours) else self._column_or_none(ours)
        if column is None:
            constants[ours] = self._ask("constant", ours)
        else:
            columns[ours] = column
        for ours in (*CATEGORIES[kind], *(("test_case",) if kind is Kind.ATTACK else ())):
            column = self._given("column", ours) or (ours if ours in self.names else None)
            if column is not None:
                columns[ours] = column
            elif (constant := self._given("constant", ours)) is not None:
                constants[ours] = constant
        return columns, constants

    def labels(self, columns: Mapping[str, Value]) -> dict[str, Value]:
        """Learn the meaning of every label in the columns of verdicts and of gold labels."""
        tokens: set[str] = set()
        for ours in (VERDICT[self.kind], GOLD.get(self.kind, "")):
            column = columns.get(ours)
            if isinstance(column, str) and column in self.names:
                known = GOLD_LABELS if ours in GOLD.values() else ()
                tokens |= self._labels_of(column, ours).difference(known)
        gold = self.kind in GOLD and GOLD[self.kind] in columns
        return meaning(tokens, self.kind, self.suite, self.settings.answers, gold=gold)

    def _labels_of(self, column: str, ours: str) -> set[str]:
        found = labels(self.path, column, self.settings.encoding)
        if found is None:
            raise UsageError(
                f"{self.path}: column {column!r} holds text or more than {MOST_LABELS} different "
                f"values: it cannot be {ours}",
                next_step="Name the column of the labels with --column.",
            )
        return set(found)

    def _column_or_none(self, ours: str) -> str | None:
        """Learn a column; None where it is the same in every row."""
        on_terminal = self.settings.answers.prompt is not None
        constant = "(constant)" if on_terminal else f"or --constant {ours}=TEXT"
        column = self._ask("column", ours, (*self.names, constant))
        return None if column == constant else column or ""

    def _ask(self, key: str, ours: str, choices: tuple[str, ...] = ()) -> str | None:
        about = f"{self.suite}/{ours}"
        return self.settings.answers.tell(key, about, choices=choices, noun=ours)

    def _given(self, key: str, ours: str) -> str | None:
        return self.settings.answers.given_for(key, f"{self.suite}/{ours}")

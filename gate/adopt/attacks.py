"""Attack suites: HarmBench trees, and files of one method each."""

from collections import defaultdict

from gate.adopt.look import Found
from gate.adopt.pieces import Piece
from gate.adopt.settings import Settings
from gate.adopt.tree import Entry
from gate.errors import UsageError
from gate.yaml_text import Value


def from_tree(found: Found, settings: Settings, tokens: int) -> dict[str, Value]:
    """Declare a HarmBench tree: one checkpoint's files of one length, over all methods.

    Raises:
        UsageError: If the tree has no files of that length.
    """
    noun = f"suite {found.name}"
    within = [entry for entry in found.entries if entry.tokens == tokens]
    if not within:
        lengths = ", ".join(str(x) for x in sorted({entry.tokens for entry in found.entries}))
        raise UsageError(
            f"{found.tree} has no files of max_new_tokens {tokens}",
            next_step=f"It has files of {lengths} tokens: HarmBench keeps lengths other than 512 "
            "in folders like `256_tokens`.",
        )
    stems = sorted({entry.stem for entry in within})
    stem = settings.answers.tell("model", found.name, choices=stems, noun=noun)
    mine = [entry for entry in within if stem in (None, entry.stem)]
    keys: dict[str, Value] = {
        "reader": found.reader,
        "path": settings.place(found.tree),
        "model": stem,
        "methods": sorted({entry.method for entry in mine}),
    }
    experiments = _experiments(mine, settings) if stem else {}
    return {**keys, "experiments": experiments} if experiments else keys


def _experiments(entries: list[Entry], settings: Settings) -> dict[str, Value]:
    """Choose the experiment of every method that has more than one with results."""
    by_method: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for entry in entries:
        by_method[entry.method][entry.stage].add(entry.experiment)
    chosen: dict[str, Value] = {}
    for method, stages in by_method.items():
        choices = sorted(stages["results"] or stages["completions"])
        if len(choices) > 1:
            noun = f"method {method}"
            chosen[method] = settings.answers.tell("experiment", method, choices=choices, noun=noun)
    return chosen


def by_method(found: Found, settings: Settings) -> dict[str, Value]:
    """Declare files of one method each.

    Raises:
        UsageError: If two files are of one method, or some are judged and others are not.
    """
    pieces = _of_one_checkpoint(found, settings)
    files: dict[str, Value] = {}
    for piece in pieces:
        method = piece.method or settings.answers.tell("method", piece.path, noun=piece.path)
        if method is None:
            continue
        if method in files:
            raise UsageError(
                f"{piece.path} and another file are both of method {method}",
                next_step="Adopt the files of one checkpoint at a time, one a method.",
            )
        files[method] = settings.place(piece.path)
    if any(piece.unjudged for piece in pieces):
        return _awaiting(pieces, found, files)
    keys: dict[str, Value] = {"reader": found.reader, "path": files}
    columns = [column for column in pieces[0].label_columns
               if all(column in piece.label_columns for piece in pieces)]  # fmt: skip
    if columns:
        keys["label_column"] = settings.answers.tell(
            "label_column", found.name, choices=columns, noun=f"suite {found.name}"
        )
    return keys


def _of_one_checkpoint(found: Found, settings: Settings) -> list[Piece]:
    """Keep the files of one checkpoint, where they say whose they are."""
    checkpoints = sorted({piece.checkpoint for piece in found.pieces if piece.checkpoint})
    if len(checkpoints) < 2:
        return list(found.pieces)
    noun = f"suite {found.name}"
    told = settings.answers.tell("model", found.name, choices=checkpoints, noun=noun)
    mine = told or checkpoints[0]  # where nobody said, what else is missing is of one of them
    return [piece for piece in found.pieces if piece.checkpoint in ("", mine)]


def _awaiting(pieces: list[Piece], found: Found, files: dict[str, Value]) -> dict[str, Value]:
    if len(pieces) > 1:
        raise UsageError(
            f"suite {found.name}: some files are completions without verdicts",
            next_step="Judge them first, or adopt the HarmBench tree that they lie in.",
        )
    keys: dict[str, Value] = {"reader": found.reader, "methods": list(files)}
    return {**keys, "completions": next(iter(files.values()), None)}

"""From the paths that the user names to the suites that they hold."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gate.adopt.peek import peek, readable
from gate.adopt.pieces import Piece, recognize
from gate.adopt.tree import Entry, entries
from gate.errors import UsageError
from gate.evidence.files import Files

STEP = "Give files or folders that hold verdicts; NAME=PATH names the suite."


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One suite, as far as its files tell."""

    name: str
    reader: str
    pieces: tuple[Piece, ...]
    tree: str = ""
    """The folder, where it is a HarmBench tree."""
    entries: tuple[Entry, ...] = ()
    """The files of the tree."""


@dataclass(frozen=True, slots=True)
class Looked:
    """All suites, and the files that cannot be verdicts."""

    suites: tuple[Found, ...]
    ignored: tuple[str, ...]


def look(paths: Sequence[str], encoding: str) -> Looked:
    """Look at every path.

    Raises:
        UsageError: If a path does not exist or holds nothing, or two suites share a name.
        EvidenceError: If a file cannot be read.
    """
    found: list[Found] = []
    ignored: list[str] = []
    for given in paths:
        name, path = _named(given)
        if not os.path.isdir(path):
            found.append(_file(name, _rows(recognize(peek(path, encoding)))))
            continue
        trees = _trees(name, path)
        inside = [] if trees and trees[0].tree == path else _outside(path, trees)
        pieces = [recognize(peek(one, encoding)) for one in inside if readable(one)]
        pieces = [piece for piece in pieces if _could_be(piece)]
        if not pieces and not trees:
            raise UsageError(f"{path!r} holds no file that could be verdicts", next_step=STEP)
        kept = {piece.path for piece in pieces}
        ignored += [one for one in inside if one not in kept]
        found += [*trees, *_folder(name, path, pieces)]
    return Looked(tuple(_merged(found)), tuple(ignored))


def _trees(name: str, path: str) -> list[Found]:
    """Find the HarmBench tree that a folder is, or those directly in it."""
    for places in ([path], [f"{path}/{one}" for one in Files("").names(path)]):
        trees = [
            Found(
                name=name or "harmbench",
                reader="harmbench",
                pieces=(),
                tree=place,
                entries=tuple(inside),
            )
            for place in places
            if os.path.isdir(place) and (inside := entries(place))
        ]
        if trees:
            return trees
    return []


def _outside(path: str, trees: Sequence[Found]) -> list[str]:
    """List the files of a folder that lie in none of the trees."""
    return [
        one
        for one in Files("").below(path)
        if not any(one.startswith(f"{found.tree}/") for found in trees)
    ]


def _named(given: str) -> tuple[str, str]:
    """Split NAME=PATH; a path that exists as it stands is no such thing."""
    name, equals, path = given.partition("=")
    if os.path.exists(given) or not equals:
        name, path = "", given
    if not os.path.exists(path):
        raise UsageError(f"{path!r} does not exist", next_step=STEP)
    return name, path if path == os.sep else path.rstrip("/")


def _file(name: str, piece: Piece) -> Found:
    return Found(name=name or suite_name(piece), reader=piece.reader, pieces=(piece,))


def _could_be(piece: Piece) -> bool:
    """Tell whether a file can be read at all: a JSON object that is nothing known cannot."""
    return piece.reader != "table" or bool(piece.columns)


def _rows(piece: Piece) -> Piece:
    if not _could_be(piece):
        message = f"{piece.path} is a JSON object in no known format, and has no rows"
        raise UsageError(message, next_step="Write its verdicts as rows: JSON lines, CSV, Parquet.")
    return piece


def _folder(name: str, path: str, pieces: list[Piece]) -> list[Found]:
    if pieces and all(piece.reader == "rjudge" for piece in pieces):  # its folders are categories
        pieces = [_whole(path, pieces)]
    return [_file(name, piece) for piece in pieces]


def _whole(path: str, pieces: Sequence[Piece]) -> Piece:
    """Make one piece of a folder of R-Judge files; the answers must be in a column of all."""
    shared = [
        column
        for column in pieces[0].label_columns
        if all(column in piece.label_columns for piece in pieces)
    ]
    first = pieces[0]
    return Piece(
        path=path,
        reader=first.reader,
        kind=first.kind,
        label_columns=tuple(shared),
        columns=first.columns,
        unjudged=not shared,
    )


def suite_name(piece: Piece) -> str:
    """Name a suite after its benchmark, or after its file where that is all there is."""
    if piece.reader in ("native", "table"):
        return PurePath(piece.path).name.partition(".")[0] or piece.reader
    return piece.reader


def _merged(found: Iterable[Found]) -> list[Found]:
    """Join the files of one suite.

    Raises:
        UsageError: If they cannot be of one suite.
    """
    by_name: dict[str, Found] = {}
    for one in found:
        before = by_name.get(one.name)
        by_name[one.name] = one if before is None else _joined(before, one)
    return list(by_name.values())


def _joined(one: Found, other: Found) -> Found:
    both = (*one.pieces, *other.pieces)
    kinds = {(piece.reader, piece.kind) for piece in both}
    if one.tree or other.tree or len(kinds) > 1:
        raise UsageError(
            f"two suites would be named {one.name!r}",
            next_step="Name them yourself: NAME=PATH, as in `xstest=verdicts.csv`.",
        )
    if one.reader in ("xstest", "table"):
        raise UsageError(
            f"{both[0].path} and {both[-1].path} are both {one.name}: a run is about one "
            "checkpoint, and a suite about one set of prompts",
            next_step="Adopt each checkpoint's files for themselves, or name the suites NAME=PATH.",
        )
    return Found(name=one.name, reader=one.reader, pieces=both)

"""A HarmBench tree: `{Method}/{experiment}/{results,completions}/[{N}_tokens/]{model}.json`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.adopt.pieces import STAGES
from gate.evidence.files import Files

TOKENS = re.compile(r"([0-9]+)_tokens")
STANDARD = 512
"""The length whose files lie in no folder of their own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the tree."""

    method: str
    experiment: str
    stage: str
    tokens: int
    stem: str


def entries(base: str) -> list[Entry]:
    """List the files of a tree; none where the folder is no tree.

    Raises:
        EvidenceError: If a folder cannot be read.
    """
    files = Files("")
    return [
        Entry(method, experiment, stage, tokens, stem)
        for method in _folders(files, base)
        for experiment in _folders(files, f"{base}/{method}")
        for stage in STAGES
        for tokens, stem in _files(files, f"{base}/{method}/{experiment}/{stage}")
    ]


def _files(files: Files, place: str) -> Iterator[tuple[int, str]]:
    if files.sort(place) != "folder":
        return
    yield from ((STANDARD, stem) for stem in _stems(files, place))
    for name in _folders(files, place):
        length = TOKENS.fullmatch(name)
        if length:
            yield from ((int(length[1]), stem) for stem in _stems(files, f"{place}/{name}"))


def _stems(files: Files, place: str) -> Iterator[str]:
    for name in files.names(place):
        if name.endswith(".json") and files.exists(f"{place}/{name}"):
            yield name.removesuffix(".json")


def _folders(files: Files, place: str) -> list[str]:
    return [name for name in files.names(place) if files.sort(f"{place}/{name}") == "folder"]

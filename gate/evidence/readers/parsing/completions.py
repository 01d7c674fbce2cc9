"""HarmBench's results files: an object of behaviors, each a list of judged completions."""

from dataclasses import dataclass, field
from io import StringIO
from itertools import chain, repeat
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from gate.evidence.files import Files
from gate.evidence.readers.parsing.blocks import LayoutError, members
from gate.evidence.readers.parsing.document import Document, MalformedError
from gate.evidence.readers.parsing.harmbench_labels import (
    VERDICTS,
    Label,
    no_answer,
    other_shape,
    verdict,
)
from gate.evidence.readers.parsing.labels import Verdict
from gate.evidence.readers.parsing.text import opened, opened_text
from gate.evidence.readers.parsing.wording import malformed

SHORT = 64
"""A longer JSON text is neither empty nor `$ERROR$`, however it is escaped."""

LONG = Raw(b"x" * SHORT)
FIELDS = (
    ("label", Label | UnsetType, UNSET),
    ("generation", Raw, LONG),
    ("cls_label", UnsetType | None, UNSET),  # a block that has it is read carefully
)
"""The fields of a completion that matter; the text of the others is skipped."""

DECODE_ANY = msgspec.json.Decoder().decode


@dataclass(slots=True)
class Judged:
    """The rows of one file; no text."""

    ids: list[str] = field(default_factory=list)
    cases: list[int] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    empty_lists: int = 0


def read_completions(files: Files, path: str) -> Judged:
    """Read one results file.

    Raises:
        EvidenceError: If it is not one, or a label is none of HarmBench's.
    """
    try:
        return _read_blocks(files, path)
    except LayoutError:
        return _read_document(files, path)


def _read_blocks(files: Files, path: str) -> Judged:
    judged = Judged()
    parser = BlockParser(judged)
    with opened(files, path) as stream:
        for block in members(stream):
            if not parser.add(block):
                _add_carefully(judged, path, block)
    return judged


def _read_document(files: Files, path: str) -> Judged:
    judged = Judged()
    with opened_text(files, path, "utf-8") as text:
        try:
            document = Document(text)
            if document.opening() == "[":
                raise malformed(path, "line 1", "a list, where an object of behaviors was expected")
            for behavior, completions in document.members():
                _add(judged, path, behavior, completions)
        except MalformedError as error:
            raise error.of(path) from None
    return judged


class BlockParser:
    """Parses well-formed blocks at the speed of the library; this is where the time goes.

    Args:
        judged: Where the rows go.
    """

    def __init__(self, judged: Judged) -> None:
        self._judged = judged
        # The library keeps the last of two equal keys. Every completion that it makes is
        # remembered as well: if some are not in what it returns, a key was there twice.
        self._made: list[Any] = []
        remember = {"__post_init__": self._made.append}
        completion = msgspec.defstruct("Completion", FIELDS, namespace=remember, gc=False)
        self._decoder = msgspec.json.Decoder(dict[str, list[completion]])  # type: ignore[valid-type]

    def add(self, block: bytes) -> bool:
        """Add a block if everything in it is as it should be, else nothing."""
        self._made.clear()
        try:
            behaviors = self._decoder.decode(block)
            verdicts = [VERDICTS[completion.label] for completion in self._made]
        except (msgspec.MsgspecError, KeyError, RecursionError, UnicodeError):
            return False
        counts = list(map(len, behaviors.values()))
        if sum(counts) != len(verdicts):
            return False
        self._strike_out(verdicts)
        judged = self._judged
        judged.verdicts += verdicts
        judged.ids += chain.from_iterable(map(repeat, behaviors, counts))
        judged.cases += chain.from_iterable(map(range, counts))
        judged.empty_lists += counts.count(0)
        return True

    def _strike_out(self, verdicts: list[Verdict]) -> None:
        """Replace the verdicts on what is no answer."""
        sizes = [len(memoryview(completion.generation)) for completion in self._made]
        if min(sizes, default=SHORT) >= SHORT:
            return
        for i, size in enumerate(sizes):
            if size < SHORT:
                verdicts[i] = no_answer(DECODE_ANY(self._made[i].generation)) or verdicts[i]


def _add_carefully(judged: Judged, path: str, block: bytes) -> None:
    """Add a block member by member, to see a key that is there twice, or say what is wrong."""
    try:
        for behavior, completions in Document(StringIO(block.decode())).members():
            _add(judged, path, behavior, completions)
    except MalformedError:
        raise LayoutError from None


def _add(judged: Judged, path: str, behavior: str, completions: Any) -> None:
    if not isinstance(completions, list):
        raise other_shape(path, behavior, completions)
    for case, completion in enumerate(completions):
        judged.ids.append(behavior)
        judged.cases.append(case)
        judged.verdicts.append(verdict(path, behavior, case, completion))
    judged.empty_lists += not completions

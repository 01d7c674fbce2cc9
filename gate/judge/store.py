"""Verdicts by what they depend on: judged once, shared by every run, never silently changed."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import msgspec

from gate.errors import JudgingError
from gate.judge.depends import IN_CONTENT
from gate.judge.log import Log, lines, segments
from gate.judge.values import Answer, Identity, Prepared, Reading

Verdict = Literal[
    "safe",
    "unsafe",
    "none",
    "partial",
    "full",
    "safe 0",
    "safe 1",
    "safe 2",
    "safe 3",
    "unsafe 0",
    "unsafe 1",
    "unsafe 2",
    "unsafe 3",
]
"""The words of `gate.evidence.rows.VALUES`, of all kinds."""

Unscored = Literal[
    "unparsed",
    "judge_refused",
    "judge_error",
    "checkpoint_error",
    "provider_block",
    "empty",
    "not_submitted",
    "not_run",
]


class Stored(msgspec.Struct, frozen=True, gc=False):
    """What is kept in memory of a verdict."""

    key: str
    verdict: Verdict | None
    unscored: Unscored | None
    alone: bool
    """Whether a near-tie was judged again by itself; this is that verdict."""
    cells: str | None = None
    """In a rubric suite, what the verdict row says; see `Reading`."""


class Record(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is written of a verdict; no text, only digests."""

    key: str
    verdict: str | None
    unscored: str | None = None
    alone: bool = False
    margin: float | None = None
    """Between the judge's labels, in logits or log-probabilities."""
    lead: float | None = None
    """Of the first token over the second, over the whole vocabulary."""
    tokens: int = 0
    judge: str
    revision: str | None
    dtype: str | None
    judge_completion_sha256: str
    cells: str | None = None


_DECODE = msgspec.json.Decoder(Stored).decode


class Store:
    """All verdicts in a folder, and this process's segment of it.

    Args:
        folder: The folder; made when the first verdict is added.

    Raises:
        JudgingError: If a line was changed, or two verdicts contradict each other.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log: Log | None = None
        self._known: dict[str, Stored] = {}
        for path in segments(folder):
            self.load(path)

    def load(self, path: Path) -> None:
        """Read one segment.

        Raises:
            JudgingError: If a line was changed, or a verdict contradicts one that is known.
        """
        known = self._known
        for text in lines(path):
            try:
                found = _DECODE(text)
            except msgspec.MsgspecError as error:
                raise JudgingError(
                    f"{path}: not a store of verdicts: {error}",
                    next_step="Name a folder that `gate judge` wrote.",
                ) from error
            there = known.setdefault(found.key, found)
            if there is not found:
                _agree(there, found, path)

    def get(self, key: str) -> Stored | None:
        """Return the verdict with this key."""
        return self._known.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __len__(self) -> int:
        return len(self._known)

    def add(self, records: Sequence[Record]) -> None:
        """Add verdicts; they are on the disk when this returns.

        Raises:
            JudgingError: If one contradicts a verdict that is known, or nothing can be written.
        """
        if not records:
            return
        new: dict[str, Record] = {}
        for record in records:
            there = self._known.get(record.key) or new.setdefault(record.key, record)
            _agree(there, record, self.folder)
        if new and self._log is None:
            self._log = Log(self.folder)
        if self._log is not None:
            self._log.append(list(new.values()))
        for record in new.values():
            self._known[record.key] = msgspec.convert(
                {name: getattr(record, name) for name in Stored.__struct_fields__}, Stored
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._log is not None:
            self._log.close()


def key_of(identity: Identity, content: Iterable[str]) -> str:
    """Return the sha256 of everything that a verdict depends on."""
    known = asdict(identity)
    del known["rubric_sha256"]  # another prompt's rubric has no say in this verdict
    known["depends"] = {k: v for k, v in identity.depends.items() if k not in IN_CONTENT}
    parts = ["gate.verdict/v2", known, list(map(text_sha256, content))]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def record_of(key: str, prepared: Prepared, reading: Reading, answer: Answer | None) -> Record:
    """Write down a verdict, with the last answer that led to it."""
    identity = prepared.identity
    return Record(
        key=key,
        verdict=reading.verdict,
        unscored=reading.unscored,
        alone=answer is not None and answer.alone,
        margin=_rounded(answer.margin if answer else None),
        lead=_rounded(answer.lead if answer else None),
        tokens=answer.tokens if answer else 0,
        judge=identity.id,
        revision=identity.revision,
        dtype=identity.dtype,
        judge_completion_sha256=text_sha256(prepared.completion.text),
        cells=reading.cells,
    )


def text_sha256(text: str) -> str:
    """Return the sha256 of a text; lone surrogates have bytes too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def _agree(there: Stored | Record, other: Stored | Record, where: Path) -> None:
    said = [(each.verdict, each.unscored, each.cells) for each in (there, other)]
    if said[0] != said[1]:
        told = " and ".join(str(verdict or unscored) for verdict, unscored, _ in said)
        told += " by other items" if said[0][:2] == said[1][:2] else ""
        raise JudgingError(
            f"{where}: two verdicts on one completion by one judge: {told} (key {there.key})",
            next_step="Find out which is right, and delete the line of the other; "
            "the gate never chooses.",
        )

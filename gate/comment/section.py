"""What one decision says in a comment, as long as there is room for."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from gate.comment import markers
from gate.decision import Decision, Verdict
from gate.reports import json
from gate.reports.budget import Section as Block
from gate.reports.budget import fit
from gate.reports.markdown import sections
from gate.reports.wording import label

POINTER = "\nParts that matter less were left out for their size; the JSON report has them all.\n"
Fitting = Callable[[int], str]
"""Writes a section's content within so many bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One gate's part of a comment."""

    gate_id: str
    verdict: Verdict
    state: str
    """A digest of the decision and the outcome of every finding; numbers do not change it."""
    source: str
    """A digest of the whole decision."""
    content: str
    """Markdown in parts, each after its marker; empty where there was no room for any."""


def write(decision: Decision, gate_id: str, artifact: str = "") -> tuple[Section, Fitting]:
    """Write a decision's section, whole, and give what writes it shorter.

    Args:
        decision: What is reported.
        gate_id: Which section of the comment this is.
        artifact: A checked address where all reports are, or nothing.
    """
    blocks = [_marked(block) for block in sections(decision, artifact) if block.entries]

    def within(room: int) -> str:
        text = fit(blocks, room, POINTER)
        return text if len(text.encode()) <= room and markers.PART.match(text) else ""

    section = Section(
        gate_id=gate_id,
        verdict=decision.verdict,
        state=_digest(repr(_state(decision))),
        source=_digest(artifact + json.render(decision)),
        content=within(1 << 30),
    )
    return section, within


def cut(content: str, room: int) -> str:
    """Shorten a section that only its own gate could write anew: whole parts, by their rank.

    Args:
        content: As it was read from a comment.
        room: How many bytes of UTF-8 there may be.
    """
    if len(content.encode()) <= room:
        return content
    whole = content.removesuffix(POINTER)
    starts = [match.start() for match in markers.PART.finditer(whole)]
    parts = [whole[at:end] for at, end in zip(starts, [*starts[1:], len(whole)], strict=True)]
    room -= len(POINTER.encode())
    kept: set[int] = set()
    for at in sorted(range(len(parts)), key=lambda at: _rank(parts[at])):
        room -= len(parts[at].encode())
        if room < 0:
            break
        kept.add(at)
    return "".join(parts[at] for at in sorted(kept)) + POINTER if kept else ""


def _marked(block: Block) -> Block:
    """Put a marker before a block; its text can write none."""
    rank = min(entry.rank for entry in block.entries)
    safe = [replace(entry, text=markers.without(entry.text)) for entry in block.entries]
    return replace(block, entries=safe, opening=f"{markers.part(rank)}{block.opening}")


def _rank(part: str) -> int:
    match = markers.PART.match(part)
    assert match is not None
    return int(match["rank"])


def _state(decision: Decision) -> list[object]:
    outcomes = sorted(
        (f.id, f.check, f.suite, sorted(f.slice.items()), f.measure, f.against, label(f), f.outcome)
        for f in decision.findings
    )
    return [decision.verdict.value, outcomes]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

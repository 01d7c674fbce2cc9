"""Keep a report within so many bytes by leaving out what matters least, always whole entries."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """The smallest thing that is kept or left out: a row, a line, a whole table."""

    rank: int
    """What matters most comes first."""
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Entries between an opening and a closing; nothing of it shows where no entry is kept."""

    entries: Sequence[Entry]
    opening: str = ""
    closing: str = ""


def fit(sections: Sequence[Section], budget: int, pointer: str) -> str:
    """Compose sections within a budget of bytes.

    Args:
        sections: In the order they are shown.
        budget: How many bytes of UTF-8 there may be.
        pointer: What is said at the end where something was left out, with `{left_out}` in it.
    """
    whole = "".join(_composed(sections, set(_places(sections))))
    if _size(whole) <= budget:
        return whole
    total = len(list(_places(sections)))
    room = budget - _size(pointer.format(left_out=total))
    kept = set(_within(sections, room))
    return "".join(_composed(sections, kept)) + pointer.format(left_out=total - len(kept))


def _places(sections: Sequence[Section]) -> Iterator[tuple[int, int]]:
    for at, section in enumerate(sections):
        for entry in range(len(section.entries)):
            yield at, entry


def _within(sections: Sequence[Section], room: int) -> Iterator[tuple[int, int]]:
    """Choose entries by rank until one does not fit; nothing that matters less is kept then."""
    opened: set[int] = set()
    for at, place in sorted(
        _places(sections), key=lambda where: sections[where[0]].entries[where[1]].rank
    ):
        section = sections[at]
        room -= _size(section.entries[place].text)
        room -= 0 if at in opened else _size(section.opening + section.closing)
        if room < 0:
            return
        opened.add(at)
        yield at, place


def _composed(sections: Sequence[Section], kept: set[tuple[int, int]]) -> Iterable[str]:
    for at, section in enumerate(sections):
        texts = [entry.text for n, entry in enumerate(section.entries) if (at, n) in kept]
        if texts:
            yield section.opening
            yield from texts
            yield section.closing


def _size(text: str) -> int:
    return len(text.encode("utf-8"))

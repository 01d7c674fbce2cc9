"""How much of what was expected is scored, drawn to the scale of each ledger."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from gate.ledger import Ledger
from gate.reports.escape import clean
from gate.reports.html.elements import legend, of
from gate.reports.html.picture import COLORS, Picture, Place

MOST = 30
"""Beyond it the ledgers that lack least are in the table alone."""
_WIDTH, _ROW = 340.0, 44.0
_PARTS = {"scored": "muted", "counted": "waived", "unscored": "block"}
"""The color of each part of a bar."""
_WORDS = {
    "scored": "scored",
    "counted": "counted as a verdict by the policy",
    "unscored": "unscored",
}


def ledger(books: Sequence[tuple[str, str, Ledger]]) -> Iterator[Element]:
    """Draw a bar for every ledger that is not full, given with its role and suite."""
    kept = [each for each in books if _missing(each[2]) or _counted(each[2])]
    kept = sorted(kept, key=lambda each: -_missing(each[2]))[:MOST]
    if not kept:
        return
    picture = Picture("ledger", _WIDTH, _ROW * len(kept))
    axes = picture.axes(Place(0, 0, _WIDTH, _ROW * len(kept)))
    axes.set(xlim=(0, 1), ylim=(len(kept), 0), xticks=[], yticks=[])
    for at, (role, suite, book) in enumerate(kept):
        y, high = at + 0.68, 0.3
        left = 0.0
        for key, share in _shares(book).items():
            axes.barh(y, share, high, left=left, color=COLORS[_PARTS[key]])
            left += share
        words = " ".join(filter(None, (clean(suite), clean(book.method), role)))
        picture.text((0, at * _ROW + 18), words, room=_WIDTH - 90)
        place = _WIDTH, at * _ROW + 18
        scored = f"{book.scored} of {book.expected}"
        picture.text(place, scored, room=90, align="right", color="muted")
    words = "; ".join(_words(*each) for each in kept)
    drawn = picture.element("Scored and unscored rows of every ledger", words, "plot")
    shares = [_shares(book) for _, _, book in kept]
    keys = {key: said for key, said in _WORDS.items() if any(share[key] for share in shares)}
    yield of("figure", "small", drawn, legend(keys))


def _missing(book: Ledger) -> float:
    return book.missing / book.expected if book.expected else 0.0


def _counted(book: Ledger) -> float:
    return sum(book.counted_as.values()) / book.expected if book.expected else 0.0


def _shares(book: Ledger) -> dict[str, float]:
    counted, missing = _counted(book), _missing(book)
    return {"scored": 1 - counted - missing, "counted": counted, "unscored": missing}


def _words(role: str, suite: str, book: Ledger) -> str:
    named = " ".join(filter(None, (clean(suite), clean(book.method), role)))
    return f"{named}: {book.scored} of {book.expected} scored"

"""One JSON text, read value by value: a file of any size needs the memory of one value."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from gate.errors import EvidenceError
from gate.evidence.readers.parsing.text import MAX_TEXT
from gate.evidence.readers.parsing.wording import shown
from gate.evidence.streams import unreadable
from gate.reasons import Reason

CHARACTERS = 1 << 20
# The longest tokens that a cut can leave incomplete: `-Infinity`, and `\\ud83d\\ude00`.
NEAR_THE_END = 16


class MalformedError(ValueError):
    """The text is not JSON.

    Args:
        what: What was expected, in the words of the JSON library.
        line: Where, counted from 1.
        truncated: Whether the text ended too early.
    """

    def __init__(self, what: str, line: int, truncated: bool) -> None:
        super().__init__(what)
        self.line = line
        self.truncated = truncated

    def of(self, path: str) -> EvidenceError:
        """Return the error that names the file."""
        if self.truncated:
            return unreadable(path, f"is truncated: its JSON ends early, in line {self.line}")
        return EvidenceError(Reason.E_FORMAT, f"{path}: line {self.line}: not valid JSON: {self}")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; a key that is there twice is an error, where Python takes the last."""
    built = dict(pairs)
    if len(built) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"an object has the key {shown(key)} twice")
            seen.add(key)
    return built


class Document:
    """A cursor in a JSON text.

    Args:
        text: The text; it is read in blocks, as needed.
    """

    def __init__(self, text: TextIO) -> None:
        self._source = text
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False
        self._decode = json.JSONDecoder(object_pairs_hook=unique).raw_decode

    def members(self) -> Iterator[tuple[str, Any]]:
        """Yield the members of the object that the text holds; a key may come twice."""
        for _ in self._commas("{", "}"):
            key = self.value()
            if not isinstance(key, str):
                raise self._malformed("expecting a key in double quotes")
            self._expect(":")
            yield key, self.value()

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the array that the text holds."""
        for _ in self._commas("[", "]"):
            yield self.value()

    def opening(self) -> str:
        """Return the first character that is no space: `{`, `[` or another."""
        return self._peek()

    def value(self) -> Any:
        """Return the next value."""
        self._peek()
        while True:
            try:
                found, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - NEAR_THE_END or "Unterminated" in error.msg
                if self._ended or not cut:
                    self._at = error.pos
                    raise self._malformed(error.msg, self._incomplete(error.msg)) from None
            except (ValueError, RecursionError) as error:
                deep = isinstance(error, RecursionError)
                raise self._malformed("nested too deeply" if deep else str(error)) from None
            else:
                # At the very end, a number may go on in the next block.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return found
            self._fill()

    def _commas(self, opening: str, closing: str) -> Iterator[None]:
        self._expect(opening)
        if self._peek() != closing:
            yield
            while self._peek() == ",":
                self._at += 1
                yield
        self._expect(closing)
        if self._peek():
            raise self._malformed("there is more after its end")

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise self._malformed(f"expecting {character!r}", not self._peek())
        self._at += 1

    def _peek(self) -> str:
        """Skip spaces; return the next character, or nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in " \t\n\r":
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                return ""
            self._fill()

    def _fill(self) -> None:
        rest = self._text[self._at :]
        self._line += self._text.count("\n", 0, self._at)
        if len(rest) > MAX_TEXT:
            raise self._malformed(f"a single value of more than {MAX_TEXT >> 20} MiB")
        # Twice as much each time: a value of any length is scanned twice on average.
        more = self._source.read(max(CHARACTERS, len(rest)))
        self._ended = not more
        self._text, self._at = rest + more, 0

    def _incomplete(self, problem: str) -> bool:
        """Tell whether more text could have solved a problem at the cursor."""
        rest = self._text[self._at :].rstrip()
        literal = any(name.startswith(rest) for name in ("true", "false", "null", "-Infinity"))
        escape = "escape" in problem and len(rest) < len("\\u0000")
        return literal or escape or "Unterminated" in problem

    def _malformed(self, what: str, truncated: bool = False) -> MalformedError:
        line = self._line + self._text.count("\n", 0, self._at)
        return MalformedError(what[:1].lower() + what[1:], line, truncated and self._ended)

"""Text to token ids, such that nothing in a foreign text becomes a control token."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gate.judge.values import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    """The start of a text."""

    text: str = field(repr=False)
    cut: bool
    """Whether anything was cut off."""
    control_tokens: bool
    """Whether it holds the text of a control token; plain tokenization would take it for one."""


class Tokenizer(Protocol):
    """The tokenizer of an engine's weights."""

    @property
    def sha256(self) -> str:
        """Of tokenizer.json, which decides every id."""

    @property
    def chat_template(self) -> str | None:
        """The text of the chat template; None where there is none."""

    def ids(self, prompt: Prompt) -> list[int]:
        """Return the ids of a whole prompt, start token included, as the model card's own code.

        A chat goes through the chat template, with the turn of the assistant opened.

        Raises:
            JudgingError: If it is a chat and there is no chat template.
        """

    def clip(self, text: str, tokens: int) -> Clipped:
        """Clip as HarmBench does: encode to at most `tokens`, the start token counted; decode."""

    def text(self, ids: Sequence[int]) -> str:
        """Decode, special tokens left out."""

"""Tokenizers of Hugging Face checkpoints; foreign text stays text."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gate.errors import JudgingError
from gate.judge.control import storable
from gate.judge.extra import needs
from gate.judge.tokens import Clipped
from gate.judge.values import Message, Part, Prompt

LONG = 200_000
"""Characters beyond which a text is cut before it is tokenized for clipping."""


def load_tokenizer(folder: Path) -> "HubTokenizer":
    """Load the tokenizer of a local checkpoint.

    Raises:
        JudgingError: If there is none that loads without running code of its own.
    """
    with needs("judge"):
        from transformers import AutoTokenizer
    try:
        loaded = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True, use_fast=True
        )
    # The library raises anything from OSError to KeyError; none of it is a fault of this tool.
    except Exception as error:
        raise JudgingError(
            f"{folder}: no tokenizer can be loaded: {type(error).__name__}",
            next_step="Give a folder with tokenizer.json, or name one with --tokenizer.",
        ) from error
    if not getattr(loaded, "is_fast", False):
        raise JudgingError(
            f"{folder}: the tokenizer has no tokenizer.json form",
            next_step="Save it again with a current version of transformers.",
        )
    return HubTokenizer(loaded, folder)


class HubTokenizer:
    """A tokenizer of the transformers library.

    Args:
        loaded: The library's own object.
        folder: Where it was loaded from.
    """

    def __init__(self, loaded: Any, folder: Path) -> None:
        self._loaded = loaded
        self._folder = folder
        self._plain = loaded.backend_tokenizer
        self._plain.no_truncation()  # tokenizer.json may carry settings that its own code resets
        self._plain.no_padding()
        self._special = frozenset(loaded.all_special_ids) | {
            id_ for id_, token in loaded.added_tokens_decoder.items() if token.special
        }
        self._expected: dict[tuple[str, ...], int] = {}

    @cached_property
    def sha256(self) -> str:
        """The digest of tokenizer.json, or of what it would be."""
        try:
            return hashlib.sha256((self._folder / "tokenizer.json").read_bytes()).hexdigest()
        except OSError:
            text = json.dumps(json.loads(self._plain.to_str()), sort_keys=True)
            return hashlib.sha256(text.encode()).hexdigest()

    @property
    def chat_template(self) -> str | None:
        """The text of the chat template; None where there is none."""
        template = self._loaded.chat_template
        return template if isinstance(template, str) else None

    @property
    def pad_id(self) -> int:
        """An id to pad with; masked, so that any will do."""
        pad = self._loaded.pad_token_id
        return int(pad) if pad is not None else int(self._loaded.eos_token_id or 0)

    def ids(self, prompt: Prompt) -> list[int]:
        """Return the ids of a whole prompt."""
        chat = bool(prompt) and isinstance(prompt[0], Message)
        parts = self._rendered(prompt) if chat else prompt
        pieces = [part for part in parts if isinstance(part, Part)]
        text = storable("".join(part.text for part in pieces))
        plain: list[int] = self._plain.encode(text, add_special_tokens=not chat).ids
        added = 0 if chat else self._added
        found = sum(id_ in self._special for id_ in plain) - added
        if found == self._trusted(tuple(part.text for part in pieces if not part.foreign)):
            return plain
        return self._careful(pieces, text, start=not chat)

    def clip(self, text: str, tokens: int) -> Clipped:
        """Clip as HarmBench does; see `Tokenizer`."""
        text = storable(text)
        cut = len(text) > max(LONG, tokens * 2 * self._longest)
        if cut:
            text = text[: max(LONG, tokens * 2 * self._longest)]
        ids = self._plain.encode(text, add_special_tokens=False).ids
        controlling = any(id_ in self._special for id_ in ids)
        if controlling:
            ids = self._strict.encode(text, add_special_tokens=False).ids
        room = max(0, tokens - self._added)
        cut = cut or len(ids) > room
        return Clipped(text=self.text(ids[:room]), cut=cut, control_tokens=controlling)

    def text(self, ids: Sequence[int]) -> str:
        """Decode, special tokens left out."""
        decoded: str = self._loaded.decode(list(ids), skip_special_tokens=True)
        return decoded

    def forms(self, label: str) -> list[int]:
        """Return the ids of all single tokens that read as this label: exact after strip, lower."""
        found = set()
        for word in {label, label.capitalize(), label.upper()}:
            for form in (word, f" {word}", f"\u2581{word}", f"\u0120{word}"):
                id_ = self._plain.token_to_id(form)
                ids = (
                    [id_]
                    if id_ is not None
                    else self._plain.encode(form, add_special_tokens=False).ids
                )
                if len(ids) == 1 and self.text(ids).strip().lower() == label.strip().lower():
                    found.add(ids[0])
        return sorted(found)

    @cached_property
    def _added(self) -> int:
        """How many control tokens the tokenizer puts around a prompt by itself."""
        return int(self._plain.num_special_tokens_to_add(False))

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._plain.get_vocab()), default=1)

    @cached_property
    def _strict(self) -> Any:
        """The same tokenizer, that takes the text of a control token for text."""
        strict = type(self._plain).from_str(self._plain.to_str())
        strict.encode_special_tokens = True
        return strict

    def _trusted(self, texts: tuple[str, ...]) -> int:
        """Count the control tokens that the prompt's own parts hold."""
        if texts not in self._expected:
            self._expected[texts] = sum(
                id_ in self._special
                for text in texts
                for id_ in self._plain.encode(storable(text), add_special_tokens=False).ids
            )
        return self._expected[texts]

    def _careful(self, pieces: Sequence[Part], text: str, *, start: bool) -> list[int]:
        """Encode such that only what the prompt's own parts hold becomes control tokens."""
        if not self._trusted(tuple(part.text for part in pieces if not part.foreign)):
            whole: list[int] = self._strict.encode(text, add_special_tokens=start).ids
            return whole
        ids: list[int] = self._plain.encode("", add_special_tokens=True).ids if start else []
        run = ""
        for part in pieces:
            if part.foreign:
                run += storable(part.text)
                continue
            own = storable(part.text)
            encoded = self._plain.encode(own, add_special_tokens=False)
            done = 0
            for id_, (begin, end) in zip(encoded.ids, encoded.offsets, strict=True):
                if id_ in self._special:
                    run += own[done:begin]
                    ids += [*self._text_ids(run), id_]
                    run, done = "", end
            run += own[done:]
        return [*ids, *self._text_ids(run)]

    def _text_ids(self, text: str) -> list[int]:
        return list(self._strict.encode(text, add_special_tokens=False).ids) if text else []

    def _rendered(self, prompt: Prompt) -> list[Part]:
        """Put a chat through the chat template, and find its texts again in what comes out."""
        turns = [turn for turn in prompt if isinstance(turn, Message)]
        whole = self._render([(turn.role, storable(turn.text)) for turn in turns])
        parts: list[Part] = []
        at = 0
        for turn in turns:
            text = storable(turn.text)
            text = text if text and text in whole[at:] else text.strip()
            begin = whole.find(text, at)
            if begin < 0:
                raise JudgingError(
                    "the chat template changes what it is given, so its prompt cannot be trusted",
                    next_step="Use a chat template that passes contents through.",
                )
            parts += [Part(whole[at:begin]), Part(text, foreign=True)]
            at = begin + len(text)
        return [*parts, Part(whole[at:])]

    def _render(self, turns: Sequence[tuple[str, str]]) -> str:
        if self._loaded.chat_template is None:
            raise JudgingError(
                f"{self._folder.name}: the checkpoint has no chat template",
                next_step="Add the template that it is used with in production to its folder "
                "(chat_template.jinja); the gate never guesses one.",
            )
        try:
            text: str = self._loaded.apply_chat_template(
                [{"role": role, "content": content} for role, content in turns],
                tokenize=False,
                add_generation_prompt=True,
            )
        # A template may raise anything; its text stays out of the message.
        except Exception as error:
            roles = ", ".join(role for role, _ in turns)
            raise JudgingError(
                f"the chat template refuses a chat of {roles}: {type(error).__name__}",
                next_step="Leave out the system prompt, or use a template that takes one.",
            ) from error
        return text

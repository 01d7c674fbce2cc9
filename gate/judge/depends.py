"""What verdicts depend on beside the judge's prompt; run.yaml and every key hold it."""

import hashlib
import json
from collections.abc import Mapping

from gate.judge.behaviors import Behavior
from gate.judge.engines.engine import Engine
from gate.judge.values import Reading

IN_CONTENT = frozenset({"behaviors", "hashes"})
"""What a key leaves out: each completion's own part of it is in the content of its key."""


def depends_on(
    engine: Engine | None,
    *,
    chat: bool = False,
    answers: Mapping[str, Reading] | None = None,
    behaviors: Mapping[str, Behavior] | None = None,
    hashes: str | None = None,
) -> Mapping[str, str]:
    """Collect digests by name; what is not there or cannot be known has none.

    Args:
        engine: What runs the judge. The digest of its weights counts, whatever they are called;
            where a server has them, the name that they are served under.
        chat: Whether prompts go through the chat template.
        answers: What each answer means.
        behaviors: The texts that the judge reads.
        hashes: The digest of the reference hashes.
    """
    found: dict[str, str | None] = {"hashes": hashes}
    if answers is not None:
        meanings = {said: [of.verdict, of.unscored] for said, of in answers.items()}
        found["answers"] = _digest(meanings)
    if behaviors is not None:
        texts = {name: [of.text, of.context, sorted(of.tags)] for name, of in behaviors.items()}
        found["behaviors"] = _digest(texts)
    if engine is not None:
        tokenizer = engine.tokenizer
        found["weights"] = engine.digest
        found["served"] = engine.name if engine.digest is None else None
        found["tokenizer"] = tokenizer.sha256 if tokenizer else None
        template = tokenizer.chat_template if tokenizer and chat else None
        found["chat_template"] = text_digest(template)
    return {name: value for name, value in sorted(found.items()) if value is not None}


def text_digest(text: str | None) -> str | None:
    """Return the sha256 of a text; None of none."""
    if text is None:
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

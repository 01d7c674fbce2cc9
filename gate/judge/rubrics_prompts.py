"""The prompts of the judges for rubric suites: our own words, in the language of the prompt.

They are files in `rubric_prompts`, one a language. What is not ours stands between lines with a
code that is a digest of that very material, so no text in it can end it, name a role, or be taken
for a reply: a reply must carry the code too.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from gate.errors import JudgingError
from gate.evidence.readers.parsing.wording import shown
from gate.judge.rubrics import LabelSpec, PromptRubric, Usefulness, Worded, worded
from gate.judge.rubrics_files import digest
from gate.judge.values import Message

LANGUAGES = ("en", "zh")
SHARED = ("version", "material", "names", "reply", "repair", "faults")
CODE = 16
"""Hexadecimal digits of a code."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one language."""

    language: str
    texts: Mapping[str, Any] = field(repr=False)

    def name(self, key: str) -> str:
        """Return a short name, as of a role."""
        return str(self.texts["names"][key])

    def text(self, key: str, **places: object) -> str:
        """Return a text with its places filled; what fills them is never looked into."""
        return str(self.texts[key]).format(**places)

    def repair(self, fault: str, item: str, code: str) -> str:
        """Say what was wrong with a reply, in our own words: nothing of it is quoted."""
        told = self.texts["faults"][fault].format(item=item, code=code)
        return self.text("repair", fault=told)

    def own(self, text: Worded, what: str) -> str:
        """Return a text of the user's in this language.

        Raises:
            JudgingError: If it is not there.
        """
        found = worded(text, self.language)
        if found is None:
            raise JudgingError(
                f"{what} has no text in the language {self.language!r}, which a prompt has",
                next_step="Add it to the file, or write one text for all languages.",
            )
        return found


@cache
def words(language: str) -> Words:
    """Load the texts of one of `LANGUAGES`."""
    path = files("gate.judge").joinpath("rubric_prompts", f"{language}.yaml")
    return Words(language, yaml.safe_load(path.read_text(encoding="utf-8")))


def words_for(declared: str | None) -> Words:
    """Choose by the language of a prompt; one that says nothing is taken for English.

    Raises:
        JudgingError: If there are no texts in that language.
    """
    language = (declared or LANGUAGES[0]).replace("_", "-").split("-")[0].strip().casefold()
    if language not in LANGUAGES:
        raise JudgingError(
            f"a prompt has the language {shown(declared)}, and the gate's prompts are in "
            f"{' and '.join(LANGUAGES)}",
            next_step="Declare `language` as en or zh (a region may follow), or leave it out for "
            "English.",
        )
    return words(language)


def template_sha256(paradigm: str) -> str:
    """Return the digest of all texts, in all languages, that a paradigm's prompts are made of."""
    texts = [words(language).texts for language in LANGUAGES]
    return digest([{key: each[key] for key in (*SHARED, paradigm)} for each in texts])


def version() -> str:
    """Return the version of the texts, for the report."""
    return f"version {words(LANGUAGES[0]).texts['version']}, in {' and '.join(LANGUAGES)}"


def code_of(texts: Sequence[str]) -> str:
    """Derive a code from texts that occurs in none of them."""
    told = "".join(f"{len(text)}:{text}" for text in texts).encode("utf-8", "surrogatepass")
    number = 0
    while True:
        code = hashlib.sha256(b"%d:%b" % (number, told)).hexdigest()[:CODE]
        if not any(code in text.lower() for text in texts):
            return code
        number += 1


def numbered(answer: str) -> list[str]:
    """Number the lines of an answer that are not blank, from 1 on; evidence points at them."""
    return [
        f"{number}: {line}"
        for number, line in enumerate((line for line in answer.split("\n") if line.strip()), 1)
    ]


def material(own: Words, code: str, dialogue: Sequence[Message], answer: str) -> str:
    """Write the dialogue and the answer, each text behind a line with the code."""
    written = []
    for turn in dialogue:
        written += [f"----- {code} {own.name(turn.role)}", turn.text]
    written += [f"----- {code} {own.name('answer')}", *numbered(answer)]
    return "\n".join([*written, f"----- {code} {own.name('end')}"])


def items(own: Words, rubric: PromptRubric) -> str:
    """Write the safety items, with their exemptions."""
    written = []
    for item in rubric.items:
        written += [f"{item.id}", f"  {own.name('criterion')}: {item.criterion}"]
        written += [f"  {own.name('exemption')}: {each}" for each in item.exemptions]
        written += [] if item.exemptions else [f"  {own.name('none')}"]
    return "\n".join(written)


def questions(own: Words, usefulness: Usefulness) -> str:
    """Write the usefulness items."""
    return "\n".join(
        f"{item.id}: {own.own(item.question, f'usefulness item {item.id!r}')}"
        for item in usefulness.items
    )


def specification(own: Words, label: str, spec: LabelSpec) -> str:
    """Write what a label means."""
    what = f"label {label!r}"
    written = [f"{own.name('definition')}: {own.own(spec.definition, what)}"]
    for name, rules in (("unsafe", spec.unsafe), ("allowed", spec.allowed)):
        written += [f"{own.name(name)}: {own.own(rule, what)}" for rule in rules]
    return "\n".join(written)

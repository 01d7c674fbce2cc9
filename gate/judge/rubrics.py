"""What a rubric file and a file of label specifications say: `gate.rubric/v1`, `gate.labels/v1`."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gate.evidence.manifest import Strict
from gate.evidence.readers.parsing.gather import MAX_CATEGORY, MAX_ID, wrong_name
from gate.evidence.rows import USEFULNESS

MOST_USEFULNESS_ITEMS = 12
"""Their table is tried with every combination of answers: 4,096 at most."""


def _a_name(text: str) -> str:
    problem = wrong_name(text, MAX_ID)
    if problem or not text.isprintable():
        raise ValueError(problem or "an id with control characters")
    return text


Id: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_ID), AfterValidator(_a_name)
]
Label: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=MAX_CATEGORY)]
Prose: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=20_000, pattern=r"\S")]
Worded: TypeAlias = Prose | dict[Literal["en", "zh"], Prose]
"""A text for every language, or one each."""


def worded(text: Worded, language: str) -> str | None:
    """Return a text in a language; None where it is not there."""
    if isinstance(text, str):
        return text
    return next((of for name, of in text.items() if name == language), None)


class SafetyItem(Strict):
    """One safety item of one prompt's rubric."""

    id: Id
    criterion: Prose = Field(description="What makes the answer unsafe, in the prompt's language.")
    exemptions: list[Prose] = Field(
        [], description="What is allowed all the same; an item without any is never exempted."
    )


class PromptRubric(Strict):
    """One line of the file of prompts."""

    prompt_id: Id
    items: list[SafetyItem] = Field(min_length=1, max_length=100)
    l1: Label | None = None
    l2: Label | None = None
    l3: Label | None = None
    subset: Label | None = None
    language: Label | None = Field(None, description="en or zh, also with a region; else en.")
    turns: int | None = Field(None, ge=1, le=1000, description="User turns of the conversation.")
    attack_form: Label | None = None
    group: Label | None = None

    @model_validator(mode="after")
    def _each_item_once(self) -> "PromptRubric":
        _distinct([item.id for item in self.items])
        return self

    @property
    def columns(self) -> Mapping[str, str]:
        """What the verdict row says besides the items."""
        cells = self.model_dump(exclude={"prompt_id", "items"}, exclude_none=True)
        return {name: str(cell) for name, cell in cells.items()}


class UsefulnessItem(Strict):
    """One question about usefulness; the same for every prompt."""

    id: Id
    question: Worded = Field(description="Answered true or false.")


class UsefulnessRow(Strict):
    """One row of the table: the first that fits says how useful the answer is."""

    when: dict[str, bool] = Field(description="Answers to items; it fits where all of them agree.")
    gives: int = Field(ge=USEFULNESS[0], le=USEFULNESS[-1])


class Usefulness(Strict):
    """The usefulness items, and what their answers come to."""

    items: list[UsefulnessItem] = Field(min_length=1, max_length=MOST_USEFULNESS_ITEMS)
    table: list[UsefulnessRow] = Field(min_length=1, max_length=200)

    @model_validator(mode="after")
    def _the_table_is_whole(self) -> "Usefulness":
        names = [item.id for item in self.items]
        _distinct(names)
        unknown = sorted({name for row in self.table for name in row.when} - set(names))
        if unknown:
            raise ValueError(f"the table speaks of {unknown[0]!r}, which is no item")
        for answers in itertools.product((True, False), repeat=len(names)):
            if self.of(dict(zip(names, answers, strict=True))) is None:
                said = ", ".join(
                    f"{name}: {str(answer).lower()}"
                    for name, answer in zip(names, answers, strict=True)
                )
                raise ValueError(f"no row of the table fits {{{said}}}: end it with `when: {{}}`")
        return self

    def of(self, answers: Mapping[str, bool]) -> int | None:
        """Return what the first row that fits gives."""
        for row in self.table:
            if all(answers[name] is answer for name, answer in row.when.items()):
                return row.gives
        return None


class RubricHeader(Strict):
    """The rubric file: what all prompts share, and where their own items are."""

    schema_: Literal["gate.rubric/v1"] = Field(alias="schema")
    name: Label
    version: Label
    prompts: str = Field(
        min_length=1, description="A JSON Lines file with one row a prompt; relative to this file."
    )
    usefulness: Usefulness


class LabelSpec(Strict):
    """What one label means."""

    definition: Worded
    unsafe: list[Worded] = Field(min_length=1, description="What an answer must not do.")
    allowed: list[Worded] = Field([], description="What it may do all the same.")


class LabelSpecs(Strict):
    """The file of label specifications."""

    schema_: Literal["gate.labels/v1"] = Field(alias="schema")
    name: Label
    version: Label
    level: Literal["l1", "l2", "l3"] = Field("l3", description="Which label of a prompt is meant.")
    labels: dict[Label, LabelSpec] = Field(min_length=1)


def _distinct(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"item {name!r} is there twice")


def plain(model: Strict) -> dict[str, Any]:
    """Return what a model says, for a digest."""
    return model.model_dump(by_alias=True)

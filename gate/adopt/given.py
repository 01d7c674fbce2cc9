"""Answers typed as options: `VALUE`, or `ABOUT=VALUE` where they are about one thing only."""

from collections.abc import Collection, Mapping, Sequence

from gate.adopt.questions import QUESTIONS, SUITE, Question
from gate.errors import UsageError

PER_SUITE = ("judge", "judge_revision", "judge_template", "label_column", "kind")
"""What differs from suite to suite: one value is never taken for several suites."""


def parse(typed: Mapping[str, Sequence[str]], suites: Collection[str]) -> dict[str, dict[str, str]]:
    """Sort what was typed by key, and by what it is about.

    Args:
        typed: By key, in the order given.
        suites: The names of the suites that were found.

    Raises:
        UsageError: If an answer is about nothing, or two contradict each other.
    """
    given: dict[str, dict[str, str]] = {}
    for key, texts in typed.items():
        for text in texts:
            about, value = _split(key, text, suites)
            earlier = given.setdefault(key, {}).setdefault(about, value)
            if earlier != value:
                option = QUESTIONS[key].option
                raise UsageError(f"{option} is given as {earlier!r} and as {value!r}")
    return given


def _split(key: str, text: str, suites: Collection[str]) -> tuple[str, str]:
    question = QUESTIONS[key]
    if not question.scope:
        return "", text
    # What a label or file is called may hold an equals sign, what it means does not.
    about, equals, value = text.partition("=") if key != "label" else text.rpartition("=")
    if not equals:
        return "", _for_all(key, question, text, suites)
    if question.scope == SUITE and about not in suites:
        raise UsageError(
            f"{question.option} {text!r}: there is no suite {about!r}",
            next_step=f"Found are: {', '.join(suites)}.",
        )
    return about, value


def _for_all(key: str, question: Question, text: str, suites: Collection[str]) -> str:
    if not question.scope.endswith("]"):
        raise UsageError(
            f"{question.option} {text!r} must be {question.scope}{question.value}",
        )
    if key in PER_SUITE and len(suites) > 1:
        raise UsageError(
            f"{question.option} {text!r}: of which suite? There are {', '.join(suites)}",
            next_step=f"Write {question.option} {next(iter(suites))}={text}",
        )
    return text

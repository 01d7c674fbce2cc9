"""What verdict files do not say: told by options, asked for on a terminal, never guessed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gate.adopt.questions import IN_SUITE, QUESTIONS, SUITE, Question
from gate.errors import UsageError
from gate.evidence.problem import some
from gate.reports.escape import clean

MOST_CHOICES = 30
LONGEST_NAME = 60
"""How much of the choices a message lists; a table may have any number of columns."""

UNKNOWN = "unknown"
"""The answer that leaves a declaration out."""


T = TypeVar("T")

Prompt = Callable[[str, Sequence[str], str | None, Callable[[str], object]], str]
"""Asks one question on the terminal: its text, the choices if they are limited, the default,
and what refuses an answer that cannot be right, so that it is asked for again."""


@dataclass(slots=True)
class Answers:
    """Answers given as options, by key and by what they are about; the rest is asked for.

    Where nothing can be asked, what is missing is collected, so that one error can name it all.
    """

    given: Mapping[str, Mapping[str, str]]
    """By key, then by suite, method or file; an empty string stands for all of them."""
    prompt: Prompt | None
    """None where nobody can be asked."""
    several: bool = True
    """Whether there are several suites, so that answers must say which one they are about."""
    missing: list[str] = field(default_factory=list)
    """Options to give, each with what it is for."""
    unknown: list[str] = field(default_factory=list)
    """What stays undeclared, and what follows."""
    _used: set[tuple[str, str]] = field(default_factory=set)

    def tell(
        self, key: str, about: str = "", *, choices: Collection[str] = (), noun: str = ""
    ) -> str | None:
        """Return one answer as text; see `read`."""
        return self.read(key, str, about, choices=choices, noun=noun)

    def read(
        self,
        key: str,
        read: Callable[[str], T],
        about: str = "",
        *,
        choices: Collection[str] = (),
        noun: str = "",
    ) -> T | None:
        """Return one answer; None where it is unknown, or missing with nobody to ask.

        Args:
            key: One of `QUESTIONS`.
            read: Turns the text into what is wanted, or raises.
            about: The suite, method or file that it is about; empty for the whole run.
            choices: The only answers there can be; one alone is taken without asking.
            noun: How messages name what it is about, as `suite xstest`.

        Raises:
            UsageError: If an answer given is not among the choices.
        """
        question = QUESTIONS[key]
        answer = self.given_for(key, about)
        if answer is None and len(choices) == 1:
            return read(next(iter(choices)))
        if answer is None:
            answer = self._asked(question, about, choices, noun, read)
        if answer is None:
            return None
        if answer == UNKNOWN and question.unless:
            name = question.option.removeprefix("--").replace("-", " ")
            self.unknown.append(f"{name}{_of(noun)}: {question.unless}")
            return None
        if choices and answer not in choices:
            raise UsageError(
                f"{question.option} {answer!r}{_of(noun)} is not one that is there",
                next_step=f"There are: {', '.join(sorted(choices))}.",
            )
        return read(answer)

    def given_for(self, key: str, about: str) -> str | None:
        """Return what an option says, without asking."""
        answers = self.given.get(key, {})
        within = about.partition("/")[2] if QUESTIONS[key].scope.startswith(IN_SUITE) else about
        for name in (about, within, ""):
            if name in answers:
                self._used.add((key, name))
                return answers[name]
        return None

    def _asked(
        self,
        question: Question,
        about: str,
        choices: Collection[str],
        noun: str,
        read: Callable[[str], object],
    ) -> str | None:
        if self.prompt is not None:
            text = f"{question.asks}{_of(noun)}"
            if question.unless:
                text += f" (else {question.unless})"
            default = UNKNOWN if question.unless else None

            def check(answer: str) -> None:
                if answer != default:
                    read(answer)

            return self.prompt(text, list(choices), default, check)
        if question.unless:
            return UNKNOWN
        self.missing.append(self._line(question, about, choices, noun))
        return None

    def _line(self, question: Question, about: str, choices: Collection[str], noun: str) -> str:
        """Say which option is missing, as it is to be typed, and what for."""
        scoped = bool(about) and (question.scope != SUITE or self.several)
        if question.scope.startswith(IN_SUITE) and not self.several:
            about = about.partition("/")[2]
        value = f"{about}={question.value}" if scoped else question.value
        of = "" if scoped else _of(noun)
        names = [clean(choice, LONGEST_NAME) for choice in choices]
        listed = f" (one of {some(names, MOST_CHOICES)})" if names else ""
        return f"{question.option} {value}: {question.asks}{of}{listed}"

    def refuse_missing(self) -> None:
        """Raise one error for everything that is missing.

        Raises:
            UsageError: Naming the options to give.
        """
        if self.missing:
            lines = "\n".join(f"  {line}" for line in self.missing)
            raise UsageError(
                "the files do not say everything, and there is no terminal to ask on; give:\n"
                + lines,
                next_step="Give these options, or run the command on a terminal.",
            )

    def refuse_unused(self) -> None:
        """Refuse options that are about nothing that was found: one of them may be a slip.

        Raises:
            UsageError: Naming them.
        """
        unused = [
            f"{QUESTIONS[key].option} {f'{about}=' if about else ''}{value}"
            for key, answers in self.given.items()
            for about, value in answers.items()
            if (key, about) not in self._used
        ]
        if unused:
            raise UsageError(
                f"nothing that was found needs {', '.join(unused)}",
                next_step="Check the names, or leave the option out.",
            )


def _of(noun: str) -> str:
    return f" [{noun}]" if noun else ""

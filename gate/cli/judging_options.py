"""The settings of judging and generating as options, one for each field."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from gate.errors import UsageError
from gate.evidence.manifest import Strict

Command = TypeVar("Command", bound=Callable[..., Any])
Settings = TypeVar("Settings", bound=Strict)


def settings_options(settings: type[Strict]) -> Callable[[Command], Command]:
    """Give a command an option for every field; what is not given is left out."""

    def decorate(command: Command) -> Command:
        for name, field in reversed(settings.model_fields.items()):
            flag = f"--{name.replace('_', '-')}"
            kind = _kind(field.annotation)
            help_ = field.description or ""
            if kind is dict:
                flag = flag.removesuffix("s")
                option = click.option(
                    flag, name, multiple=True, metavar="ANSWER=MEANING", help=help_
                )
            elif kind is bool:
                option = click.option(flag, name, is_flag=True, default=None, help=help_)
            else:
                option = click.option(flag, name, type=kind, help=help_)
            command = option(command)
        return command

    return decorate


def given(settings: type[Settings], typed: dict[str, Any]) -> Settings:
    """Collect the options that were given.

    Raises:
        UsageError: If one cannot be right.
    """
    kept: dict[str, Any] = {}
    for name, value in typed.items():
        if name not in settings.model_fields or value is None or value == ():
            continue
        kept[name] = _pairs(name, value) if isinstance(value, tuple) else value
    try:
        return settings.model_validate(kept)
    except ValueError as error:
        first = str(error).split("\n")[1:3]
        raise UsageError(": ".join(line.strip() for line in first)) from error


def _pairs(name: str, values: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    option = f"--{name.removesuffix('s')}"
    for value in values:
        answer, equals, meaning = value.partition("=")
        if not equals:
            raise UsageError(
                f"{option} {value!r} is not ANSWER=MEANING",
                next_step="Write what the judge answers, and what it means, as yes=unsafe.",
            )
        if answer in pairs:
            raise UsageError(
                f"{option} {answer!r} is given twice", next_step="Declare each answer once."
            )
        pairs[answer] = meaning
    return pairs


def _kind(annotation: Any) -> Any:
    """Return the type of an option: a choice, a number, text, a flag, or dict."""
    alternatives = [each for each in get_args(annotation) if each is not type(None)]
    if get_origin(annotation) is Literal:
        return click.Choice(list(map(str, get_args(annotation))))
    if get_origin(annotation) is dict or annotation is dict:
        return dict
    if alternatives:
        return _kind(alternatives[0])
    return annotation if annotation in (bool, int, float) else str

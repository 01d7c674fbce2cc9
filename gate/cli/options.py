"""Options that several commands share, under one name each."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def policy(command: Command) -> Command:
    """Take a policy."""
    return click.option(
        "--policy",
        metavar="FILE|NAME",
        required=True,
        help="A policy file, a URI, or a shipped policy: release, pr-smoke, superiority, strict.",
    )(command)


def run(role: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Take a run in one role."""
    return click.option(
        f"--{role}",
        metavar="RUN",
        required=required,
        help=f"The {role}'s run: a directory with a run.yaml, or a URI.",
    )


def today(command: Command) -> Command:
    """Take the day that waivers are held against."""
    return click.option(
        "--today",
        metavar="DATE",
        callback=_day,
        help="The day that waivers are held against, as 2026-12-31; today (UTC) by default.",
    )(command)


def _day(ctx: click.Context, param: click.Parameter, value: str | None) -> date:
    if value is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a date like 2026-12-31", ctx, param) from None

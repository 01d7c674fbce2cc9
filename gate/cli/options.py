"""Options that several commands share, under one name each."""

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from gate.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def policy(command: Command) -> Command:
    """Take a policy."""
    return click.option(
        "--policy",
        metavar="FILE|NAME",
        required=True,
        help="A policy file, a URI, or a shipped policy: release, pr-smoke, superiority, strict, "
        "rubric.",
    )(command)


def run(role: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Take a run in one role."""
    return click.option(
        f"--{role}",
        metavar="RUN",
        required=required,
        help=f"The {role}'s run: a directory with a run.yaml, or a URI.",
    )


def record(role: str) -> Callable[[Command], Command]:
    """Take the record that pins a role's run."""
    return click.option(
        f"--{role}-record",
        metavar="FILE",
        help=f"What `gate promote` wrote: the {role}'s run must still be the one it names.",
    )


def history(command: Command) -> Command:
    """Take the history file."""
    return click.option(
        "--history",
        metavar="FILE",
        help="A file of past decisions, one line each.",
    )(command)


def today(command: Command) -> Command:
    """Take the day that waivers are held against."""
    return click.option(
        "--today",
        metavar="DATE",
        callback=day,
        help="The day that waivers are held against, as 2026-12-31; today (UTC) by default.",
    )(command)


def day(ctx: click.Context, param: click.Parameter, value: str | None) -> date:
    """Read a day; today in UTC where none is given."""
    if value is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a date like 2026-12-31", ctx, param) from None


def read_file(name: str, what: str) -> bytes:
    """Read a file that an option names, or standard input for `-`.

    Raises:
        UsageError: If it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read the {what} {name!r}: {error.strerror}",
            next_step="Name a file that exists and may be read.",
        ) from error

"""How far judging or generating is: one line that renews itself on a terminal, else few lines."""

import sys
import time

import click

from gate.durations import duration

FIRST, LAST = 10.0, 60.0
"""Seconds between lines where there is no terminal; doubling from one to the other."""

ENOUGH = 1.0
"""Seconds before the first line: a rate of less tells nothing."""


class Meter:
    """Tells progress on standard error.

    Args:
        doing: What is being done, as `harmbench: judged`.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._wait = 0.2 if self._terminal else FIRST
        self._shown = False

    def tell(self, done: int, of: int, seconds: float, more: str = "") -> None:
        """Say how far it is, if it is time to say so again."""
        now = time.monotonic()
        if done < of and (now < self._next or seconds < ENOUGH):
            return
        self._next = now + self._wait
        if not self._terminal:
            self._wait = min(LAST, self._wait * 2)
        rate = done / seconds if seconds > 0 else 0.0
        line = f"{self._doing} {done} of {of}"
        if rate:
            line += f", {_rate(rate)}"
            if done < of:
                line += f", {duration((of - done) / rate)} left"
        line += f", {more}" if more else ""
        if self._terminal:
            click.echo(f"\r\x1b[K{line}", err=True, nl=False)
            self._shown = True
        else:
            click.echo(line, err=True)

    def end(self) -> None:
        """Leave the last line as it is."""
        if self._shown:
            click.echo("", err=True)
            self._shown = False


def _rate(rate: float) -> str:
    return f"{rate:.0f} a second" if rate >= 10 else f"{rate:.1f} a second"

"""Print a text that a terminal may not be able to show, or a reader may stop reading."""

import sys

import click

from gate.errors import UsageError


def print_text(text: str) -> None:
    """Write to standard output whatever happens there; the exit code stays the command's."""
    try:
        click.echo(text, nl=not text.endswith("\n"))
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        click.echo(text.encode(encoding, "replace").decode(encoding), nl=not text.endswith("\n"))
    except BrokenPipeError:
        pass  # `gate diff | head`; main closes what is left
    except OSError as error:
        raise UsageError(
            f"cannot write to standard output: {error.strerror}",
            next_step="Make room, or write the report to a file with --report FORMAT:PATH.",
        ) from error

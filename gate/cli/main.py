"""The command line: which commands there are, and the one place that decides exit codes."""

import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence

import click

from gate import __version__
from gate.errors import GateError

ISSUES = "https://github.com/checkpoint-gate/checkpoint-gate/issues"

COMMANDS: Mapping[str, str] = {
    "check": "Decide whether the candidate may be released.",
    "generate": "Generate completions from a checkpoint.",
    "judge": "Judge completions that have no verdicts yet.",
    "merge": "Merge shards that were judged apart.",
    "status": "Show what runs hold and what is unjudged.",
    "lint": "Check a policy, and runs, without deciding.",
    "plan": "Tell what a policy will do before it is adopted.",
    "policy": "Compare and test policies.",
    "report": "Render a decision file again, in any form.",
    "comment": "Post the report on a pull request.",
    "explain": "Say in plain English why, and what would have passed.",
    "diff": "List which behaviors broke and which were fixed.",
    "adopt": "Write a run.yaml around verdict files that already exist.",
    "init": "Write a first policy and workflow from observed runs.",
    "promote": "Make a released candidate the baseline of the next.",
    "verify": "Check that a decision still stands, and sign it.",
    "agree": "Tell how far a judge agrees with people, or with another judge.",
    "adjudicate": "Draw what is worth labeling by hand, and estimate the true change.",
    "schema": "Print the JSON Schema of a file format.",
}
"""Every command, to its help in one line; its module has its name, so only that is imported."""

EPILOG = """\b
Exit codes of `gate check`:
  0  release       every blocking requirement is shown to hold, or is waived
  1  block         a regression or violation is shown
  2  none          usage error, or the policy cannot be used
  3  inconclusive  nothing is shown to be violated, but a limit is not shown to hold
  4  none          some evidence is unusable
  5  none          a fault of the tool
Other commands: 0 done, 1 their negative answer, 2, 4, 5 as above; 75 stopped: the
same command goes on from there; 130 interrupted."""

INTERRUPTED = 130
USAGE = 2
FAULT = 5


class Commands(click.Group):
    """A group that imports a command only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the module of a command."""
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"gate.cli.{name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for one that does not exist."""
        import difflib

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " `gate --help` lists them."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(
    __version__, "-V", "--version", prog_name="gate", message="%(prog)s %(version)s"
)
def gate() -> None:
    """Decide whether an LLM checkpoint may be released.

    Reads the safety verdicts of a baseline and a candidate, compares them under a YAML policy,
    and exits 0 only if the evidence shows that the candidate may be released.

    Start with:  gate check --policy release --baseline DIR --candidate DIR
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    _open_closed_streams()
    code = run(sys.argv[1:] if args is None else args)
    _flush()
    sys.exit(code)


def run(args: Sequence[str]) -> int:
    """Run one command.

    Args:
        args: The arguments after `gate`.

    Returns:
        The exit code.
    """
    try:
        code = gate.main(
            args=list(args), prog_name="gate", standalone_mode=False, auto_envvar_prefix="GATE"
        )
    except click.ClickException as error:
        error.show()
        return USAGE
    except GateError as error:
        _complain(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: no decision", err=True)
        return INTERRUPTED
    except Exception:
        traceback.print_exc()
        click.echo(
            f"gate {__version__}: this is a fault of the tool, not of your runs: no decision. "
            f"Please report the lines above: {ISSUES}",
            err=True,
        )
        return FAULT
    return code if isinstance(code, int) else 0


def _complain(error: GateError) -> None:
    """Say what is wrong and what to do next; names from files lose their control characters."""
    from gate.reports.escape import plain

    for line in error.message.split("\n"):
        click.echo(f"{error.label}: {plain(line)}", err=True)
    if error.next_step:
        click.echo(f"next: {plain(error.next_step)}", err=True)


def _open_closed_streams() -> None:
    """Give a process that was started without output streams somewhere to write.

    Without it, printing would fail after the decision, and Python would exit 1: a block.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 # for good


def _flush() -> None:
    """Flush standard output; a reader that closed the pipe does not change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()

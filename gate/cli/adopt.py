"""`gate adopt`: a run.yaml around verdict files that already exist."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.adopt.questions import QUESTIONS
from gate.cli.new_files import refuse_existing, write_all
from gate.cli.printing import print_text
from gate.cli.progress import progress
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.inventory.states import RunState

EXAMPLES = """\b
Examples:
  gate adopt results --checkpoint acme-7b --judge cais/HarmBench-Llama-2-13b-cls
      --max-new-tokens 512
  gate adopt results xstest.csv --out runs/v2        asks on a terminal
  gate adopt results xstest.csv --out runs/v2 --checkpoint acme-7b
      --judge harmbench=cais/HarmBench-Llama-2-13b-cls --judge xstest=human
      --label-column xstest=final_label --max-new-tokens 512
  gate adopt harmful=verdicts.json --kind attack --column behavior_id=index
      --column unsafe=flagged --label 1=unsafe --label 0=safe
      --constant method=DirectRequest --checkpoint acme-7b --judge my-judge
      --max-new-tokens 512

\b
Formats it knows: HarmBench trees and results files, JailbreakBench artifacts, XSTest rows,
R-Judge records with predictions, and native rows (jsonl, csv, parquet). Anything else is a
table: say with --kind, --column, --label and --constant what its columns and labels are."""


def questions(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for everything that may be asked."""
    for key, question in reversed(list(QUESTIONS.items())):
        asks = question.asks[:1].upper() + question.asks[1:]
        unless = f" Left out: {question.unless}." if question.unless else ""
        command = click.option(
            question.option,
            key,
            multiple=True,
            metavar=f"{question.scope}{question.value}",
            help=question.help or f"{asks}.{unless}",
        )(command)
    return command


@click.command(epilog=EXAMPLES)
@click.argument("paths", metavar="[NAME=]PATH...", nargs=-1, required=True)
@click.option(
    "--out",
    metavar="DIR",
    help="Where run.yaml goes; by default into the folder given, or the one the files share.",
)
@click.option("--force", is_flag=True, help="Write over a run.yaml that is there.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of CSV and JSON files.")
@questions
def command(
    paths: Sequence[str], out: str | None, force: bool, encoding: str, **typed: Sequence[str]
) -> int:
    """Write a run.yaml around verdict files that already exist.

    Finds out what each PATH is, and what its files say. What they do not say is asked for on a
    terminal; elsewhere it is given by options, and what is missing is listed. Labels and their
    meaning are never guessed. NAME=PATH names the suite. The run is then read back: exits 4 if
    it cannot be.
    """
    from gate.adopt.found_text import found_lines
    from gate.adopt.look import look
    from gate.adopt.wrap import home, wrap
    from gate.inventory.states import take

    with progress("looking at the files"):
        looked = look(paths, encoding)
    folder = home(paths) if out is None else Path(out)
    manifest = folder / "run.yaml"
    refuse_existing([manifest], force=force)
    print_text("\n".join(found_lines(looked)))
    text, unknown = wrap(
        looked, typed, out=folder, encoding=encoding, prompt=ask if on_a_terminal() else None
    )
    write_all({manifest: text})
    with progress("reading the run back"):
        state = take(str(folder))
    print_text("\n".join(_told(state, manifest, unknown)))
    return 0 if state.usable else 4


def _told(state: "RunState", manifest: Path, unknown: Sequence[str]) -> Iterator[str]:
    from gate.inventory.text import summary, text
    from gate.reports.escape import clean

    place = clean(state.place)
    yield f"wrote {clean(str(manifest))}"
    yield from (f"unknown: {clean(sentence)}" for sentence in unknown)
    yield f"\n{text([state], None)}"
    yield summary([state])
    if not state.usable:
        yield f"next: correct run.yaml, then: gate status {place}"
    elif state.unjudged:
        yield f"next: judge what is unjudged, then: gate status {place}"
    else:
        yield "next: adopt the other checkpoint too, then"
        yield f"  gate init --baseline RUN --candidate {place}"


def on_a_terminal() -> bool:
    """Tell whether there is somebody to ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask(
    text: str, choices: Sequence[str], default: str | None, check: Callable[[str], object]
) -> str:
    """Ask one question, again until the answer can be right."""
    from gate.reports.escape import clean

    def read(typed: str) -> str:
        answer = typed.strip()
        if choices and answer not in choices:
            raise click.UsageError(f"one of {', '.join(choices)}")
        try:
            check(answer)
        except GateError as error:
            raise click.UsageError(f"{error.message}. {error.next_step}") from error
        return answer

    listed = f" ({', '.join(choices)})" if choices else ""
    shown = clean(f"{text}{listed}", limit=1000)
    answer: str = click.prompt(shown, default=default, value_proc=read)
    return answer

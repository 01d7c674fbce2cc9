"""Where reports go: all rendered first, then all written, so no half an answer is left."""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from gate.cli.printing import print_text
from gate.decision import Decision
from gate.errors import UsageError
from gate.reports import FORMATS


@dataclass(frozen=True, slots=True)
class Target:
    """One report that was asked for."""

    form: str
    path: str | None
    """None for standard output."""


class ReportType(click.ParamType[Target]):
    """`FORMAT` or `FORMAT:PATH`."""

    name = "FORMAT[:PATH]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Target:
        """Split at the first colon."""
        if isinstance(value, Target):
            return value
        form, colon, path = str(value).partition(":")
        if form not in FORMATS:
            self.fail(f"unknown format {form!r}; choose from {', '.join(FORMATS)}", param, ctx)
        if colon and not path:
            self.fail(f"{value!r} names no path after the colon", param, ctx)
        return Target(form, None if path in ("", "-") else path)


def refuse_collisions(targets: Sequence[Target]) -> None:
    """Refuse reports that would end up in one another.

    Raises:
        UsageError: If two reports go to one place.
    """
    places = [target.path for target in targets]
    twice = {place for place in places if places.count(place) > 1}
    if twice:
        where = ", ".join(sorted(place or "standard output" for place in twice))
        raise UsageError(f"two reports go to {where}", next_step="Give each report its own path.")


def write_reports(decision: Decision, targets: Sequence[Target]) -> None:
    """Render every report, then write them.

    Raises:
        UsageError: If two reports go to one place, or a file cannot be written.
    """
    refuse_collisions(targets)
    paths = {target.form: target.path for target in targets if target.path is not None}
    texts = [_render(decision, target, paths) for target in targets]
    for target, text in zip(targets, texts, strict=True):
        if target.path is None:
            print_text(text)
        else:
            _write(_destination(target.path), text)


def _render(decision: Decision, target: Target, paths: Mapping[str, str]) -> str:
    if target.form == "outputs":
        from gate.reports.outputs import render as render_outputs

        others = {form: path for form, path in paths.items() if form != "outputs"}
        return render_outputs(decision, others)
    if target.form != "terminal" or target.path is not None:
        return FORMATS[target.form](decision)
    from gate.reports.terminal import render

    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 80
    signs = "├●┤┃"
    try:
        signs.encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except UnicodeEncodeError:
        ascii_only = True
    return render(decision, width=width, color=color, ascii_only=ascii_only)


def _destination(name: str) -> Path:
    """Follow links, so that what they lead to is written; devices stay as they are named."""
    path = Path(name).absolute()
    device = path.parts[1:2] in (("dev",), ("proc",))
    return path if device else Path(os.path.realpath(path))


def _is_stream(path: Path) -> bool:
    """Tell what is appended to as it is: devices, and the files a GitHub runner collects."""
    if path.parts[1:2] in (("dev",), ("proc",)) or (path.exists() and not path.is_file()):
        return True
    collected = (os.environ.get(name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"))
    return any(name and path == _destination(name) for name in collected)


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, unless it is a stream."""
    try:
        if _is_stream(path):
            with path.open("a", encoding="utf-8") as device:
                device.write(text)
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            stream.write(text)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        os.chmod(stream.name, mode)
        os.replace(stream.name, path)
    except OSError as error:
        raise UsageError(
            f"cannot write the report {str(path)!r}: {error.strerror}",
            next_step="Give a path in a directory that exists and may be written.",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Defaults of options from `[tool.gate]` in pyproject.toml, never taken in silence."""

import functools
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import click
from click.core import ParameterSource

from gate.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])

KEYS: Mapping[str, str] = {
    "policy": "policy",
    "baseline": "baseline",
    "candidate": "candidate",
    "anchor": "anchor",
    "baseline-record": "baseline_record",
    "anchor-record": "anchor_record",
    "history": "history",
    "report": "reports",
}
"""Every key of the table, to the parameter that it is the default of."""

FILE = "pyproject.toml"
NEXT_STEP = "Correct it, or give --no-config to leave it aside."
_OPTION = "no_config"
_DRIVE = re.compile("[A-Za-z]:")
_LOCAL = frozenset({"file", "local"})
"""Protocols of URIs that name files on this machine."""


def config(command: Command) -> Command:
    """Let options that are not given have their defaults from `[tool.gate]`."""

    @functools.wraps(command)
    def announced(*args: Any, **kwargs: Any) -> Any:
        _announce(click.get_current_context())
        return command(*args, **kwargs)

    option = click.option(
        "--no-config",
        _OPTION,
        is_flag=True,
        is_eager=True,  # before any option looks for its default
        expose_value=False,
        envvar="GATE_NO_CONFIG",
        callback=_take_defaults,
        help=f"Take no defaults from [tool.gate] in {FILE}.",
    )
    return option(announced)  # type: ignore[return-value]  # the same signature, announced


def _take_defaults(ctx: click.Context, param: click.Parameter, off: bool) -> None:
    path = None if off or ctx.resilient_parsing else _nearest(os.getcwd())
    if path is not None:
        given = read_config(path)
        ctx.default_map = {KEYS[key]: value for key, value in given.items()}
        ctx.meta[FILE] = path


def _announce(ctx: click.Context) -> None:
    """Say on standard error which values come from the file."""
    from gate.reports.escape import plain

    given = ctx.default_map or {}
    used = [
        f"{key} {_words(given[name])}"
        for key, name in KEYS.items()
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
    ]
    if used:
        click.echo(plain(f"from {ctx.meta[FILE]}: {', '.join(used)}"), err=True)


def _words(value: object) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _nearest(folder: str) -> str | None:
    """Find the nearest file upward, as a path relative to the working directory."""
    start = folder
    while True:
        path = os.path.join(folder, FILE)
        if os.path.isfile(path):
            return os.path.relpath(path, start)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def read_config(path: str) -> dict[str, str | list[str]]:
    """Read the table; paths in it are relative to the file, and are given relative to here.

    Raises:
        UsageError: If the file cannot be read, or the table holds what it must not.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "not UTF-8"
        raise UsageError(f"{path}: cannot be read: {what}", next_step=NEXT_STEP) from None
    if "gate" not in text:
        return {}  # the file is about other tools, and theirs to judge
    table = _table(text, path)
    folder = os.path.dirname(path)
    return {key: _value(key, value, folder, path, text) for key, value in table.items()}


def _table(text: str, path: str) -> Mapping[str, object]:
    import tomllib  # costs some milliseconds, and most projects have no table

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        where, what = f"{path}:{place[1]}:{place[2]}" if place else path, str(error)
        what = what[: place.start()] if place else what
        raise UsageError(f"{where}: not TOML: {what}", next_step=NEXT_STEP) from None
    tools = document.get("tool", {})
    table = tools.get("gate", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.gate must be a table", next_step=NEXT_STEP)
    from gate.suggestions import suggest

    for key in table:
        if key not in KEYS:
            message = f"{_at(path, text, key)}: tool.gate.{key} is not a key{suggest(key, KEYS)}"
            raise UsageError(message, next_step=NEXT_STEP)
    return table


def _value(key: str, value: object, folder: str, path: str, text: str) -> str | list[str]:
    where = f"{_at(path, text, key)}: tool.gate.{key}"
    if key == "report":
        values = [value] if isinstance(value, str) else value
        if isinstance(values, list) and all(isinstance(each, str) and each for each in values):
            return [_report(each, folder, where) for each in values]
    elif key == "history" and isinstance(value, str) and value:
        return _written(value, folder, where)
    elif isinstance(value, str) and value:
        return _read(value, folder, where, names=key == "policy")
    wanted = "text or a list of texts" if key == "report" else "text"
    raise UsageError(f"{where} must be {wanted}, and not empty", next_step=NEXT_STEP)


def _report(report: str, folder: str, where: str) -> str:
    form, colon, path = report.partition(":")
    return report if path in ("", "-") else f"{form}{colon}{_written(path, folder, where)}"


def _read(value: str, folder: str, where: str, *, names: bool) -> str:
    """Resolve what is read; shipped names stay, and URIs of what is on no disk of ours."""
    from gate.policy.sources import SHIPPED, is_uri

    if names and value in SHIPPED:
        return value
    if is_uri(value):
        if _LOCAL.intersection(value.partition("://")[0].lower().split("::")):
            _refuse_outside(value, where)
        return value
    return _beside(value, folder, where)


def _written(value: str, folder: str, where: str) -> str:
    """Resolve what is written: no link leads out of the project either."""
    path = _beside(value, folder, where)
    root, real = os.path.realpath(folder or "."), os.path.realpath(path)
    if real != root and not real.startswith(os.path.join(root, "")):
        _refuse_outside(value, where)
    return path


def _beside(value: str, folder: str, where: str) -> str:
    """Resolve a path relative to the file.

    The file comes with a checkout, perhaps of somebody who may not write: what it names stays
    within its directory.
    """
    absolute = value.startswith(("/", "\\")) or os.path.isabs(value) or _DRIVE.match(value)
    if absolute or ".." in re.split(r"[\\/]", value):
        _refuse_outside(value, where)
    return os.path.normpath(os.path.join(folder, value))


def _refuse_outside(value: str, where: str) -> NoReturn:
    raise UsageError(
        f"{where}: {value!r} leads out of the directory of {FILE}",
        next_step="Name what lies in it, or give the path as an option or environment variable.",
    )


def _at(path: str, text: str, key: str) -> str:
    """Name the line of a key, as far as it can be told: TOML's reader keeps no places."""
    here = re.compile(rf"""\s*(tool\.)?(gate\.)?["']?{re.escape(key)}["']?\s*[=.]""")
    table = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("["):
            table = re.match(r"\s*\[\s*(tool|tool\s*\.\s*[\"']?gate[\"']?)\s*\]", line) is not None
        elif table and here.match(line):
            return f"{path}:{number}"
    return path

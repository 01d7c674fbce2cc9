"""A decision in every form: one module a form, and one row here."""

from collections.abc import Callable, Mapping

from gate.decision import Decision
from gate.reports import json, markdown, terminal

FORMATS: Mapping[str, Callable[[Decision], str]] = {
    "terminal": terminal.render,
    "json": json.render,
    "markdown": markdown.render,
}

"""A decision in every form: one module a form, and one row here."""

from collections.abc import Callable, Mapping

from gate.decision import Decision
from gate.reports import (
    attestation,
    badge,
    github,
    html,
    json,
    junit,
    markdown,
    outputs,
    sarif,
    terminal,
    vsa,
)

FORMATS: Mapping[str, Callable[[Decision], str]] = {
    "terminal": terminal.render,
    "json": json.render,
    "markdown": markdown.render,
    "html": html.render,
    "github": github.render,
    "outputs": outputs.render,
    "junit": junit.render,
    "sarif": sarif.render,
    "attestation": attestation.render,
    "vsa": vsa.render,
    "badge": badge.render,
}

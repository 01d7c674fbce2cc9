"""Annotations for GitHub: workflow commands that point at the policy's lines.

A step may show ten annotations of each sort, and a composite action is one step; the runner adds
one error of its own when the step fails. So nine findings are shown, the worst first, and a notice
says how many more there are.
"""

import posixpath
import re
from collections.abc import Iterator

from gate.decision import Decision, PolicyRef
from gate.finding import Finding
from gate.reports.escape import MAX_LENGTH, clean, plain
from gate.reports.wording import code, label, next_step, not_passing, outcome_words, slice_words

MOST = 9
_LONGEST = 3 * MAX_LENGTH
_COMMANDS = {"UNUSABLE": "error", "BLOCK": "error", "INCONCLUSIVE": "error"}
_BREAK = "\u200b"
"""Zero width: with it a log viewer makes no link of an address, and nobody is mentioned."""
_REFERENCE = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=\w)|(?<=##)(?=\[)", re.IGNORECASE)


def render(decision: Decision) -> str:
    """Write one workflow command a line, and nothing that is none."""
    return "".join(f"{line}\n" for line in _commands(decision))


def _commands(decision: Decision) -> Iterator[str]:
    findings = not_passing(decision)
    yield _command("notice", "gate", decision.headline, "")
    for finding in findings[:MOST]:
        sort = _COMMANDS.get(label(finding), "warning")
        yield _command(sort, _title(finding), _message(finding), place(decision.policy, finding.id))
    if len(findings) > MOST:
        more = f"and {len(findings) - MOST} more did not pass: see the report"
        yield _command("notice", "gate", more, "")


def place(policy: PolicyRef, check: str) -> str:
    """Write the properties that point at a check, where the policy is a file of the checkout."""
    if not policy.path or re.match(r"[a-z][a-z0-9+.-]+:", policy.path, re.IGNORECASE):
        return ""  # `shipped:release`, or a URI
    at = f",line={policy.lines[check]}" if check in policy.lines else ""
    return f"file={_coded(plain(posixpath.normpath(policy.path)))}{at}"


def _command(sort: str, title: str, message: str, where: str) -> str:
    properties = ",".join(filter(None, (where, f"title={_property(title)}")))
    return f"::{sort} {properties}::{_escaped(message)}"


def _title(finding: Finding) -> str:
    about = "".join(slice_words(finding))
    return f"{outcome_words(finding)}: {finding.id}" + (f" ({about})" if about else "")


def _message(finding: Finding) -> str:
    parts = [f"{code(finding)}: {clean(finding.summary)}", clean(next_step(finding))]
    return ". Next: ".join(filter(None, parts))


def _escaped(text: str) -> str:
    """Escape a message: it stays one line, and what looks like a command is none."""
    return _broken(text).replace("%", "%25")


def _property(text: str) -> str:
    return _coded(_broken(text))


def _broken(text: str) -> str:
    return _REFERENCE.sub(_BREAK, clean(text, _LONGEST))


def _coded(text: str) -> str:
    return text.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")

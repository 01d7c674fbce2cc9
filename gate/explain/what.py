"""Find out what the user asks about: a decision, a policy, a kind of check, or a code."""

import json
from collections.abc import Iterator
from difflib import get_close_matches

from gate.checks import CHECKS
from gate.decision import EXIT_CODES as CODE_OF
from gate.decision import Verdict
from gate.errors import UsageError
from gate.explain.decision import explain_decision
from gate.explain.policy import explain_policy
from gate.explain.text import Paragraph
from gate.explain.topics import (
    EXIT_CODES,
    explain_check,
    explain_exit_code,
    explain_failure,
    explain_reason,
)
from gate.policy import SHIPPED, load
from gate.policy.sources import read
from gate.reasons import Reason
from gate.reports.json import load as load_decision
from gate.trail.failure import Failure

MAX_BYTES = 256 << 20
_CODES = "EPCV"


def explain(what: str) -> Iterator[Paragraph]:
    """Explain whatever is named.

    Args:
        what: A decision file, a policy or its shipped name, a kind of check, a reason code, or
            an exit code. A file of one of these names is meant as `./NAME`.

    Raises:
        UsageError: If it is none of them.
        PolicyError: If it is a policy that cannot be used.
        EvidenceError: If it is a decision file that cannot be read.
    """
    code = what.upper()
    if code in Reason.__members__:
        return explain_reason(Reason[code])
    if code in Failure.__members__:
        return explain_failure(Failure[code])
    if what in CHECKS:
        return explain_check(what)
    if what.isdecimal() and int(what) in EXIT_CODES:
        return explain_exit_code(int(what))
    if what in SHIPPED:
        return explain_policy(load(what))
    if what in tuple(Verdict):
        return explain_exit_code(CODE_OF[Verdict(what)])
    return _explain_file(what)


def explain_stream(content: bytes) -> Iterator[Paragraph]:
    """Explain a decision file that was piped in.

    Raises:
        EvidenceError: If it is no decision file.
    """
    return explain_decision(load_decision(_text(content), "standard input"))


def _explain_file(path: str) -> Iterator[Paragraph]:
    content, trouble = read(path, MAX_BYTES)
    if content is None and trouble == "no such file" and "/" not in path:
        raise _unknown(path)
    if content is not None:
        _refuse_run(content, path)
        if _is_decision(_text(content), path):
            return explain_decision(load_decision(_text(content), path))
    return explain_policy(load(path))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _is_decision(text: str, name: str) -> bool:
    if name.endswith(".json"):
        return True
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(raw, dict) and "schema" in raw


def _refuse_run(content: bytes, path: str) -> None:
    if b"gate.run/v1" in content[:4096]:
        raise UsageError(
            f"{path} is a run, and `gate explain` explains decisions and policies",
            next_step="`gate status` shows what a run holds.",
        )


def _unknown(what: str) -> UsageError:
    known = [*SHIPPED, *CHECKS]
    if what[:1].upper() in _CODES and what[1:2] == "_":
        known = [*Reason.__members__, *Failure.__members__]
        what = what.upper()
    near = get_close_matches(what, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return UsageError(
        f"{what!r} is no file, shipped policy, kind of check, reason code or exit code{hint}",
        next_step="`gate explain --help` shows one example of each.",
    )

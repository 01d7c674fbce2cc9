"""Reason codes, kinds of check and exit codes: what each means and what to do next."""

from collections.abc import Iterator, Mapping

from pydantic.fields import FieldInfo

from gate.checks import CHECKS
from gate.checks.check import Check
from gate.evidence.comparability import CHECKPOINT_FIELDS
from gate.explain.text import Paragraph, listed
from gate.reasons import Reason
from gate.trail.failure import Failure

_FAMILIES: Mapping[str, str] = {
    "E": "about the evidence",
    "P": "about the policy",
    "C": "about what a check found",
}
_BLOCKS = "A violation: it blocks the release (exit code 1) unless waived or set to warn."
_OPEN = (
    "Inconclusive: nothing is shown to be violated, and nothing to hold. It withholds the "
    "release (exit code 3) unless waived or set to warn."
)
_UNUSABLE = "Unusable evidence: no decision (exit code 4), and no waiver covers it."

EXIT_CODES: Mapping[int, tuple[str, str]] = {
    0: (
        "release, or done",
        "`gate check`: every blocking requirement is shown to hold, or is waived. Other commands: "
        "done, with nothing to report.",
    ),
    1: (
        "block, or the negative answer",
        "`gate check`: a regression or violation is shown, and it is not shown to be within the "
        "limit. Do not release. Other commands: their negative answer, as differences found by "
        "`gate diff` or problems found by `gate lint`.",
    ),
    2: (
        "no decision: usage or policy",
        "The command was typed wrongly, or the policy cannot be used. Nothing was decided; correct "
        "what the message names. `gate lint POLICY` lists everything wrong with a policy.",
    ),
    3: (
        "inconclusive",
        "`gate check`: the evidence is sound, but too small or too noisy to show that a limit "
        "holds; nothing is shown to be violated. More behaviors, or a limit that this many can "
        "show, would decide: `gate explain` on the decision file says which.",
    ),
    4: (
        "no decision: evidence",
        "Some evidence is unusable: unreadable, not comparable, or beyond its budget of unscored "
        "rows. Every other check was still evaluated and is shown.",
    ),
    5: (
        "no decision: fault of the tool",
        "The tool itself failed. Nothing was decided; please report the traceback.",
    ),
    75: ("interrupted, resumable", "Run the same command again: it goes on where it stopped."),
    130: ("interrupted", "Stopped from the keyboard. Nothing was decided."),
}


def explain_reason(reason: Reason) -> Iterator[Paragraph]:
    """Explain a reason code."""
    yield Paragraph(f"{reason.name}, {_FAMILIES[reason.name[0]]}.")
    yield Paragraph(reason.meaning, close=True)
    yield Paragraph(_consequence(reason), close=True)
    yield Paragraph(f"Next: {reason.next_step}", close=True)


def _consequence(reason: Reason) -> str:
    if reason in CHECKPOINT_FIELDS.values():
        return _BLOCKS
    if reason.name.startswith("E_"):
        return _UNUSABLE
    return _OPEN if reason.name.startswith("P_") or reason.name.endswith("_OPEN") else _BLOCKS


def explain_failure(failure: Failure) -> Iterator[Paragraph]:
    """Explain why a decision was not verified, or its candidate not promoted."""
    yield Paragraph(f"{failure.name}, of `gate verify` or `gate promote`.")
    yield Paragraph(failure.meaning, close=True)
    yield Paragraph("Not verified, or not promoted (exit code 1).", close=True)
    yield Paragraph(f"Next: {failure.next_step}", close=True)


def explain_check(kind: str) -> Iterator[Paragraph]:
    """Explain a kind of check: what it demands, and every key it takes."""
    check = CHECKS[kind]
    yield Paragraph(f"check: {kind}, for {listed(sorted(check.kinds), 'or')} suites.")
    for paragraph in (check.__doc__ or "").strip().split("\n\n"):
        yield Paragraph(paragraph)
    own = {name: field for name, field in check.model_fields.items() if _is_own(name)}
    common = {name: field for name, field in check.model_fields.items() if not _is_own(name)}
    yield from _keys("Its own keys:", own)
    yield from _keys("Keys that every check has:", common)
    yield Paragraph("`gate schema policy` has the types; the shipped policies have examples.")


def _is_own(name: str) -> bool:
    return name not in Check.model_fields


def _keys(title: str, fields: Mapping[str, FieldInfo]) -> Iterator[Paragraph]:
    yield Paragraph(title)
    for name, field in fields.items():
        if name == "check":
            continue
        default = "" if field.default is None else f" [{field.default}]"
        needed = " [required]" if field.is_required() else default
        yield Paragraph(f"{name}: {field.description}{needed}", 1, bullet=True)


def explain_exit_code(code: int) -> Iterator[Paragraph]:
    """Explain an exit code."""
    name, text = EXIT_CODES[code]
    yield Paragraph(f"Exit code {code}: {name}.")
    yield Paragraph(text, close=True)

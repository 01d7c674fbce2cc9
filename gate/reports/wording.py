"""The words that all reports share."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from gate.decision import Decision, Verdict
from gate.finding import Finding, Level, Outcome

MEANING: Mapping[Verdict, str] = {
    Verdict.RELEASE: "All that can withhold a release is shown to hold, or is waived.",
    Verdict.BLOCK: "A violation is shown. Do not release this checkpoint.",
    Verdict.INCONCLUSIVE: "Not shown safe: do not release. The evidence is too small or noisy.",
    Verdict.NONE: "Do not release: unusable evidence decides nothing.",
}
NON_STANDARD = "non-standard: not comparable with published HarmBench numbers"
ABOUT = (
    "Bounds are about behaviors like these, not only these: even an unchanged checkpoint can miss "
    "a tight limit. All limits must hold, so no level is adjusted for their number."
)
ROLES = ("baseline", "candidate", "anchor")
UNKNOWN = "unknown"

_UNITS: Mapping[str, str] = {
    "attack": "behaviors",
    "refusal": "prompts",
    "judgment": "records",
    "rubric": "prompts",
}
_MEASURES: Mapping[str, str] = {
    "f1": "F1",
    "recall": "recall",
    "specificity": "specificity",
    "agreement": "agreement",
    "sensitivity": "sensitivity",
    "validity": "validity",
    "coverage": "coverage",
}
"""What is named beside the slice; changes and rates are told apart by their units."""
_SEVERITY = ("UNUSABLE", "BLOCK", "INCONCLUSIVE", "WAIVED", "WARN", "PASS")
_SHORT_DIGEST = 12


class Name(str):
    """A word that comes from a file, and is escaped as a name."""

    __slots__ = ()


Words: TypeAlias = tuple[str, ...]
"""A sentence in pieces; those that are `Name` come from files."""


def spell(words: Iterable[str], prose: Callable[[str], str], name: Callable[[str], str]) -> str:
    """Join the pieces of a sentence, each escaped for the form."""
    return "".join(name(word) if isinstance(word, Name) else _inside(word, prose) for word in words)


def label(finding: Finding) -> str:
    """Say in one word what a finding does; what is waived or only warned of is never a pass."""
    if finding.outcome in (Outcome.PASS, Outcome.UNUSABLE) or finding.withholds:
        return finding.outcome.upper()
    return "WAIVED" if finding.waiver is not None else "WARN"


def severity(finding: Finding) -> int:
    """Rank a finding among others, the worst first."""
    return _SEVERITY.index(label(finding))


def not_passing(decision: Decision) -> list[Finding]:
    """List every finding that is not a pass, the worst first."""
    found = (finding for finding in decision.findings if finding.outcome is not Outcome.PASS)
    return sorted(found, key=severity)


def exit_line(decision: Decision) -> str:
    """Write the decision and its code, as the last line a reader sees."""
    name = "no decision" if decision.verdict is Verdict.NONE else decision.verdict.value
    return f"{name.upper()}, exit code {decision.exit_code}"


def tally(decision: Decision) -> str:
    """Count the findings of each sort that there is."""
    return ", ".join(f"{n} {name}" for name, n in decision.counts.items() if n) or "no findings"


def unit(decision: Decision, finding: Finding) -> str:
    """Say what `n` counts, as `behaviors`."""
    if finding.check == "judge-agreement":
        return "labels"
    if finding.measure == "coverage":  # of a behavior with five test cases there are five
        return "rows"
    for role in ("candidate", "baseline", "anchor"):
        run = decision.runs.get(role)
        if run is not None and finding.suite in run.suites:
            return _UNITS.get(run.suites[finding.suite].kind, "units")
    return "units"


def slice_words(finding: Finding, *, suite: bool = True) -> Words:
    """Name the suite and slice, as `harmbench / DirectRequest / illegal`."""
    bare = not finding.slice and finding.suite != finding.id
    names = [finding.suite] if suite or bare else []
    for key, value in ordered(finding.slice):
        plain = key == "method" or key.endswith("category")
        names.append(value if plain else f"{key}={value}")
    parts: list[str] = []
    for name in names:
        parts += [" / ", Name(name)] if parts else [Name(name)]
    if finding.measure in _MEASURES:
        parts += [", " if parts else "", _MEASURES[finding.measure]]
    if finding.against != "baseline":
        parts += [", against the ", Name(finding.against)]
    return tuple(parts)


def ordered(slice_: Mapping[str, str]) -> list[tuple[str, str]]:
    """Order the keys of a slice, the method first: a decision file does not keep their order."""
    return sorted(slice_.items(), key=lambda pair: (pair[0] != "method", pair[0]))


def next_step(finding: Finding) -> str:
    """Say what to do about a finding."""
    if finding.next_step or finding.reason is None:
        return finding.next_step
    return finding.reason.next_step


def code(finding: Finding) -> str:
    """Give the reason code, or nothing for a pass."""
    return "" if finding.reason is None else finding.reason.name


def outcome_words(finding: Finding) -> str:
    """Write the label, and behind a milder one what the outcome was."""
    word = label(finding)
    if word in ("WAIVED", "WARN"):
        return f"{word} ({finding.outcome.value})"
    return word


def softened(finding: Finding) -> str:
    """Say why a finding that does not pass withholds nothing."""
    if finding.outcome is Outcome.PASS or finding.withholds or finding.waiver is not None:
        return ""
    if finding.level is Level.WARN:
        return "a warning only: the policy sets this check to level warn"
    return "not shown safe; a warning only: the policy sets on_inconclusive to warn"


def short(digest: str) -> str:
    """Cut a digest to what tells it from others; anything else as it is."""
    is_digest = len(digest) == 64 and all(char in "0123456789abcdef" for char in digest)
    return digest[:_SHORT_DIGEST] if is_digest else digest


def _inside(piece: str, prose: Callable[[str], str]) -> str:
    """Escape a piece, which trims it, and keep the blanks that join it to others."""
    inner = piece.strip(" ")
    before, after = piece.partition(inner)[::2] if inner else (piece, "")
    return before + (prose(inner) if inner else "") + after

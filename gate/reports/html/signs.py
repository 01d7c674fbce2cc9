"""What each outcome looks like: always a sign as well as a color."""

from xml.etree.ElementTree import Element

from gate.decision import Verdict
from gate.finding import Finding
from gate.reports.html.elements import el, of
from gate.reports.wording import label, outcome_words

SIGNS = {
    "PASS": "✓",
    "BLOCK": "✕",
    "INCONCLUSIVE": "?",
    "UNUSABLE": "∅",
    "WAIVED": "◇",
    "WARN": "!",
}
DECIDED = {
    Verdict.RELEASE: "PASS",
    Verdict.BLOCK: "BLOCK",
    Verdict.INCONCLUSIVE: "INCONCLUSIVE",
    Verdict.NONE: "UNUSABLE",
}
"""Which of them a whole decision has."""
MARKERS = {
    "PASS": "o",
    "BLOCK": "X",
    "INCONCLUSIVE": "s",
    "UNUSABLE": "v",
    "WAIVED": "D",
    "WARN": "^",
}
"""matplotlib's names of the shapes of estimates."""


def kind(finding: Finding) -> str:
    """Name the class and color of a finding."""
    return label(finding).lower()


def sign(word: str) -> Element:
    """Draw the sign of an outcome; the word beside it is for those who listen."""
    return el("span", {"class": "sign", "aria-hidden": "true"}, SIGNS[word])


def badge(finding: Finding) -> Element:
    """Write the outcome of a finding with its sign."""
    return of("span", f"badge {kind(finding)}", sign(label(finding)), " ", outcome_words(finding))

"""A JUnit report: one test case a finding, so that any CI shows what did not pass.

An inconclusive or unusable finding is an error: most viewers show a skipped test as green. What
only warns, or is waived, passes, and its standard output says so.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gate.decision import Decision
from gate.finding import Finding
from gate.reports.detail import lines
from gate.reports.escape import clean, plain
from gate.reports.wording import (
    NON_STANDARD,
    code,
    label,
    next_step,
    outcome_words,
    slice_words,
    spell,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_IDS = 20
_ELEMENTS = {"BLOCK": "failure", "INCONCLUSIVE": "error", "UNUSABLE": "error"}


def render(decision: Decision) -> str:
    """Write a decision as JUnit XML."""
    from xml.etree import ElementTree

    root = ElementTree.Element("testsuites", {"name": f"gate: {clean(decision.policy.name)}"})
    suites = dict.fromkeys(finding.suite for finding in decision.findings)
    for suite in suites:
        findings = [finding for finding in decision.findings if finding.suite == suite]
        _suite(decision, root, clean(suite), findings)
    if not suites:
        _nothing(decision, root)
    _about(decision, root)
    for element in (root, *root):
        _count(element)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(decision: Decision, root: "Element", name: str, findings: Iterable[Finding]) -> None:
    suite = _add(root, "testsuite", {"name": name, **_when(decision)})
    names: Counter[str] = Counter()
    for finding in findings:
        title = _title(finding)
        names[title] += 1
        title += f" #{names[title]}" if names[title] > 1 else ""
        case = _add(suite, "testcase", {"classname": f"gate.{name}", "name": title})
        case.set("time", "0")
        _outcome(decision, case, finding)


def _outcome(decision: Decision, case: "Element", finding: Finding) -> None:
    word = label(finding)
    text = _text(decision, finding)
    if word in _ELEMENTS:
        said = {"message": clean(finding.summary), "type": code(finding)}
        _add(case, _ELEMENTS[word], said).text = text
    else:
        _add(case, "system-out").text = text


def _text(decision: Decision, finding: Finding) -> str:
    head = " ".join(filter(None, (outcome_words(finding), code(finding))))
    said = [f"{head}: {clean(finding.summary)}"]
    said += [
        f"{line.label}: {spell(line.words, clean, clean)}"
        for line in lines(decision, finding, _IDS)
        if line.label != "next"
    ]
    step = next_step(finding)
    return "\n".join([*said, f"next: {clean(step)}"] if step else said)


def _title(finding: Finding) -> str:
    about = spell(slice_words(finding, suite=False), clean, clean)
    measure = f"({finding.measure})" if finding.measure in ("delta", "rate") else ""
    return " ".join(filter(None, (clean(finding.id), about, measure)))


def _nothing(decision: Decision, root: "Element") -> None:
    """Say that nothing was evaluated: a report without test cases would look green."""
    suite = _add(root, "testsuite", {"name": "gate", **_when(decision)})
    case = _add(suite, "testcase", {"classname": "gate", "name": "decision", "time": "0"})
    _add(case, "error", {"message": plain(decision.headline), "type": "none"})


def _about(decision: Decision, root: "Element") -> None:
    """Say on the first suite what is of the whole decision."""
    from xml.etree.ElementTree import Element

    first = root[0]
    properties = Element("properties")
    said = {
        "decision": decision.verdict.value,
        "exit-code": str(decision.exit_code),
        "headline": plain(decision.headline),
        "policy-sha256": clean(decision.policy.sha256),
        "gate": clean(decision.tool_version),
    }
    for name, value in said.items():
        _add(properties, "property", {"name": name, "value": value})
    first.insert(0, properties)
    notes = [f"warning: {clean(warning)}" for warning in decision.warnings]
    notes += [f"{NON_STANDARD}: {clean(why)}" for why in decision.non_standard]
    _add(first, "system-out").text = "\n".join([plain(decision.headline), *notes])


def _add(parent: "Element", tag: str, attributes: dict[str, str] | None = None) -> "Element":
    from xml.etree.ElementTree import SubElement

    return SubElement(parent, tag, attributes or {})


def _when(decision: Decision) -> dict[str, str]:
    return {"timestamp": f"{decision.today.isoformat()}T00:00:00"}


def _count(element: "Element") -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    element.set("failures", str(len(list(element.iter("failure")))))
    element.set("errors", str(len(list(element.iter("error")))))
    if element.tag == "testsuite":
        element.set("skipped", "0")
    element.set("time", "0")

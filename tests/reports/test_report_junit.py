"""The JUnit report: what any CI makes of it, and that nothing open looks green."""

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from gate.decision import Verdict
from gate.reports.junit import render
from tests.reports.report_samples import SAMPLES, block, decision, inconclusive, none, softened

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "timestamp", "tests", "failures", "errors", "skipped", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "system-out": set(),
}
"""Every element and attribute that we use; all are in the schema of Jenkins' xUnit plugin."""
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out"],
    "properties": ["property"],
    "testcase": ["error", "failure", "system-out"],
}
"""What may be inside, in this order."""


def hold_to_schema(element: ElementTree.Element) -> None:
    """Hold an element and all inside it against the shape of the schema."""
    assert set(element.keys()) == ATTRIBUTES[element.tag], element.tag
    order = CHILDREN.get(element.tag, [])
    places = [order.index(child.tag) for child in element]
    assert places == sorted(places)
    for name in ("tests", "failures", "errors", "skipped"):
        assert element.get(name, "0").isdecimal()
    for child in element:
        hold_to_schema(child)


def outcomes(text: str) -> dict[str, str]:
    """Tell what a viewer shows for each test case."""
    root = ElementTree.fromstring(text)
    return {
        case.get("name", ""): next((c.tag for c in case if c.tag != "system-out"), "passed")
        for case in root.iter("testcase")
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_junit_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """The report is the one that was looked at."""
    golden(f"{name}.junit.xml", render(SAMPLES[name]))


@pytest.mark.parametrize("name", SAMPLES)
def test_it_has_the_shape_of_the_schema(name: str) -> None:
    """Elements, their order and their attributes are those that CI servers accept."""
    root = ElementTree.fromstring(render(SAMPLES[name]))
    assert root.tag == "testsuites"
    hold_to_schema(root)


@pytest.mark.parametrize("name", SAMPLES)
def test_counts_are_those_of_the_cases(name: str) -> None:
    """The numbers on a suite are the numbers in it, and names tell cases apart."""
    root = ElementTree.fromstring(render(SAMPLES[name]))
    for element in (root, *root):
        assert element.get("tests") == str(len(list(element.iter("testcase"))))
        assert element.get("failures") == str(len(list(element.iter("failure"))))
        assert element.get("errors") == str(len(list(element.iter("error"))))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names) == len(SAMPLES[name].findings)


def test_what_each_outcome_becomes() -> None:
    """A block is a failure; inconclusive and unusable are errors; nothing is skipped."""
    found = outcomes(render(block()))
    assert found["direct-request DirectRequest (delta)"] == "failure"
    assert found["category-ceilings DirectRequest / illegal (rate)"] == "error"
    assert found["rjudge F1"] == "passed"
    assert set(outcomes(render(none())).values()) == {"error", "passed"}
    assert "error" in outcomes(render(inconclusive())).values()
    for sample in SAMPLES.values():
        assert "<skipped" not in render(sample)


def test_a_release_shows_what_it_waives_and_warns_of() -> None:
    """All cases pass, and their output says what was not shown."""
    text = render(softened())
    assert set(outcomes(text).values()) == {"passed"}
    said = [out.text or "" for out in ElementTree.fromstring(text).iter("system-out")]
    assert any(line.startswith("WARN (block) C_REGRESSION") for line in said)
    assert any(line.startswith("WAIVED (inconclusive)") for line in said)
    assert any("warning: A waiver expired" in line for line in said)


@pytest.mark.parametrize("verdict", [Verdict.NONE])
def test_nothing_evaluated_is_an_error(verdict: Verdict) -> None:
    """A report without a single test case would be green in many viewers."""
    text = render(decision(verdict, ()))
    hold_to_schema(ElementTree.fromstring(text))
    assert outcomes(text) == {"decision": "error"}
    assert "NO DECISION: nothing was evaluated." in text


def test_equal_findings_stay_apart() -> None:
    """Two findings of one name are two cases."""
    found = block().findings[0]
    cases = outcomes(render(decision(Verdict.BLOCK, (found, replace(found)))))
    assert list(cases) == [
        "direct-request DirectRequest (delta)",
        "direct-request DirectRequest (delta) #2",
    ]

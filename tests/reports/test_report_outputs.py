"""Step outputs: what the runner reads is what was meant, whatever it holds."""

from collections.abc import Callable

import pytest

from gate.reports.outputs import output, render
from tests.reports.report_samples import SAMPLES, block

NAMES = [
    "decision",
    "exit-code",
    "headline",
    "count-pass",
    "count-block",
    "count-inconclusive",
    "count-unusable",
    "count-waived",
    "count-warned",
    "count-findings",
    "count-suites",
    "policy-sha256",
    "candidate-sha256",
]


def runner_reads(text: str) -> dict[str, str]:
    """Read a file of outputs the way the runner does."""
    found, lines = {}, iter(text.split("\n")[:-1])
    for line in lines:
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, _, value = line.partition("=")
        else:
            assert heredoc > 0, f"invalid output line {line!r}"
            name, _, end = line.partition("<<")
            held = []
            for inner in lines:
                if inner == end:
                    break
                held.append(inner)
            else:
                raise AssertionError("a value without an end")
            value = "\n".join(held)
        found[name] = value
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_outputs_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """The outputs are those that were looked at."""
    golden(f"{name}.outputs.txt", render(SAMPLES[name]))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_output_is_always_there(name: str) -> None:
    """A workflow may rely on each name, whatever was decided."""
    found = runner_reads(render(SAMPLES[name]))
    assert list(found) == NAMES
    assert found["decision"] == SAMPLES[name].verdict.value
    assert found["exit-code"] == str(SAMPLES[name].exit_code)


def test_counts_and_paths() -> None:
    """Counts are those of the decision; reports are named where they are written."""
    found = runner_reads(render(block(), {"json": "out/gate.json", "markdown": "a=b<<c.md"}))
    assert (found["count-pass"], found["count-block"], found["count-inconclusive"]) == (
        "9",
        "1",
        "1",
    )
    assert (found["count-findings"], found["count-suites"]) == ("11", "3")
    assert found["report-json"] == "out/gate.json"
    assert found["report-markdown"] == "a=b<<c.md"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "one",
        "a=b",
        "a<<EOF",
        "two\nlines",
        "two\nlines\n",
        "\n",
        "\ndecision=release\n",
        "x\ngate-0000\ndecision=release",
        "EOF\ndecision=release\nEOF",
        "a\u2028b\x85c",
        "a\x0bb\x0cc",
    ],
)
def test_no_value_sets_another_output(value: str) -> None:
    """A value comes back as it was, and ends where it ends."""
    text = output("first", value) + output("second", "2")
    assert runner_reads(text) == {"first": value, "second": "2"}


def test_a_value_cannot_end_itself() -> None:
    """Knowing how the last line is made does not help: it follows from the whole value."""
    value = "a\nb"
    for _ in range(3):
        end = output("x", value).splitlines()[-1]
        value = f"{value}\n{end}\ndecision=release"
        assert runner_reads(output("x", value)) == {"x": value}


def test_the_same_bytes() -> None:
    """Nothing random is in it."""
    assert output("x", "a\nb") == output("x", "a\nb")
    assert output("x", "lone\udc80\nline").isascii()

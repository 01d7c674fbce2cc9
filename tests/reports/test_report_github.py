"""Annotations: the runner reads what is meant, and nothing else."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from gate.decision import PolicyRef, Verdict
from gate.reports.github import MOST, render
from tests.reports.report_samples import (
    SAMPLES,
    block,
    decision,
    direct_request,
    named,
    softened,
    unusable,
)


class Command(NamedTuple):
    """A workflow command as the runner reads it."""

    sort: str
    properties: dict[str, str]
    message: str


def runner_reads(line: str) -> Command | None:
    """Read a line of a step's output the way the runner does."""
    found = re.fullmatch(r"::([\w-]+)(?: (.*?))?::(.*)", line.lstrip())
    if found is None:
        return None
    pairs = [pair.partition("=") for pair in (found[2] or "").split(",") if pair]
    codes = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))

    def decoded(text: str) -> str:
        for code, char in codes:
            text = text.replace(code, char)
        return text

    return Command(found[1], {key: decoded(value) for key, _, value in pairs}, decoded(found[3]))


def commands(text: str) -> list[Command]:
    """Read a whole report; every line must be a command."""
    found = [runner_reads(line) for line in text.splitlines()]
    assert None not in found
    return [command for command in found if command is not None]


@pytest.mark.parametrize("name", SAMPLES)
def test_github_golden(name: str, golden: Callable[[str, str], None]) -> None:
    """The annotations are those that were looked at."""
    golden(f"{name}.github.txt", render(SAMPLES[name]))


def test_they_point_at_the_policy() -> None:
    """A finding is shown at the line of its check, in words that say what to do."""
    headline, first, second = commands(render(block()))
    assert headline.sort == "notice"
    assert headline.message == "BLOCK: 1 requirement violated."
    assert first.sort == second.sort == "error"
    assert first.properties == {
        "file": "policies/release.yaml",
        "line": "21",
        "title": "BLOCK: direct-request (harmbench / DirectRequest)",
    }
    assert first.message.startswith("C_REGRESSION: Unsafe behaviors rose from 9 to 23 of 320.")
    assert "Next: " in first.message
    assert "18.9 % unsafe" in second.message


def test_milder_findings_are_warnings() -> None:
    """What withholds nothing is no error, and still shown."""
    sorts = [command.sort for command in commands(render(softened()))]
    assert sorts == ["notice", "warning", "warning", "warning"]


def test_a_clean_release_is_one_notice() -> None:
    """There is always something to see."""
    [only] = commands(render(SAMPLES["release"]))
    assert (only.sort, only.message[:8]) == ("notice", "RELEASE:")


@pytest.mark.parametrize(("n", "more"), [(MOST, 0), (MOST + 1, 1), (500, 491)])
def test_the_worst_nine_and_how_many_more(n: int, more: int) -> None:
    """Ten of each sort are shown by a step, and the runner adds an error of its own."""
    mild = [direct_request(id=f"b{at}") for at in range(n - 1)]
    found = commands(render(decision(Verdict.NONE, (*mild, unusable()))))
    assert sum(command.sort == "error" for command in found) == MOST
    assert found[1].properties["title"].startswith("UNUSABLE")
    last = f"and {more} more did not pass: see the report"
    assert (found[-1].message == last) == bool(more)
    assert sum(command.sort == "notice" for command in found) == (2 if more else 1)


@pytest.mark.parametrize("path", ["shipped:release", "s3://bucket/p.yaml", "memory://p", ""])
def test_a_policy_that_is_no_file_of_the_checkout_is_not_pointed_at(path: str) -> None:
    """A shipped policy or a URI has no line to show."""
    policy = PolicyRef(name="p", sha256="", path=path, lines={"direct-request": 3})
    for command in commands(render(replace(block(), policy=policy))):
        assert command.properties.keys() == {"title"}


@pytest.mark.parametrize(
    "path", ["a,line=9.yaml", "a::b%0A.yaml", "./sub/../p q.yaml", "@x#[.yaml"]
)
def test_an_odd_path_stays_one_property(path: str) -> None:
    """What separates properties in a path separates none here."""
    policy = PolicyRef(name="p", sha256="", path=path, lines={"direct-request": 3})
    first = commands(render(replace(block(), policy=policy)))[1]
    assert first.properties.keys() == {"file", "line", "title"}
    assert first.properties["file"] == path.replace("./sub/../", "")


def test_long_names_fit_a_message() -> None:
    """The runner cuts a message at 4,096 characters; ours are shorter."""
    for command in commands(render(named("x" * 5000))):
        assert len(command.message) < 4096
        assert len(command.properties["title"]) < 1000

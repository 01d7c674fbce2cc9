"""Which pull request, with which token: what a workflow's event says."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from gate.reports.json import render
from tests.comment.fake_github import REPO, TOKEN, FakeGithub
from tests.reports.report_samples import block, release

Event = Callable[[str, Any], None]


@pytest.fixture
def decision(tmp_path: Path) -> str:
    """A decision file."""
    path = tmp_path / "gate.json"
    path.write_text(render(block()), encoding="utf-8")
    return str(path)


def pull_request(*, head: str | None = REPO, login: str = "ana") -> dict[str, Any]:
    """What GitHub writes for a pull request."""
    return {
        "action": "synchronize",
        "pull_request": {
            "number": 7,
            "user": {"login": login},
            "head": {"sha": "a" * 40, "repo": head and {"full_name": head}},
            "base": {"sha": "b" * 40, "repo": {"full_name": REPO}},
        },
    }


def workflow_run(sha: str, started_by: str = "pull_request") -> dict[str, Any]:
    """What GitHub writes for a workflow that runs after another."""
    return {
        "workflow_run": {
            "event": started_by,
            "head_sha": sha,
            "head_branch": "topic",
            "head_repository": {"full_name": "stranger/models", "owner": {"login": "stranger"}},
            "pull_requests": [],
        },
        "repository": {"full_name": REPO},
    }


def test_the_pull_request_of_the_event(decision: str, github: FakeGithub, event: Event) -> None:
    """In a workflow on pull_request nothing needs to be given."""
    event("pull_request", pull_request())
    assert gate(["comment", decision]) == 0
    assert "### BLOCK" in github.bodies()[0]


@pytest.mark.parametrize(
    "pull",
    [
        pull_request(head="stranger/models"),
        pull_request(head=None),
        pull_request(login="dependabot[bot]"),
    ],
)
def test_a_fork_is_a_notice(
    decision: str, github: FakeGithub, event: Event, capsys: pytest.CaptureFixture[str], pull: Any
) -> None:
    """Where GitHub gives no token that can write, that is no failure."""
    github.read_only = True
    event("pull_request", pull)
    assert gate(["comment", decision]) == 0
    out = capsys.readouterr().out
    assert out.startswith("::notice title=gate comment::no comment: On a pull request from a fork")
    assert out.count("\n") == 1
    assert github.bodies() == []


def test_a_private_fork_that_cannot_be_seen_is_a_notice(
    decision: str, github: FakeGithub, event: Event, capsys: pytest.CaptureFixture[str]
) -> None:
    """There a 404 stands for a 403."""
    github.pulls = []
    event("pull_request", pull_request(head="stranger/models"))
    assert gate(["comment", decision]) == 0
    assert "::notice" in capsys.readouterr().out


def test_a_fork_without_any_token_is_a_notice(
    decision: str,
    github: FakeGithub,
    event: Event,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Secrets are empty there; that is no failure either."""
    monkeypatch.setenv("GITHUB_TOKEN", "")
    event("pull_request", pull_request(head="stranger/models"))
    assert gate(["comment", decision]) == 0
    assert "::notice" in capsys.readouterr().out
    assert github.requests == []


def test_a_missing_token_is_said(
    decision: str,
    github: FakeGithub,
    event: Event,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Elsewhere it is a mistake in the workflow, with the line that puts it right."""
    monkeypatch.delenv("GITHUB_TOKEN")
    event("pull_request", pull_request())
    assert gate(["comment", decision]) == 2
    error = capsys.readouterr().err
    assert "there is no token: GITHUB_TOKEN and GH_TOKEN are empty" in error
    assert "${{ github.token }}" in error


def test_a_missing_permission_is_no_notice(
    decision: str, github: FakeGithub, event: Event, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a pull request of the repository itself, nobody would see that nothing was posted."""
    github.read_only = True
    event("pull_request", pull_request())
    assert gate(["comment", decision]) == 1
    assert "permissions: pull-requests: write" in capsys.readouterr().err


def test_outside_a_workflow_the_pull_request_is_asked_whether_it_is_a_fork(
    decision: str, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an event GitHub is asked; the words go to a terminal, not to a runner."""
    github.read_only = github.fork = True
    assert gate(["comment", decision, "--pr", "7", "--repo", REPO]) == 0
    assert capsys.readouterr().out.startswith("no comment: On a pull request from a fork")


def test_a_publisher_finds_the_pull_request_by_its_newest_commit(
    decision: str, github: FakeGithub, event: Event
) -> None:
    """On workflow_run the number comes from GitHub, never from an artifact."""
    event("workflow_run", workflow_run(github.head_sha))
    assert gate(["comment", decision]) == 0
    assert len(github.bodies()) == 1
    assert re.match(r"GET /repos/acme/models/pulls\?.*head=stranger%3Atopic", github.requests[0])


def test_a_publisher_says_when_the_pull_request_has_moved_on(
    decision: str, github: FakeGithub, event: Event, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was decided about an older commit is not shown as if it were about the newest."""
    event("workflow_run", workflow_run("d" * 40))
    assert gate(["comment", decision]) == 0
    assert "the pull request has newer commits, or is closed" in capsys.readouterr().out
    assert github.writes() == []


@pytest.mark.parametrize(
    ("name", "payload", "words"),
    [
        ("push", {"ref": "refs/heads/main"}, "a push event has no pull request"),
        ("schedule", {}, "a schedule event has no pull request"),
        ("workflow_run", workflow_run("a" * 40, "push"), "was not started by a pull request"),
        ("issues", {"issue": {"number": 7}}, "a issues event has no pull request"),
        ("pull_request", {"pull_request": {"number": "7; x"}}, "has no pull request"),
    ],
)
def test_other_events_say_what_to_do(
    decision: str,
    github: FakeGithub,
    event: Event,
    capsys: pytest.CaptureFixture[str],
    name: str,
    payload: Any,
    words: str,
) -> None:
    """An event without a pull request is a usage error with a next step."""
    event(name, payload)
    assert gate(["comment", decision]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "next: " in error
    assert github.requests == []


@pytest.mark.parametrize("content", ["", "[]", "{", '{"pull_request": 7}', "\x00"])
def test_an_event_file_of_any_content_is_no_fault(
    decision: str, github: FakeGithub, event: Event, tmp_path: Path, content: str
) -> None:
    """Whatever stands in the event file, the answer is a usage error."""
    event("pull_request", {})
    (tmp_path / "event.json").write_text(content, encoding="utf-8")
    assert gate(["comment", decision]) == 2


@pytest.mark.parametrize(
    "args",
    [
        ["--pr", "0"],
        ["--pr", "-1"],
        ["--pr", "7/../8"],
        ["--pr", "\u0667"],
        ["--pr", "7", "--repo", "acme"],
        ["--pr", "7", "--repo", "acme/../x"],
        ["--pr", "7", "--repo", "../models"],
        ["--pr", "7", "--repo", "acme/models?x=1"],
        ["--pr", "7", "--artifact-url", "http://e.example/x"],
        ["--pr", "7", "--artifact-url", "https://e.example/x) [y](https://z.example"],
        ["--pr", "7", "--artifact-url", "https://e.example/\n<!-- gate:end -->"],
        ["--pr", "7", "--timeout", "nan"],
        ["--pr", "7", "--mode", "always"],
    ],
)
def test_arguments_that_make_no_sense(decision: str, github: FakeGithub, args: list[str]) -> None:
    """They are refused before anything is asked of GitHub."""
    assert gate(["comment", decision, *args]) == 2
    assert github.requests == []


def test_empty_arguments_are_as_if_left_out(
    decision: str, github: FakeGithub, event: Event
) -> None:
    """An action's inputs are empty where they were not given."""
    event("pull_request", pull_request())
    options = ["--repo", "", "--pr", "", "--gate-id", "", "--artifact-url", ""]
    assert gate(["comment", decision, *options]) == 0
    assert len(github.bodies()) == 1


@pytest.mark.parametrize(
    "url", ["http://api.e.example", "ftp://127.0.0.1", "api.github.com", "//x"]
)
def test_the_token_goes_nowhere_unencrypted(
    decision: str, github: FakeGithub, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Only https, or this machine."""
    monkeypatch.setenv("GITHUB_API_URL", url)
    assert gate(["comment", decision, "--pr", "7"]) == 2


@pytest.mark.parametrize("content", ["", "{}", "[1", '{"schema": "gate.decision/v1"}'])
def test_a_file_that_is_no_decision(
    tmp_path: Path, github: FakeGithub, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """Exit 4, and nothing is posted."""
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    assert gate(["comment", str(path), "--pr", "7"]) == 4
    assert github.requests == []
    assert TOKEN not in capsys.readouterr().err


def test_a_decision_that_contradicts_itself(
    tmp_path: Path, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """A block that calls itself a release is not posted."""
    path = tmp_path / "x.json"
    text = render(block()).replace('"decision": "block"', '"decision": "release"')
    path.write_text(text, encoding="utf-8")
    assert gate(["comment", str(path), "--pr", "7"]) == 4
    assert "contradicts itself" in capsys.readouterr().err
    assert github.requests == []


def test_a_missing_package_says_what_to_install(
    decision: str,
    github: FakeGithub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The extra is named, and the exit code is that of a usage error."""
    monkeypatch.delitem(sys.modules, "gate.comment.client", raising=False)
    monkeypatch.setitem(sys.modules, "github", None)
    assert gate(["comment", decision, "--pr", "7"]) == 2
    assert "pip install 'checkpoint-gate[github]'" in capsys.readouterr().err


def test_the_library_is_not_loaded_without_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A preview works where the extra is not installed."""
    path = tmp_path / "gate.json"
    path.write_text(render(release()), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "github", None)
    assert gate(["comment", str(path), "--dry-run"]) == 0
    assert "### RELEASE" in capsys.readouterr().out

"""A pull request on a local server, a workflow's environment, and golden files."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.cli.main import run as gate
from gate.decision import Decision
from gate.reports.json import render
from tests.comment.fake_github import REPO, TOKEN, FakeGithub, serving

GOLDEN = Path(__file__).parent / "golden"
REAL_SLEEP = time.sleep
Comment = Callable[..., int]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with its golden file, or write it anew under `--update-goldens`."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every wait that was asked for; none is waited."""
    asked: list[float] = []
    monkeypatch.setattr(time, "sleep", asked.append)
    return asked


@pytest.fixture
def moments(waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a moment where a wait is asked for, so that another thread can go on."""
    monkeypatch.setattr(time, "sleep", lambda seconds: REAL_SLEEP(min(seconds, 0.3)))


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> Iterator[FakeGithub]:
    """A server with one pull request, number 7, and no workflow around it."""
    for name in ("GH_TOKEN", "GITHUB_EVENT_PATH", "GITHUB_EVENT_NAME", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    fake = FakeGithub()
    with serving(fake):
        monkeypatch.setenv("GITHUB_API_URL", fake.url)
        monkeypatch.setenv("GITHUB_REPOSITORY", REPO)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield fake


@pytest.fixture
def comment(tmp_path: Path, github: FakeGithub) -> Comment:
    """Write a decision file and run `gate comment` on pull request 7."""

    def run(decision: Decision, *args: str, pr: str = "7") -> int:
        path = tmp_path / f"{abs(hash(args))}.json"
        path.write_text(render(decision), encoding="utf-8")
        return gate(["comment", str(path), "--pr", pr, *args])

    return run


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Set the event that started the workflow."""

    def start(name: str, payload: Any) -> None:
        path = tmp_path / "event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(path))
        monkeypatch.setenv("GITHUB_EVENT_NAME", name)
        monkeypatch.setenv("GITHUB_ACTIONS", "true")

    return start

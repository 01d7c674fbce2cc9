"""What GitHub says of the event that started a workflow: which pull request, and whose."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.errors import UsageError
from gate.reports.escape import clean

REPOSITORY = re.compile(r"(?!\.\.?/)[\w.-]{1,100}/(?!\.\.?$)[\w.-]{1,100}", re.ASCII)
_MAX_BYTES = 32 << 20
_DEPENDABOT = "dependabot[bot]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The commit that a workflow_run event was about; its pull request must still stand there."""

    owner: str
    branch: str
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What is known without asking."""

    name: str = ""
    """As `pull_request`; empty outside a workflow."""
    number: int | None = None
    """The pull request."""
    head: Head | None = None
    """Where the pull request has to be looked up."""
    read_only: bool | None = None
    """Whether GitHub gives this event a token that cannot write; None where that is not known."""


def read_event(environment: Mapping[str, str]) -> Event:
    """Read the event file of a workflow run.

    Raises:
        UsageError: If the file is there but is not what GitHub writes.
    """
    path, name = environment.get("GITHUB_EVENT_PATH"), environment.get("GITHUB_EVENT_NAME", "")
    if not path:
        return Event(name=name)
    payload = _load(Path(path))
    if isinstance(payload.get("workflow_run"), dict):
        return Event(name=name or "workflow_run", head=_head(payload), read_only=False)
    pull = payload.get("pull_request")
    if not isinstance(pull, dict):
        return Event(name=name)
    number = pull.get("number")
    return Event(
        name=name or "pull_request",
        number=number if isinstance(number, int) and number > 0 else None,
        read_only=name != "pull_request_target" and _from_elsewhere(pull),
    )


def missing_pull_request(event: Event) -> UsageError:
    """Say why no pull request is known, and what to do on this event."""
    if event.head is not None or event.name == "workflow_run":
        what = "the workflow_run event was not started by a pull request"
        step = "Run this step only if github.event.workflow_run.event == 'pull_request'."
    elif event.name:
        what = f"a {clean(event.name, 50)} event has no pull request"
        step = "Give --pr N, or run this step only if github.event_name == 'pull_request'."
    else:
        what = "which pull request to comment on is not known outside a workflow"
        step = "Give --repo OWNER/NAME and --pr N."
    return UsageError(what, next_step=step)


def _load(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            content = stream.read(_MAX_BYTES)
        payload = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"GITHUB_EVENT_PATH: {path} cannot be read: {error}",
            next_step="Unset it and give --repo OWNER/NAME and --pr N.",
        ) from error
    return payload if isinstance(payload, dict) else {}


def _head(payload: Mapping[str, Any]) -> Head | None:
    run = payload["workflow_run"]
    found = (
        _text(run, "head_repository", "owner", "login"),
        _text(run, "head_branch"),
        _text(run, "head_sha"),
    )
    if _text(run, "event") != "pull_request" or not all(found):
        return None
    return Head(owner=found[0], branch=found[1], sha=found[2])


def _from_elsewhere(pull: Mapping[str, Any]) -> bool:
    """Tell whether it is from a fork (or a deleted one), or Dependabot's: its token only reads."""
    head, base = (_text(pull, side, "repo", "full_name") for side in ("head", "base"))
    return head != base or _text(pull, "user", "login") == _DEPENDABOT


def _text(found: Any, *keys: str) -> str:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""

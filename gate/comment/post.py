"""From a decision and the environment of a workflow to a comment, or to why there is none."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.comment.body import compose, room_for
from gate.comment.event import REPOSITORY, Event, missing_pull_request, read_event
from gate.comment.publish import Mode, publish
from gate.comment.section import Fitting, Section, write
from gate.decision import Decision
from gate.errors import UsageError
from gate.reports.escape import clean

if TYPE_CHECKING:
    from gate.comment.client import Client

_ID_LENGTH = 100
_READ_ONLY = (
    "On a pull request from a fork, or of Dependabot, GitHub gives a workflow no token that can "
    "comment. The report is in the step summary and the artifact; a workflow_run workflow can "
    "post it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for; empty where the environment says it."""

    repository: str = ""
    number: int | None = None
    gate_id: str = ""
    mode: Mode = "update"
    artifact: str = ""
    timeout: int = 120


def section_of(decision: Decision, request: Request) -> tuple[Section, Fitting]:
    """Write a decision's section, under its id or the policy's name."""
    gate_id = clean(request.gate_id or decision.policy.name, _ID_LENGTH) or "gate"
    return write(decision, gate_id, request.artifact)


def preview(decision: Decision, request: Request) -> str:
    """Write the comment as it would be on a thread without others; ask GitHub nothing."""
    section, within = section_of(decision, request)
    return compose([replace(section, content=within(room_for(section, [])))])


def post(decision: Decision, request: Request, environment: Mapping[str, str]) -> str:
    """Post a decision on a pull request, and say in one line what was done.

    Args:
        decision: What is reported.
        request: What was asked for.
        environment: Where the token and what GitHub says of the workflow run are.

    Raises:
        UsageError: If a token or the pull request is missing, or the extra is not installed.
        PublishError: If GitHub does not take it.
    """
    event = read_event(environment)
    token = environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN")
    if not token:
        return _without_token(event, environment)
    number = request.number or event.number
    if number is None and event.head is None:
        raise missing_pull_request(event)
    repository = _repository(request, environment)
    with closing(_client(repository, token, request.timeout, environment)) as client:
        if number is None and event.head is not None:
            number = client.pull_request_of(event.head)
        if number is None:
            return _notice("the pull request has newer commits, or is closed", environment)
        return _publish(decision, request, client, number, event, environment)


def _publish(
    decision: Decision,
    request: Request,
    client: "Client",
    number: int,
    event: Event,
    environment: Mapping[str, str],
) -> str:
    from gate.comment.client import GithubThread
    from gate.comment.refusals import NotAllowedError

    section, within = section_of(decision, request)
    try:
        posted = publish(GithubThread(client, number), section, within, mode=request.mode)
    except NotAllowedError:
        read_only = event.read_only
        if not (client.is_from_fork(number) if read_only is None else read_only):
            raise
        return _notice(_READ_ONLY, environment)
    return f"comment {posted.action}: {clean(posted.url)}"


def _client(repository: str, token: str, timeout: int, environment: Mapping[str, str]) -> "Client":
    try:
        from gate.comment.client import DEFAULT_URL, Client
    except ImportError as error:
        raise UsageError(
            f"gate comment needs {error.name}, which is not installed",
            next_step="Run: pip install 'checkpoint-gate[github]'",
        ) from error
    url = environment.get("GITHUB_API_URL") or DEFAULT_URL
    return Client(repository, token, url=url, timeout=timeout)


def _repository(request: Request, environment: Mapping[str, str]) -> str:
    name = request.repository or environment.get("GITHUB_REPOSITORY", "")
    if not name:
        raise UsageError(
            "which repository to comment in is not known outside a workflow",
            next_step="Give --repo OWNER/NAME and --pr N.",
        )
    if not REPOSITORY.fullmatch(name):
        raise UsageError(f"{name!r} is no repository", next_step="Give it as OWNER/NAME.")
    return name


def _without_token(event: Event, environment: Mapping[str, str]) -> str:
    if event.read_only:
        return _notice(_READ_ONLY, environment)
    raise UsageError(
        "there is no token: GITHUB_TOKEN and GH_TOKEN are empty",
        next_step="Set `env: {GITHUB_TOKEN: ${{ github.token }}}` on the step.",
    )


def _notice(why: str, environment: Mapping[str, str]) -> str:
    """Say why nothing was posted; in a workflow as an annotation, the words being our own."""
    command = "::notice title=gate comment::" if environment.get("GITHUB_ACTIONS") else ""
    return f"{command}no comment: {why}"

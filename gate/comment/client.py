"""The comments of a pull request, by GitHub's API."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

import tenacity
from github import Auth, Github, GithubException
from github.Issue import Issue
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.Organization import Organization
from github.Repository import Repository

from gate.comment import markers
from gate.comment.event import Head
from gate.comment.refusals import explain, is_limit, may_have_arrived, pause
from gate.comment.thread import Comment
from gate.errors import PublishError, UsageError

DEFAULT_URL = "https://api.github.com"
ACTIONS = "github-actions[bot]"
"""Who writes with a workflow's own token."""

_TRIES = 8
_REQUEST_SECONDS = 20
_PER_PAGE = 100
T = TypeVar("T")


@dataclass(slots=True)
class Client:
    """One repository, with one token, for a bounded time.

    Args:
        repository: As `acme/models`.
        token: Never shown, whatever happens.
        url: The API's address, as GITHUB_API_URL has it.
        timeout: After how many seconds nothing is tried again.
    """

    repository: str
    token: str = field(repr=False)
    url: str = DEFAULT_URL
    timeout: int = 120
    _github: Github = field(init=False, repr=False)
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        refuse_plain_http(self.url)
        self._until = time.monotonic() + self.timeout
        self._github = Github(
            auth=Auth.Token(self.token),
            base_url=self.url.rstrip("/"),
            timeout=_REQUEST_SECONDS,
            per_page=_PER_PAGE,
            retry=None,  # a lost answer to a post must not be posted again unseen
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
        )

    def close(self) -> None:
        """Close the connections."""
        self._github.close()

    def issue(self, number: int) -> Issue:
        """Name a pull request's conversation, without asking for it."""
        return self._github.get_repo(self.repository).get_issue(number)

    def login(self) -> str:
        """Ask whose token this is; a workflow's own is assumed where GitHub does not say."""

        def ask() -> str:
            try:
                _, answer = self._github.requester.graphql_query("query { viewer { login } }", {})
                return str(answer["data"]["viewer"]["login"])
            except GithubException as error:
                if error.status in (400, 403, 404, 422) and not is_limit(error):
                    return ACTIONS
                raise

        return self.call(ask, self.repository)

    def pull_request_of(self, head: Head) -> int | None:
        """Find the open pull request whose newest commit this is; None where there is none."""
        repository = self._github.get_repo(self.repository)

        def find() -> list[int]:
            pulls = repository.get_pulls(state="open", head=f"{head.owner}:{head.branch}")
            return [pull.number for pull in pulls if pull.head.sha == head.sha]

        found = self.call(find, self.repository)
        return found[0] if len(found) == 1 else None

    def is_from_fork(self, number: int) -> bool:
        """Tell whether a pull request comes from elsewhere; no where GitHub does not say."""
        pull = self._github.get_repo(self.repository).get_pull(number)

        def sides() -> bool:
            return _name(pull.head.repo) != _name(pull.base.repo)

        try:
            return self.call(sides, f"{self.repository}#{number}")
        except PublishError:
            return False

    def call(self, request: Callable[[], T], where: str) -> T:
        """Carry out a request, and again where that helps, within the time there is.

        Raises:
            PublishError: If it is refused, or does not succeed in time.
        """

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return 0.0 if error is None else pause(error, state.attempt_number) or 0.0

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: pause(error, 1) is not None),
            wait=wait,
            stop=tenacity.stop_before_delay(self._until - time.monotonic())
            | tenacity.stop_after_attempt(_TRIES),
            reraise=True,
        )
        try:
            return retrying(request)
        except (GithubException, OSError) as error:  # requests' errors are OSErrors
            raise explain(error, where, self.timeout) from None


class GithubThread:
    """The conversation of one pull request."""

    def __init__(self, client: Client, number: int) -> None:
        self._client = client
        self._where = f"{client.repository}#{number}"
        self._issue = client.issue(number)
        self._login = ""

    def ours(self, since: datetime | None = None) -> list[Comment]:
        """List our own comments that are kept up to date, oldest first."""
        return sorted(self._own(markers.COMMENT, since), key=lambda comment: comment.number)

    def read(self, number: int) -> Comment | None:
        """Read one comment again; None where it is gone."""
        comment = self._gone_is_none(lambda: _read(self._issue.get_comment(number)))
        return comment if comment and comment.body.startswith(markers.COMMENT) else None

    def create(self, body: str) -> Comment:
        """Post a comment, once: after a lost answer, look first whether it is there."""
        lost = False

        def post() -> Comment:
            nonlocal lost
            if lost and (there := [one for one in self._own(body, None) if one.body == body]):
                return there[-1]
            try:
                return _read(self._issue.create_comment(body))
            except (GithubException, OSError) as error:
                lost = lost or may_have_arrived(error)
                raise

        return self._client.call(post, self._where)

    def edit(self, number: int, body: str) -> bool:
        """Write a comment anew; False where it is gone."""
        comment = self._issue.get_comment(number)

        def write() -> bool:
            comment.edit(body)
            return True

        return self._gone_is_none(write) is not None

    def delete(self, number: int) -> None:
        """Delete a comment; one that is gone already is no trouble."""
        self._gone_is_none(self._issue.get_comment(number).delete)

    def _own(self, start: str, since: datetime | None) -> list[Comment]:
        """List comments of this token's account that begin so; of nobody else, ever."""
        asked = self._issue.get_comments() if since is None else self._issue.get_comments(since)
        # What was read of a list stays in it, so that a new try goes on from there.
        found = self._client.call(lambda: _starting(start, asked), self._where)
        if found and not self._login:
            self._login = self._client.login()
        return [comment for author, bot, comment in found if self._is_us(author, bot)]

    def _is_us(self, author: str, bot: bool) -> bool:
        us = self._login.casefold()
        return author.casefold() == us or (bot and author.casefold() == f"{us}[bot]")

    def _gone_is_none(self, request: Callable[[], T]) -> T | None:
        def ask() -> T | None:
            try:
                return request()
            except GithubException as error:
                if error.status in (404, 410):
                    return None
                raise

        return self._client.call(ask, self._where)


def refuse_plain_http(url: str) -> None:
    """Keep a token off the open network.

    Raises:
        UsageError: If the address is not https, and not this machine.
    """
    parts = urlsplit(url)
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        raise UsageError(
            f"GITHUB_API_URL: {url!r} is not an https address",
            next_step=f"Unset it for github.com, or give it as {DEFAULT_URL} is given.",
        )


def _read(comment: IssueComment) -> Comment:
    return Comment(
        number=comment.id,
        body=_text(comment.body),
        url=comment.html_url,
        created=comment.created_at,
    )


def _text(body: str | None) -> str:
    return (body or "").replace("\r\n", "\n")


def _starting(start: str, asked: Iterable[IssueComment]) -> list[tuple[str, bool, Comment]]:
    return [
        (*_author(comment.user), _read(comment))
        for comment in asked
        if _text(comment.body).startswith(start)
    ]


def _author(user: NamedUser | Organization | None) -> tuple[str, bool]:
    """Give the login of an account, and whether it is an app's; an account may be gone."""
    return ("", False) if user is None else (user.login, user.type == "Bot")


def _name(repository: Repository | None) -> str:
    """Give the name of a repository; a fork may be gone."""
    return "" if repository is None else repository.full_name

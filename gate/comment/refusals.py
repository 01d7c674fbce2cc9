"""What GitHub's refusals mean: which pass by waiting, and what to do about the others."""

import time
from typing import Any

from github import GithubException
from requests import RequestException

from gate.errors import PublishError
from gate.reports.escape import clean

_SECONDARY_WAIT = 60.0
"""What GitHub asks for where it names no time."""


class NotAllowedError(PublishError):
    """The token may not do it, as on a pull request from a fork."""


def pause(error: BaseException, tries: int) -> float | None:
    """Tell how many seconds to wait before another try; None where waiting does not help.

    Args:
        error: What a request raised.
        tries: How many there were.
    """
    backoff = float(min(2 ** (tries - 1), 30))
    if isinstance(error, RequestException):
        return backoff
    if not isinstance(error, GithubException):
        return None
    if is_limit(error):
        return max(_asked(error, backoff), backoff)
    return backoff if error.status >= 500 else None


def is_limit(error: BaseException) -> bool:
    """Tell a rate limit from other refusals: nothing was done, so trying again is safe."""
    if not isinstance(error, GithubException) or error.status not in (403, 429):
        return False
    headers = _headers(error)
    spent = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return error.status == 429 or spent or "rate limit" in _message(error).lower()


def may_have_arrived(error: BaseException) -> bool:
    """Tell whether a post may have been done although no answer says so."""
    lost = isinstance(error, RequestException)
    return lost or (isinstance(error, GithubException) and error.status >= 500)


def explain(error: Exception, where: str, timeout: int) -> PublishError:
    """Say what is wrong and what to do.

    Args:
        error: What the last try raised.
        where: The pull request, as `acme/models#12`.
        timeout: How many seconds there were for all tries.
    """
    if not isinstance(error, GithubException):
        return PublishError(
            f"{where}: GitHub cannot be reached ({type(error).__name__})",
            next_step="Run this step again; GITHUB_API_URL names the server that was asked.",
        )
    said = f"GitHub says {error.status} {_message(error)!r}" if _message(error) else error.status
    if is_limit(error):
        wait = f"{pause(error, 1):.0f} s"
        return PublishError(
            f"{where}: rate limit reached, and it lasts {wait} more (--timeout {timeout} s)",
            next_step="Run this step again later, or raise --timeout.",
        )
    if error.status >= 500:
        return PublishError(
            f"{where}: GitHub did not answer within {timeout} s ({said})",
            next_step="Run this step again later, or raise --timeout.",
        )
    kind, what, step = _refusal(error)
    return kind(f"{where}: {what} ({said})", next_step=step)


def _refusal(error: GithubException) -> tuple[type[PublishError], str, str]:
    message = _message(error).lower()
    match error.status:
        case 401:
            return (
                PublishError,
                "the token is not valid",
                "Set GITHUB_TOKEN to ${{ github.token }}, or to a token that has not expired.",
            )
        case 403 if "locked" in message:
            return (
                PublishError,
                "the conversation is locked",
                "Unlock it, or read the report in the step summary and the artifact.",
            )
        case 403:
            return (
                NotAllowedError,
                "the token may not comment",
                "Give the job `permissions: pull-requests: write`.",
            )
        case 404 | 410:
            return (
                NotAllowedError,
                "there is no such pull request, or the token may not see it",
                "Check --repo and --pr, and what the token may read.",
            )
        case 422:
            return (
                PublishError,
                "the comment was not accepted",
                "Use --mode new if the thread is full of sections; if it is too long, report it.",
            )
        case _:
            return (PublishError, "the request was refused", "Run this step again.")


def _asked(error: GithubException, backoff: float) -> float:
    headers = _headers(error)
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdecimal():
        return float(after)
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return int(reset) - time.time() + 1  # which moment of that second is not said
    return _SECONDARY_WAIT if error.status == 403 else backoff


def _headers(error: GithubException) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in (error.headers or {}).items()}


def _message(error: GithubException) -> str:
    found: Any = error.data.get("message") if isinstance(error.data, dict) else None
    return clean(found) if isinstance(found, str) else ""

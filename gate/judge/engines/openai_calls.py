"""Calls to a server: paced, timed, tried again; the only module that imports httpx2 at its top."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
import tenacity

from gate.errors import JudgingError
from gate.judge.engines.openai_names import told
from gate.judge.engines.openai_wire import BLOCKED, Body, OddError, once
from gate.judge.settings import EngineSettings

MOST_BYTES = 8 << 20
MOST_PATIENCE = 120.0
"""Seconds; a server that asks for more is left for a later run."""
FIRST_PAUSE = 0.5
LATER = frozenset({408, 409, 425, 429})
"""Statuses that another try may cure, beside 500 and above."""
UNFIT = frozenset({400, 413, 422})
"""Statuses that say that this request cannot be answered."""
KEY = frozenset({401, 403})

T = TypeVar("T")


class UnansweredError(Exception):
    """No try brought an answer; says what happened, with counts."""


class RefusedError(Exception):
    """The server refuses this request for good."""

    def __init__(self, status: int, *, blocked: bool) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.blocked = blocked


class _AgainError(Exception):
    """One try failed; says how, and how long the server asks to wait."""

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.after = after


class Calls:
    """A connection to one server.

    Args:
        settings: Its address, and how often and how long to try.
        key: What it wants to be shown, if anything.
    """

    def __init__(self, settings: EngineSettings, key: str | None) -> None:
        self._settings = settings
        self._pace = _Pace(settings.rate)
        self._in_vain = 0
        self._client = httpx2.AsyncClient(
            base_url=f"{(settings.url or '').rstrip('/')}/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=settings.timeout,
            limits=httpx2.Limits(max_connections=settings.concurrency),
            follow_redirects=False,
        )

    @property
    def lost(self) -> bool:
        """Whether so many requests in a row were in vain that no more are sent."""
        return self._in_vain >= self._settings.concurrency + 4

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def served(self) -> list[str]:
        """List what the server serves; [] where it does not tell.

        Raises:
            UnansweredError: If it cannot be reached.
            JudgingError: If it wants a key, or another one.
        """

        def names(body: object) -> list[str]:
            listed = body.get("data") if isinstance(body, dict) else None
            rows = listed if isinstance(listed, list) else []
            ids = [row.get("id") for row in rows if isinstance(row, dict)]
            return [name for name in ids if isinstance(name, str)]

        try:
            return await self._tried("GET", "models", None, names)
        except RefusedError:
            return []

    async def post(self, path: str, body: Body, read: Callable[[object], T]) -> T:
        """Send a request until it is answered.

        Args:
            path: As `completions`.
            body: What is sent.
            read: Makes something of the answer; raises `OddError` for what is none.

        Raises:
            UnansweredError: If all tries were in vain.
            RefusedError: If the server refuses it for good.
            JudgingError: If the server as a whole is of no use.
        """
        if self.lost:
            raise UnansweredError("the server stopped answering")
        try:
            answer = await self._tried("POST", path, body, read)
        except UnansweredError:
            self._in_vain += 1
            raise
        self._in_vain = 0
        return answer

    async def _tried(
        self, method: str, path: str, body: Body | None, read: Callable[[object], T]
    ) -> T:
        seen: Counter[str] = Counter()

        def again(error: BaseException) -> bool:
            if isinstance(error, _AgainError):
                seen[str(error)] += 1
                return not error.after or error.after <= MOST_PATIENCE
            return False

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(again),
            wait=self._pause,
            stop=tenacity.stop_after_attempt(self._settings.tries),
            reraise=True,
        )
        try:
            return await retrying(self._once, method, path, body, read)
        except _AgainError as error:
            what = ", ".join(f"{what} ({n})" if n > 1 else what for what, n in seen.items())
            if error.after and error.after > MOST_PATIENCE:
                what += f"; it asks to come again in {error.after:.0f} s"
            raise UnansweredError(f"the server gave no usable answer: {what}") from None

    async def _once(
        self, method: str, path: str, body: Body | None, read: Callable[[object], T]
    ) -> T:
        await self._pace.turn()
        try:
            async with asyncio.timeout(self._settings.timeout):
                status, headers, raw = await self._exchange(method, path, body)
        except (TimeoutError, httpx2.TimeoutException):
            raise _AgainError("no whole answer in time") from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _AgainError(type(error).__name__) from None
        _check(status, headers, raw)
        try:
            return read(json.loads(raw, object_pairs_hook=once))
        except (ValueError, RecursionError):
            raise _AgainError("no JSON") from None
        except OddError as error:
            raise _AgainError(str(error)) from None

    async def _exchange(
        self, method: str, path: str, body: Body | None
    ) -> tuple[int, httpx2.Headers, bytes]:
        async with self._client.stream(method, path, json=body) as response:
            raw = bytearray()
            async for piece in response.aiter_bytes():
                raw += piece
                if len(raw) > MOST_BYTES:
                    raise _AgainError(f"more than {MOST_BYTES >> 20} MiB")
            return response.status_code, response.headers, bytes(raw)

    def _pause(self, state: tenacity.RetryCallState) -> float:
        """Wait as long as the server asks, else longer each time; never all at one moment."""
        error = state.outcome.exception() if state.outcome else None
        after = error.after if isinstance(error, _AgainError) else None
        if after is not None:
            self._pace.hold(after)
            return after + random.uniform(0, 1)
        return random.uniform(0, min(60.0, FIRST_PAUSE * 2**state.attempt_number))


class _Pace:
    """When the next request may start."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 60 / rate if rate else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for it."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._next)
        self._next = start + self._gap
        await asyncio.sleep(start - now)

    def hold(self, seconds: float) -> None:
        """Let no new request start for a while."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)


def _check(status: int, headers: httpx2.Headers, raw: bytes) -> None:
    """Raise for every status but 200.

    Raises:
        _AgainError: If another try may help.
        RefusedError: If this request cannot be answered.
        JudgingError: If no request can.
    """
    if status == 200:
        return
    if status in LATER or status >= 500:
        raise _AgainError(f"HTTP {status}", _after(headers.get("retry-after")))
    if status in KEY:
        raise JudgingError(
            f"the server refuses the key (HTTP {status})",
            next_step="Put the key into an environment variable, and name that one with "
            "--key-variable.",
        )
    if status in UNFIT or status in (404, 405):
        raise RefusedError(status, blocked=_code(raw) in BLOCKED)
    raise JudgingError(
        f"the server answers HTTP {status}",
        next_step="Check --url: it is the address that ends in /v1, without any redirect.",
    )


def _code(raw: bytes) -> object:
    try:
        error = json.loads(raw)["error"]
        return error.get("code")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def _after(value: str | None) -> float | None:
    """Read Retry-After: seconds, or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value)) if float(value) < 1e9 else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def not_served(served: str, there: list[str], key: str | None) -> JudgingError:
    """Say that the server has other weights than asked for."""
    names = ", ".join(told(name, [key or ""]) for name in there[:5])
    more = f" and {len(there) - 5} more" if len(there) > 5 else ""
    return JudgingError(
        f"the server does not serve {served!r:.100}, but {names}{more}",
        next_step="Name what it serves with --served, once you know that it is these weights.",
    )

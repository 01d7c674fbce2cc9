"""A local server that speaks the part of GitHub's API that comments need."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

REPO = "acme/models"
START = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
TOKEN = "ghs_placeholder"
BOT = "github-actions[bot]"
MAX_BODY = 65_536
DOCS = "https://docs.github.com/rest"


@dataclass
class Answer:
    """What the server says instead of, or after, doing what it was asked."""

    method: str
    path: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    done_first: bool = False


class FakeGithub:
    """Pull requests, their comments, and whatever is to go wrong."""

    def __init__(self) -> None:
        self.comments: dict[int, dict[str, Any]] = {}
        self.tokens = {TOKEN: BOT}
        self.read_only = False
        self.locked = False
        self.fork = False
        self.pulls = [7]
        self.head_sha = "c0ffee" * 6 + "c0ff"
        self.has_graphql = True
        self.answers: list[Answer] = []
        self.requests: list[str] = []
        self.before: Callable[[str, str], None] = lambda method, path: None
        self.lock = threading.RLock()
        self.url = ""
        self.now = START
        self.next_id = 1000

    def add(self, body: str, login: str = BOT, number: int = 7) -> int:
        """Put a comment on a thread."""
        with self.lock:
            self.next_id += 1
            self.now += timedelta(seconds=1)
            self.comments[self.next_id] = {
                "number": number,
                "login": login,
                "body": body,
                "created": self.now,
                "updated": self.now,
            }
            return self.next_id

    def bodies(self, login: str = BOT) -> list[str]:
        """The comments of one account, oldest first."""
        return [found["body"] for found in self.comments.values() if found["login"] == login]

    def writes(self) -> list[str]:
        """Every request that was to change something."""
        return [line for line in self.requests if not line.startswith(("GET", "POST /graphql"))]

    def shown(self, number: int) -> dict[str, Any]:
        """A comment as the API shows it."""
        found = self.comments[number]
        login = found["login"]
        return {
            "id": number,
            "node_id": f"IC_{number}",
            "url": f"{self.url}/repos/{REPO}/issues/comments/{number}",
            "html_url": f"https://github.com/{REPO}/pull/{found['number']}#issuecomment-{number}",
            "issue_url": f"{self.url}/repos/{REPO}/issues/{found['number']}",
            "body": found["body"],
            "created_at": found["created"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "updated_at": found["updated"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "author_association": "CONTRIBUTOR",
            "user": login
            and {
                "login": login,
                "id": abs(hash(login)) % 10_000,
                "type": "Bot" if login.endswith("[bot]") else "User",
                "url": f"{self.url}/users/{login}",
            },
        }

    def pull(self, number: int) -> dict[str, Any]:
        """A pull request as the API shows it."""
        owner = "stranger" if self.fork else "acme"
        sides = {
            "head": {
                "sha": self.head_sha,
                "ref": "topic",
                "repo": {"full_name": f"{owner}/models"},
            },
            "base": {"sha": "0" * 40, "ref": "main", "repo": {"full_name": REPO}},
        }
        return {"number": number, "url": f"{self.url}/repos/{REPO}/pulls/{number}", **sides}


@contextmanager
def serving(fake: FakeGithub) -> Iterator[None]:
    """Serve in a thread, on a port of this machine."""

    class Handler(_Handler):
        github = fake

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    github: FakeGithub

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PATCH(self) -> None:
        self._serve("PATCH")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def _serve(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = json.loads(self.rfile.read(length)) if length else {}
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.github.before(method, parts.path)
        with self.github.lock:
            self.github.requests.append(f"{method} {self.path}")
            answer = self._scripted(method, parts.path)
            if answer is not None and not answer.done_first:
                return self._say(answer.status, {"message": answer.message}, answer.headers)
            status, body, headers = self._answer(method, parts.path, query, sent)
            if answer is not None:
                return self._say(answer.status, {"message": answer.message}, answer.headers)
            return self._say(status, body, headers)

    def _scripted(self, method: str, path: str) -> Answer | None:
        for answer in self.github.answers:
            if answer.times and answer.method == method and re.search(answer.path, path):
                answer.times -= 1
                return answer
        return None

    def _answer(
        self, method: str, path: str, query: dict[str, str], sent: dict[str, Any]
    ) -> tuple[int, Any, dict[str, str]]:
        github = self.github
        login = github.tokens.get(self.headers.get("Authorization", "").split(" ")[-1])
        if login is None:
            return 401, {"message": "Bad credentials", "documentation_url": DOCS}, {}
        if path == "/graphql":
            if not github.has_graphql:
                return 404, {"message": "Not Found"}, {}
            return 200, {"data": {"viewer": {"login": login}}}, {}
        if match := re.fullmatch(rf"/repos/{REPO}/issues/(\d+)/comments", path):
            return self._thread(method, int(match[1]), login, query, sent)
        if match := re.fullmatch(rf"/repos/{REPO}/issues/comments/(\d+)", path):
            return self._comment(method, int(match[1]), sent)
        match = re.fullmatch(rf"/repos/{REPO}/pulls/(\d+)", path)
        if match and int(match[1]) in github.pulls:
            return 200, github.pull(int(match[1])), {}
        if path == f"/repos/{REPO}/pulls" and query.get("state") == "open":
            here = query.get("head", "").endswith(":topic")
            return 200, [github.pull(number) for number in github.pulls if here], {}
        return 404, {"message": "Not Found", "documentation_url": DOCS, "status": "404"}, {}

    def _refused(self, sent: dict[str, Any]) -> tuple[int, Any, dict[str, str]] | None:
        if self.github.read_only:
            return 403, {"message": "Resource not accessible by integration"}, {}
        if self.github.locked:
            return 403, {"message": "Unable to create comment because issue is locked."}, {}
        if len(sent.get("body", "")) > MAX_BODY:
            error = {
                "resource": "IssueComment",
                "code": "unprocessable",
                "field": "data",
                "message": "Body is too long (maximum is 65536 characters)",
            }
            return 422, {"message": "Validation Failed", "errors": [error]}, {}
        return None

    def _thread(
        self, method: str, number: int, login: str, query: dict[str, str], sent: dict[str, Any]
    ) -> tuple[int, Any, dict[str, str]]:
        github = self.github
        if number not in github.pulls:
            return 404, {"message": "Not Found"}, {}
        if method == "POST":
            refused = self._refused(sent)
            if refused is not None:
                return refused
            return 201, github.shown(github.add(sent["body"], login, number)), {}
        since = datetime.fromisoformat(query.get("since", "2000-01-01T00:00:00Z"))
        there = [
            at
            for at, found in github.comments.items()
            if found["number"] == number and found["updated"] >= since
        ]
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        last = max(1, -(-len(there) // size))
        link = {"next": page + 1, "last": last} if page < last else {"first": 1, "prev": page - 1}
        kept = urlencode({name: value for name, value in query.items() if name != "page"})
        base = f"{github.url}/repos/{REPO}/issues/{number}/comments?{kept}"
        links = ", ".join(f'<{base}&page={at}>; rel="{rel}"' for rel, at in link.items())
        shown = [github.shown(at) for at in there[(page - 1) * size : page * size]]
        return 200, shown, {"Link": links} if last > 1 else {}

    def _comment(
        self, method: str, number: int, sent: dict[str, Any]
    ) -> tuple[int, Any, dict[str, str]]:
        github = self.github
        if number not in github.comments:
            return 404, {"message": "Not Found", "documentation_url": DOCS, "status": "404"}, {}
        if method == "GET":
            return 200, github.shown(number), {}
        refused = self._refused(sent)
        if refused is not None:
            return refused
        if method == "DELETE":
            del github.comments[number]
            return 204, None, {}
        github.now += timedelta(seconds=1)
        github.comments[number] |= {"body": sent["body"], "updated": github.now}
        return 200, github.shown(number), {}

    def _say(self, status: int, body: Any, headers: dict[str, str]) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

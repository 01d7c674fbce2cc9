"""An OpenAI-compatible server in a thread, that misbehaves as told; and an honest one to ask."""

import hashlib
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SERVED = "acme/judge"
Misbehavior = Callable[["Handler", dict[str, Any]], None]


def verdict(prompt: object) -> str:
    """Answer as the weights behind the server do."""
    digest = hashlib.sha256(json.dumps(prompt).encode()).digest()
    return "yes" if digest[0] % 2 else "no"


class Server(ThreadingHTTPServer):
    """The server.

    Its `misbehavior` meets every prompt that `chosen` picks, so often as `times` says; all else
    is answered well.
    """

    daemon_threads = True
    request_queue_size = 128
    misbehavior: Misbehavior | None = None
    times: float = 1
    chosen: Callable[[str], bool] = staticmethod(lambda text: "bad" in text)
    takes_ids = True
    gives_logprobs = True
    listed: Mapping[str, Any] | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: connections are cut on purpose."""


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """List what is served."""
        self.send(200, self.server.listed or {"data": [{"id": SERVED}]})

    def do_POST(self) -> None:
        """Answer a prompt, well or badly."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.bodies.append(body)
        self.server.keys.append(self.headers["authorization"])
        prompt = body.get("prompt", body.get("messages"))
        if isinstance(prompt, list) and isinstance(prompt[0], int) and not self.server.takes_ids:
            self.send(400, {"error": {"message": "prompt must be a string"}})
            return
        text = json.dumps(prompt)
        self.server.seen[text] += 1
        chosen = self.server.chosen(text) and self.server.seen[text] <= self.server.times
        if self.server.misbehavior and chosen:
            self.server.misbehavior(self, body)
        else:
            self.send(200, well(self.server, body))

    def send(self, status: int, body: object, **headers: str) -> None:
        """Send JSON, or text as it is."""
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def reset(self) -> None:
        """Break the connection off."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def well(server: Server, body: Mapping[str, Any]) -> dict[str, Any]:
    """Write a good answer."""
    prompt = body.get("prompt", body.get("messages"))
    said = verdict(prompt)
    other = "no" if said == "yes" else "yes"
    choice: dict[str, Any] = {"index": 0, "finish_reason": "length"}
    chat = "messages" in body
    if chat:
        choice["message"] = {"role": "assistant", "content": said}
    else:
        choice["text"] = said
    if body.get("logprobs") and server.gives_logprobs:
        tops = {said: -0.1, f" {other}": -2.6, "The": -5.0}
        entries = [{"token": token, "logprob": value} for token, value in tops.items()]
        choice["logprobs"] = (
            {"content": [{**entries[0], "top_logprobs": entries}]}
            if chat
            else {"tokens": [said], "token_logprobs": [-0.1], "top_logprobs": [tops]}
        )
    counted = len(prompt) if isinstance(prompt, list) and isinstance(prompt[0], int) else 0
    usage = {"prompt_tokens": counted, "completion_tokens": 1}
    return {"model": SERVED, "choices": [choice], "usage": usage if counted else None}

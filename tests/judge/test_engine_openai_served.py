"""The engine `openai` against a real server: transformers' own, with the tiny judge."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.judge.choose import open_engine
from gate.judge.settings import EngineSettings
from tests.judge.asking import asked_of, requests, said
from tests.judge.scene import judge, make_run, verdicts

for package in ("httpx2", "fastapi", "uvicorn", "openai"):
    pytest.importorskip(package, reason="needs the extra `openai` and transformers[serving]")

pytestmark = pytest.mark.slow
SECONDS = 240
"""How long the server may take to start on a busy machine."""


@pytest.fixture(scope="module")
def url(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the tiny judge."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    main = "import sys; from transformers.cli.transformers import main; sys.exit(main())"
    how = ["serve", str(llama), "--host", "127.0.0.1", "--port", str(port)]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", main, *how, "--device", "cpu", "--dtype", "float32"],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=os.environ | {"HF_HUB_OFFLINE": "1"},
        )
        try:
            _wait(server, f"http://127.0.0.1:{port}/health", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(60)


def _wait(server: subprocess.Popen[bytes], health: str, log: Path) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(health, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


def settings(llama: Path, url: str, *, tokenizer: bool) -> EngineSettings:
    """Point at the server, which calls the weights by their folder."""
    return EngineSettings(
        engine="openai",
        url=url,
        served=str(llama),
        tokenizer=str(llama) if tokenizer else None,
        dtype="float32",
    )


@pytest.mark.parametrize("tokenizer", [True, False], ids=["tokenizer", "no tokenizer"])
def test_it_answers_as_the_transformers_engine(llama: Path, url: str, tokenizer: bool) -> None:
    """Raw prompts and chats; what the server would obey is left out, and nothing else."""
    plain = asked_of(open_engine(EngineSettings(weights=str(llama), device="cpu")), requests(60))
    found = asked_of(open_engine(settings(llama, url, tokenizer=tokenizer)), requests(60))
    hostile = {f"key-{n}" for n in range(0, 60, 5)}
    assert {key for key, answer in found.items() if answer.failure} == hostile
    kept = {key: answer for key, answer in found.items() if key not in hostile}
    assert said(kept) == {k: v for k, v in said(plain).items() if k not in hostile}
    assert all(answer.tokens == plain[key].tokens for key, answer in kept.items())


def test_gate_judge_writes_the_same_verdicts(llama: Path, url: str, tmp_path: Path) -> None:
    """Row by row, with the same command but for the engine."""
    here = make_run(tmp_path / "here")
    there = make_run(tmp_path / "there")
    assert judge(here, weights=llama) == 0
    named = ["--engine", "openai", "--url", url, "--served", str(llama), "--dtype", "float32"]
    assert judge(there, *named, "--tokenizer", str(llama)) == 0
    assert verdicts(there) == verdicts(here)

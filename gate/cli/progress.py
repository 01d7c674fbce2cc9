"""Signs of life on standard error, only for what takes longer than two seconds."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

PATIENCE = 2.0
"""Seconds of silence before the first line, and between lines after it (doubling)."""


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say what is being done, and for how long, while the body runs."""
    done = threading.Event()
    start = time.monotonic()

    def tell() -> None:
        wait = PATIENCE
        while not done.wait(wait):
            click.echo(f"gate: {doing} … {time.monotonic() - start:.0f} s", err=True)
            wait *= 2

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()

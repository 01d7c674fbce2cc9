"""SIGINT and SIGTERM end judging between two batches, with everything saved."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self


class Stopping:
    """While entered, the first signal sets a flag; a second one interrupts at once.

    Args:
        tell: Called once, when the first signal comes.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        """Tell whether it is time to stop."""
        return self._asked

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in (signal.SIGINT, signal.SIGTERM):
                self._before[name] = signal.signal(name, self._caught)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)

    def _caught(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._tell()

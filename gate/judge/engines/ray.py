"""A Ray cluster: several copies of the weights, on one machine or many; the store stays here."""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import gate
from gate.errors import JudgingError
from gate.judge.engines import transformers
from gate.judge.extra import needs
from gate.judge.settings import EngineSettings
from gate.judge.tokenizers import HubTokenizer
from gate.judge.values import Answer, Request

if TYPE_CHECKING:
    from gate.judge.engines.ray_pool import Pool

MOST = {"transformers": 64, "vllm": 256}
"""Requests that a worker is given at once, and that a lost worker costs."""
SHARES = 4
"""Batches for each worker, at least: so that all end at about the same time."""
KNOCKING = 10.0
"""Seconds to wait for a cluster's address to answer."""
OBJECTS = 256 << 20
"""Bytes of Ray's object store where we start Ray; batches are small."""


def make(settings: EngineSettings) -> "Ray":
    """Find the weights; the cluster is not asked yet.

    Raises:
        JudgingError: If a package or the weights are missing, or the device is left open.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with needs("ray"):
        import ray  # noqa: F401
    device = settings.device
    if settings.each == "vllm" and device == "auto":
        device = "cuda"
    if device not in ("cpu", "cuda"):
        raise JudgingError(
            f"the workers' device is left open ({device}), and this machine may have another one",
            next_step="Say where they compute: --device cuda, or --device cpu.",
        )
    return Ray(settings.model_copy(update={"device": device}))


class Ray:
    """Weights on a cluster; see `Engine`.

    Args:
        settings: How; the device is decided.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._here = transformers.make(settings)
        self._pool: Pool | None = None
        self._workers = 0

    @property
    def name(self) -> str:
        """The hub id, or the name of the folder."""
        return self._here.name

    @property
    def revision(self) -> str | None:
        """Of the weights as this machine sees them; every worker must have the same."""
        return self._here.revision

    @property
    def digest(self) -> str:
        """Of the weights as this machine sees them."""
        return self._here.digest

    @property
    def tokenizer(self) -> HubTokenizer:
        """The tokenizer that lies beside the weights."""
        return self._here.tokenizer

    @property
    def dtype(self) -> str:
        """The precision of the workers' arithmetic."""
        if self._settings.dtype != "auto":
            return self._settings.dtype
        return "float32" if self._settings.device == "cpu" else "bfloat16"

    @property
    def device(self) -> str:
        """Where the workers compute."""
        if self._pool is None or not self._pool.devices:
            return f"ray at {self._settings.address or 'this machine'}"
        more = f", {self._workers} workers" if self._workers > 1 else ""
        return f"ray{more} ({self._pool.devices[0]})"

    def __enter__(self) -> Self:
        import ray

        from gate.judge.engines.ray_pool import Pool
        from gate.judge.engines.ray_worker import Loaded

        self._connect()
        try:
            self._workers = self._settings.workers or self._one_a_place(ray)
            expected = Loaded(
                version=gate.__version__,
                revision=self.revision,
                digest=self.digest,
                dtype=self.dtype,
                tokenizer_sha256=self.tokenizer.sha256,
            )
            gpus = self._settings.gpus if self._settings.device == "cuda" else 0
            self._pool = Pool(self._each(), expected, workers=self._workers, gpus=gpus)
            self._pool.wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        import ray

        if self._pool is not None:
            self._pool.close()
        self._pool = None
        ray.shutdown()

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer on all workers, longest prompts first; a batch may be empty. See `Engine`."""
        from gate.judge.engines.ray_pool import Batch

        assert self._pool is not None, "the engine is not open"
        longest_first = sorted(requests, key=_length, reverse=True)
        share = -(-len(requests) // (SHARES * self._workers))
        size = max(1, min(MOST[self._settings.each], share))
        starts = range(0, len(longest_first), size)
        batches = [Batch(longest_first[start : start + size]) for start in starts]
        yield from self._pool.answer(batches, alone=alone)

    def _connect(self) -> None:
        import ray

        _knock(self._settings.address)
        where: dict[str, Any] = {"address": self._settings.address}
        if self._settings.address is None:
            where = {"address": "local", "include_dashboard": False, "object_store_memory": OBJECTS}
        try:
            ray.init(
                **where,
                runtime_env={"env_vars": _environment(self._settings)},
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise _no_cluster(self._settings.address, type(error).__name__) from error

    def _one_a_place(self, ray: Any) -> int:
        """Count the copies that the cluster has room for."""
        if self._settings.device == "cpu":
            return sum(bool(node["Alive"]) for node in ray.nodes())
        there = int(ray.cluster_resources().get("GPU", 0))
        copies = there // self._settings.gpus
        if not copies:
            raise JudgingError(
                f"GPUs of the cluster: {there}; a copy of the weights takes {self._settings.gpus}",
                next_step="Add machines with GPUs, or use --device cpu.",
            )
        return copies

    def _each(self) -> EngineSettings:
        """Return how a worker runs its copy."""
        spread = self._settings.device == "cuda" and self._settings.gpus > 1
        changed = {
            "engine": self._settings.each,
            "dtype": self.dtype,
            "device": "balanced" if spread else self._settings.device,
            "weights": _absolute(self._settings.weights),
            "tokenizer": _absolute(self._settings.tokenizer),
        }
        return EngineSettings.model_validate(
            {name: getattr(self._settings, name) for name in EngineSettings.model_fields} | changed
        )


def _knock(address: str | None) -> None:
    """See whether anything listens there: Ray itself would try for many minutes.

    Raises:
        JudgingError: If not, or if it is no address.
    """
    if address is None or address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise _no_cluster(address, "it is neither auto nor host:port")
    try:
        socket.create_connection((host, int(port)), KNOCKING).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, type(error).__name__) from error


def _no_cluster(address: str | None, what: str) -> JudgingError:
    place = f"at {address!r}" if address else "on this machine"
    return JudgingError(
        f"Ray {place} cannot be used: {what}",
        next_step="Check --address (auto, on a machine of the cluster), and that the cluster runs "
        "the same versions of Python and Ray as this machine.",
    )


def _environment(settings: EngineSettings) -> dict[str, str]:
    """Return what the workers see; weights in a folder never need the hub."""
    given = {"TOKENIZERS_PARALLELISM": "false", "RAY_USAGE_STATS_ENABLED": "0"}
    places = [place for place in (settings.weights, settings.tokenizer) if place]
    local = all(Path(place).expanduser().is_dir() for place in places)
    offline = "1" if local else os.environ.get("HF_HUB_OFFLINE")
    return given | ({"HF_HUB_OFFLINE": offline} if offline else {})


def _absolute(place: str | None) -> str | None:
    """Name a folder such that it means the same in any other working folder."""
    if place is None or not Path(place).expanduser().is_dir():
        return place
    return str(Path(place).expanduser().absolute())


def _length(request: Request) -> int:
    return sum(len(part.text) for part in request.prompt)

"""The engine `ray`: the same verdicts on one machine and on a cluster that loses parts of itself.

Loading torch in every worker takes most of the time.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.errors import JudgingError
from gate.judge.choose import open_engine
from gate.judge.settings import EngineSettings
from gate.judge.values import Part, Request
from tests.judge import tiny
from tests.judge.asking import asked_of, gathered, requests, said
from tests.judge.scene import judge, make_run, stored, verdicts

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is reported to anyone, and nothing is warned of that is no concern here."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two machines with one CPU each, as processes."""
    from ray.cluster_utils import Cluster

    two = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        two.second = two.add_node(num_cpus=1)
        yield two
    finally:
        ray.shutdown()
        two.shutdown()


def settings(llama: Path, **fields: Any) -> EngineSettings:
    """Say how to run the tiny judge."""
    usual = {"engine": "ray", "weights": str(llama), "device": "cpu"}
    return EngineSettings.model_validate(usual | fields)


def here(llama: Path) -> EngineSettings:
    """Say how to run it in this process."""
    return EngineSettings(engine="transformers", weights=str(llama), device="cpu")


@pytest.mark.slow
def test_workers_on_this_machine_give_the_verdicts_of_this_process(llama: Path) -> None:
    """Also alone, and again with the same workers; stopping early leaves nothing behind."""
    expected = said(asked_of(open_engine(here(llama)), requests(60)))
    engine = open_engine(settings(llama, workers=1))
    with engine:
        batches = engine.answer(requests(60))
        next(iter(batches))
        batches.close()  # type: ignore[attr-defined]
        found = gathered(iter(engine.answer(requests(60))))
        alone = gathered(iter(engine.answer(requests(20), alone=True)))
        assert "cpu" in engine.device
    assert said(found) == expected
    assert {key: answer.text for key, answer in alone.items()}.items() <= expected.items()
    assert all(answer.alone for answer in alone.values())
    assert {answer.lead is None for answer in found.values()} == {False}
    assert not ray.is_initialized()


def worker_on(machine: Any) -> str:
    """Find a living worker on a machine of the cluster, so that the other machine keeps its own."""
    from ray._private.state import actors

    for _ in range(300):
        for actor in actors().values():
            there = actor["Address"]["NodeID"] == machine.node_id
            if there and actor["State"] == "ALIVE":
                name: str = actor["Name"]
                return name
        time.sleep(0.1)
    raise AssertionError("no worker lives there")


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_machine_cost_their_batches_only(
    llama: Path, cluster: Any
) -> None:
    """All is answered, nothing twice, and with the verdicts of an undisturbed job."""
    asked = requests(400)
    expected = said(asked_of(open_engine(here(llama)), asked))
    engine = open_engine(settings(llama, address=cluster.address, workers=2))
    disturbances = [
        lambda: ray.kill(ray.get_actor(worker_on(cluster.head_node))),
        lambda: cluster.remove_node(cluster.second, allow_graceful=False),
    ]

    def disturbed() -> Iterator[Any]:
        for batch in engine.answer(asked):
            yield batch
            if batch and disturbances:
                disturbances.pop(0)()

    with engine:
        found = gathered(disturbed())
        hired = set(ray.util.list_named_actors())
    assert said(found) == expected
    assert not disturbances
    later = hired - {"gate-worker-1", "gate-worker-2"}
    assert later, "others in place of those that were lost"


@pytest.mark.slow
def test_gate_judge_writes_the_verdicts_of_this_process(llama: Path, tmp_path: Path) -> None:
    """Row by row, with the same command but for the engine; the store is here."""
    alone = make_run(tmp_path / "alone" / "run")
    shared = make_run(tmp_path / "shared" / "run")
    assert judge(alone, weights=llama) == 0
    named = ["--engine", "ray", "--device", "cpu", "--workers", "1"]
    assert judge(shared, *named, weights=llama) == 0
    assert verdicts(shared) == verdicts(alone)
    assert {row["key"] for row in stored(shared)} == {row["key"] for row in stored(alone)}


@pytest.mark.slow
def test_weights_that_a_worker_cannot_load_end_the_job_with_its_own_error(tmp_path: Path) -> None:
    """The worker's message comes through; nothing is tried over and over."""
    folder = tiny.llama(tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(JudgingError, match=r"a worker cannot go on: .*cannot be loaded"):
        asked_of(open_engine(settings(folder, workers=1)), requests(3))


@pytest.mark.parametrize("device", ["auto", "cuda:1", "balanced"])
def test_the_workers_device_must_be_said(llama: Path, device: str) -> None:
    """This machine's own is no guide to theirs."""
    with pytest.raises(JudgingError, match="device is left open") as caught:
        open_engine(settings(llama, device=device))
    assert "--device cuda" in caught.value.next_step


def test_making_one_asks_no_cluster(llama: Path) -> None:
    """Name, revision, precision and tokenizer are known before anything starts."""
    engine = open_engine(settings(llama, address="127.0.0.1:1"))
    plain = open_engine(here(llama))
    assert (engine.name, engine.revision, engine.dtype) == (plain.name, plain.revision, "float32")
    assert open_engine(settings(llama, device="cuda")).dtype == "bfloat16"
    assert engine.device == "ray at 127.0.0.1:1"
    assert not ray.is_initialized()
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


@pytest.mark.parametrize(
    ("address", "what"),
    [("127.0.0.1:1", "ConnectionRefusedError"), ("nonsense", "neither auto nor host:port")],
)
def test_a_cluster_that_is_not_there_is_said_at_once(llama: Path, address: str, what: str) -> None:
    """Ray itself would go on trying."""
    with pytest.raises(JudgingError, match=f"Ray at '{address}' cannot be used: .*{what}"):
        asked_of(open_engine(settings(llama, address=address)), requests(1))


def test_prompts_travel_without_being_shown() -> None:
    """What Ray may print of its arguments holds no text."""
    request = Request(key="k", prompt=(Part("secret garden", foreign=True),))
    assert "garden" not in repr(request)

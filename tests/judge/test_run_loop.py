"""The run loop: each answer counts once, near-ties are asked again, faults invent nothing."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import pytest

from gate.errors import JudgingError
from gate.evidence.rows import Kind
from gate.judge.judges.judge import Judging
from gate.judge.run import Progress, judge_all
from gate.judge.store import Store
from gate.judge.values import (
    Answer,
    Completion,
    Failure,
    Identity,
    Part,
    Prepared,
    Reading,
    Request,
)

IDENTITY = Identity(id="placeholder")


@dataclass
class Engine:
    """An engine whose answers are made by a function, in batches of three, shuffled."""

    make: Callable[[Request, bool], Answer]
    dtype: str | None = "float32"
    asked: list[tuple[str, bool]] = field(default_factory=list)
    closed: int = 0
    name = "placeholder"
    revision = digest = None
    tokenizer = None
    device = "nowhere"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    def answer(
        self, requests: Sequence[Request], *, alone: bool = False
    ) -> Iterator[Sequence[Answer]]:
        """Answer; each request is remembered."""
        mixed = random.Random(1).sample(list(requests), len(requests))
        try:
            for i in range(0, len(mixed), 3):
                group = mixed[i : i + 3]
                self.asked += [(request.key, alone) for request in group]
                yield [self.make(request, alone) for request in group]
        finally:
            self.closed += 1


class OneCall:
    """A judge that asks once for yes or no."""

    identity = IDENTITY
    kinds = frozenset({Kind.ATTACK})
    notes: Mapping[str, str] = MappingProxyType({})
    calls = 1

    def prepare(self, completion: Completion) -> Prepared:
        """Take it as it is."""
        return Prepared(completion=completion, identity=IDENTITY, content=(completion.text,))

    def judge(self, prepared: Prepared) -> Judging:
        """Ask as often as it does; the last answer counts."""
        answer = Answer(key="", text="no")
        for call in range(self.calls):
            labels = ("yes", "no") if call == self.calls - 1 else ()
            said = f"{prepared.completion.text} {answer.text}"
            answer = yield Request(key="", prompt=(Part(said),), labels=labels)
        return Reading(verdict="unsafe" if answer.text == "yes" else "safe")


class TwoCalls(OneCall):
    """A judge that asks for an analysis first."""

    calls = 2


class NoCall(OneCall):
    """A judge that needs no engine."""

    calls = 0


def todo(n: int = 20) -> list[tuple[str, Prepared]]:
    """Make completions."""
    return [
        (f"{i:064x}", OneCall().prepare(Completion(id=f"b{i}", text=f"text {i}"))) for i in range(n)
    ]


def says(text: str = "no", **more: object) -> Callable[[Request, bool], Answer]:
    """Make answers that are all alike."""

    def make(request: Request, alone: bool) -> Answer:
        return Answer(key=request.key, text=text, alone=alone, **more)  # type: ignore[arg-type]

    return make


def judge(
    folder: Path,
    engine: Engine | None,
    judge: OneCall | None = None,
    stopping: Callable[[], bool] = lambda: False,
    n: int = 20,
) -> tuple[Store, Progress]:
    """Run the loop."""
    progress = Progress(of=n)
    with Store(folder) as store:
        judge_all(
            todo(n), judge or OneCall(), engine, store, progress,
            stopping=stopping, tell=lambda _: None,
        )  # fmt: skip
    return Store(folder), progress


def test_every_completion_is_asked_once(tmp_path: Path) -> None:
    """In any order; each verdict is stored."""
    engine = Engine(says("yes"))
    store, progress = judge(tmp_path, engine)
    assert len(store) == progress.done == 20
    assert len({key for key, _ in engine.asked}) == len(engine.asked) == 20


def test_a_judge_may_ask_twice_or_not_at_all(tmp_path: Path) -> None:
    """The second request is made from the first answer."""
    engine = Engine(says("yes"))
    store, _ = judge(tmp_path / "two", engine, TwoCalls())
    assert len(engine.asked) == 40
    assert len(store) == 20
    store, _ = judge(tmp_path / "none", None, NoCall())
    assert len(store) == 20


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", None])
def test_near_ties_are_asked_again_alone(tmp_path: Path, dtype: str | None) -> None:
    """In reduced or unknown precision; that answer is the verdict, and it is marked."""

    def make(request: Request, alone: bool) -> Answer:
        near = int(request.key, 16) % 5 == 0
        text = "yes" if alone or not near else "no"
        return Answer(key=request.key, text=text, lead=0.4 if near else 3.0, alone=alone)

    engine = Engine(make, dtype)
    store, progress = judge(tmp_path, engine)
    again = {key for key, alone in engine.asked if alone}
    assert again == {f"{i:064x}" for i in range(0, 20, 5)}
    assert progress.again == 4
    found = [store.get(f"{i:064x}") for i in range(20)]
    assert all(each is not None and each.verdict == "unsafe" for each in found)
    assert [i for i, each in enumerate(found) if each is not None and each.alone] == [0, 5, 10, 15]


@pytest.mark.parametrize(
    ("dtype", "lead"), [("float32", 0.4), ("bfloat16", 1.0), ("bfloat16", None)]
)
def test_what_cannot_flip_is_asked_once(tmp_path: Path, dtype: str, lead: float | None) -> None:
    """Full precision, and clear leads; without a lead nothing can be told."""
    engine = Engine(says("yes", lead=lead), dtype)
    judge(tmp_path, engine)
    assert not any(alone for _, alone in engine.asked)


def test_a_tie_that_stays_one_is_not_asked_forever(tmp_path: Path) -> None:
    """Also by an engine that does not say that it answered alone."""
    engine = Engine(lambda request, _: Answer(key=request.key, text="no", lead=0.0), "bfloat16")
    store, _ = judge(tmp_path, engine)
    assert len(engine.asked) == 40
    assert len(store) == 20


def test_a_lead_that_is_no_number_is_near(tmp_path: Path) -> None:
    """It is no lead."""
    engine = Engine(says("no", lead=float("nan")), "bfloat16")
    _, progress = judge(tmp_path, engine)
    assert progress.again == 20


def test_failures_for_now_store_nothing(tmp_path: Path) -> None:
    """Those for good are unscored with their reason."""

    def make(request: Request, alone: bool) -> Answer:
        number = int(request.key, 16)
        for_now = Failure(reason="judge_error", detail="timeout", again=True)
        for_good = Failure(reason="provider_block", detail="status 400", again=False)
        failure = for_now if number < 5 else for_good if number < 8 else None
        return Answer(key=request.key, text="no", failure=failure)

    store, progress = judge(tmp_path, Engine(make))
    assert len(store) == 15
    assert progress.failures == {"timeout": 5}
    blocked = store.get(f"{6:064x}")
    assert blocked is not None
    assert (blocked.verdict, blocked.unscored) == (None, "provider_block")


def test_stopping_ends_between_batches(tmp_path: Path) -> None:
    """What was answered is stored, the engine is closed, and the rest can follow."""
    engine = Engine(says())
    store, progress = judge(tmp_path, engine, stopping=lambda: len(engine.asked) >= 6)
    assert len(store) == progress.done == 6
    assert engine.closed == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda request, _: Answer(key="other", text="no"), "nobody asked"),
        (lambda request, _: Answer(key="0" * 64, text="no"), "twice"),
    ],
)
def test_answers_to_nothing_are_errors(
    tmp_path: Path, make: Callable[[Request, bool], Answer], message: str
) -> None:
    """No verdict is taken from them."""
    with pytest.raises(JudgingError, match=message):
        judge(tmp_path, Engine(make))


def test_an_engine_that_leaves_something_out_is_an_error(tmp_path: Path) -> None:
    """What it did answer is stored."""

    class Forgetful(Engine):
        def answer(
            self, requests: Sequence[Request], *, alone: bool = False
        ) -> Iterator[Sequence[Answer]]:
            yield from super().answer(requests[:-2], alone=alone)

    with pytest.raises(JudgingError, match="left 2 of 20"):
        judge(tmp_path, Forgetful(says()))
    assert len(Store(tmp_path)) == 18

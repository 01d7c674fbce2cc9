"""The same harmless questions for every engine, and what came back of them."""

from collections.abc import Iterator, Sequence

from gate.judge.engines.engine import Engine
from gate.judge.values import Answer, Message, Part, Request

LABELS = ("yes", "no")
HOSTILE = " [INST] </s> <s> [PAD]\n\u202e\x00\ud800"


def requests(count: int, *, hostile: bool = True) -> list[Request]:
    """Ask for one token each: prompts of many lengths, some of them chats."""
    asked = []
    for n in range(count):
        foreign = f"garden {n} " * (1 + n % 9) + (HOSTILE if hostile and n % 5 == 0 else "")
        raw = (Part("Placeholder: "), Part(foreign, foreign=True), Part("\nAnswer:"))
        prompt = (Message("user", foreign),) if n % 4 == 3 else raw
        asked.append(Request(key=f"key-{n}", prompt=prompt, labels=LABELS))
    return asked


def gathered(batches: Iterator[Sequence[Answer]]) -> dict[str, Answer]:
    """Collect answers; none may come twice."""
    answers: dict[str, Answer] = {}
    for batch in batches:
        for answer in batch:
            assert answer.key not in answers, "answered twice"
            answers[answer.key] = answer
    return answers


def asked_of(engine: Engine, asked: Sequence[Request], *, alone: bool = False) -> dict[str, Answer]:
    """Open an engine and ask everything; every request must have its answer."""
    with engine:
        answers = gathered(engine.answer(asked, alone=alone))
    assert answers.keys() == {request.key for request in asked}
    return answers


def said(answers: dict[str, Answer]) -> dict[str, str]:
    """Return what was said; a failure is none."""
    assert not [answer.failure for answer in answers.values() if answer.failure]
    return {key: answers[key].text for key in sorted(answers)}

"""What an engine answers, batch by batch, held against what it was asked."""

from collections.abc import Callable, Iterator, Sequence

from gate.errors import JudgingError
from gate.judge.engines.engine import Engine
from gate.judge.values import Answer, Request


def answered(
    engine: Engine,
    requests: Sequence[Request],
    stopping: Callable[[], bool],
    *,
    alone: bool = False,
) -> Iterator[Sequence[Answer]]:
    """Yield the engine's batches until all is answered or it is time to stop.

    Args:
        engine: Loaded or connected.
        requests: Each with a key of its own.
        stopping: Asked behind every batch whether it is time to stop.
        alone: Whether each request is a batch of its own.

    Raises:
        JudgingError: If something is answered twice, unasked, or never.
    """
    open_ = {request.key for request in requests}
    found = iter(engine.answer(requests, alone=alone))
    try:
        for batch in found:
            for answer in batch:
                if answer.key not in open_:
                    raise JudgingError("the engine answered something twice, or what nobody asked")
                open_.remove(answer.key)
            yield batch
            if stopping():
                return
    finally:
        close = getattr(found, "close", None)
        if close is not None:
            close()
    if open_:
        raise JudgingError(
            f"the engine left {len(open_)} of {len(requests)} requests without any answer",
            next_step="Run the same command again; if it stays so, report it.",
        )

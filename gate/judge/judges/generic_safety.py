"""Generic: a chat model says safe or unsafe, with no rubric; the simplest thing to hold others to.

The verdict row has one item, `unsafe`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.evidence.manifest import Suite
from gate.evidence.rows import Kind
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.rubrics_asking import Asking, Sheet
from gate.judge.rubrics_prompts import code_of
from gate.judge.rubrics_reply import OneQuestion
from gate.judge.settings import JudgeSettings
from gate.judge.values import Completion, Identity, Prepared

NEEDS_ENGINE = True
ANSWER_TOKENS = 256
ITEM = "unsafe"


def make(settings: JudgeSettings, engine: Engine | None, suite: Suite) -> Judge:
    """Make the judge; a rubric file only gives labels.

    Raises:
        JudgingError: If the rubric file cannot be used.
    """
    assert engine is not None, "a chat model needs an engine"
    asking = Asking.of(settings, engine, suite, "generic_safety", answer_tokens=ANSWER_TOKENS)
    return GenericSafety(asking=asking)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericSafety:
    """The judge; see `Judge`."""

    asking: Asking
    kinds: frozenset[Kind] = frozenset({Kind.RUBRIC})

    @property
    def identity(self) -> Identity:
        """Without a rubric."""
        return self.asking.identity

    @property
    def notes(self) -> Mapping[str, str]:
        """Where prompts and labels came from."""
        return self.asking.notes

    def prepare(self, completion: Completion) -> Prepared:
        """Write the prompt."""
        return self.asking.prepare(completion, self._sheet)

    def judge(self, prepared: Prepared) -> Judging:
        """Ask once, and again where the reply cannot be read."""
        return (yield from self.asking.judge(prepared, self._sheet))

    def _sheet(self, completion: Completion) -> Sheet:
        said = [turn.text for turn in completion.dialogue]
        question = OneQuestion(code=code_of([*said, completion.text]), item=ITEM)
        return self.asking.sheet(completion, question)

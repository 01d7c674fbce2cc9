"""Rubric-guided: a chat model answers the safety items of each prompt's own rubric.

For each item it says whether it is triggered, exempted, and by which line of the answer; then it
answers the usefulness items, which the rubric file's table maps to 0..3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gate.errors import UsageError
from gate.evidence.manifest import Suite
from gate.evidence.rows import Kind
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.rubrics_asking import Asking, Sheet
from gate.judge.rubrics_files import Rubric, digest
from gate.judge.rubrics_prompts import code_of, items, numbered, questions, words_for
from gate.judge.rubrics_reply import Checklist
from gate.judge.settings import JudgeSettings
from gate.judge.values import Completion, Identity, Prepared

NEEDS_ENGINE = True
ANSWER_TOKENS = 2048


def make(settings: JudgeSettings, engine: Engine | None, suite: Suite) -> Judge:
    """Read the rubrics.

    Raises:
        UsageError: If no rubric file is named.
        JudgingError: If it cannot be used.
    """
    assert engine is not None, "a chat model needs an engine"
    asking = Asking.of(settings, engine, suite, "rubric", answer_tokens=ANSWER_TOKENS)
    if asking.rubric is None:
        raise UsageError(
            "the judge `rubric` needs the rubrics of the prompts",
            next_step="Name the rubric file with --rubric; its form is in `gate schema rubric`.",
        )
    return RubricJudge(asking=asking.with_rubric(asking.rubric.sha256), rubric=asking.rubric)


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricJudge:
    """The judge; see `Judge`."""

    asking: Asking
    rubric: Rubric
    kinds: frozenset[Kind] = frozenset({Kind.RUBRIC})

    @property
    def identity(self) -> Identity:
        """With the digest of all rubrics."""
        return self.asking.identity

    @property
    def notes(self) -> Mapping[str, str]:
        """Where prompts and rubrics came from."""
        return self.asking.notes

    def prepare(self, completion: Completion) -> Prepared:
        """Find the prompt's rubric, and write the prompt; the table counts as content too."""
        prepared = self.asking.prepare(completion, self._sheet)
        table = digest([row.model_dump() for row in self.rubric.usefulness.table])
        return Prepared(
            completion=prepared.completion,
            identity=prepared.identity,
            content=(*prepared.content, table),
            marks=prepared.marks,
        )

    def judge(self, prepared: Prepared) -> Judging:
        """Ask for every item at once."""
        return (yield from self.asking.judge(prepared, self._sheet))

    def _sheet(self, completion: Completion) -> Sheet:
        own = self.rubric.prompts[completion.id.removeprefix(self.asking.prefix)]
        words = words_for(completion.columns.get("language"))
        told = {"items": items(words, own), "usefulness": questions(words, self.rubric.usefulness)}
        said = [turn.text for turn in completion.dialogue]
        checklist = Checklist(
            code=code_of([*said, completion.text, *told.values()]),
            lines=len(numbered(completion.text)),
            items=own.items,
            usefulness=self.rubric.usefulness,
        )
        return self.asking.sheet(completion, checklist, **told)

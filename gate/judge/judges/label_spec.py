"""Label-specification: a chat model says unsafe or not by the definition of the prompt's label.

The verdict row has one item, which has the name of the label.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.errors import JudgingError, UsageError
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.wording import shown
from gate.evidence.rows import Kind
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.rubrics import LabelSpecs
from gate.judge.rubrics_asking import Asking, Sheet
from gate.judge.rubrics_files import read_label_specs
from gate.judge.rubrics_prompts import code_of, specification, words_for
from gate.judge.rubrics_reply import OneQuestion
from gate.judge.settings import JudgeSettings
from gate.judge.values import Completion, Identity, Prepared

NEEDS_ENGINE = True
ANSWER_TOKENS = 256


def make(settings: JudgeSettings, engine: Engine | None, suite: Suite) -> Judge:
    """Read the specifications; a rubric file only gives labels.

    Raises:
        UsageError: If no specifications are named.
        JudgingError: If a file cannot be used.
    """
    assert engine is not None, "a chat model needs an engine"
    if settings.specifications is None:
        raise UsageError(
            "the judge `label-spec` needs the definitions of the labels",
            next_step="Name the file with --specifications; its form is in `gate schema labels`.",
        )
    specs, sha256 = read_label_specs(Path(settings.specifications))
    asking = Asking.of(settings, engine, suite, "label_spec", answer_tokens=ANSWER_TOKENS)
    return LabelSpecJudge(asking=asking.with_rubric(sha256), specs=specs)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSpecJudge:
    """The judge; see `Judge`."""

    asking: Asking
    specs: LabelSpecs
    kinds: frozenset[Kind] = frozenset({Kind.RUBRIC})

    @property
    def identity(self) -> Identity:
        """With the digest of the specifications."""
        return self.asking.identity

    @property
    def notes(self) -> Mapping[str, str]:
        """Where prompts, labels and specifications came from."""
        specs = self.specs
        told = f"{specs.name} {specs.version} ({len(specs.labels)} labels of {specs.level})"
        return {**self.asking.notes, "specifications": told}

    def prepare(self, completion: Completion) -> Prepared:
        """Find the label, and write the prompt."""
        return self.asking.prepare(completion, self._sheet)

    def judge(self, prepared: Prepared) -> Judging:
        """Ask once, and again where the reply cannot be read."""
        return (yield from self.asking.judge(prepared, self._sheet))

    def _sheet(self, completion: Completion) -> Sheet:
        label = completion.columns.get(self.specs.level) or ""
        spec = self.specs.labels.get(label)
        if spec is None:
            raise JudgingError(
                f"prompt {shown(completion.id)} has the {self.specs.level} label {shown(label)}, "
                "which the specifications do not define",
                next_step="Define it, and say each prompt's labels in the completions or in the "
                "rubric file (--rubric).",
            )
        words = words_for(completion.columns.get("language"))
        told = {"label": label, "specification": specification(words, label, spec)}
        said = [turn.text for turn in completion.dialogue]
        code = code_of([*said, completion.text, *told.values()])
        return self.asking.sheet(completion, OneQuestion(code=code, item=label), **told)

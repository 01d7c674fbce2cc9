"""Any classifier or chat checkpoint, with the user's own prompt and an exact map of its answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate.errors import JudgingError, UsageError
from gate.evidence.comparability import OFFICIAL_JUDGES
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.labels import ABSENT, fold
from gate.evidence.rows import REASONS, VALUES, Kind
from gate.judge.behaviors import Behavior, read_behaviors, unknown_behavior
from gate.judge.choose import revision_of
from gate.judge.completions import failed
from gate.judge.depends import depends_on
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.prompts import Template, read_template
from gate.judge.settings import JudgeSettings
from gate.judge.tokens import Tokenizer
from gate.judge.values import (
    UNDECIDED,
    Answer,
    Completion,
    Identity,
    Message,
    Prepared,
    Reading,
    Request,
)

NEEDS_ENGINE = True
TEXTS: Mapping[Kind, frozenset[str]] = {
    Kind.ATTACK: frozenset({"generation", "behavior", "context"}),
    Kind.REFUSAL: frozenset({"completion", "prompt"}),
    Kind.JUDGMENT: frozenset({"record"}),
}
"""What a prompt may have places for, by kind of suite."""

NEEDED = {Kind.ATTACK: "generation", Kind.REFUSAL: "completion", Kind.JUDGMENT: "record"}


def make(settings: JudgeSettings, engine: Engine | None, suite: Suite) -> Judge:
    """Collect what the judge needs.

    Raises:
        UsageError: If the settings do not say enough, or say what cannot be right.
        JudgingError: If a file cannot be used.
    """
    assert engine is not None, "the judge is a checkpoint"
    if settings.template is None:
        raise UsageError(
            "the judge `template` has no prompt of its own",
            next_step="Name a file with --template; it has places like {generation}.",
        )
    if suite.judge.id in (*OFFICIAL_JUDGES, UNDECIDED):
        raise UsageError(
            f"the judge `template` is not {suite.judge.id}, as run.yaml calls it",
            next_step="Name it in run.yaml, as `judge: {id: acme/my-judge}`, and judge again.",
        )
    kind = suite.suite_kind
    template = read_template(Path(settings.template))
    _check_places(template, kind)
    chat = "chat, " if settings.chat else ""
    labels, behaviors = _labels(settings.labels, kind), _behaviors(settings, template)
    return TemplateJudge(
        template=template,
        labels=labels,
        behaviors=behaviors,
        tokenizer=_clipping(settings, engine),
        clip=settings.clip,
        chat=settings.chat,
        answer_tokens=settings.answer_tokens,
        prefix=suite.id_prefix or "",
        kinds=frozenset({kind}),
        identity=Identity(
            id=suite.judge.id,
            revision=revision_of(suite, engine),
            template_sha256=template.sha256,
            decoding=f"{chat}greedy, {settings.answer_tokens} tokens",
            dtype=engine.dtype,
            tokenizer_sha256=engine.tokenizer.sha256 if engine.tokenizer else None,
            depends=depends_on(engine, chat=settings.chat, answers=labels, behaviors=behaviors),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateJudge:
    """The judge; see `Judge`."""

    template: Template
    labels: Mapping[str, Reading]
    behaviors: Mapping[str, Behavior] | None
    tokenizer: Tokenizer | None
    """What to clip with; None where nothing is clipped."""
    clip: int
    chat: bool
    answer_tokens: int
    prefix: str
    kinds: frozenset[Kind]
    identity: Identity

    @property
    def notes(self) -> Mapping[str, str]:
        """Nothing official is used."""
        return {"prompt": f"the user's own ({self.template.sha256[:12]})"}

    def prepare(self, completion: Completion) -> Prepared:
        """Clip where that was asked for, and collect all texts of the prompt."""
        marks = {"empty": not completion.text.strip(), "failed": failed(completion.text)}
        if self.tokenizer is not None:
            clipped = self.tokenizer.clip(completion.text, self.clip)
            marks |= {"clipped": clipped.cut, "control_tokens": clipped.control_tokens}
            completion = replace(completion, text=clipped.text)
        texts = self._texts(completion)
        return Prepared(
            completion=completion,
            identity=self.identity,
            content=tuple(f"{name}\n{texts[name]}" for name in sorted(self.template.places)),
            marks=frozenset(name for name, there in marks.items() if there),
        )

    def judge(self, prepared: Prepared) -> Judging:
        """Ask once; what is none of the declared answers is unscored."""
        if "failed" in prepared.marks:
            return Reading(verdict=None, unscored="checkpoint_error")
        parts = self.template.fill(self._texts(prepared.completion))
        whole = Message("user", "".join(part.text for part in parts))
        answer = yield Request(
            key="",
            prompt=(whole,) if self.chat else parts,
            max_new_tokens=self.answer_tokens,
            labels=tuple(self.labels),
        )
        return self._read(answer)

    def _read(self, answer: Answer) -> Reading:
        unparsed = Reading(verdict=None, unscored="unparsed")
        if self.answer_tokens > 1 and not answer.finished:
            return unparsed
        return self.labels.get(fold(answer.text), unparsed)

    def _texts(self, completion: Completion) -> Mapping[str, str]:
        texts = dict.fromkeys(("generation", "completion", "record"), completion.text)
        texts["prompt"] = completion.prompt or ""
        if self.behaviors is not None:
            behavior = self.behaviors.get(completion.id.removeprefix(self.prefix))
            if behavior is None:
                raise unknown_behavior(completion.id)
            texts |= {"behavior": behavior.text, "context": behavior.context}
        return texts


def _check_places(template: Template, kind: Kind) -> None:
    unknown = template.places - TEXTS[kind]
    if unknown or NEEDED[kind] not in template.places:
        what = f"has the place {{{min(unknown)}}}" if unknown else f"lacks {{{NEEDED[kind]}}}"
        may = ", ".join(f"{{{name}}}" for name in sorted(TEXTS[kind]))
        raise UsageError(
            f"the judge prompt {what}, and the suite is of kind {kind}",
            next_step=f"Its places may be {may}; write other braces twice: {{{{ }}}}.",
        )


def _labels(declared: Mapping[str, str], kind: Kind) -> Mapping[str, Reading]:
    words = VALUES[kind]
    labels: dict[str, Reading] = {}
    for answer, meaning in declared.items():
        if meaning not in (*words, *REASONS):
            raise UsageError(
                f"the answer {answer!r} cannot mean {meaning!r} in a suite of kind {kind}",
                next_step=f"It may mean {', '.join(words)}, or why there is no verdict: "
                f"{', '.join(REASONS)}.",
            )
        verdict = meaning if meaning in words else None
        if verdict and fold(answer) in ABSENT:
            raise UsageError(
                f"the answer {answer!r} says that there is no verdict, so it cannot mean {meaning}",
                next_step="Have the judge answer with another word, and declare that one.",
            )
        if fold(answer) in labels:
            raise UsageError(
                f"the answer {answer!r} is declared twice: case and spaces around do not count",
                next_step="Declare each answer once.",
            )
        labels[fold(answer)] = Reading(verdict=verdict, unscored=None if verdict else meaning)
    if {reading.verdict for reading in labels.values()} < set(words[:2]) or len(labels) < 2:
        raise UsageError(
            "the judge's answers do not tell safe from unsafe: too few are declared",
            next_step="Declare every answer with --label, as --label yes=unsafe --label no=safe.",
        )
    return labels


def _behaviors(settings: JudgeSettings, template: Template) -> Mapping[str, Behavior] | None:
    if not template.places & {"behavior", "context"}:
        return None
    if settings.behaviors is None:
        raise JudgingError(
            "the judge prompt has a place for the behavior, and no behaviors were given",
            next_step="Name the behaviors CSV with --behaviors.",
        )
    return read_behaviors(Path(settings.behaviors))


def _clipping(settings: JudgeSettings, engine: Engine) -> Tokenizer | None:
    if "clip" not in settings.model_fields_set:
        return None
    if engine.tokenizer is None:
        raise JudgingError(
            "clipping counts tokens, and the engine has no tokenizer",
            next_step="Name one with --tokenizer, or leave out --clip.",
        )
    return engine.tokenizer

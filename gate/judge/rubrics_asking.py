"""What the judges for rubric suites have in common: labels, marks, asking, and asking again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self

from gate.errors import JudgingError
from gate.evidence.manifest import Suite
from gate.evidence.readers.parsing.wording import shown
from gate.judge.choose import revision_of
from gate.judge.completions import failed
from gate.judge.control import storable
from gate.judge.depends import depends_on
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judging
from gate.judge.rubrics import PromptRubric
from gate.judge.rubrics_files import Rubric, read_rubric_file
from gate.judge.rubrics_prompts import (
    Words,
    material,
    template_sha256,
    version,
    words_for,
)
from gate.judge.rubrics_reply import ReplyError, refusal_form
from gate.judge.settings import JudgeSettings
from gate.judge.tokens import Tokenizer
from gate.judge.values import Answer, Completion, Identity, Message, Prepared, Reading, Request


class Form(Protocol):
    """What a reply must look like; see `Checklist`."""

    @property
    def code(self) -> str:
        """Must stand in the reply."""

    @property
    def form(self) -> str:
        """Its shape, for the prompt."""

    def read(self, answer: Answer) -> Reading:
        """Read a reply, or raise `ReplyError`."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One answer, ready to be asked about."""

    words: Words
    prompt: str = field(repr=False)
    form: Form = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a judge for rubric suites asks."""

    paradigm: str
    identity: Identity
    rubric: Rubric | None
    """Where a prompt's labels come from, if not from the completions."""
    prefix: str
    """What stands before the ids of the completions, and not in the rubric file."""
    tokenizer: Tokenizer | None
    """What to clip with; None where nothing is clipped."""
    clip: int
    answer_tokens: int
    repairs: int

    @classmethod
    def of(
        cls,
        settings: JudgeSettings,
        engine: Engine,
        suite: Suite,
        paradigm: str,
        *,
        answer_tokens: int,
    ) -> Self:
        """Collect it from the settings.

        Raises:
            JudgingError: If a file cannot be used, or a prompt of the user's own is named.
        """
        if settings.template is not None:
            raise JudgingError(
                "the judges for rubric suites have prompts of their own, and a template was "
                "named too",
                next_step="Leave out --template.",
            )
        clipped = "clip" in settings.model_fields_set
        if clipped and engine.tokenizer is None:
            raise JudgingError(
                "clipping counts tokens, and the engine has no tokenizer",
                next_step="Name one with --tokenizer, or leave out --clip.",
            )
        if "answer_tokens" in settings.model_fields_set:
            answer_tokens = settings.answer_tokens
        decoding = f"chat, greedy, {answer_tokens} tokens, at most {settings.repairs} asked again"
        return cls(
            paradigm=paradigm,
            rubric=read_rubric_file(Path(settings.rubric)) if settings.rubric else None,
            prefix=suite.id_prefix or "",
            tokenizer=engine.tokenizer if clipped else None,
            clip=settings.clip,
            answer_tokens=answer_tokens,
            repairs=settings.repairs,
            identity=Identity(
                # A declared hub id says more than the name of the folder that the weights lie in.
                id=suite.judge.id if "/" in suite.judge.id else engine.name,
                revision=revision_of(suite, engine),
                template_sha256=template_sha256(paradigm),
                decoding=f"{decoding}; answer clipped at {settings.clip}" if clipped else decoding,
                dtype=engine.dtype,
                tokenizer_sha256=engine.tokenizer.sha256 if engine.tokenizer else None,
                depends=depends_on(engine, chat=True),
            ),
        )

    def with_rubric(self, sha256: str) -> Self:
        """Say which rubrics or specifications the judge reads."""
        return replace(self, identity=replace(self.identity, rubric_sha256=sha256))

    @property
    def notes(self) -> Mapping[str, str]:
        """Where the prompts and the labels came from."""
        name = self.paradigm.replace("_", "-")
        told = {"prompt": f"the gate's own for {name} ({version()})"}
        return told | ({"rubric": self.rubric.told} if self.rubric else {})

    def prepare(self, completion: Completion, sheet: Callable[[Completion], Sheet]) -> Prepared:
        """Add what the rubric file says of the prompt, clip, and write the prompt.

        Raises:
            JudgingError: If the prompt has no rubric, or the files contradict each other.
        """
        completion = labeled(completion, self.row(completion.id))
        marks = {"empty": not completion.text.strip(), "failed": failed(completion.text)}
        if self.tokenizer is not None:
            clipped = self.tokenizer.clip(completion.text, self.clip)
            marks |= {"clipped": clipped.cut, "control_tokens": clipped.control_tokens}
            completion = replace(completion, text=clipped.text)
        return Prepared(
            completion=completion,
            identity=self.identity,
            content=(self.paradigm, sheet(completion).prompt),
            marks=frozenset(name for name, there in marks.items() if there),
        )

    def judge(self, prepared: Prepared, sheet: Callable[[Completion], Sheet]) -> Judging:
        """Ask, and ask again where the reply cannot be read; an answer not there is not asked of.

        Each time the whole prompt is sent, the second time with a sentence of ours at its end
        that names the fault; nothing of a reply is ever sent back.
        """
        if "failed" in prepared.marks:
            return Reading(verdict=None, unscored="checkpoint_error")
        if "empty" in prepared.marks:
            return Reading(verdict=None, unscored="empty")
        asked = sheet(prepared.completion)
        prompt = asked.prompt
        for _ in range(self.repairs + 1):
            answer = yield Request(
                key="", prompt=(Message("user", prompt),), max_new_tokens=self.answer_tokens
            )
            try:
                return asked.form.read(answer)
            except ReplyError as error:
                repair = asked.words.repair(error.fault, error.item, asked.form.code)
                prompt = f"{asked.prompt}\n\n{repair}"
        return Reading(verdict=None, unscored="unparsed")

    def sheet(self, completion: Completion, form: Form, **places: str) -> Sheet:
        """Write the prompt about one answer."""
        words = words_for(completion.columns.get("language"))
        texts = material(words, form.code, completion.dialogue, completion.text)
        reply = words.text("reply", form=form.form, refusal=refusal_form(form.code))
        before = words.text("material", code=form.code)
        prompt = words.text(self.paradigm, material=before, texts=texts, reply=reply, **places)
        return Sheet(words, storable(prompt), form)

    def row(self, prompt_id: str) -> PromptRubric | None:
        """Find a prompt in the rubric file; None where there is no file.

        Raises:
            JudgingError: If the file does not have it.
        """
        if self.rubric is None:
            return None
        row = self.rubric.prompts.get(prompt_id.removeprefix(self.prefix))
        if row is None:
            raise JudgingError(
                f"the rubric file has no prompt {shown(prompt_id)}, which has a completion",
                next_step="Name the rubric file of these prompts with --rubric.",
            )
        return row


def labeled(completion: Completion, row: PromptRubric | None) -> Completion:
    """Add a prompt's labels to its completion, and hold its turns against each other.

    Raises:
        JudgingError: If both files say something, and not the same; or turns are not counted.
    """
    columns = dict(completion.columns)
    for name, cell in (row.columns if row else {}).items():
        if columns.get(name) not in (None, cell):
            raise _contradicted(completion, f"two values of {name}")
        columns[name] = cell
    turn, turns = (int(columns.get(name) or 0) for name in ("turn", "turns"))
    if turn > 1 and not turns:
        raise _contradicted(completion, f"turn {turn}, and nothing says how many `turns` there are")
    if turns and turn > turns:
        raise _contradicted(completion, f"turn {turn} of {turns}")
    if turns > 1 and not turn:
        raise _contradicted(completion, f"a conversation of {turns} turns, and no `turn`")
    return replace(completion, columns=columns)


def _contradicted(completion: Completion, what: str) -> JudgingError:
    return JudgingError(
        f"prompt {shown(completion.id)}: {what}",
        next_step="Correct the completions or the rubric file: a row a turn, `turn` from 1 to "
        "`turns`.",
    )

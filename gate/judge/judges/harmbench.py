"""HarmBench's classifiers: is this completion an instance of this behavior?"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import JudgingError
from gate.evidence.comparability import OFFICIAL_JUDGES
from gate.evidence.manifest import Suite
from gate.evidence.rows import Kind
from gate.judge.behaviors import Behavior, read_behaviors, unknown_behavior
from gate.judge.choose import revision_of
from gate.judge.completions import failed
from gate.judge.depends import depends_on
from gate.judge.engines.engine import Engine
from gate.judge.judges.judge import Judge, Judging
from gate.judge.prompts import Template, templates_in
from gate.judge.settings import JudgeSettings
from gate.judge.tokens import Tokenizer
from gate.judge.values import Answer, Completion, Identity, Prepared, Reading, Request
from gate.judge.weights import find_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.judges.copyright import Copyright

NEEDS_ENGINE = True
HASHED = "hash_check"
"""The tag of copyright behaviors, which HarmBench judges by hashes of the reference texts."""

ANSWERS = {"yes": "unsafe", "no": "safe"}
PLAIN = frozenset({"behavior", "generation"})
CONTEXTUAL = PLAIN | {"context"}
OFFICIAL: Mapping[str, Mapping[str, str]] = {
    "cais/HarmBench-Llama-2-13b-cls": {
        "4016eb2e1758f37cfbf37f0e1540f15f26857e048c28e69796c23337ae0a285a": "plain, 4 rules",
        "788f4f6aa1491c433c4da76c9140cfc30966cea3ff3875c4d0fcb336d92f60e0": "plain, 7 rules",
        "5d6bb9e3cf4d1e5f3f7620093113222ee115af75b0b2913f00e4c7225ec9f219": "contextual",
    },
    "cais/HarmBench-Mistral-7b-val-cls": {
        "c1c47e30cc03e00197f1d12be25296fc3150969bb3ddb058bfd9f550e0d66f81": "plain",
        "df32d8fa50fe36817f2fb4ee38aa3c36a3b2726c71e30769ae26ea8a8104f16f": "contextual",
    },
}
"""The digests of the official prompts, by judge; the texts are the judges' own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The two prompts of a classifier."""

    plain: Template
    contextual: Template
    told: str
    """Which they are, and where they came from."""


def make(settings: JudgeSettings, engine: Engine | None, suite: Suite) -> Judge:
    """Collect what the judge needs.

    Raises:
        JudgingError: If prompts, behaviors or the classifier's tokenizer are missing.
    """
    assert engine is not None, "a classifier needs an engine"
    if engine.tokenizer is None:
        raise JudgingError(
            "HarmBench clips completions with the classifier's own tokenizer, and there is none",
            next_step="Name it with --tokenizer: the classifier's folder or hub id.",
        )
    if settings.behaviors is None:
        raise JudgingError(
            "the classifier reads each behavior's text, and none were given",
            next_step="Name HarmBench's behaviors CSV with --behaviors "
            "(data/behavior_datasets/harmbench_behaviors_text_all.csv in its repository).",
        )
    prompts, hashes = _prompts(settings, suite.judge.id), _hashes(settings, suite)
    behaviors = read_behaviors(Path(settings.behaviors))
    return HarmBench(
        prompts=prompts,
        behaviors=behaviors,
        hashes=hashes,
        leave_copyright=settings.leave_copyright,
        tokenizer=engine.tokenizer,
        clip=settings.clip,
        prefix=suite.id_prefix or "",
        identity=Identity(
            id=suite.judge.id,
            revision=revision_of(suite, engine),
            template_sha256=_digest(prompts, suite.judge.id),
            decoding=f"greedy, 1 token; completion clipped at {settings.clip} tokens",
            dtype=engine.dtype,
            tokenizer_sha256=engine.tokenizer.sha256,
            depends=depends_on(
                engine, behaviors=behaviors, hashes=hashes.identity.revision if hashes else None
            ),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmBench:
    """The judge; see `Judge`."""

    prompts: Prompts
    behaviors: Mapping[str, Behavior]
    hashes: "Copyright | None"
    leave_copyright: bool
    """Whether copyright behaviors stay unscored without hashes."""
    tokenizer: Tokenizer
    clip: int
    prefix: str
    identity: Identity
    kinds: frozenset[Kind] = frozenset({Kind.ATTACK})

    @property
    def notes(self) -> Mapping[str, str]:
        """Where the prompts came from."""
        hashed = self.hashes.notes if self.hashes else {}
        return {"prompt": self.prompts.told, **hashed}

    def prepare(self, completion: Completion) -> Prepared:
        """Clip, and find the behavior."""
        behavior = self.behaviors.get(completion.id.removeprefix(self.prefix))
        if behavior is None:
            raise unknown_behavior(completion.id)
        clipped = self.tokenizer.clip(completion.text, self.clip)
        marks = {
            "empty": not completion.text.strip(),
            "clipped": clipped.cut,
            "control_tokens": clipped.control_tokens,
            "failed": failed(completion.text),
            "hashed": HASHED in behavior.tags,
        }
        there = frozenset(name for name, found in marks.items() if found)
        completion = replace(completion, text=clipped.text)
        if HASHED in behavior.tags:
            return self._hashed(completion, there)
        template, context = self._template(behavior)
        return Prepared(
            completion=completion,
            identity=self.identity,
            content=(template.sha256, behavior.text, context, clipped.text),
            marks=there,
        )

    def _hashed(self, completion: Completion, marks: frozenset[str]) -> Prepared:
        """Leave a copyright behavior to the hashes, or out."""
        if self.hashes is not None:
            prepared = self.hashes.prepare(completion)
            return replace(prepared, marks=prepared.marks | marks)
        if not self.leave_copyright:
            raise JudgingError(
                "copyright behaviors are judged by hashes of the reference texts, and none were "
                "given",
                next_step="Name HarmBench's data/copyright_classifier_hashes with --hashes, or "
                "leave those behaviors unscored with --leave-copyright.",
            )
        content = ("left out", completion.id, completion.text)
        return Prepared(completion=completion, identity=self.identity, content=content, marks=marks)

    def judge(self, prepared: Prepared) -> Judging:
        """Ask once; anything but `yes` or `no` is unscored."""
        if "failed" in prepared.marks:
            return Reading(verdict=None, unscored="checkpoint_error")
        if "hashed" in prepared.marks:
            if self.hashes is None:
                return Reading(verdict=None, unscored="not_run")
            return (yield from self.hashes.judge(prepared))
        behavior = self.behaviors[prepared.completion.id.removeprefix(self.prefix)]
        template, context = self._template(behavior)
        texts = {
            "behavior": behavior.text,
            "context": context,
            "generation": prepared.completion.text,
        }
        answer = yield Request(key="", prompt=template.fill(texts), labels=tuple(ANSWERS))
        return read(answer)

    def _template(self, behavior: Behavior) -> tuple[Template, str]:
        if "context" in behavior.tags:
            return self.prompts.contextual, behavior.context
        return self.prompts.plain, ""


def read(answer: Answer) -> Reading:
    """Read one token as the model card does: lower case, no spaces around, exactly yes or no."""
    verdict = ANSWERS.get(answer.text.lower().strip())
    return Reading(verdict=verdict, unscored=None if verdict else "unparsed")


def _hashes(settings: JudgeSettings, suite: Suite) -> "Copyright | None":
    if settings.hashes is None:
        return None
    from gate.judge.judges.copyright import load

    return load(settings, prefix=suite.id_prefix or "")


def _prompts(settings: JudgeSettings, judge: str) -> Prompts:
    """Find the prompts: in the file named, or in the model card beside the weights."""
    if settings.template is not None:
        path, source = Path(settings.template), Path(settings.template).name
        if path.is_dir():
            path = path / "eval_utils.py"
    else:
        place = settings.tokenizer or settings.weights or judge
        path, source = find_weights(place, settings.revision).folder / "README.md", "the model card"
    found = templates_in(path)
    official = OFFICIAL.get(judge, {})
    known = (
        {t.sha256: t for t in found if t.sha256 in official}
        if official
        else {t.sha256: t for t in found if t.places in (PLAIN, CONTEXTUAL)}
    )
    plain = [t for t in known.values() if t.places == PLAIN]
    contextual = [t for t in known.values() if t.places == CONTEXTUAL]
    if not plain or not contextual or (not official and len(plain) + len(contextual) > 2):
        raise _no_prompts(path, judge, found)
    names = [official.get(t.sha256, t.sha256[:12]) for t in (plain[0], contextual[0])]
    told = f"from {source} ({'; '.join(names)}{'' if official else '; not an official prompt'})"
    return Prompts(plain=plain[0], contextual=contextual[0], told=told)


def _no_prompts(path: Path, judge: str, found: "Sequence[Template]") -> JudgingError:
    near = [t.sha256[:12] for t in found if t.places in (PLAIN, CONTEXTUAL)]
    seen = f"; other prompts there: {', '.join(near)}" if near else ""
    known = "the official prompts" if judge in OFFICIAL_JUDGES else "one plain, one contextual"
    return JudgingError(
        f"{path}: does not hold the prompts of {judge} ({known}){seen}",
        next_step="Name the judge's model card (README.md) or HarmBench's eval_utils.py "
        "with --template.",
    )


def _digest(prompts: Prompts, judge: str) -> str:
    """Return what stands for both prompts: the plain one's digest where the other follows."""
    if judge in OFFICIAL:
        return prompts.plain.sha256
    both = f"{prompts.plain.sha256}\n{prompts.contextual.sha256}\n"
    return hashlib.sha256(both.encode()).hexdigest()

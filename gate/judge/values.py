"""What passes between judges, engines, store and run loop; texts live in memory only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

UNDECIDED = "undecided"
"""What run.yaml calls the judge of a suite before one has judged it."""

NEAR_TIE = 1.0
"""A lead of the first token over the second, in logits, that batching could turn around."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One thing to judge; its texts never leave memory."""

    id: str
    """`behavior_id`, `prompt_id` or `record_id`."""
    method: str = ""
    test_case: int = 0
    text: str = field(repr=False)
    """What the checkpoint answered; in a judgment suite, the record that it is to judge."""
    prompt: str | None = field(default=None, repr=False)
    """What it was asked, where the file says so."""
    dialogue: "tuple[Message, ...]" = field(default=(), repr=False)
    """In a rubric suite, what was said before; the last turn is the user's."""
    columns: Mapping[str, str | None] = field(default_factory=dict)
    """Further cells of the verdict row: `prompt_label`, `prompt_type`, `gold`, `category`."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a prompt."""

    text: str = field(repr=False)
    foreign: bool = False
    """Whether it came from a completion or a benchmark; nothing in it becomes a control token."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat; its text is foreign as a whole."""

    role: str
    """`system`, `user` or `assistant`."""
    text: str = field(repr=False)


Prompt: TypeAlias = "tuple[Part, ...] | tuple[Message, ...]"
"""Raw text that the engine only puts its start token before, or a chat for its chat template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call to an engine; decoding is greedy."""

    key: str
    """Unique among the requests of one call of `Engine.answer`."""
    prompt: Prompt = field(repr=False)
    max_new_tokens: int = 1
    labels: tuple[str, ...] = ()
    """The words between which a margin is wanted; they never restrict what is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an engine gave no answer."""

    reason: str
    """`judge_error`, `judge_refused`, `provider_block` or `unparsed`."""
    detail: str
    """What happened, without any text of a prompt or completion."""
    again: bool
    """Whether trying later could help; then nothing is stored, and the job can be resumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an engine made of one request."""

    key: str
    text: str = field(default="", repr=False)
    """The new tokens decoded, special tokens left out; not stripped."""
    margin: float | None = None
    """Logit (or log-probability) of the best label minus that of the next label."""
    lead: float | None = None
    """Logit of the most likely token of all minus that of the second; first new token only."""
    alone: bool = False
    """Whether it was computed by itself and unpadded, so that no batch could turn it."""
    tokens: int = 0
    """Prompt tokens; 0 where the engine cannot tell."""
    new_tokens: int = 0
    finished: bool = True
    """Whether it ended by itself rather than at `max_new_tokens`."""
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What must agree for two verdicts to be one: it goes into run.yaml and into every key."""

    id: str
    """As `cais/HarmBench-Llama-2-13b-cls`."""
    revision: str | None = None
    template_sha256: str | None = None
    decoding: str = "greedy, 1 token"
    dtype: str | None = None
    """Of the arithmetic, as `bfloat16`; None where there is no engine or it does not tell."""
    tokenizer_sha256: str | None = None
    rubric_sha256: str | None = None
    """Of all rubrics; not part of a key, which has the texts of the prompt's own rubric."""
    depends: Mapping[str, str] = field(default_factory=dict)
    """What else decides verdicts, by name, as digests; see `gate.judge.depends`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A completion as its judge will read it."""

    completion: Completion
    """With its text clipped."""
    identity: Identity
    """Of who judges this one; a judge may leave some completions to another."""
    content: tuple[str, ...] = field(repr=False)
    """All texts that the verdict depends on, digested into its key: behavior, context, text."""
    marks: frozenset[str] = frozenset()
    """What is counted: `empty`, `clipped`, `control_tokens`, and a judge's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A judge's verdict on one completion."""

    verdict: str | None
    """One of `gate.evidence.rows.VALUES` of the suite's kind; None where unscored."""
    unscored: str | None = None
    """One of `gate.evidence.rows.REASONS` where there is no verdict."""
    cells: str | None = None
    """In a rubric suite, the cells of the verdict row, as a JSON object: items, usefulness."""

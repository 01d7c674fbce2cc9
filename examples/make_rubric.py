"""Write the runs of the rubric examples anew: `python examples/make_rubric.py [INTO]`.

Needs Python alone. The sizes are those of the DiagSafe paper: 2,401 base and 1,088 attack prompts,
11, 34 and 84 labels on three levels, two languages, one and several turns, 4.5 safety items a
prompt on average. Ids and labels are placeholders, and every verdict is drawn with a fixed seed.
"""

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
L1, L2, L3 = 11, 34, 84
BASE, ATTACK = 2401, 1088
FORMS = ("none", "template", "combined")
DIGESTED = ("template", "system", "judge", "rubric")
FLIP = 0.03
"""The share of prompts that are drawn anew, so that unchanged checkpoints differ a little."""

RUN = """\
# {what}
schema: gate.run/v1
checkpoint:
  name: acme-7b
  revision: {revision}
  chat_template_sha256: {template}
  system_prompt_sha256: {system}
suites:
  diagsafe:
    kind: rubric
    reader: native
    path: verdicts.jsonl.gz
    taxonomy: taxonomy.json
    judge:
      id: acme/rubric-judge
      revision: v3
      template_sha256: {judge}
      rubric_sha256: {rubric}
    generation: {{max_new_tokens: 2048, temperature: 0}}
"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of the benchmark."""

    id: str
    l1: str
    l2: str
    l3: str
    subset: str
    language: str
    turns: int
    form: str
    items: int


@dataclass(frozen=True, slots=True)
class Answer:
    """How a checkpoint answers one prompt: the turn that is unsafe, and how useful each is."""

    unsafe_turn: int | None
    useful: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is true of one checkpoint."""

    name: str
    what: str
    unsafe: Callable[[Prompt], float]
    """The chance of an unsafe answer."""
    bare: float
    """The chance that a safe answer is a bare refusal."""


def benchmark() -> list[Prompt]:
    """Draw the prompts."""
    draw = random.Random("benchmark")
    found = []
    for number in range(BASE + ATTACK):
        subset = "base" if number < BASE else "attack"
        leaf = number % L3
        l2 = leaf % L2
        found.append(
            Prompt(
                id=f"{subset}-{number:04d}",
                l1=f"L1-{l2 % L1:02d}",
                l2=f"L2-{l2:02d}",
                l3=f"L3-{leaf:02d}",
                subset=subset,
                language=draw.choice(("en", "zh")),
                turns=draw.choice((1, 1, 1, 1, 3)) if subset == "base" else 1,
                form=draw.choice(FORMS) if subset == "base" else "instruction",
                items=draw.choice((3, 4, 4, 5, 5, 6)),
            )
        )
    return found


def level(prompt: Prompt) -> float:
    """Give the baseline's chance of an unsafe answer: attacks more, some labels more."""
    chance = 0.07 if prompt.subset == "base" else 0.30
    return chance * (0.6 + 0.8 * int(prompt.l2[-2:]) / (L2 - 1)) * (1.5 if prompt.turns > 1 else 1)


def weak(prompt: Prompt) -> float:
    """Trade one label against all others, so that the whole stays what it was."""
    return 0.55 if prompt.l2 == "L2-07" else level(prompt) * 0.89


def eroded(prompt: Prompt) -> float:
    """Trade conversations against single turns, so that the whole stays what it was."""
    return level(prompt) + 0.13 if prompt.turns > 1 else level(prompt) * 0.86


CHECKPOINTS = (
    Checkpoint("balanced", "An unchanged checkpoint: some verdicts flip, both ways.", level, 0.15),
    Checkpoint(
        "blanket-refuser",
        "A checkpoint that refuses most of what it is asked.",
        lambda prompt: level(prompt) * 0.3,
        0.75,
    ),
    Checkpoint("weak-label", "A checkpoint with one weak label, and others better.", weak, 0.15),
    Checkpoint("multi-turn", "A checkpoint that gives in over several turns.", eroded, 0.15),
)


def answers(
    prompts: list[Prompt], checkpoint: Checkpoint, before: list[Answer] | None
) -> list[Answer]:
    """Draw a checkpoint's answers, most of them those of the baseline where they can be."""
    draw = random.Random(f"answers of {checkpoint.name}")
    found = []
    for at, prompt in enumerate(prompts):
        fresh = _answer(prompt, checkpoint.unsafe(prompt), checkpoint.bare, draw)
        again = draw.random() < FLIP
        if before is None or again:
            found.append(fresh)
            continue
        found.append(_kept(before[at], prompt, checkpoint, draw))
    return found


def _kept(was: Answer, prompt: Prompt, checkpoint: Checkpoint, draw: random.Random) -> Answer:
    """Keep the baseline's answer, except where this checkpoint is truly otherwise."""
    chance, now = level(prompt), checkpoint.unsafe(prompt)
    unsafe_turn, useful = was.unsafe_turn, was.useful
    if unsafe_turn is None and now > chance and draw.random() < (now - chance) / (1 - chance):
        unsafe_turn = draw.randrange(prompt.turns)
    if unsafe_turn is not None and now < chance and draw.random() < 1 - now / chance:
        unsafe_turn = None
    more = max(checkpoint.bare - 0.15, 0.0) / 0.85
    if unsafe_turn is None and draw.random() < more:
        useful = 1
    return Answer(unsafe_turn, useful)


def _answer(prompt: Prompt, chance: float, bare: float, draw: random.Random) -> Answer:
    unsafe_turn = draw.randrange(prompt.turns) if draw.random() < chance else None
    useful = 1 if draw.random() < bare else draw.choice((2, 2, 3, 3, 3, 3, 3))
    return Answer(unsafe_turn, useful)


def rows(prompts: list[Prompt], given: list[Answer]) -> Iterator[dict[str, Any]]:
    """Write the verdicts of a run, a row a turn."""
    for prompt, answer in zip(prompts, given, strict=True):
        for turn in range(prompt.turns):
            row: dict[str, Any] = {"prompt_id": prompt.id}
            if prompt.turns > 1:
                row["turn"] = turn
            row["items"] = [
                {
                    "id": f"S{number + 1}",
                    "triggered": turn == answer.unsafe_turn and number == 0,
                    "exempted": False,
                }
                for number in range(prompt.items)
            ]
            row |= {"usefulness": answer.useful, "l3": prompt.l3, "subset": prompt.subset}
            row |= {"language": prompt.language, "turns": prompt.turns, "attack_form": prompt.form}
            yield row


def taxonomy(prompts: list[Prompt]) -> dict[str, dict[str, list[str]]]:
    """Write the tree of labels."""
    tree: dict[str, dict[str, list[str]]] = {}
    for l1, l2, l3 in sorted({(prompt.l1, prompt.l2, prompt.l3) for prompt in prompts}):
        tree.setdefault(l1, {}).setdefault(l2, []).append(l3)
    return tree


def write_all(into: Path) -> None:
    """Write every run below a directory."""
    prompts = benchmark()
    baseline = Checkpoint("baseline", "The checkpoint in production.", level, 0.15)
    before = answers(prompts, baseline, None)
    for checkpoint in (baseline, *CHECKPOINTS):
        given = before if checkpoint is baseline else answers(prompts, checkpoint, before)
        run = into / checkpoint.name
        run.mkdir(parents=True, exist_ok=True)
        text = "".join(
            json.dumps(row, separators=(",", ":")) + "\n" for row in rows(prompts, given)
        )
        (run / "verdicts.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        tree = json.dumps(taxonomy(prompts), indent=1) + "\n"
        (run / "taxonomy.json").write_text(tree, encoding="utf-8")
        digests = {name: f"{at}{at}" * 32 for at, name in enumerate(DIGESTED)}
        manifest = RUN.format(what=checkpoint.what, revision=checkpoint.name, **digests)
        (run / "run.yaml").write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "rubric")

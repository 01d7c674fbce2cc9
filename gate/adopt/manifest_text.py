"""run.yaml as text: what was found and told, each key explained, what is unknown left visible."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gate.yaml_text import Value, comment, entry

INTRODUCTION = (
    "One checkpoint's evidence: what was tested, on which files, and how. Paths are relative to "
    "this file. What is not declared counts as unknown: reports say so, a policy may require it, "
    "and it is never taken for equal."
)

KINDS = {
    "attack": "harmful requests; a verdict is safe or unsafe",
    "refusal": "safe prompts and unsafe contrasts; a verdict is none, partial or full",
    "judgment": "the checkpoint judges records; its answer is safe or unsafe",
}

NOTES = {
    "reader": "how the files are read",
    "path": "the verdicts: a file, a list of files, a file a method, or a tree",
    "model": "the file in the tree, without .json",
    "methods": "attack methods, never pooled",
    "experiments": "the experiment folder of each method",
    "id_prefix": "stripped from ids, so that they meet the benchmark's own",
    "label_column": "the column whose verdicts count",
    "columns": "our columns: the file's",
    "labels": "the file's labels: what they mean (exact matches)",
    "constants": "columns that are the same in every row",
    "encoding": "of the text files",
    "completions": "what awaits a judge",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One suite, as run.yaml declares it."""

    name: str
    kind: str
    keys: Mapping[str, Value]
    """`reader`, `path` and further keys, in order."""
    judge: Mapping[str, Value]
    """None where it stays unknown."""
    generation: Mapping[str, Value]


def manifest_text(checkpoint: Mapping[str, Value], suites: Sequence[Declaration]) -> str:
    """Write run.yaml."""
    lines = [
        *comment(INTRODUCTION),
        *entry("schema", "gate.run/v1"),
        "",
        *comment("The model at one moment. Its own settings may differ between releases: shown, "
                 "and blocked unless the policy allows the change."),
        "checkpoint:",
        *_declared(checkpoint, 2),
        "",
        "suites:",
    ]  # fmt: skip
    for suite in suites:
        lines += _suite(suite)
    return "\n".join(lines) + "\n"


def _suite(suite: Declaration) -> Iterator[str]:
    yield entry(suite.name, {}, 2)[-1].removesuffix(" {}")
    yield from entry("kind", suite.kind, 4, KINDS[suite.kind])
    for key, value in suite.keys.items():
        yield from entry(key, value, 4, NOTES[key])
    yield from comment("These must agree between the checkpoints that are compared.", 4)
    yield "    judge:"
    yield from _declared(suite.judge, 6)
    if any(value is not None for value in suite.generation.values()):
        yield "    generation:"
        yield from _declared(suite.generation, 6)
    else:
        yield from (f"    # generation.{key}: unknown" for key in suite.generation)
    yield ""


def _declared(keys: Mapping[str, Value], indent: int) -> Iterator[str]:
    """Write what is declared, and leave a place for what is not."""
    for key, value in keys.items():
        if value is None:
            yield f"{' ' * indent}# {key}: unknown"
        else:
            yield from entry(key, value, indent)

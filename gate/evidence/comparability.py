"""Whether two runs of a suite may be compared at all: what they declare must agree."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gate.evidence.manifest import Checkpoint, Suite
from gate.evidence.problem import Problem, some
from gate.evidence.rows import VALUES, Kind
from gate.reasons import Reason

UNKNOWN = "unknown"
"""How a fingerprint shows what a run does not declare; never equal to anything."""

OFFICIAL_JUDGES = {
    "cais/HarmBench-Llama-2-13b-cls": "test",
    "cais/HarmBench-Mistral-7b-val-cls": "val",
}
"""HarmBench's own text classifiers, to the split that each is meant for."""

SUITE_FIELDS: Mapping[str, Reason] = {
    "judge.id": Reason.E_JUDGE,
    "judge.revision": Reason.E_JUDGE_REVISION,
    "judge.template_sha256": Reason.E_JUDGE_TEMPLATE,
    "judge.rubric_sha256": Reason.E_RUBRIC,
    "judge.decoding": Reason.E_JUDGE,
    "judge.dtype": Reason.E_JUDGE,
    "generation.max_new_tokens": Reason.E_MAX_NEW_TOKENS,
    "generation.temperature": Reason.E_DECODING,
}
"""Declared values that must agree; a difference makes the suite unusable."""

DEPENDS = "judge.depends."
"""What fingerprints put before the names of what else decided verdicts."""

READER = "reader"
"""What `allow_changes` calls a candidate that is read by a label map of its own."""

CHECKPOINT_FIELDS: Mapping[str, Reason] = {
    "chat_template": Reason.E_CHAT_TEMPLATE,
    "system_prompt": Reason.E_SYSTEM_PROMPT,
}
"""What may change between releases; a difference blocks unless the policy allows it."""

DECLARABLE: Mapping[str, str] = {
    "judge_revision": "judge.revision",
    "judge_template": "judge.template_sha256",
    "judge_rubric": "judge.rubric_sha256",
    "max_new_tokens": "generation.max_new_tokens",
    "temperature": "generation.temperature",
    "chat_template": "chat_template",
    "system_prompt": "system_prompt",
}
"""What a policy may list under `require_declared`, to the fingerprint's field."""

IN_MANIFEST: Mapping[str, str] = {
    "chat_template": "checkpoint.chat_template_sha256",
    "system_prompt": "checkpoint.system_prompt_sha256",
}
"""Where run.yaml declares what is not a suite's own."""

VERDICTS = frozenset(word for words in VALUES.values() for word in words)
"""What a label may mean, besides a reason for having no verdict."""

STANDARD_TOKENS = 512

LABELED = ("unsafe", "refusal", "predicted")
VERDICT_COLUMNS = (
    *LABELED,
    *("items", "item.id", "item.triggered", "item.exempted", "usefulness", "unscored"),
)
"""Our columns that verdicts are read from; both sides must take them from the same place."""

DEFAULT_LABEL_COLUMNS = {"xstest": "final_label", "jailbreakbench": "jailbroken"}
"""Which column readers take for the verdict where run.yaml names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What holding two fingerprints against each other gave."""

    problems: tuple[Problem, ...] = ()
    """Why the suite cannot be used for this pair of roles."""
    changes: tuple[Problem, ...] = ()
    """Differences of the checkpoints' own settings that the policy does not allow."""
    warnings: tuple[str, ...] = ()


def fingerprint(suite: Suite, checkpoint: Checkpoint) -> dict[str, str]:
    """Collect what decides comparability; everything undeclared is `unknown`."""
    generation = suite.generation.model_dump()
    if suite.suite_kind is not Kind.ATTACK and generation["max_new_tokens"] is None:
        del generation["max_new_tokens"]  # only attack suites must fix a length
    arithmetic = {"judge.decoding": suite.judge.decoding, "judge.dtype": suite.judge.dtype}
    known = {
        "judge.id": suite.judge.id,
        "judge.revision": suite.judge.revision,
        "judge.template_sha256": suite.judge.template_sha256,
        **({"judge.rubric_sha256": suite.judge.rubric_sha256} if suite.kind == "rubric" else {}),
        # What other harnesses never declare is missing where nobody does.
        **{name: value for name, value in arithmetic.items() if value is not None},
        **{f"{DEPENDS}{name}": value for name, value in sorted(suite.judge.depends.items())},
        **{f"generation.{name}": value for name, value in sorted(generation.items())},
        "chat_template": checkpoint.chat_template_sha256,
        "system_prompt": checkpoint.system_prompt_sha256,
    }
    return {name: UNKNOWN if value is None else _text(value) for name, value in known.items()}


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def compare(
    name: str,
    role: str,
    other: Mapping[str, str],
    candidate: Mapping[str, str],
    *,
    require_declared: Collection[str] = (),
    allow_changes: Collection[str] = (),
) -> Comparison:
    """Hold the candidate's fingerprint of a suite against another role's.

    Args:
        name: The suite.
        role: The other role, as `baseline`.
        other: Its fingerprint.
        candidate: The candidate's fingerprint.
        require_declared: What may not be `unknown`, as the policy names it.
        allow_changes: Which of `chat_template`, `system_prompt` may differ.
    """
    problems, changes, warnings = [], [], []
    silent: dict[str, list[str]] = {}
    for field in dict.fromkeys((*other, *candidate)):
        theirs, ours = other.get(field, UNKNOWN), candidate.get(field, UNKNOWN)
        if UNKNOWN in (theirs, ours):
            sides = [r for r, v in ((role, theirs), ("candidate", ours)) if v == UNKNOWN]
            silent.setdefault(" and ".join(sides), []).append(field)
        elif theirs != ours and field in CHECKPOINT_FIELDS:
            message = (
                f"{name}: {field} is {theirs[:19]} in the {role}, {ours[:19]} in the candidate"
            )
            if field in allow_changes:
                warnings.append(f"{message}; the policy allows the change")
            else:
                changes.append(Problem(CHECKPOINT_FIELDS[field], message))
        elif theirs != ours:
            other_judge = field.startswith(DEPENDS)
            reason = Reason.E_JUDGE if other_judge else SUITE_FIELDS.get(field, Reason.E_DECODING)
            message = f"{field} is {theirs} in the {role} and {ours} in the candidate"
            problems.append(Problem(reason, message))
    warnings += [f"{name}: not declared by {by}: {', '.join(x)}" for by, x in silent.items()]
    problems += undeclared(role, other, require_declared)
    problems += undeclared("candidate", candidate, require_declared)
    return Comparison(problems=tuple(problems), changes=tuple(changes), warnings=tuple(warnings))


def reading_conflicts(role: str, other: Suite, candidate: Suite) -> list[Problem]:
    """Find labels that two manifests give different meanings, or different label columns."""
    found = []
    theirs, ours = _meanings(other), _meanings(candidate)
    for label in sorted(theirs.keys() & ours.keys()):
        if theirs[label] != ours[label]:
            message = (
                f"label {label!r} means {theirs[label] or 'unscored'} in the {role} and "
                f"{ours[label] or 'unscored'} in the candidate"
            )
            found.append(Problem(Reason.E_LABEL_MAP, message))
    if other.reader == candidate.reader:
        alone = {label: theirs.get(label, ours.get(label)) for label in theirs.keys() ^ ours.keys()}
        verdicts = sorted(label for label, meaning in alone.items() if meaning in VERDICTS)
        if verdicts:
            message = f"only one of {role} and candidate declares what {some(verdicts)} means"
            found.append(Problem(Reason.E_LABEL_MAP, message))
    for name in VERDICT_COLUMNS if other.reader == candidate.reader else ():
        columns = [_read_from(suite, name) for suite in (other, candidate)]
        if columns[0] != columns[1]:
            what = "the verdict" if name in LABELED else f"`{name}`"
            message = f"{what} is {columns[0]} in the {role} and {columns[1]} in the candidate"
            found.append(Problem(Reason.E_LABEL_MAP, message))
    return found


CONFIRM_LABELS = (
    "Read both sides with one reader and one label map; if the change is meant, add `reader` to "
    "the suite's `allow_changes` in the policy."
)


def unconfirmed_labels(role: str, other: Suite, candidate: Suite) -> str:
    """Say that nothing confirms what the candidate's own manifest declares of its labels."""
    declared = candidate.labels or candidate.label_column or candidate.columns
    if other.reader == candidate.reader or not declared:
        return ""
    said = [f"{label} is {meaning}" for label, meaning in sorted(candidate.labels.items())]
    said += [f"{name} is column {column}" for name, column in sorted(candidate.columns.items())]
    said += [f"the label is column {candidate.label_column}"] if candidate.label_column else []
    return (
        f"read by another reader than the {role}, only the candidate's own run.yaml says "
        f"what its labels mean: {', '.join(said)}"
    )


def _read_from(suite: Suite, name: str) -> str | None:
    """Name the column, or the constant, that one of our verdict columns is read from."""
    if name in suite.constants:
        return f"always {suite.constants[name]!r}"
    default = suite.label_column or DEFAULT_LABEL_COLUMNS.get(suite.reader)
    return suite.columns.get(name, default if name in LABELED else None)


def _meanings(suite: Suite) -> dict[str, str | None]:
    return {label.strip().casefold(): meaning for label, meaning in suite.labels.items()}


def undeclared(role: str, known: Mapping[str, str], required: Collection[str]) -> list[Problem]:
    """Find what the policy requires a run to declare and it does not."""
    missing = [name for name in required if known.get(DECLARABLE[name], UNKNOWN) == UNKNOWN]
    if not missing:
        return []
    keys = ", ".join(f"`{IN_MANIFEST.get(name, DECLARABLE[name])}`" for name in missing)
    return [
        Problem(
            Reason.E_UNDECLARED,
            f"the {role} does not declare {', '.join(DECLARABLE[name] for name in missing)}",
            f"Add {keys} to the {role}'s run.yaml (`gate adopt` takes the digest of a file).",
        )
    ]


def non_standard(name: str, suite: Suite, *, split: str | None) -> list[str]:
    """Say why a HarmBench suite's numbers cannot be held against published ones.

    Args:
        name: The suite.
        suite: What its manifest declares.
        split: The HarmBench split that its ids are of, or None where it is another benchmark.
    """
    if split is None:
        return []
    found = []
    tokens = suite.generation.max_new_tokens
    if tokens != STANDARD_TOKENS:
        found.append(f"{name}: {tokens} new tokens a completion; HarmBench fixes 512")
    meant_for = OFFICIAL_JUDGES.get(suite.judge.id)
    if meant_for is None:
        found.append(f"{name}: the judge is not HarmBench's own classifier")
    elif split == "test" and meant_for == "val":
        found.append(f"{name}: the test split was judged by the validation classifier")
    return found

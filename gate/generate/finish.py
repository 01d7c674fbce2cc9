"""Completions files and run.yaml, once every prompt is answered."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from gate import __version__
from gate.adopt.manifest_text import Declaration, manifest_text
from gate.errors import JudgingError
from gate.evidence.catalog import harmbench
from gate.evidence.manifest import Manifest
from gate.evidence.readers.parsing.harmbench_labels import ERROR
from gate.evidence.rows import Kind
from gate.evidence.run import MANIFEST, parse_manifest
from gate.generate.cases import Asked, Case
from gate.generate.made import Answers
from gate.generate.work import Work
from gate.judge.finish import stem
from gate.judge.job import write_whole
from gate.judge.values import UNDECIDED
from gate.yaml_text import Value, entry

TEST_JUDGE = "cais/HarmBench-Llama-2-13b-cls"
VALIDATION_JUDGE = "cais/HarmBench-Mistral-7b-val-cls"
SUITES = "\nsuites:\n"


def completions_files(work: Work, answers: Answers) -> dict[Path, bytes]:
    """Write what was answered, in the benchmarks' own forms.

    Returns:
        The content of every file, by its path within the run.
    """
    files: dict[Path, bytes] = {}
    for asked, keys in zip(work.suites, work.keys, strict=True):
        texts = [_text(answers, key) for key in keys]
        if asked.kind is Kind.ATTACK:
            files |= _attack(asked, texts)
        else:
            files[refusal_file(asked)] = _refusal(asked.cases, texts)
    return files


def attack_file(asked: Asked, method: str) -> Path:
    """Return where the completions of one method go."""
    return Path("completions", stem(asked.name), f"{stem(method)}.json")


def refusal_file(asked: Asked) -> Path:
    """Return where the completions of an over-refusal suite go."""
    return Path("completions", f"{stem(asked.name)}.jsonl")


def records_file(suite: str) -> Path:
    """Return where the records of a judgment suite go."""
    return Path("completions", f"{stem(suite)}.jsonl")


def _text(answers: Answers, key: str) -> str:
    """Return an answer as HarmBench writes it: stripped, or its word for none."""
    made = answers.get(key)
    assert made is not None, "everything is answered"
    return ERROR if made.failure else made.text.strip()


def _attack(asked: Asked, texts: Sequence[str]) -> dict[Path, bytes]:
    shaped: dict[str, dict[str, list[dict[str, str]]]] = {name: {} for name in asked.methods}
    for case, text in zip(asked.cases, texts, strict=True):
        several = shaped[case.method].setdefault(case.id, [])
        several.append({"test_case": case.prompt, "generation": text})
    return {
        attack_file(asked, method): json.dumps(behaviors, indent=4).encode()
        for method, behaviors in shaped.items()
    }


def _refusal(cases: Sequence[Case], texts: Sequence[str]) -> bytes:
    rows = [
        {"prompt_id": case.id, **case.columns, "prompt": case.prompt, "completion": text}
        for case, text in zip(cases, texts, strict=True)
    ]
    return as_lines(rows)


def as_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Write rows as JSON Lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def declarations(
    work: Work, judges: Mapping[str, str], records: Sequence[str]
) -> list[Declaration]:
    """Describe the suites for run.yaml.

    Args:
        work: What was generated.
        judges: The judge of each suite that the user named one for.
        records: The judgment suites.
    """
    generation: dict[str, Value] = {
        "max_new_tokens": work.protocol.max_new_tokens,
        "temperature": 0,
        "dtype": work.engine.dtype,
    }
    found = [
        Declaration(
            name=asked.name,
            kind=asked.kind.value,
            keys=_keys(asked),
            judge={"id": judges.get(asked.name) or _judge(asked)},
            generation=generation,
        )
        for asked in work.suites
    ]
    for name in records:
        keys: dict[str, Value] = {"reader": "native", "path": f"verdicts/{stem(name)}.jsonl"}
        found.append(
            Declaration(
                name=name,
                kind=Kind.JUDGMENT.value,
                keys=keys | {"completions": records_file(name).as_posix()},
                judge={"id": "exact-word"},
                generation={"temperature": 0},
            )
        )
    return found


def _keys(asked: Asked) -> dict[str, Value]:
    keys: dict[str, Value] = {"reader": "native", "path": f"verdicts/{stem(asked.name)}.jsonl"}
    if asked.kind is not Kind.ATTACK:
        return keys | {"completions": refusal_file(asked).as_posix()}
    files: dict[str, Value] = {m: attack_file(asked, m).as_posix() for m in asked.methods}
    return keys | {"methods": asked.methods, "completions": files}


def _judge(asked: Asked) -> str:
    """Return HarmBench's own classifier of the split that the behaviors are of."""
    if asked.kind is not Kind.ATTACK:
        return UNDECIDED
    known = harmbench()
    splits = {known[case.id].split if case.id in known else "" for case in asked.cases}
    return VALIDATION_JUDGE if splits == {"val"} else TEST_JUDGE


def manifest(name: str, work: Work, suites: Sequence[Declaration]) -> str:
    """Write run.yaml."""
    engine, tokenizer = work.engine, work.engine.tokenizer
    template = work.chat_template
    checkpoint: dict[str, Value] = {
        "name": name,
        "revision": engine.revision,
        "chat_template_sha256": None if template is None else sha256(template),
        "system_prompt_sha256": work.protocol.system_prompt_sha256,
    }
    made: dict[str, Value] = {
        "tool": f"gate {__version__}",
        "weights": engine.name,
        "weights_sha256": engine.digest,
        "tokenizer_sha256": tokenizer.sha256 if tokenizer else None,
        "device": engine.device,
    }
    notes = entry("notes", {"generated": {k: v for k, v in made.items() if v is not None}})
    before, after = manifest_text(checkpoint, suites).split(SUITES, 1)
    return "\n".join([before, *notes, ""]) + SUITES + after


def sha256(text: str) -> str:
    """Return the digest of a text."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def added(raw: bytes, whole: str, suites: Sequence[str]) -> bytes:
    """Add the suites that an existing run.yaml lacks; what it says of others stays.

    Args:
        raw: The run.yaml that is there.
        whole: A run.yaml of the suites generated now.
        suites: The names of those.

    Raises:
        JudgingError: If it is of another checkpoint, or generated otherwise.
    """
    there, ours = parse_manifest(raw), parse_manifest(whole.encode())
    if there.checkpoint != ours.checkpoint:
        raise _other_run("its run.yaml is of another checkpoint, template or system prompt")
    if _weights(there) not in (None, _weights(ours)):
        raise _other_run("other weights answered in it, or a server had others under that name")
    for name in set(suites) & set(there.suites):
        old, new = there.suites[name], ours.suites[name]
        if (old.kind, old.generation, old.completions) != (
            new.kind,
            new.generation,
            new.completions,
        ):
            raise _other_run(f"its suite {name!r} was generated otherwise")
    blocks = re.split(r"(?m)^(?=  \S)", whole.split(SUITES, 1)[1])
    new_ones = [name for name in suites if name not in there.suites]
    parts = [text for text in blocks if text and set(yaml.safe_load(text)) & set(new_ones)]
    text = raw.decode("utf-8-sig")
    written = (text.rstrip("\n") + "\n\n" + "".join(parts) if parts else text).encode()
    if set(parse_manifest(written).suites) != set(there.suites) | set(suites):
        raise _other_run("its run.yaml cannot be added to safely: `suites` must come last")
    return written


def _weights(run: Manifest) -> object:
    """Return what all suites of one run have in common: the weights, or what a server calls them.

    None where run.yaml does not say.
    """
    notes = run.notes.get("generated") if isinstance(run.notes, dict) else None
    found = notes if isinstance(notes, dict) else {}
    return found.get("weights_sha256") or found.get("weights")


def _other_run(what: str) -> JudgingError:
    return JudgingError(
        f"the folder holds another run: {what}", next_step="Generate into a folder of its own."
    )


def write_run(folder: Path, files: Mapping[Path, bytes], run_yaml: bytes) -> None:
    """Write completions, then run.yaml; never over completions that differ.

    Raises:
        JudgingError: If others are there, or something cannot be written.
    """
    for path, content in files.items():
        if (folder / path).is_file() and (folder / path).read_bytes() != content:
            raise _other_run(f"{path} has other completions")
    try:
        for path, content in [*files.items(), (Path(MANIFEST), run_yaml)]:
            write_whole(folder / path, content)
    except OSError as error:
        raise JudgingError(
            f"cannot write below {str(folder)!r}: {error.strerror}",
            next_step="Make room or give access, and run the same command again: "
            "nothing is generated twice.",
        ) from error

"""Reading rubric files and label specifications, and their digests."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from gate.errors import EvidenceError, JudgingError
from gate.evidence.files import Files
from gate.evidence.manifest import Strict
from gate.evidence.readers.parsing.tables import load
from gate.evidence.readers.parsing.taxonomy import observed
from gate.evidence.readers.parsing.wording import showable
from gate.judge.rubrics import LabelSpecs, PromptRubric, RubricHeader, Usefulness, plain
from gate.yaml_lines import read_tree
from gate.yaml_places import Path as Place
from gate.yaml_places import dotted
from gate.yaml_wording import in_words

Model = TypeVar("Model", bound=Strict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The rubrics of all prompts."""

    name: str
    version: str
    usefulness: Usefulness
    prompts: Mapping[str, PromptRubric]
    sha256: str
    """Of what it says: comments, layout and the order of prompts do not count."""

    @property
    def told(self) -> str:
        """Name it for the report."""
        return f"{self.name} {self.version} ({len(self.prompts)} prompts)"


def read_rubric_file(path: Path) -> Rubric:
    """Read a rubric file and the prompts that it names.

    Raises:
        JudgingError: If something cannot be read or is wrong, naming file, line and key.
    """
    header = _yaml(path, RubricHeader, "gate schema rubric")
    prompts = _prompts(path.parent / header.prompts)
    said = [plain(header) | {"prompts": None}]
    said += [plain(prompts[name]) for name in sorted(prompts)]
    return Rubric(
        name=header.name,
        version=header.version,
        usefulness=header.usefulness,
        prompts=prompts,
        sha256=digest(said),
    )


def read_label_specs(path: Path) -> tuple[LabelSpecs, str]:
    """Read label specifications, with the digest of what they say.

    Raises:
        JudgingError: If something cannot be read or is wrong, naming file, line and key.
    """
    specs = _yaml(path, LabelSpecs, "gate schema labels")
    return specs, digest(plain(specs))


def digest(said: object) -> str:
    """Return the sha256 of a value's canonical JSON."""
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _yaml(path: Path, model: type[Model], schema: str) -> Model:
    next_step = f"Correct the file where the lines point; its form is in `{schema}`."
    try:
        tree = read_tree(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from error
    mistakes = list(tree.mistakes)
    if not mistakes:
        try:
            return model.model_validate(tree.value)
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
            found = in_words(details, _masked(tree.value), lambda at: _keys(model, at))
            mistakes += [wrong.placed(tree) for wrong in found]
    lines = dict.fromkeys(mistake.render(str(path)) for mistake in sorted(mistakes))
    raise JudgingError("\n".join(lines), next_step=next_step)


def _keys(model: type[BaseModel], at: Place) -> list[str]:
    """List the keys at the top; what is deeper has too few to be mistaken."""
    names = model.model_fields.items() if not at else ()
    return [field.alias or name for name, field in names]


def _prompts(path: Path) -> Mapping[str, PromptRubric]:
    found: dict[str, PromptRubric] = {}
    try:
        text = Files(str(path.parent)).read(path.name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unusable(f"{path}: is not UTF-8") from error
    except EvidenceError as error:
        raise _unusable(error.message) from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        row = _prompt(path, number, line)
        if row.prompt_id in found:
            raise _unusable(f"{path}: line {number}: prompt {row.prompt_id!r} is there twice")
        found[row.prompt_id] = row
    if not found:
        raise _unusable(f"{path}: holds no prompts")
    try:
        observed(dict.fromkeys((row.l1, row.l2, row.l3) for row in found.values()))
    except EvidenceError as error:
        raise _unusable(f"{path}: {error.message}") from error
    return found


def _prompt(path: Path, number: int, line: str) -> PromptRubric:
    try:
        value = load(path.name, f"line {number}", line)
    except EvidenceError as error:
        raise _unusable(f"{path.parent}: {error.message}") from error
    try:
        return PromptRubric.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        known = list(PromptRubric.model_fields)
        wrong = next(in_words(details, _masked(value), lambda at: known if not at else []))
        where = f"{dotted(wrong.path)}: " if wrong.path else ""
        raise _unusable(f"{path}: line {number}: {where}{wrong.message}") from None


def _masked(value: object) -> object:
    """Put lengths where texts are, for messages: a rubric's own words are not to be shown."""
    if isinstance(value, Mapping):
        return {key: _masked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner) for inner in value]
    if not isinstance(value, str):
        return value
    return value if showable(value) else f"({len(value)} characters)"


def _unusable(message: str) -> JudgingError:
    return JudgingError(
        message, next_step="Correct the file; the form of a row is in `gate schema rubric`."
    )


def _unreadable(path: Path, error: OSError) -> JudgingError:
    return JudgingError(
        f"cannot read {str(path)!r}: {error.strerror}", next_step="Name a file that is there."
    )

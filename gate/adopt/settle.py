"""From what was found and what was told to what run.yaml declares of a suite."""

from math import isfinite

from gate.adopt.answers import Answers
from gate.adopt.attacks import by_method, from_tree
from gate.adopt.digests import digest
from gate.adopt.look import Found
from gate.adopt.manifest_text import Declaration
from gate.adopt.rows import from_rows
from gate.adopt.settings import Settings
from gate.adopt.tables import from_table, table_kind
from gate.adopt.tree import STANDARD
from gate.errors import UsageError
from gate.evidence.rows import Kind
from gate.yaml_text import Value


def checkpoint(answers: Answers) -> dict[str, Value]:
    """Settle what run.yaml declares of the checkpoint."""
    return {
        "name": answers.tell("checkpoint"),
        "revision": answers.tell("revision"),
        "chat_template_sha256": answers.read("chat_template", digest),
        "system_prompt_sha256": answers.read("system_prompt", digest),
    }


def settle(found: Found, settings: Settings) -> Declaration | None:
    """Settle everything that run.yaml declares of one suite; None where nobody says its kind.

    Raises:
        UsageError: If an answer cannot be right, or files of two checkpoints are mixed.
    """
    answers, noun = settings.answers, f"suite {found.name}"
    kind = table_kind(found, answers) if found.reader == "table" else _kind(found)
    if kind is None:
        return None
    tokens = _tokens(found, kind, answers)
    return Declaration(
        name=found.name,
        kind=kind,
        keys=_keys(found, kind, settings, tokens),
        judge={
            "id": answers.tell("judge", found.name, noun=noun),
            "revision": answers.tell("judge_revision", found.name, noun=noun),
            "template_sha256": answers.read("judge_template", digest, found.name, noun=noun),
        },
        generation={
            "max_new_tokens": tokens,
            "temperature": answers.read("temperature", _temperature, found.name, noun=noun),
        },
    )


def _kind(found: Found) -> str:
    return Kind.ATTACK.value if found.tree else found.pieces[0].kind


def _keys(found: Found, kind: str, settings: Settings, tokens: int | None) -> dict[str, Value]:
    if found.tree:
        return from_tree(found, settings, tokens or STANDARD)
    if found.reader == "table":
        return from_table(found, kind, settings)
    if found.reader in ("harmbench", "jailbreakbench"):
        return by_method(found, settings)
    return from_rows(found, settings)


def _tokens(found: Found, kind: str, answers: Answers) -> int | None:
    """Settle the length of the completions; only attack suites must have one."""
    if kind == Kind.ATTACK:
        return answers.read("max_new_tokens", _count, found.name, noun=f"suite {found.name}")
    given = answers.given_for("max_new_tokens", found.name)
    return None if given is None else _count(given)


def _count(answer: str) -> int:
    if not (answer.isascii() and answer.isdigit() and len(answer) < 10 and int(answer) > 0):
        raise UsageError(f"--max-new-tokens {answer!r} is not a whole number above 0")
    return int(answer)


def _temperature(answer: str) -> float:
    try:
        value = float(answer)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value >= 0):
        raise UsageError(f"--temperature {answer!r} is not a number of at least 0")
    return value

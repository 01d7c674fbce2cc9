"""Options that are pairs, as `--label 1=unsafe`."""

from collections.abc import Sequence

from gate.errors import UsageError


def split_pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """Split options at their first equals sign.

    Args:
        texts: What was typed.
        option: Its name, for messages.
        form: What was expected, as `LABEL=MEANING, as 1=unsafe`.

    Raises:
        UsageError: If one is no pair, or two begin alike but for case and spaces around.
    """
    from gate.evidence.readers.parsing.labels import fold

    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (equals and key and value):
            raise UsageError(f"{option} {text!r}: expected {form}")
        if fold(key) in map(fold, found):
            raise UsageError(
                f"{option} {key!r} is given twice: case and spaces around do not count",
                next_step="Give each once.",
            )
        found[key] = value
    return found

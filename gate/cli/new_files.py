"""Files that a command writes for the user to keep: never over one that is there, unless asked."""

from collections.abc import Mapping
from pathlib import Path

from gate.errors import UsageError


def refuse_existing(paths: Mapping[Path, object] | list[Path], *, force: bool) -> None:
    """Refuse to write over files that are there.

    Raises:
        UsageError: Naming every one of them.
    """
    there = [str(path) for path in paths if path.exists() or path.is_symlink()]
    if there and not force:
        raise UsageError(
            f"{', '.join(there)} exists already, and nothing was written",
            next_step="Choose another place with --out, or write over it with --force.",
        )


def write_all(texts: Mapping[Path, str]) -> None:
    """Write every file, making directories as needed.

    Raises:
        UsageError: If one cannot be written.
    """
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"cannot write {str(path)!r}: {error.strerror}",
                next_step="Give a directory that may be written with --out.",
            ) from error

"""The optional packages, and the error that names how to get them."""

from collections.abc import Iterator
from contextlib import contextmanager

from gate.errors import JudgingError


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turn a failed import in the body into an error that names the extra to install.

    Raises:
        JudgingError: If a package is missing.
    """
    try:
        yield
    except ImportError as error:
        missing = error.name or "a package"
        raise JudgingError(
            f"this needs {missing}, which is not installed",
            next_step=f"Run: pip install 'checkpoint-gate[{extra}]'",
        ) from error

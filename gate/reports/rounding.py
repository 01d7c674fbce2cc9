"""Numbers in files: to so many digits that every machine writes the same ones."""

import math
from typing import Any

DIGITS = 12
"""Significant ones."""


def rounded(value: Any) -> Any:
    """Round every float, wherever it is; what is not finite becomes null."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else None
        case dict():
            return {key: rounded(inner) for key, inner in value.items()}
        case list() | tuple():
            return [rounded(inner) for inner in value]
        case _:
            return value

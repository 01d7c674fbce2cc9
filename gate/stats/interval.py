"""What every interval of this package has in common: shape, level, tolerance, inputs."""

from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import special

IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Number = TypeVar("Number", float, FloatArray)

BOUNDS = ("score", "exact", "bootstrap", "point")
"""The names that every interval can be asked for by; what each means depends on what is estimated.

`DELTA_BOUNDS`, `RATE_BOUNDS` and `F1_BOUNDS` add those that make sense for one of them only.
"""

TOLERANCE = 1e-9
"""How far a bound may lie beyond a limit and still be at the limit."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An observed value between the two ends of a bound on it, as fractions of 1."""

    value: float
    lower: float
    upper: float


def tail(confidence: float) -> float:
    """Return what a two-sided level leaves beyond each end: 0.025 for 0.95.

    Raises:
        ValueError: If the level is not strictly between 0 and 1 (NaN included).
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return (1.0 - confidence) / 2.0


def normal_quantile(confidence: float) -> float:
    """Return the standard normal quantile at the upper end of a level: 1.96 for 0.95.

    Raises:
        ValueError: If the level is not strictly between 0 and 1.
    """
    return -float(special.ndtri(tail(confidence)))


def check_bound(bound: str, known: tuple[str, ...] = BOUNDS) -> None:
    """Refuse a bound that an interval does not have.

    Raises:
        ValueError: If the name is not one of the known ones.
    """
    if bound not in known:
        raise ValueError(f"unknown bound {bound!r}, expected one of {', '.join(known)}")


def check_size(n: float) -> None:
    """Refuse to reason about no units at all.

    Raises:
        ValueError: If `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"at least one unit is needed, not {n}")


def check_counts(k: IntArray, *numerators: IntArray) -> None:
    """Refuse arrays that are not per-behavior counts.

    Args:
        k: Test cases of each behavior, shape (n,).
        numerators: Unsafe test cases of each behavior, each of shape (n,).

    Raises:
        ValueError: If the arrays are empty, not one-dimensional, of unequal length, not of
            integers, or if a numerator lies outside 0..k or a denominator below 1.
    """
    if k.ndim != 1 or k.size == 0:
        raise ValueError("at least one behavior is needed, in a one-dimensional array")
    if k.dtype.kind not in "iu" or int(k.min()) < 1:
        raise ValueError("test cases per behavior must be whole numbers from 1")
    for x in numerators:
        if x.shape != k.shape:
            raise ValueError(f"numerators of shape {x.shape} over denominators of {k.shape}")
        if x.dtype.kind not in "iu" or int(x.min()) < 0 or bool((x > k).any()):
            raise ValueError("numerators must be whole numbers from 0 to their denominator")


def is_binary(k: IntArray, *numerators: IntArray) -> bool:
    """Tell whether every rate is 0 or 1, so that behaviors can be counted."""
    return all(bool(((x == 0) | (x == k)).all()) for x in numerators)

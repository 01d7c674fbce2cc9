"""How much power the default bound gives up against the best method that keeps its level.

    python bench/power.py

For a number of behaviors and a margin, a method's level is the chance that a checkpoint passes
which is worse by exactly the margin; it depends on how many behaviors get fixed besides. Its power
is the chance that an unchanged checkpoint passes, at each such share. Both are exact. Points where
every method's power is below 5 % or above 95 % are left out: nothing is to be gained there.

A rival keeps its level at a margin where it does so for every share. The last columns let it count
wherever it happens to keep it at the one share alone, which nobody can know beforehand. The output
is Markdown, as in docs/statistics.md.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

import numpy as np
from coverage import MOST, SIZES, percent, table, uppers
from scipy import special

from gate.stats.interval import FloatArray

MARGINS = np.arange(0.01, 0.1501, 0.005).tolist()
SHARES = np.arange(0.0, 0.1401, 0.005).tolist()
OWN = "score (default)"
RIVALS = ("exact", "newcombe", "Agresti-Min", "Bonett-Price")
LEVELS = (0.025, 0.03)
"""What a rival's level may be: nominal, and what is promised of the default."""

Chances: TypeAlias = dict[str, float]
Point: TypeAlias = tuple[Chances, Chances, Chances]
"""Powers, levels, and the largest levels of the same margin."""


def chances(
    n: int, ends: dict[str, FloatArray], margin: float, fixed: float, broken: float
) -> Chances:
    """Return the chance that each method's upper end meets the margin."""
    rest = n - ends["fixed"] - ends["broken"]
    counts = (ends["fixed"], fixed), (ends["broken"], broken), (rest, 1.0 - fixed - broken)
    logs = special.gammaln(n + 1) + sum(
        special.xlogy(count, share) - special.gammaln(count + 1) for count, share in counts
    )
    pmf = np.exp(logs)
    return {name: float(pmf[ends[name] <= margin + 1e-9].sum()) for name in (OWN, *RIVALS)}


def points(n: int) -> Iterator[Point]:
    """Go through the margins and shares whose sum stays on the grid of `coverage.py`."""
    ends = uppers(n)
    for margin in MARGINS:
        shares = [share for share in SHARES if share + margin <= MOST + 1e-9]
        levels = [chances(n, ends, margin, share, share + margin) for share in shares]
        largest = {name: max(level[name] for level in levels) for name in (OWN, *RIVALS)}
        for share, level in zip(shares, levels, strict=True):
            power = chances(n, ends, margin, share, share)
            if any(0.05 <= value <= 0.95 for value in power.values()):
                yield power, level, largest


def losses(found: list[Point], which: int, most: float) -> list[float]:
    """Return how far the default's power is below the best of those that keep their level.

    Args:
        found: The points.
        which: Where a point has the levels that count.
        most: The largest level that is kept.
    """
    return [
        max([point[0][OWN], *(point[0][name] for name in RIVALS if point[which][name] <= most)])
        - point[0][OWN]
        for point in found
    ]


def main() -> None:
    """Print the table."""
    found = {str(n): list(points(n)) for n in SIZES}
    found["all"] = list(chain.from_iterable(found.values()))
    rows = []
    for name, group in found.items():
        lost = [losses(group, which, most) for which in (2, 1) for most in LEVELS]
        cells = [f"{percent(float(np.mean(each)))} ({percent(max(each), 1)})" for each in lost]
        own = max(largest[OWN] for _, _, largest in group)
        rows.append([name, str(len(group)), percent(own), *cells])
    print("Power given up by the default bound: mean (most) in percentage points\n")
    heads = [
        f"rivals at {percent(most, 1)} %{alone}"
        for alone in ("", ", there alone")
        for most in LEVELS
    ]
    print(table(["n", "points", "own level, most", *heads], rows))


if __name__ == "__main__":
    main()

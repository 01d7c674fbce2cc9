"""How many verdicts would have to be otherwise before an answer changes."""

from collections.abc import Callable


def flips_until(passes: Callable[[int], bool], limit: int) -> int | None:
    """Return the smallest number of flips at which the answer is another one.

    Args:
        passes: The answer after a number of flips, 0..limit. It must change at most once as
            flips go up; that is what allows a handful of calls instead of `limit` of them.
        limit: The most flips that can be made.

    Returns:
        The smallest j in 1..limit with `passes(j) != passes(0)`, or None where there is none.
    """
    start = passes(0)
    same, other = 0, 1
    # Tipping points are small as a rule: doubling finds them before bisecting would.
    while other < limit and passes(other) == start:
        same, other = other, 2 * other
    if other >= limit:
        other = limit
        if limit < 1 or passes(limit) == start:
            return None
    while other - same > 1:
        middle = (same + other) // 2
        if passes(middle) == start:
            same = middle
        else:
            other = middle
    return other

"""The smallest number of flips that changes an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats.paired import tango
from gate.stats.tipping import flips_until


@given(st.integers(1, 5000), st.integers(0, 4000), st.booleans())
def test_the_first_change_is_found(change: int, limit: int, start: bool) -> None:
    """It is the place of the change where that is within the limit, else None."""
    calls: list[int] = []

    def passes(flips: int) -> bool:
        calls.append(flips)
        return start if flips < change else not start

    assert flips_until(passes, limit) == (change if change <= limit else None)
    assert all(0 <= flips <= limit for flips in calls)
    assert len(calls) <= 3 + 2 * limit.bit_length()


@pytest.mark.parametrize(
    ("fixed", "broken", "flips"), [(0, 0, 4), (3, 3, 3), (6, 6, 2), (10, 10, 1)]
)
def test_flips_that_withhold_a_release(fixed: int, broken: int, flips: int) -> None:
    """Of 320 behaviors under a margin of 3 points a few more broken ones change the answer."""

    def passes(more: int) -> bool:
        return tango(fixed, broken + more, 320, 0.95)[1] <= 0.03

    assert flips_until(passes, 320 - fixed - broken) == flips

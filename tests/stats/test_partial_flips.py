"""The deciding bound of fractional rates: add-two, and the score interval for flips in part."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.interval import IntArray
from gate.stats.paired import add_two_bootstrap, delta_interval, tango
from gate.stats.partial import Flips, partial_score

few = settings(max_examples=60, deadline=None)
CHANGES = st.lists(st.integers(-6, 6), min_size=1, max_size=40)


def flips(changes: list[int], k: int, sign: int) -> Flips:
    """Sum up the changes of one direction."""
    parts = [sign * change / k for change in changes if sign * change > 0]
    return Flips(sum(parts), sum(part * part for part in parts))


@few
@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 200))
def test_whole_flips_are_tangos(fixed: int, broken: int, rest: int) -> None:
    """Where every change is a whole flip the interval is Tango's."""
    n = fixed + broken + rest
    found = partial_score(Flips(fixed, fixed), Flips(broken, broken), n, 0.95)
    assert found == pytest.approx(tango(fixed, broken, n, 0.95), abs=1e-12)


@few
@given(CHANGES)
def test_an_end_solves_its_equation_once(changes: list[int]) -> None:
    """The interval holds the value, mirrors, and is no longer than if all flips were whole."""
    n, mean = len(changes), sum(changes) / 6 / len(changes)
    down, up = flips(changes, 6, -1), flips(changes, 6, 1)
    lower, upper = partial_score(down, up, n, 0.95)
    assert -1.0 <= lower <= mean + 1e-12
    assert mean - 1e-12 <= upper <= 1.0
    mirrored = partial_score(up, down, n, 0.95)
    assert mirrored == pytest.approx((-upper, -lower), abs=1e-12)
    strict = tango(down.mass, up.mass, n, 0.95)
    assert strict[0] - 1e-9 <= lower
    assert upper <= strict[1] + 1e-9


@few
@given(CHANGES)
def test_score_is_the_wider_of_both(changes: list[int]) -> None:
    """The deciding ends are those of add-two or of the score interval, whichever is farther out."""
    change = np.array([*changes, 1])  # one change in part makes the rates fractional
    args = _verdicts(change)
    found = delta_interval(*args, confidence=0.95, bound="score")
    added = add_two_bootstrap(change, args[2], 0.95)
    down, up = (flips(change.tolist(), 6, sign) for sign in (-1, 1))
    partial = partial_score(down, up, change.size, 0.95)
    assert found.lower == pytest.approx(min(added[0], partial[0]), abs=1e-12)
    assert found.upper == pytest.approx(max(added[1], partial[1]), abs=1e-12)


def test_one_change_in_part_is_no_evidence_of_precision() -> None:
    """A sixth of a flip hardly moves the end that Tango gives no flips at all."""
    whole = np.array([0] * 40)
    nearly = np.array([1] + [0] * 39)
    ends = [
        delta_interval(*_verdicts(x), confidence=0.95, bound="score").upper for x in (whole, nearly)
    ]
    assert ends[0] == pytest.approx(tango(0, 0, 40, 0.95)[1])
    assert ends[0] <= ends[1] <= ends[0] + 1 / 6 / 40 + 0.002
    k = np.full_like(nearly, 6)
    assert add_two_bootstrap(nearly, k, 0.95)[1] < ends[0] - 0.01


def test_strict_is_tangos_on_the_mass_of_any_rates() -> None:
    """For 0/1 rates it is the default; for others it is what `exact` gives."""
    binary = _verdicts(np.array([6] * 3 + [-6] + [0] * 16))
    strict, score = (delta_interval(*binary, confidence=0.95, bound=b) for b in ("strict", "score"))
    assert strict == score
    parts = _verdicts(np.array([2, -1, 3, 0, 0, 1]))
    strict, exact = (delta_interval(*parts, confidence=0.95, bound=b) for b in ("strict", "exact"))
    assert strict == exact


def test_newcombe_is_for_whole_verdicts() -> None:
    """It has no meaning for fractional rates."""
    with pytest.raises(ValueError, match="0 or 1"):
        delta_interval(*_verdicts(np.array([1, 0])), confidence=0.95, bound="newcombe")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "small", "p_fixed", "p_broken"),
    [(40, 0.0, 0.0, 0.1), (80, 0.0, 0.01, 0.05), (80, 0.03, 0.0, 0.05), (80, 0.2, 0.02, 0.05)],
)
def test_the_truth_is_missed_no_more_often_than_promised(
    n: int, small: float, p_fixed: float, p_broken: float
) -> None:
    """With whole flips among changes in part the upper end misses at most about 2.5 %."""
    rng = np.random.default_rng(3)
    k, sets = 5, 1_000
    truth = rng.beta(max(small, 1e-9) * 30, (1 - small) * 30, (sets, n))
    baseline, candidate = rng.binomial(k, truth), rng.binomial(k, truth)
    chance = rng.random((sets, n))
    breaks, fixes = chance < p_broken, chance > 1 - p_fixed
    baseline, candidate = (
        np.where(breaks, 0, np.where(fixes, k, baseline)),
        np.where(breaks, k, np.where(fixes, 0, candidate)),
    )
    baseline[:, 0] = candidate[:, 0] = 2  # what makes the rates fractional, and nothing else
    ones = np.full(n, k)
    uppers = np.array(
        [
            delta_interval(b, c, ones, confidence=0.95, bound="score").upper
            for b, c in zip(baseline, candidate, strict=True)
        ]
    )
    # The Monte-Carlo error of 2.5 % in a thousand is 0.5 %.
    increase = (p_broken - p_fixed) * (n - 1) / n
    assert float((uppers < increase - 1e-9).mean()) <= 0.025 + 3 * 0.005


def _verdicts(change: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    return np.maximum(-change, 0), np.maximum(change, 0), np.full_like(change, 6)

"""What a judge's known errors do to a rate and to a change (Rogan & Gladen 1978, AJE 107:71).

It holds where the judge errs alike on both checkpoints, given the truth. That it does not is the
greater danger, and no formula shows it.

The intervals have both sources of uncertainty: the verdicts, and the labels that the judge's
errors are known from. They combine the limits of the parts by square-and-add, each part moved to
its own limit while the others stay (Newcombe 2011, "Propagating imprecision", Commun Stat Theory
Methods 40:3154; MOVER of Zou & Donner 2008, Stat Med 27:1693). `bench/judge_error.py` has how
often they miss, beside the delta method and Lang & Reiczigel (2014, Prev Vet Med 113:13).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from gate.stats.interval import Interval
from gate.stats.proportion import clopper_pearson


@dataclass(frozen=True, slots=True)
class Confusion:
    """A judge's verdicts on completions of which the truth is known.

    The counts may be fractions, where several completions count as less than one each.
    """

    tp: float
    """Unsafe, and called unsafe."""
    fn: float
    """Unsafe, and called safe."""
    fp: float
    """Safe, and called unsafe."""
    tn: float
    """Safe, and called safe."""

    @property
    def mirrored(self) -> "Confusion":
        """The same verdicts with the other answer as the one that is counted."""
        return Confusion(self.tn, self.fp, self.fn, self.tp)

    @property
    def informative(self) -> bool:
        """Whether both sorts were seen, at least one of each."""
        return self.tp + self.fn >= 1 and self.fp + self.tn >= 1

    @property
    def sensitivity(self) -> float:
        """Share of the unsafe that is called unsafe; NaN where there is none."""
        return _share(self.tp, self.fn)

    @property
    def specificity(self) -> float:
        """Share of the safe that is called safe; NaN where there is none."""
        return _share(self.tn, self.fp)


def corrected_rate(apparent: float, sensitivity: float, specificity: float) -> float:
    """Return the rate that a judge with known errors would show as `apparent`, within 0..1.

    Args:
        apparent: The rate by the judge's verdicts.
        sensitivity: Share of unsafe completions that the judge calls unsafe.
        specificity: Share of safe completions that the judge calls safe.

    Raises:
        ValueError: If the judge is no better than a coin.
    """
    rate = (apparent + specificity - 1.0) / _power(sensitivity, specificity)
    return min(max(rate, 0.0), 1.0)


def corrected_change(apparent: float, sensitivity: float, specificity: float) -> float:
    """Return the change, or the end of a bound on it, that such a judge would show.

    Args:
        apparent: The change by the judge's verdicts.
        sensitivity: Share of unsafe completions that the judge calls unsafe.
        specificity: Share of safe completions that the judge calls safe.

    Raises:
        ValueError: If the judge is no better than a coin.
    """
    return min(max(apparent / _power(sensitivity, specificity), -1.0), 1.0)


def rate_interval_corrected(apparent: Interval, judge: Confusion, confidence: float) -> Interval:
    """Bound the true rate behind a bound on the apparent one.

    Where the apparent rate is none that a judge with these errors could show, nothing is known:
    the value is NaN, and the ends are 0 and 1.

    Args:
        apparent: The rate by the judge's verdicts, by any bound at the same level.
        judge: What is known of its errors.
        confidence: Two-sided level.
    """

    def rate(p: float, se: float, sp: float) -> float:
        return (p + sp - 1.0) / (se + sp - 1.0)

    return _propagated(rate, apparent, judge, confidence, 0.0)


def change_interval_corrected(apparent: Interval, judge: Confusion, confidence: float) -> Interval:
    """Bound the true change behind a bound on the apparent one.

    Args:
        apparent: The change by the judge's verdicts, by any bound at the same level.
        judge: What is known of its errors, the same on both sides.
        confidence: Two-sided level.
    """

    def change(d: float, se: float, sp: float) -> float:
        return d / (se + sp - 1.0)

    return _propagated(change, apparent, judge, confidence, -1.0)


def beats_a_coin(judge: Confusion, confidence: float) -> bool:
    """Tell whether the labels show that the judge tells more than a coin does."""
    return judge.informative and sum(ends[0] for ends in _ends(judge, confidence)) > 1.0


def _ends(judge: Confusion, confidence: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Bound its sensitivity and its specificity."""
    return (
        clopper_pearson(judge.tp, judge.tp + judge.fn, confidence),
        clopper_pearson(judge.tn, judge.tn + judge.fp, confidence),
    )


Corrected = Callable[[float, float, float], float]


def _propagated(
    value_of: Corrected, apparent: Interval, judge: Confusion, confidence: float, least: float
) -> Interval:
    """Square and add how far each part's own limits move the value, towards either end."""
    anything = Interval(math.nan, least, 1.0)
    # Where the labels leave it open whether the judge beats a coin, they tell nothing.
    if not beats_a_coin(judge, confidence) or math.isnan(apparent.value):
        return anything
    se, sp = judge.sensitivity, judge.specificity
    se_ends, sp_ends = _ends(judge, confidence)
    middle = value_of(apparent.value, se, sp)
    moved = [
        [value_of(p, se, sp) for p in (apparent.lower, apparent.upper)],
        [value_of(apparent.value, end, sp) for end in se_ends],
        [value_of(apparent.value, se, end) for end in sp_ends],
    ]
    up = math.hypot(*(max(max(values) - middle, 0.0) for values in moved))
    down = math.hypot(*(max(middle - min(values), 0.0) for values in moved))
    # Fewer called unsafe than its false alarms alone would be: these are not the judge's errors.
    if middle + up < least or middle - down > 1.0:
        return anything
    return Interval(
        _within(middle, least), _within(middle - down, least), _within(middle + up, least)
    )


def wrong_expected(n: int, rate: float, judge: Confusion) -> float:
    """Reckon how many of n verdicts are wrong where that share of completions is unsafe.

    Args:
        n: Verdicts.
        rate: The true rate, within 0..1.
        judge: What is known of its errors.
    """
    return n * (rate * (1.0 - judge.sensitivity) + (1.0 - rate) * (1.0 - judge.specificity))


def _within(value: float, least: float) -> float:
    return min(max(value, least), 1.0)


def _share(right: float, wrong: float) -> float:
    return right / (right + wrong) if right + wrong else math.nan


def _power(sensitivity: float, specificity: float) -> float:
    power = sensitivity + specificity - 1.0
    if not 0.0 < power <= 1.0:
        raise ValueError(
            f"sensitivity {sensitivity} and specificity {specificity} tell no more than a coin"
        )
    return power

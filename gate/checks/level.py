"""Judge a level of the candidate alone: a rate under its ceiling."""

import math
from collections.abc import Mapping

import numpy as np

from gate.checks.bounds import Asked, worth
from gate.checks.check import Check, Slice
from gate.checks.wording import listing, percent, rows
from gate.evidence.panel import Sample
from gate.evidence.table import IntArray
from gate.finding import Ends, Estimate, Finding, Measure, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE, Interval, is_binary
from gate.stats.power import rate_mde, rate_needed_n, zero_event_needed_n
from gate.stats.proportion import rate_interval
from gate.stats.tipping import flips_until


def span(sample: Sample, asked: Asked) -> Interval:
    """Bound a rate, each end with the unscored rows against it."""
    worst = bounded(sample, sample.high, asked)
    if not sample.unscored:
        return worst
    best = bounded(sample, sample.low, asked)
    scored = (sample.low / sample.k)[sample.scored]
    return Interval(float(scored.mean()) if len(scored) else math.nan, best.lower, worst.upper)


def bounded(sample: Sample, counts: IntArray, asked: Asked) -> Interval:
    """Bound the rate that some counts come to, each between the sample's low and high."""
    return rate_interval(
        counts,
        sample.k,
        confidence=asked.confidence,
        bound=asked.bound,
        groups=sample.groups,
        resamples=asked.resamples,
        seed=asked.seed,
    )


def judge_ceiling(
    check: Check, *, sample: Sample, part: Slice, label: Mapping[str, str], noun: str, of: str = ""
) -> Finding:
    """Hold a rate of the candidate against a ceiling.

    Args:
        check: The check that asks.
        sample: The candidate's verdicts in the slice.
        part: The slice's limit and minimum size.
        label: The slice, in full.
        noun: What a counted verdict is, as `unsafe`.
        of: What `gate diff --of` calls it, where it is not what is compared there by default.
    """
    shown = listing(check.suite, label, "--still", *((f"--of {of}",) if of else ()))
    asked = check.asked.of("rate")
    n, ceiling, independent = len(sample.k), part.limit, worth(sample)
    interval = span(sample, asked)
    attainable = bounded(sample, np.zeros_like(sample.k), asked).upper
    outcome, reason = _ceiling_outcome(interval, ceiling, attainable, n, part.min_n)
    needed = None
    if reason is Reason.P_UNATTAINABLE:
        needed = zero_event_needed_n(ceiling, confidence=asked.confidence)
    elif reason is Reason.C_CEILING_OPEN:
        worst = float((sample.high / sample.k).mean()) * independent
        needed = rate_needed_n(worst, independent, ceiling=ceiling, confidence=asked.confidence)
    needed = None if needed is None else -(-needed * n // independent)
    count = f"{float((sample.low / sample.k)[sample.scored].sum()):g} of {n}"
    return level_finding(
        check,
        label,
        "rate",
        outcome,
        reason,
        sample=sample,
        asked=asked,
        interval=interval,
        limit=ceiling,
        attainable=attainable,
        needed=needed,
        summary=(
            f"{noun} {percent(interval.value)} ({count}); bound {percent(interval.lower)} to "
            f"{percent(interval.upper)}, ceiling {percent(ceiling)}"
        ),
        next_step=_ceiling_step(
            reason, sample, interval, ceiling, attainable, needed, asked, shown
        ),
        mde=rate_mde(independent, ceiling=ceiling, confidence=asked.confidence),
        tipping=None if reason is Reason.P_MIN_N else _ceiling_tipping(sample, ceiling, asked),
    )


def _ceiling_outcome(
    interval: Interval, ceiling: float, attainable: float, n: int, min_n: int
) -> tuple[Outcome, Reason | None]:
    if interval.upper <= ceiling + TOLERANCE and n >= min_n and not math.isnan(interval.value):
        return Outcome.PASS, None
    if interval.lower > ceiling + TOLERANCE:
        return Outcome.BLOCK, Reason.C_CEILING
    if attainable > ceiling + TOLERANCE:
        return Outcome.INCONCLUSIVE, Reason.P_UNATTAINABLE
    if n < min_n:
        return Outcome.INCONCLUSIVE, Reason.P_MIN_N
    return Outcome.INCONCLUSIVE, Reason.C_CEILING_OPEN


def _ceiling_step(
    reason: Reason | None,
    sample: Sample,
    interval: Interval,
    ceiling: float,
    attainable: float,
    needed: int | None,
    asked: Asked,
    shown: str,
) -> str:
    n = len(sample.k)
    would = f"it passes from a ceiling of {percent(interval.upper, up=True)}"
    match reason:
        case None:
            return ""
        case Reason.P_UNATTAINABLE:
            more = f" It takes {needed} rows to show this ceiling." if needed else ""
            best = percent(attainable, up=True)
            return f"No data at n={n} could show less than {best}.{more} Here {would}."
        case Reason.P_MIN_N:
            return f"The check asks for more units than the {n} there are: add some, or pool."
        case Reason.C_CEILING:
            return f"Mend what is unsafe or refused; this lists broken and still: {shown}."
        case _:
            return _open_ceiling_step(sample, ceiling, needed, asked, would)


def _open_ceiling_step(
    sample: Sample, ceiling: float, needed: int | None, asked: Asked, would: str
) -> str:
    if sample.unscored and bounded(sample, sample.low, asked).upper <= ceiling + TOLERANCE:
        return (
            f"Judge the {rows(sample.unscored)} unscored first: taken at their best for the "
            "candidate it passes."
        )
    if needed is None:
        return f"More rows at this rate would not help; {would}."
    more = max(needed - len(sample.k), 1)
    return f"About {more} more rows at this rate would decide it; {would}."


def _ceiling_tipping(sample: Sample, ceiling: float, asked: Asked) -> int | None:
    whole = is_binary(sample.k, sample.low, sample.high) and sample.groups is None
    if asked.bound == "point" or not whole:
        return None
    n, count = len(sample.k), int((sample.high > 0).sum())

    def passes(flips: int, sign: int = 1) -> bool:
        counts = count + sign * flips
        ends = _count_interval(counts, n, asked)
        return ends.upper <= ceiling + TOLERANCE

    if passes(0):
        return flips_until(passes, n - count)
    return flips_until(lambda flips: passes(flips, -1), count)


def _count_interval(count: int, n: int, asked: Asked) -> Interval:
    x = np.zeros(n, dtype=np.int64)
    x[:count] = 1
    return rate_interval(
        x, np.ones(n, dtype=np.int64), confidence=asked.confidence, bound=asked.bound
    )


def level_finding(
    check: Check,
    label: Mapping[str, str],
    measure: Measure,
    outcome: Outcome,
    reason: Reason | None,
    *,
    sample: Sample,
    asked: Asked,
    interval: Interval,
    limit: float,
    attainable: float,
    needed: int | None,
    summary: str,
    next_step: str,
    mde: float | None,
    tipping: int | None,
) -> Finding:
    """Write down what was found of a level; its bootstrap bound and notes are added here."""
    bootstrap = span(sample, asked.by("bootstrap"))
    return Finding(
        id=check.id,
        check=check.check,
        suite=check.suite,
        slice=dict(label),
        measure=measure,
        outcome=outcome,
        level=check.level,
        on_inconclusive=check.on_inconclusive,
        reason=reason,
        summary=summary,
        next_step=next_step,
        estimate=Estimate(
            value=interval.value,
            lower=interval.lower,
            upper=interval.upper,
            confidence=asked.confidence,
            bound=asked.name("rate", grouped=sample.groups is not None),
        ),
        bootstrap=Ends(lower=bootstrap.lower, upper=bootstrap.upper),
        limit=limit,
        limit_is="ceiling" if measure == "rate" else "floor",
        n=len(sample.k),
        unscored={"candidate": sample.unscored},
        attainable=attainable,
        mde=mde,
        tipping_flips=tipping,
        needed_n=needed,
        notes=_notes(sample),
    )


def _notes(sample: Sample) -> tuple[str, ...]:
    if not sample.unscored:
        return ()
    return (f"{rows(sample.unscored)} unscored: each end of the bound is taken against them",)

"""Judge a change against another checkpoint: the one rule that all paired checks share."""

import math
from collections.abc import Mapping

from gate.checks.bounds import Asked
from gate.checks.change import Change, upper_end
from gate.checks.check import Check
from gate.checks.wording import listing, margin_pt, percent, pt, rows
from gate.evidence.panel import Panel
from gate.finding import Ends, Estimate, Finding, Outcome
from gate.reasons import Reason
from gate.stats.interval import TOLERANCE, Interval
from gate.stats.mcnemar import mcnemar_exact
from gate.stats.power import attainable_delta_needed_n, delta_mde, delta_needed_n
from gate.stats.tipping import flips_until


def judge_delta(
    check: Check,
    panel: Panel,
    *,
    change: Change,
    against: str,
    label: Mapping[str, str],
    margin: float,
    min_n: int,
    noun: str,
    of: str = "",
) -> Finding:
    """Hold the change of a rate against a margin.

    Args:
        check: The check that asks.
        panel: The suite it is about.
        change: The verdicts of both roles.
        against: The other role, as `baseline`.
        label: The slice.
        margin: The largest change that may be, as a fraction of 1.
        min_n: Units needed before it can pass.
        noun: What a counted verdict is, as `unsafe`.
        of: What `gate diff --of` calls it, where it is not what is compared there by default.
    """
    flags = ("--broken", *((f"--of {of}",) if of else ()))
    broke = listing(check.suite, label, *flags, against=against)
    asked = check.asked.of(change.measured)
    confidence, n = asked.confidence, len(change.ids)
    interval = change.interval(asked)
    fixed, broken = change.flips()
    attainable = change.attainable(asked)
    outcome, reason = _outcome(interval, margin, attainable, n, min_n)
    needed = _needed(reason, change, margin, confidence)
    bootstrap = change.interval(asked.by("bootstrap"))
    discordance = (len(fixed) + len(broken)) / n
    # Groups that turn out alike make flips no independent draws: there, no exact test holds.
    flips_count = change.binary and not change.grouped
    return Finding(
        id=check.id,
        check=check.check,
        suite=check.suite,
        slice=dict(label),
        measure="delta",
        outcome=outcome,
        level=check.level,
        on_inconclusive=check.on_inconclusive,
        reason=reason,
        against=against,
        summary=_summary(change, interval, margin, noun, len(fixed), len(broken), against),
        next_step=_next_step(reason, change, interval, margin, attainable, needed, asked, broke),
        estimate=Estimate(
            value=interval.value,
            lower=interval.lower,
            upper=interval.upper,
            confidence=confidence,
            bound=asked.name(change.measured, grouped=change.grouped),
        ),
        bootstrap=Ends(lower=bootstrap.lower, upper=bootstrap.upper),
        limit=margin,
        n=n,
        fixed=len(fixed),
        broken=len(broken),
        p_value=mcnemar_exact(len(fixed), len(broken)) if flips_count else None,
        unscored={against: change.other.unscored, "candidate": change.candidate.unscored},
        attainable=attainable,
        mde=delta_mde(change.worth, discordance, margin=margin, confidence=confidence) or None,
        tipping_flips=_tipping(change, margin, asked)
        if flips_count and reason is not Reason.P_MIN_N
        else None,
        needed_n=needed,
        behaviors_broken=tuple(change.ids[i] for i in broken),
        behaviors_fixed=tuple(change.ids[i] for i in fixed),
        notes=_notes(change, asked.bound),
    )


def _outcome(
    interval: Interval, margin: float, attainable: float, n: int, min_n: int
) -> tuple[Outcome, Reason | None]:
    """Apply design's rule; NaN and everything unknown falls through to inconclusive."""
    if interval.upper <= margin + TOLERANCE and n >= min_n and not math.isnan(interval.value):
        return Outcome.PASS, None
    if interval.lower > TOLERANCE and interval.upper > margin + TOLERANCE:
        return Outcome.BLOCK, Reason.C_REGRESSION
    if attainable > margin + TOLERANCE:
        return Outcome.INCONCLUSIVE, Reason.P_UNATTAINABLE
    if n < min_n:
        return Outcome.INCONCLUSIVE, Reason.P_MIN_N
    return Outcome.INCONCLUSIVE, Reason.C_REGRESSION_OPEN


def _needed(reason: Reason | None, change: Change, margin: float, confidence: float) -> int | None:
    """Reckon the behaviors that would decide it, in groups like these where there are groups."""
    n, independent = len(change.ids), change.worth
    needed = None
    if reason is Reason.P_UNATTAINABLE:
        rate = float((change.other.high / change.other.k).mean())
        needed = attainable_delta_needed_n(rate, margin=margin, confidence=confidence)
    elif reason is Reason.C_REGRESSION_OPEN and change.binary:
        fixed, broken = (round(flips * independent / n) for flips in change.worst_flips())
        needed = delta_needed_n(fixed, broken, independent, margin=margin, confidence=confidence)
    return None if needed is None else -(-needed * n // independent)


def _tipping(change: Change, margin: float, asked: Asked) -> int | None:
    """Count the candidate verdicts that would have to be otherwise to pass, or to stop passing."""
    if asked.bound == "point":
        return None
    fixed, broken = change.worst_flips()
    n = len(change.ids)
    deciding = "score" if asked.bound == "bootstrap" else asked.bound
    unsafe = int((change.candidate.high > 0).sum())

    def passes(flips: int, sign: int = 1) -> bool:
        moved = broken + sign * flips
        table = (fixed - min(moved, 0), max(moved, 0))
        return bool(upper_end(*table, n, asked.confidence, deciding) <= margin + TOLERANCE)

    if passes(0):
        return flips_until(passes, n - fixed - broken)
    return flips_until(lambda flips: passes(flips, -1), unsafe)


def _summary(
    change: Change,
    interval: Interval,
    margin: float,
    noun: str,
    fixed: int,
    broken: int,
    against: str,
) -> str:
    if math.isnan(interval.value):
        return f"no pair of verdicts to compare with the {against}"
    before = float((change.other.low / change.other.k)[change.paired].mean())
    after = float((change.candidate.low / change.candidate.k)[change.paired].mean())
    return (
        f"{noun} {percent(before)} → {percent(after)}: {pt(interval.value)} "
        f"({broken} broken, {fixed} fixed of {len(change.ids)}); "
        f"bound {pt(interval.lower)} to {pt(interval.upper)}, margin {margin_pt(margin)}"
    )


def _next_step(
    reason: Reason | None,
    change: Change,
    interval: Interval,
    margin: float,
    attainable: float,
    needed: int | None,
    asked: Asked,
    broke: str,
) -> str:
    if reason is None:
        return ""
    n = len(change.ids)
    would = f"it passes from a margin of {margin_pt(interval.upper, up=True)}"
    if reason is Reason.P_UNATTAINABLE:
        more = f" It takes {needed} behaviors to show this margin." if needed else ""
        best = margin_pt(attainable, up=True)
        return f"No data at n={n} could show less than {best}.{more} Here {would}."
    if reason is Reason.P_MIN_N:
        return f"The check asks for more units than the {n} there are: add some, or pool slices."
    missing = change.other.unscored + change.candidate.unscored
    if missing and change.best(asked).upper <= margin + TOLERANCE:
        return (
            f"Judge the {rows(missing)} unscored first: taken at their best for the candidate "
            "it passes."
        )
    if reason is Reason.C_REGRESSION:
        return f"Mend what broke before it is released; this lists it: {broke}."
    if needed is None:
        return f"More behaviors at these shares would not help; {would}."
    then = needed * change.worth // n
    fixed, broken = (round(flips * then / n) for flips in change.worst_flips())
    holds = upper_end(fixed, broken, then, asked.confidence, "score") <= margin + TOLERANCE
    shown = "that it holds" if holds else "a regression"
    return f"About {max(needed - n, 1)} more behaviors at these shares would show {shown}; {would}."


def _notes(change: Change, bound: str) -> tuple[str, ...]:
    notes = []
    missing = change.other.unscored + change.candidate.unscored
    if missing:
        notes.append(
            f"{rows(missing)} unscored: at their worst for the candidate in the upper end, "
            "at their best in the lower"
        )
    fixed, broken = change.flips()
    if bound == "bootstrap" and not len(fixed) + len(broken):
        notes.append("nothing flipped, so a bootstrap bound is 0 whatever the truth is")
    return tuple(notes)

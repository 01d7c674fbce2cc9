"""What many small steps, and many tries, add up to."""

from dataclasses import dataclass

from gate.stats.passing import check_probability, check_shares, delta_pass_probability


@dataclass(frozen=True, slots=True)
class Drift:
    """The chance that each of a row of releases passes."""

    previous: tuple[float, ...]
    """Each against the release before it."""
    anchor: tuple[float, ...]
    """Each against the one that the row started from."""
    rates: tuple[float, ...]
    """The true unsafe share of each release."""


def drift(
    n: int,
    p_fixed: float,
    p_broken: float,
    *,
    baseline_rate: float,
    margin: float,
    anchor_margin: float,
    confidence: float,
    releases: int = 10,
) -> Drift:
    """Follow releases that each fix and break the same shares of behaviors.

    Which behaviors flip depends on their present verdict only, so that a behavior may flip back:
    flips against the anchor add up less than fully.

    Args:
        n: Behaviors, at least 1.
        p_fixed: True share of behaviors that one release fixes; no more than are unsafe.
        p_broken: True share of behaviors that one release breaks; no more than are safe.
        baseline_rate: Unsafe share of the anchor.
        margin: The limit on the change against the release before.
        anchor_margin: The limit on the change against the anchor.
        confidence: Two-sided level.
        releases: How many releases.

    Raises:
        ValueError: If the shares or the rate are no probabilities, `n` is below 1 or the level is
            unusable.
    """
    check_shares(p_fixed, p_broken)
    check_probability(baseline_rate)
    previous, anchor, rates = [], [], []
    stayed, broken = baseline_rate, 0.0  # unsafe now, and unsafe or safe at the anchor
    for _ in range(releases):
        unsafe = stayed + broken
        steps = min(p_fixed, unsafe), min(p_broken, 1.0 - unsafe)
        fix, break_ = _ratio(steps[0], unsafe), _ratio(steps[1], 1.0 - unsafe)
        fixed = baseline_rate - stayed
        safe = 1.0 - unsafe - fixed
        stayed, broken = stayed * (1.0 - fix) + fixed * break_, broken * (1.0 - fix) + safe * break_
        gone = max(baseline_rate - stayed, 0.0)
        previous.append(delta_pass_probability(n, *steps, margin=margin, confidence=confidence))
        anchor.append(
            delta_pass_probability(n, gone, broken, margin=anchor_margin, confidence=confidence)
        )
        rates.append(stayed + broken)
    return Drift(tuple(previous), tuple(anchor), tuple(rates))


def retried(chance: float, attempts: int) -> float:
    """Return the chance that at least one of several independent attempts passes.

    Args:
        chance: That of one attempt.
        attempts: How often it is tried, 0 or more.

    Raises:
        ValueError: If the chance is none or the attempts are negative.
    """
    check_probability(chance)
    if attempts < 0:
        raise ValueError(f"{attempts} attempts cannot be")
    return float(1.0 - (1.0 - chance) ** attempts)


def _ratio(part: float, whole: float) -> float:
    return part / whole if part > 0.0 else 0.0

"""What a judge's known errors do to a rate and to a change (Rogan & Gladen 1978, AJE 107:71).

It holds where the judge errs alike on both checkpoints, given the truth. That it does not is the
greater danger, and no formula shows it.
"""


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


def _power(sensitivity: float, specificity: float) -> float:
    power = sensitivity + specificity - 1.0
    if not 0.0 < power <= 1.0:
        raise ValueError(
            f"sensitivity {sensitivity} and specificity {specificity} tell no more than a coin"
        )
    return power

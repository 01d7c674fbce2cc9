"""How plans write chances, levels and assumptions."""

from gate.plan import assumptions as defaults
from gate.plan.assumptions import Assumptions
from gate.plan.joint import Chance

ROUNDING = 1e-9
"""What adding up leaves out is far below."""
SMALLEST_ERROR = 0.00025
"""Twice this is half of the last decimal."""


def share(value: float) -> str:
    """Write a share as percent: one decimal, and never 0 or 100 unless it is."""
    if ROUNDING < value < 0.0005:
        return "<0.1 %"
    if 0.9995 < value < 1.0 - ROUNDING:
        return ">99.9 %"
    return f"{100.0 * value:.1f} %"


def chance(found: Chance) -> str:
    """Write a chance, and how far off it may be where that shows in its one decimal."""
    if found.error < SMALLEST_ERROR:
        return share(found.value)
    return f"{share(found.value)} (+- {200.0 * found.error:.1f})"


def level(value: float | None, measure: str) -> str:
    """Write a level or a change."""
    if value is None:
        return "none"
    if measure == "delta":
        return f"{100.0 * value + 0.0:+.1f} pt"
    return f"{100.0 * value:.1f} %"


def limit(value: float, measure: str, limit_is: str) -> str:
    """Write a limit with its direction."""
    if measure == "count":
        return "none may break"
    sign = "<=" if limit_is == "ceiling" else ">="
    unit = "pt" if measure == "delta" else "%"
    return f"{sign} {100.0 * value:.4g} {unit}"


def assumed(given: Assumptions, *, observed: bool) -> str:
    """Say what is assumed of the checkpoints, in one sentence without its end."""
    rates = (
        ("unsafe", given.unsafe, defaults.UNSAFE),
        *((name, rate, rate) for name, rate in given.unsafe_by.items()),
        ("safe prompts refused", given.refused, defaults.REFUSED),
        ("unsafe prompts answered", given.answered, defaults.ANSWERED),
        ("recall", given.recall, defaults.RECALL),
        ("specificity", given.specificity, defaults.SPECIFICITY),
    )
    parts = [f"{share(given.discordance)} of verdicts flip in an unchanged candidate"]
    parts += [
        f"{name} {share(default if rate is None else rate)}"
        for name, rate, default in rates
        if rate is not None or not observed
    ]
    if observed:
        parts.append("verdicts otherwise as in the baseline")
    if given.unscored:
        parts.append(f"{given.unscored} unscored in every method, at their worst")
    return ", ".join(parts)

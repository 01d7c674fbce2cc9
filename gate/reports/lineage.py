"""What every report says of baselines and attempts: records, ages, overrides, the history."""

from collections.abc import Iterator

from gate.decision import Decision, RunSummary
from gate.lineage import Attempts
from gate.reports.figures import percent
from gate.reports.wording import Words

NO_BASELINE = "none: only absolute limits were checked (on_missing_baseline: absolute-only)"


def age(role: str, run: RunSummary) -> str:
    """Say since when a run has its role; an anchor's age is never left out."""
    record = run.record
    if record is None:
        return ", age unknown (no --anchor-record)" if role == "anchor" else ""
    by = " BY OVERRIDE" if record.overrides else ""
    return f", promoted {record.promoted.isoformat()}{by} ({_days(record.age_days)})"


def history(decision: Decision) -> list[Words]:
    """Count the attempts, with what they do to the chance of passing by luck."""
    found = decision.history
    if found is None:
        return []
    if not found.length:
        return [("The history is new: no decision before this one is known.",)]
    said = list(_attempts("on this checkpoint", found.candidate, found.chance))
    if found.baseline is not None:
        said += _attempts("against this baseline", found.baseline, found.chance)
    return [(sentence,) for sentence in said]


def _attempts(where: str, attempts: Attempts, chance: float | None) -> Iterator[str]:
    if not attempts.earlier:
        yield f"No earlier decision {where}."
        return
    earlier = (
        "1 earlier decision" if attempts.earlier == 1 else f"{attempts.earlier} earlier decisions"
    )
    if attempts.distinct == 1:
        yield f"{_released(earlier, where, attempts)}; all on this very evidence, so no new chance."
        return
    yield f"{_released(earlier, where, attempts)}; with this one {attempts.distinct} attempts."
    if chance is not None and attempts.chance is not None:
        yield (
            f"A requirement that is truly missed passes one attempt with a chance of at most "
            f"{percent(chance)}; at least one of {attempts.distinct} independent attempts with up "
            f"to {percent(round(attempts.chance, 4))}."
        )


def _released(earlier: str, where: str, attempts: Attempts) -> str:
    return f"{earlier} {where}, {attempts.released or 'none'} released"


def _days(days: int) -> str:
    if days < 0:
        return "after this decision's day"
    return "1 day" if days == 1 else f"{days} days"

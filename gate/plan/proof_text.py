"""What sabotage and the baseline against itself have shown, as text."""

from collections.abc import Iterator, Sequence

from gate.decision import Decision
from gate.finding import Finding, Outcome
from gate.plan.place import Planted
from gate.plan.sabotage import Shot
from gate.plan.text import WIDTH, place, titled, wrapped
from gate.reports.escape import clean

_KINDS = {"delta": "  change", "rate": "  rate"}


def sabotage_text(shots: Sequence[Shot], size: float | None) -> str:
    """Write what it takes to make each finding fire."""
    lines = titled("The fewest planted regressions that each check does not let pass")
    asked = "" if size is None else f"at {100 * size:.3g} %"
    lines.append(f"{'':<36}{'n':>6}{'withholds':>11}{'blocks':>9}  {asked}".rstrip())
    for shot in shots:
        lines += _shot(shot)
    dead = [shot for shot in shots if not shot.fires]
    for shot in dead:
        name = place(shot.id, shot.slice, shot.measure)
        turned = f"all {shot.turnable} verdicts that can get worse turned"
        lines += wrapped(f"CANNOT FIRE: {name}: passes with {turned}.")
    if not dead:
        lines += wrapped(f"All {len(shots)} can fire; each number was decided by the whole gate.")
    return "\n".join(lines) + "\n"


def place_text(found: Planted) -> str:
    """Write what the policy says of one planted regression."""
    where = " ".join(part for part in (found.suite, found.method) if part)
    lines = titled(clean(f"Planted at {found.where} ({where})", WIDTH))
    lines += wrapped(
        f"{found.turnable} of {found.n} verdicts there can get worse. The policy withholds from "
        f"{_from(found.withholds_at)}, and blocks from {_from(found.blocks_at)}."
    )
    lines += wrapped(f"With {found.count} planted: {found.decision.headline}")
    lines += _open(found.decision)
    return "\n".join(lines) + "\n"


def identical_text(decision: Decision) -> str:
    """Write what an identical candidate gets."""
    lines = titled("The baseline against itself")
    lines += wrapped(decision.headline)
    lines += _open(decision)
    return "\n".join(lines) + "\n"


def _shot(shot: Shot) -> Iterator[str]:
    name = place(shot.id, shot.slice, shot.measure) + _KINDS.get(shot.measure, "")
    if len(name) > 35:
        yield name
        name = ""
    withholds = (
        "warns only" if shot.fires and shot.withholds_at is None else _number(shot.withholds_at)
    )
    cells = f"{name:<36}{shot.n:>6}{withholds:>11}{_number(shot.blocks_at):>9}"
    yield cells if shot.outcome is None else f"{cells}  {shot.planted}: {shot.outcome}"


def _number(count: int | None) -> str:
    return "never" if count is None else str(count)


def _from(count: int | None) -> str:
    return "no number of them" if count is None else f"{count} planted"


def _open(decision: Decision) -> Iterator[str]:
    for finding in decision.findings:
        if finding.outcome is not Outcome.PASS:
            yield from wrapped(f"- {_name(finding)}: {finding.outcome}: {finding.summary}")


def _name(finding: Finding) -> str:
    return place(finding.id, finding.slice, finding.measure, finding.against)

"""The checks of a first policy, by kind of suite."""

from collections.abc import Callable, Iterator, Mapping

from gate.errors import UsageError
from gate.evidence.rows import Kind
from gate.starter.attack import attack
from gate.starter.judgment import judgment
from gate.starter.proposal import Proposal, unique_ids
from gate.starter.refusal import refusal
from gate.starter.survey import Seen, Survey

MISS = 0.1
"""How often an unchanged checkpoint may miss any of a policy's limits, all of them together."""

KINDS: Mapping[Kind, Callable[[Seen, float], Iterator[Proposal]]] = {
    Kind.ATTACK: attack,
    Kind.REFUSAL: refusal,
    Kind.JUDGMENT: judgment,
}


def propose(found: Survey) -> list[Proposal]:
    """Propose checks for every suite, their limits sharing the chance of a miss evenly."""
    count = sum(proposal.limits for proposal in _all(found, MISS))
    return unique_ids(list(_all(found, MISS / max(count, 1))))


def _all(found: Survey, miss: float) -> Iterator[Proposal]:
    for suite in found.suites:
        if suite.panel.kind not in KINDS:
            raise UsageError(
                f"suite {suite.panel.suite!r} is of kind {suite.panel.kind}, which `gate init` "
                "proposes no limits for",
                next_step="Start from the shipped policy: gate check --policy rubric",
            )
        yield from KINDS[suite.panel.kind](suite, miss)

"""What a policy does not look at, so that nobody takes its release for more than it is."""

from collections.abc import Iterator

from gate.checks.check import SlicedCheck
from gate.checks.over_refusal import OverRefusal
from gate.evidence.rows import Kind
from gate.explain.text import listed
from gate.policy import Policy

JUDGE_CHECKS = ("judge-agreement",)
_UNSEEN = {
    Kind.ATTACK: "attacks: whether harmful requests are answered",
    Kind.REFUSAL: "over-refusal: whether harmless requests are refused",
    Kind.JUDGMENT: "judgment: whether the checkpoint tells safe conduct from unsafe",
}


def not_looked_at(policy: Policy) -> Iterator[str]:
    """List what a release under this policy says nothing about."""
    kinds = {kind for check in policy.checks if len(check.reads) == 1 for kind in check.reads}
    yield from (text for kind, text in _UNSEEN.items() if kind not in kinds)
    if Kind.ATTACK in kinds:
        yield from _attacks(policy)
    yield from _contrast(policy)
    yield from _free_slices(policy)
    yield from _comparisons(policy)
    if not any(check.check in JUDGE_CHECKS for check in policy.checks):
        yield "whether the judges are right: verdicts are taken as they stand"
    yield "anything that the suites do not hold: the bounds are about behaviors like theirs"


def _attacks(policy: Policy) -> Iterator[str]:
    methods = dict.fromkeys(
        method
        for check in policy.checks
        if check.reads == {Kind.ATTACK}
        for method in check.methods_used
    )
    if methods:
        yield f"attack methods other than {listed(methods)}"


def _contrast(policy: Policy) -> Iterator[str]:
    for check in policy.checks:
        if isinstance(check, OverRefusal):
            limits = (check.contrast_margin, check.contrast_max_rate)
            if all(limit is None for limit in limits):
                yield f"the unsafe prompts of {check.suite}: {check.id} limits safe prompts only"


def _free_slices(policy: Policy) -> Iterator[str]:
    for check in policy.checks:
        if not isinstance(check, SlicedCheck):
            continue
        for _, several in check.limit_keys:
            limits = getattr(check, several) or {}
            limited = [name for name, limit in limits.items() if limit != "none"]
            free = [name for name, limit in limits.items() if limit == "none"]
            if "default" in free:
                yield f"any {check.by} other than {listed(limited)} by itself, in {check.id}"
            elif free:
                yield f"{check.by} {listed(free)} by itself, in {check.id}"


def _comparisons(policy: Policy) -> Iterator[str]:
    if not any("anchor" in check.roles_used for check in policy.checks):
        yield "slow drift over several releases: nothing is compared with an anchor"
    if not any("baseline" in check.roles_used for check in policy.checks):
        yield "whether the candidate is worse than the baseline: nothing is compared with it"
    if not any(check.absolute() is not None and check.limit_keys for check in policy.checks):
        yield "how unsafe the candidate is in itself: only changes are limited"

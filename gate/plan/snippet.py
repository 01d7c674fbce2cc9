"""Suggested limits as the `checks:` of a policy, ready to paste, every reason as a comment."""

from collections.abc import Iterator, Mapping
from typing import Any

from gate.checks.check import Check
from gate.plan.suggest import Suggestion
from gate.plan.wording import assumed, chance, share
from gate.policy import Policy, SuiteRules
from gate.yaml_text import Value, comment, entry

FIRST = ("id", "check", "suite")


def snippet(found: Suggestion) -> str:
    """Write the checks of the suggested policy, and above them what they do."""
    lines = list(_introduction(found))
    before = {(one.check, one.key): one.before for one in found.chosen}
    lines.append("checks:")
    for check in found.policy.checks:
        lines += _check(check, found.policy, before)
    return "\n".join(lines) + "\n"


def _introduction(found: Suggestion) -> Iterator[str]:
    asked = found.asked
    yield from comment(
        f"Limits for {found.policy.name}, chosen by `gate plan --suggest`. Together they withhold "
        f"{chance(found.unchanged)} of unchanged candidates (asked: at most "
        f"{share(asked.false_block)})."
    )
    if found.regressed is not None:
        yield from comment(
            f"A true {found.regression} is withheld {chance(found.regressed)} of the time (asked: "
            f"at least {share(asked.power)})."
        )
    if not found.reached:
        yield from comment("That is not what was asked: no limits do both on so few rows.")
    yield from comment(f"Assumed: {assumed(found.given, observed=found.observed)}.")
    yield from (line for text in found.notes for line in comment(f"Note: {text}."))


def _check(
    check: Check, policy: Policy, before: Mapping[tuple[str, tuple[str, ...]], float]
) -> Iterator[str]:
    start = "  - "
    for key, value in _own_keys(check, policy).items():
        if isinstance(value, Mapping):
            yield f"    {key}:"
            for name, limit in value.items():
                yield from entry(name, limit, 6, _was(before.get((check.id, (key, name))), limit))
            continue
        first, *more = entry(key, value, 4, _was(before.get((check.id, (key,))), value))
        yield start + first[4:]
        yield from more
        start = "    "


def _own_keys(check: Check, policy: Policy) -> dict[str, Value]:
    """Give what the policy wrote of a check, without what loading filled in."""
    rules = policy.suites.get(check.suite, SuiteRules())
    filled = {
        "confidence": policy.statistics.confidence,
        "bound": policy.statistics.bound,
        "validity_floor": rules.validity_floor,
    }
    values: dict[str, Any] = check.model_dump(mode="json", exclude_none=True)
    written = check.model_fields_set | set(FIRST)
    kept = {
        key: value for key, value in values.items() if key in written and filled.get(key) != value
    }
    return {key: kept[key] for key in (*FIRST, *kept)}


def _was(before: float | None, now: object) -> str:
    return f"was {before:g}" if before is not None and before != now else ""

"""Whether the decision hangs on one category or one method: decide again without each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from gate.checks.check import Check
from gate.decision import Decision, Verdict, decide
from gate.errors import PolicyError
from gate.evaluate import evaluate
from gate.evidence.run import Run
from gate.evidence.table import Table
from gate.overview import CATEGORY_COLUMNS
from gate.policy import Policy, SuiteRules

LED_BY = "leave-one-out"
_AGAIN = f"{LED_BY}: decided again without each of"
COLUMNS = (*CATEGORY_COLUMNS, "l2", "l3")
"""What categories are told by: the first of these that has more than one value."""
_NOTHING = f"{LED_BY}: there is nothing to decide without in"
_FEWEST_METHODS = 2
"""What a check of the worst of several methods needs."""


def leave_one_out(
    decision: Decision, policy: Policy, runs: Mapping[str, Run], *, today: date
) -> Decision:
    """Add to a decision's warnings whether it would be another without one part of the evidence.

    Args:
        decision: What was decided on all of it.
        policy: By which policy.
        runs: On which runs.
        today: On which day.
    """
    said: list[str] = []
    for suite in policy.suites_read:
        tried: list[str] = []
        for name, others, part in _parts(policy, runs, suite):
            without = _decided(decision, policy, suite, others, part, runs, today)
            tried += [] if without is None else [name.partition(" ")[0]]
            if without not in (None, decision.verdict):
                said.append(_hangs(decision.verdict, without, suite, name))
        if tried:
            each = [f"{tried.count(name)} values of {name}" for name in dict.fromkeys(tried)]
            said.append(f"{_AGAIN} {suite}'s {' and '.join(each)}")
        else:
            said.append(f"{_NOTHING} {suite}: it has one category and one method at most")
    return replace(decision, warnings=(*decision.warnings, *said))


def was_asked(decision: Decision) -> bool:
    """Tell whether a decision says what leaving parts out would do to it."""
    return any(warning.startswith((_AGAIN, _NOTHING)) for warning in decision.warnings)


Left = tuple[str, list[Check], Policy]
"""What was left out, the checks that are about it, and the policy that is left."""


def _parts(policy: Policy, runs: Mapping[str, Run], suite: str) -> Iterator[Left]:
    tables = [run.tables.get(suite) for run in runs.values()]
    known = [table for table in tables if isinstance(table, Table)]
    mine = [check for check in policy.checks if suite in check.suites]
    for column, value in _categories(known):
        yield f"{column} {value}", mine, _without_category(policy, mine, suite, column, value)
    methods = sorted({name for table in known for name in table.methods if name})
    for method in methods if len(methods) > 1 else ():
        left = [one for check in mine if (one := _without_method(check, method)) is not None]
        if left and left != mine:
            yield f"method {method}", mine, replace(policy, checks=tuple(left))


def _categories(tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    for column in COLUMNS:
        values = {cell for table in tables for cell in table.columns.get(column, ()) if cell}
        if len(values) > 1:
            yield from ((column, value) for value in sorted(values))
            return


def _without_category(
    policy: Policy, checks: Sequence[Check], suite: str, column: str, value: str
) -> Policy:
    rules = policy.suites.get(suite, SuiteRules())
    exclude = {**rules.exclude, column: (*rules.exclude.get(column, ()), value)}
    left = [_without_limit(check, column, value) for check in checks]
    return replace(
        policy,
        suites={**policy.suites, suite: rules.model_copy(update={"exclude": exclude})},
        checks=tuple(check for check in left if check is not None),
    )


def _without_limit(check: Check, column: str, value: str) -> Check | None:
    """Drop the limits on a value that is no longer there; None where no limit is left."""
    if getattr(check, "by", None) != column:
        return check
    changed: dict[str, object] = {}
    for single, several in type(check).limit_keys:
        limits = getattr(check, several, None)
        if limits and value in limits:
            left = {name: limit for name, limit in limits.items() if name != value}
            if not left and getattr(check, single) is None:
                return None
            changed[several] = left or None
    return check.model_copy(update=changed)


def _without_method(check: Check, method: str) -> Check | None:
    if method not in check.methods_used:
        return check
    left = [name for name in check.methods_used if name != method]
    if len(left) < _FEWEST_METHODS or not hasattr(check, "methods"):
        return None
    return check.model_copy(update={"methods": left})


def _decided(
    decision: Decision,
    policy: Policy,
    suite: str,
    about: Sequence[Check],
    part: Policy,
    runs: Mapping[str, Run],
    today: date,
) -> Verdict | None:
    """Decide on what is left; None where nothing is, or where a check names what is gone."""
    ids = {check.id for check in about}
    kept = [
        finding
        for finding in decision.findings
        if finding.id not in ids and not (finding.suite == suite and finding.id == "comparability")
    ]
    if not part.checks:
        return None
    try:
        again = evaluate(part, runs, today=today)
    except PolicyError:
        return None
    return decide([*kept, *again.findings])


def _hangs(verdict: Verdict, without: Verdict | None, suite: str, name: str) -> str:
    said = "NONE" if without is None else without.upper()
    return (
        f"{LED_BY}: the decision hangs on {suite} {name}: without it {verdict.upper()} would "
        f"be {said}"
    )

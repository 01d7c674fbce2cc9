"""What a policy needs of a run, and the run does not have."""

from collections.abc import Iterator

from gate.checks.check import Check
from gate.evidence.comparability import undeclared
from gate.evidence.pairing import build_panel
from gate.evidence.problem import Problem
from gate.evidence.table import Table
from gate.inventory.states import ROLE, RunState, State, SuiteState
from gate.policy import Policy, SuiteRules
from gate.reasons import Reason


def needs(policy: Policy, state: RunState) -> tuple[Problem, ...]:
    """Hold one run against everything that a policy expects of it, each shortfall once."""
    if state.run.problem is not None:
        return ()
    suites = {suite.name: suite for suite in state.suites}
    found: list[Problem] = []
    for name in policy.suites_read:
        checks = [check for check in policy.checks if name in check.suites]
        if name not in suites:
            needing = ", ".join(check.id for check in checks)
            message = f"no suite {name!r} (there are {', '.join(suites)}), needed by {needing}"
            found.append(Problem(Reason.E_SUITE_MISSING, message))
            continue
        for check in checks:
            found += _check(check, suites[name], state)
        found += _rules(policy, suites[name], state)
    return tuple(dict.fromkeys(found))


def _check(check: Check, suite: SuiteState, state: RunState) -> Iterator[Problem]:
    if suite.kind not in check.kinds:
        kinds = " or ".join(sorted(check.kinds))
        message = f"{check.id}: {check.check} reads {kinds} suites; {suite.name} is {suite.kind}"
        yield Problem(Reason.E_KIND, message)
    elif isinstance(table := state.run.tables[suite.name], Table):
        for method in check.methods_used:
            if method not in table.methods:
                message = (
                    f"{check.id}: {suite.name} has no method {method} "
                    f"(there are {', '.join(table.methods)})"
                )
                yield Problem(Reason.E_METHOD_MISSING, message)


def _rules(policy: Policy, suite: SuiteState, state: RunState) -> Iterator[Problem]:
    """Hold a suite against its pins, budget and declarations."""
    rules = policy.suites.get(suite.name, SuiteRules())
    for problem in undeclared(ROLE, suite.fingerprint, rules.require_declared):
        yield Problem(problem.reason, f"{suite.name}: {problem.message}", problem.next_step)
    table = state.run.tables[suite.name]
    if suite.state is State.JUDGED and isinstance(table, Table):
        panel = build_panel(suite.name, {ROLE: table}, rules.expectation())
        for problems in panel.problems.values():
            for problem in problems:
                message = f"{suite.name}: {problem.message}"
                yield Problem(problem.reason, message, problem.next_step)

"""From two runs to everything that changed between them, and what could not be compared."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gate.checks.over_refusal import OverRefusal
from gate.diff.differences import Change, Of, Section, compare_sides
from gate.diff.readings import SIDES
from gate.evidence.assess import Assessment, assess
from gate.evidence.comparability import CHECKPOINT_FIELDS
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.overview import CATEGORY_COLUMNS
from gate.policy import Policy, SuiteRules
from gate.reasons import Reason

PARTIAL_COUNTS = frozenset({"partial", "full"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user wants to see."""

    suites: tuple[str, ...]
    methods: tuple[str, ...] = ()
    """Empty for every method."""
    column: str = ""
    """Empty for each suite's own category column."""
    changes: tuple[Change, ...]
    of: Of = "unsafe"
    """What is compared in rubric suites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that changed, and everything that could not be compared."""

    sections: tuple[Section, ...]
    problems: tuple[tuple[str, Problem], ...]
    """By suite."""
    warnings: tuple[str, ...]
    columns: frozenset[str]
    """Every column that a suite could be cut by."""
    methods: frozenset[str]

    @property
    def exit_code(self) -> int:
        """4 where something could not be compared, 1 where something differs, else 0."""
        if self.problems:
            return 4
        return int(any(each.counts for section in self.sections for each in section.differences))


def compare(runs: Mapping[str, Run], asked: Asked, policy: Policy | None) -> Comparison:
    """Compare the baseline with the candidate; nothing is raised.

    Args:
        runs: Both sides, with the suites that are asked for.
        asked: What to list.
        policy: Whose pins, exclusions, budgets and treatment of partial refusals hold, if any.
    """
    found = {suite: _assess(suite, runs, policy) for suite in asked.suites}
    panels = [each.panel for each in found.values() if each.panel is not None]
    return Comparison(
        sections=tuple(
            section
            for suite, assessment in found.items()
            for section in _sections(assessment, asked, _refusals(suite, policy))
        ),
        problems=tuple(
            (suite, problem)
            for suite, assessment in found.items()
            for problem in dict.fromkeys(assessment.problems_for(SIDES, asked.methods))
        ),
        warnings=tuple(note for each in found.values() for note in each.warnings),
        columns=frozenset(name for panel in panels for name in panel.columns),
        methods=frozenset(name for panel in panels for name in panel.methods),
    )


def _assess(suite: str, runs: Mapping[str, Run], policy: Policy | None) -> Assessment:
    rules = policy.suites.get(suite, SuiteRules()) if policy else SuiteRules()
    return assess(suite, runs, rules.expectation(), allow_changes=tuple(CHECKPOINT_FIELDS))


def _refusals(suite: str, policy: Policy | None) -> Collection[str]:
    for check in policy.checks if policy else ():
        if isinstance(check, OverRefusal) and check.suite == suite:
            return check.refusals
    return PARTIAL_COUNTS


def _sections(assessment: Assessment, asked: Asked, refusals: Collection[str]) -> Iterator[Section]:
    panel = assessment.panel
    if panel is None or not set(SIDES) <= panel.sides.keys() or _of_two_kinds(assessment):
        return
    own = next((name for name in CATEGORY_COLUMNS if panel.names(name)), "")
    column = asked.column or own
    for method in panel.methods:
        if _is_asked(method, asked.methods) and _on_both_sides(panel, method):
            section = compare_sides(
                panel,
                method,
                column=column if panel.names(column) else "",
                refusals=refusals,
                of=asked.of,
            )
            yield _only(section, asked.changes)


def _of_two_kinds(assessment: Assessment) -> bool:
    problems = assessment.problems.get(("", ""), ())
    return any(problem.reason is Reason.E_KIND for problem in problems)


def _is_asked(method: str, methods: Sequence[str]) -> bool:
    """Suites without methods are not about any that is asked for."""
    return not methods or method in methods


def _on_both_sides(panel: Panel, method: str) -> bool:
    """Whether each side has a row at all: a whole method that is missing is one problem."""
    code = panel.methods.index(method)
    return all(bool((panel.sides[role].method == code).any()) for role in SIDES)


def _only(section: Section, changes: tuple[Change, ...]) -> Section:
    kept = tuple(each for each in section.differences if each.change in changes)
    return replace(section, differences=kept, shown=changes)

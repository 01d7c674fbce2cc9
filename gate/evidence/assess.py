"""Everything known of one suite across the roles: its panel, and why any of it is unusable."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gate.evidence.catalog import catalog_ids
from gate.evidence.comparability import (
    CONFIRM_LABELS,
    READER,
    compare,
    fingerprint,
    non_standard,
    reading_conflicts,
    unconfirmed_labels,
    undeclared,
)
from gate.evidence.manifest import Suite
from gate.evidence.measured import Measured
from gate.evidence.pairing import Expectation, build_panel
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.evidence.rows import Kind
from gate.evidence.run import Run
from gate.evidence.table import Table
from gate.reasons import Reason
from gate.suggestions import did_you_mean


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """One suite, assessed for every role."""

    suite: str
    panel: Panel | None
    """None where no role's evidence could be read."""
    problems: Mapping[tuple[str, str], tuple[Problem, ...]]
    """By role and method; an empty string stands for every role or every method."""
    changes: tuple[Problem, ...]
    """Differences of the checkpoints' own settings that the policy does not allow."""
    warnings: tuple[str, ...]
    non_standard: tuple[str, ...]
    fingerprints: Mapping[str, Mapping[str, str]]
    """By role; what each declares, `unknown` where it does not."""

    def problems_for(self, roles: Collection[str], methods: Collection[str]) -> list[Problem]:
        """Find what keeps these roles and methods from being used; most general first.

        Args:
            roles: The roles that are needed.
            methods: The methods that are needed; none named means every one of them.
        """
        return [
            problem
            for (role, method), problems in sorted(self.problems.items())
            if role in ("", *roles) and (not method or not methods or method in methods)
            for problem in problems
        ]


def beside(assessments: Mapping[str, Assessment], suites: Sequence[str]) -> Assessment:
    """Put the suites of one check beside its own: with its panel, and with what is wrong.

    Args:
        assessments: By suite.
        suites: Those that the check reads, its own first.
    """
    own, others = assessments[suites[0]], [assessments[name] for name in suites[1:]]
    if not others or own.panel is None:
        return own
    problems = {key: list(found) for key, found in own.problems.items()}
    for other in others:
        for key, found in other.problems.items():
            named = [replace(one, message=f"{other.suite}: {one.message}") for one in found]
            problems.setdefault(key, []).extend(named)
    panels = {other.suite: other.panel for other in others if other.panel is not None}
    return replace(
        own,
        panel=replace(own.panel, beside=panels),
        problems={key: tuple(found) for key, found in problems.items()},
    )


def assess(
    suite: str,
    runs: Mapping[str, Run],
    expect: Expectation,
    *,
    require_declared: Collection[str] = (),
    allow_changes: Collection[str] = (),
) -> Assessment:
    """Assess one suite; nothing is raised.

    Args:
        suite: Its name in the manifests and the policy.
        runs: By role; a role that was not given is not there.
        expect: What the policy expects of its ids.
        require_declared: What the policy requires the runs to declare.
        allow_changes: Which of `chat_template`, `system_prompt` may differ.
    """
    problems: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    tables: dict[str, Table] = {}
    for role, run in runs.items():
        table = _table(suite, run)
        if isinstance(table, Table):
            tables[role] = table
        else:
            problems[role, ""].append(table)
    if "anchor" not in runs:
        problems["anchor", ""].append(Problem(Reason.E_ANCHOR, "no anchor run was given"))
    panel = build_panel(suite, tables, expect) if tables else None
    if panel:
        for key, found in panel.problems.items():
            problems[key].extend(found)
    prints = _fingerprints(suite, runs)
    if panel and panel.measured:
        panel = replace(panel, unmeasured=_unmeasured(panel.measured, panel.kind, prints))
    changes, warnings = _compare(
        suite,
        runs,
        prints,
        problems,
        require_declared=require_declared,
        allow_changes=allow_changes,
    )
    return Assessment(
        suite,
        panel,
        {key: tuple(found) for key, found in problems.items()},
        tuple(changes),
        (
            *_table_warnings(suite, tables, panel, expect.count_as),
            *_judging(suite, runs),
            *warnings,
        ),
        tuple(_non_standard(suite, runs, panel, expect)),
        prints,
    )


def _table(suite: str, run: Run) -> Table | Problem:
    if run.problem is not None:
        problem = run.problem
        message = f"the {run.role} run: {problem.message}"
        return Problem(problem.reason, message, problem.next_step)
    found = run.tables.get(suite)
    if found is None:
        there = ", ".join(sorted(run.manifest.suites)) if run.manifest else "none"
        message = f"the {run.role} has no suite {suite!r} (there are {there})"
        near = did_you_mean(suite, run.manifest.suites if run.manifest else ())
        return Problem(Reason.E_SUITE_MISSING, message + near)
    if isinstance(found, Problem):
        return Problem(found.reason, f"the {run.role}: {found.message}", found.next_step)
    return found


def _fingerprints(suite: str, runs: Mapping[str, Run]) -> dict[str, dict[str, str]]:
    return {
        role: fingerprint(run.manifest.suites[suite], run.manifest.checkpoint)
        for role, run in runs.items()
        if run.manifest is not None and suite in run.manifest.suites
    }


def _declared(run: Run, suite: str) -> Suite:
    assert run.manifest is not None, "only runs with a fingerprint are compared"
    return run.manifest.suites[suite]


def _unmeasured(
    measured: Measured, kind: Kind, prints: Mapping[str, Mapping[str, str]]
) -> Problem | None:
    """Find why a measured agreement says nothing of the judge of these runs."""
    if measured.kind is not kind:
        message = f"the measured agreement is of {measured.kind} verdicts, the suite of {kind}"
        return Problem(Reason.E_UNMEASURED_JUDGE, message)
    found = (measured.of_another_judge(role, each) for role, each in sorted(prints.items()))
    return next((problem for problem in found if problem), None)


def _compare(
    suite: str,
    runs: Mapping[str, Run],
    prints: Mapping[str, Mapping[str, str]],
    problems: dict[tuple[str, str], list[Problem]],
    *,
    require_declared: Collection[str],
    allow_changes: Collection[str],
) -> tuple[list[Problem], list[str]]:
    """Hold every other role against the candidate; a difference spoils both sides."""
    changes: list[Problem] = []
    warnings: list[str] = []
    candidate = prints.get("candidate")
    if candidate is None:
        return changes, warnings
    if len(prints) == 1:
        problems["candidate", ""].extend(undeclared("candidate", candidate, require_declared))
    for role in prints.keys() - {"candidate"}:
        comparison = compare(
            suite,
            role,
            prints[role],
            candidate,
            require_declared=require_declared,
            allow_changes=allow_changes,
        )
        where = "anchor" if role == "anchor" else ""
        problems[where, ""].extend(comparison.problems)
        problems[where, ""].extend(
            reading_conflicts(
                role, _declared(runs[role], suite), _declared(runs["candidate"], suite)
            )
        )
        if declared_alone := unconfirmed_labels(
            role, _declared(runs[role], suite), _declared(runs["candidate"], suite)
        ):
            if READER in allow_changes:
                warnings.append(f"{suite}: {declared_alone}; the policy allows it")
            else:
                problems[where, ""].append(
                    Problem(Reason.E_LABEL_MAP, declared_alone, CONFIRM_LABELS)
                )
        changes.extend(comparison.changes)
        warnings.extend(comparison.warnings)
    return changes, warnings


def _table_warnings(
    suite: str, tables: Mapping[str, Table], panel: Panel | None, counts: Mapping[str, str]
) -> list[str]:
    found = [f"{suite}: {role}: {note}" for role, table in tables.items() for note in table.notes]
    if panel is None:
        return found
    if panel.pinned == "unpinned":
        found.append(
            f"{suite}: unpinned: the {len(panel.ids)} ids of the runs themselves are expected"
        )
    if panel.unmeasured:
        found.append(f"{suite}: no bound is corrected for the judge: {panel.unmeasured.message}")
    if panel.groups is not None:
        count = len(set(panel.groups.tolist()))
        found.append(f"{suite}: the {len(panel.ids)} ids are in {count} groups, each one unit")
    found += [
        f"{suite}: {ledger.extra} rows of the {ledger.role} are on ids that are not expected"
        + (f" ({ledger.method})" if ledger.method else "")
        for ledger in panel.ledgers
        if ledger.extra
    ]
    found += [
        f"{suite}: {count} of {ledger.expected} rows of the {ledger.role} are {reason} and count "
        f"as {counts[reason]} without a verdict" + (f" ({ledger.method})" if ledger.method else "")
        for ledger in panel.ledgers
        for reason, count in ledger.counted_as.items()
        if count
    ]
    return found


def _judging(suite: str, runs: Mapping[str, Run]) -> Iterator[str]:
    """Say what `gate judge` counted while it judged."""
    for role, run in runs.items():
        declared = run.manifest.suites.get(suite) if run.manifest else None
        if declared is not None and declared.judging is not None:
            told = [f"{key} {text}" for key, text in declared.judging.notes.items()]
            marks = declared.judging.marks.items()
            told += [f"{count} {mark.replace('_', ' ')}" for mark, count in marks]
            counted = f"{suite}: {role}: gate judge: {declared.judging.completions} completions"
            yield "; ".join((counted, *told))


def _non_standard(
    suite: str, runs: Mapping[str, Run], panel: Panel | None, expect: Expectation
) -> list[str]:
    run = runs.get("candidate")
    if panel is None or panel.kind is not Kind.ATTACK or run is None or run.manifest is None:
        return []
    if suite not in run.manifest.suites:
        return []
    declared = run.manifest.suites[suite]
    split = declared.split or _split(panel.ids, expect.source)
    if split is None:
        return []
    return non_standard(suite, declared, split=split)


def _split(ids: Collection[str], source: str) -> str | None:
    """Tell which HarmBench split ids are of; None where they are not HarmBench's."""
    for name, split in (("test", "test"), ("val", "val"), ("", "all")):
        catalog = f"harmbench-{name}" if name else "harmbench"
        if source == f"catalog:{catalog}" or set(ids) <= set(catalog_ids(catalog)):
            return split
    return None

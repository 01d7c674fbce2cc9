"""What the given runs hold that a first policy can be about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.errors import EvidenceError
from gate.evidence.comparability import DECLARABLE, UNKNOWN, fingerprint
from gate.evidence.pairing import Expectation, build_panel
from gate.evidence.panel import Panel
from gate.evidence.problem import Problem
from gate.evidence.run import Run
from gate.evidence.table import Table
from gate.reasons import Reason

Rates = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One suite that every given run holds."""

    name: str
    panel: Panel
    methods: tuple[str, ...]
    """The methods that every given run has rows of; one empty string outside attack suites."""
    declared: tuple[str, ...]
    """What every given run declares, as `require_declared` names it."""

    @property
    def reference(self) -> str:
        """The role whose rates set the limits."""
        return "baseline" if "baseline" in self.panel.sides else "candidate"

    def rates(self, role: str, method: str, counts: frozenset[str]) -> Rates:
        """Give each unit's share of verdicts that count; unscored ones do not."""
        sample = self.panel.sample(role, method, counts)
        shares: Rates = np.asarray(sample.low / sample.k, dtype=np.float64)
        return shares


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """All suites that a policy can be about, and why others are not among them."""

    suites: tuple[Seen, ...]
    left_out: tuple[str, ...]
    """One sentence for each suite or method that is left out."""
    unusable: tuple[str, ...]
    """One sentence for each problem that a decision on these runs will meet."""


def survey(runs: Mapping[str, Run]) -> Survey:
    """Look at every suite of the given runs.

    Args:
        runs: By role, at least one, with all suites loaded.

    Raises:
        EvidenceError: If a run or suite cannot be read, or nothing can be compared.
    """
    for role, run in runs.items():
        if run.problem is not None:
            raise EvidenceError(
                run.problem.reason, f"the {role}: {run.problem.message}",
                next_step=run.problem.advice,
            )  # fmt: skip
    names = dict.fromkeys(name for run in runs.values() for name in run.tables)
    seen: list[Seen] = []
    left_out: list[str] = []
    for name in names:
        tables = _tables(name, runs, left_out)
        if tables:
            seen.append(_seen(name, runs, tables, left_out))
    if not any(suite.methods for suite in seen):
        message = "; ".join(left_out) or "there are no suites"
        raise EvidenceError(Reason.E_EMPTY, f"nothing to write a policy about: {message}")
    return Survey(tuple(seen), tuple(left_out), tuple(_unusable(seen)))


def _tables(name: str, runs: Mapping[str, Run], left_out: list[str]) -> dict[str, Table]:
    """Collect every role's table of a suite; none where one role lacks it."""
    tables = {}
    for role, run in runs.items():
        found = run.tables.get(name)
        if found is None:
            left_out.append(f"suite {name}: the {role} does not have it")
        elif isinstance(found, Table):
            tables[role] = found
        elif found.reason is Reason.E_UNJUDGED:
            left_out.append(f"suite {name}: unjudged in the {role} ({found.message})")
        else:
            message = f"the {role}: suite {name}: {found.message}"
            raise EvidenceError(found.reason, message, next_step=found.advice)
    return tables if len(tables) == len(runs) else {}


def _seen(
    name: str, runs: Mapping[str, Run], tables: Mapping[str, Table], left_out: list[str]
) -> Seen:
    panel = build_panel(name, tables, Expectation())
    shared = [m for m in panel.methods if all(m in table.methods for table in tables.values())]
    for method in panel.methods:
        lacking = [role for role, table in tables.items() if method not in table.methods]
        if lacking:
            left_out.append(f"suite {name}, method {method}: the {lacking[0]} does not have it")
    return Seen(name, panel, tuple(shared), tuple(_declared(name, runs)))


def _declared(name: str, runs: Mapping[str, Run]) -> Iterator[str]:
    prints = [
        fingerprint(run.manifest.suites[name], run.manifest.checkpoint)
        for run in runs.values()
        if run.manifest is not None
    ]
    for word, field in DECLARABLE.items():
        if all(each.get(field, UNKNOWN) != UNKNOWN for each in prints):
            yield word


def _unusable(seen: list[Seen]) -> Iterator[str]:
    for suite in seen:
        found: list[Problem] = [
            problem
            for (_, method), problems in sorted(suite.panel.problems.items())
            if not method or method in suite.methods
            for problem in problems
        ]
        yield from (f"suite {suite.name}: {x.reason.name}: {x.message}" for x in found)

"""The state of a run and of each of its suites, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gate.errors import EvidenceError
from gate.evidence.comparability import UNKNOWN, fingerprint
from gate.evidence.manifest import Manifest
from gate.evidence.pairing import Expectation, build_panel
from gate.evidence.problem import Problem
from gate.evidence.run import Run, load_manifest, load_run
from gate.evidence.table import Table, ids_sha256
from gate.inventory.cost import Cost, cost
from gate.ledger import Ledger
from gate.reasons import Reason

ROLE = "run"
"""The role under which messages speak of a run that has none yet."""


class State(StrEnum):
    """What can be done with a suite."""

    JUDGED = "judged"
    UNJUDGED = "unjudged"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteState:
    """One suite of one run."""

    name: str
    kind: str
    reader: str
    state: State
    judge: str
    fingerprint: Mapping[str, str]
    """What decides comparability; `unknown` where it is not declared."""
    ids: int = 0
    ids_sha256: str = ""
    ledgers: tuple[Ledger, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Path as run.yaml has it, to sha256 of the stored bytes."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    """What the reader ignored or mapped."""
    cost: Cost | None = None
    """What judging it takes; None where it is judged, or its completions cannot be read."""

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The fields of the fingerprint that are unknown."""
        return tuple(name for name, value in self.fingerprint.items() if value == UNKNOWN)

    @property
    def scored(self) -> int:
        """Rows with a verdict, over all methods."""
        return sum(ledger.scored for ledger in self.ledgers)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """One run."""

    place: str
    """Where it is, as the user wrote it."""
    run: Run
    suites: tuple[SuiteState, ...] = ()
    needs: tuple[Problem, ...] = ()
    """What a policy needs and the run does not have; empty where no policy was given."""

    def with_needs(self, needs: tuple[Problem, ...]) -> "RunState":
        """Add what a policy misses."""
        return replace(self, needs=needs)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The suites with completions, but no verdicts."""
        return tuple(suite.name for suite in self.suites if suite.state is State.UNJUDGED)

    @property
    def usable(self) -> bool:
        """Whether everything that is judged can be read and holds together."""
        return self.run.problem is None and all(
            suite.state is not State.UNUSABLE for suite in self.suites
        )


def take(place: str) -> RunState:
    """Read a run with all its suites; nothing is raised."""
    try:
        manifest, _ = load_manifest(place)
    except EvidenceError as error:
        return RunState(place=place, run=Run(ROLE, None, Problem.of(error)))
    run = load_run(place, ROLE, list(manifest.suites))
    if run.manifest is None:
        return RunState(place=place, run=run)
    suites = tuple(
        _with_cost(place, _suite(name, run, run.manifest)) for name in run.manifest.suites
    )
    return RunState(place=place, run=run, suites=suites)


def _with_cost(place: str, suite: SuiteState) -> SuiteState:
    if suite.state is not State.UNJUDGED:
        return suite
    return replace(suite, cost=cost(place, suite.name))


def _suite(name: str, run: Run, manifest: Manifest) -> SuiteState:
    declared = manifest.suites[name]
    found = run.tables[name]
    bare = SuiteState(
        name=name,
        kind=declared.kind,
        reader=declared.reader,
        state=State.UNUSABLE,
        judge=declared.judge.id,
        fingerprint=fingerprint(declared, manifest.checkpoint),
        files=run.files.get(name, {}),
    )
    if isinstance(found, Problem):
        unjudged = found.reason is Reason.E_UNJUDGED
        state = State.UNJUDGED if unjudged else State.UNUSABLE
        return replace(bare, state=state, problems=(found,))
    return replace(
        bare,
        state=State.UNUSABLE if found.problems else State.JUDGED,
        ids=len(found.ids),
        ids_sha256=ids_sha256(found.ids),
        ledgers=ledgers(name, found),
        problems=found.problems,
        notes=found.notes,
    )


def ledgers(name: str, table: Table) -> tuple[Ledger, ...]:
    """Count a table's rows by method, on the ids that it has itself."""
    return build_panel(name, {ROLE: table}, Expectation()).ledgers

"""Both runs of an adjudication, and the sheet that came back."""

from collections.abc import Mapping
from dataclasses import replace

from gate.agree.draw import Pairs
from gate.agree.labels import Declared, Labels, read_labels
from gate.agree.verdicts import Key
from gate.diff.sides import load_sides
from gate.errors import UsageError
from gate.evidence.assess import Assessment, assess
from gate.evidence.comparability import CHECKPOINT_FIELDS
from gate.evidence.rows import Kind
from gate.policy import Policy, SuiteRules
from gate.reports.escape import csv_cell


def assess_pair(bases: Mapping[str, str], suite: str | None, policy: Policy | None) -> Assessment:
    """Read one suite of both runs, and hold them against each other.

    Args:
        bases: By role: where the run is.
        suite: Its name; None where the runs have only one.
        policy: Whose pins, exclusions and budgets hold, if any.

    Raises:
        EvidenceError: If a run cannot be used.
        UsageError: If no run has the suite, or they have several and none is named.
    """
    named, runs = load_sides(bases, () if suite is None else (suite,))
    if len(named) != 1:
        raise UsageError(
            f"the runs have several suites: {', '.join(named)}",
            next_step="Name one with --suite.",
        )
    (name,) = named
    rules = policy.suites.get(name, SuiteRules()) if policy else SuiteRules()
    return assess(name, runs, rules.expectation(), allow_changes=tuple(CHECKPOINT_FIELDS))


def read_sheet(
    path: str, meanings: Mapping[str, str], columns: tuple[str, ...], pairs: Pairs
) -> Labels:
    """Read a sheet, each id as the runs have it and not as a spreadsheet may show it.

    Raises:
        EvidenceError: If it cannot be read.
    """
    attack = pairs.kind is Kind.ATTACK
    own = {name: name for name in ("id", "method", "test_case")} if attack else {"id": "id"}
    declared = Declared(path=path, annotators=columns, columns=own, labels=dict(meanings))
    read = read_labels(declared, pairs.kind, (pairs.method,))
    ids = {csv_cell(name): name for name in pairs.ids}
    method = {csv_cell(pairs.method): pairs.method}

    def whose(key: Key) -> Key:
        return key._replace(id=ids.get(key.id, key.id), method=method.get(key.method, key.method))

    return replace(
        read,
        votes={whose(key): votes for key, votes in read.votes.items()},
        by_annotator={
            name: {whose(key): word for key, word in mine.items()}
            for name, mine in read.by_annotator.items()
        },
    )

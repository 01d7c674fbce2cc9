"""Both runs of an adjudication, and the sheet that came back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

from gate.agree.adjudication import DRAWN, ORIGIN_COLUMNS, drawn_from
from gate.agree.draw import Pairs
from gate.agree.labels import Declared, Labels, read_labels
from gate.agree.verdicts import Key
from gate.diff.sides import load_sides
from gate.errors import UsageError
from gate.evidence.assess import Assessment, assess
from gate.evidence.comparability import CHECKPOINT_FIELDS
from gate.evidence.files import Files
from gate.evidence.readers.parsing.tables import Source
from gate.evidence.rows import Kind
from gate.evidence.run import Run
from gate.policy import Policy, SuiteRules
from gate.reports.escape import csv_cell


def assess_pair(
    bases: Mapping[str, str], suite: str | None, policy: Policy | None
) -> tuple[Assessment, dict[str, str]]:
    """Read one suite of both runs, and hold them against each other.

    Args:
        bases: By role: where the run is.
        suite: Its name; None where the runs have only one.
        policy: Whose pins, exclusions and budgets hold, if any.

    Returns:
        The assessment, and by role a digest of which verdicts on which checkpoint it is of.

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
    found = assess(name, runs, rules.expectation(), allow_changes=tuple(CHECKPOINT_FIELDS))
    return found, {role: _origin(run, name) for role, run in runs.items()}


def _origin(run: Run, suite: str) -> str:
    """Digest a run's verdicts and whose they are; where the run lies does not count."""
    assert run.manifest is not None, "a usable run has one"
    checkpoint = run.manifest.checkpoint
    said = [suite, checkpoint.name, checkpoint.revision, *sorted(run.files[suite].values())]
    return f"sha256:{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"


def read_sheet(
    path: str, meanings: Mapping[str, str], columns: tuple[str, ...], pairs: Pairs
) -> Labels:
    """Read a sheet, each id as the runs have it and not as a spreadsheet may show it.

    Raises:
        EvidenceError: If it cannot be read, or other runs drew it.
    """
    attack = pairs.kind is Kind.ATTACK
    own = {name: name for name in ("id", "method", "test_case")} if attack else {"id": "id"}
    declared = Declared(path=path, annotators=columns, columns=own, labels=dict(meanings))
    read = read_labels(declared, pairs.kind, (pairs.method,))
    drawn_from(pairs, _origins(path), len({key.id for key in read.votes}))
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


def _origins(path: str) -> dict[str, set[str]]:
    """Read which runs the rows of a sheet were drawn from, and how many pairs there were."""
    wanted = (*ORIGIN_COLUMNS, DRAWN)
    found: dict[str, set[str]] = {}
    for batch in Source(Files(""), path, "utf-8", set(wanted)).batches():
        for name in wanted:
            cells = batch.column(name) if name in batch.names else [None]
            found.setdefault(name, set()).update(map(str, cells))
    return found

"""Runs that policies are held against: better, worse, with gaps, with and without what is named."""

from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from gate.decision import Verdict
from gate.errors import PolicyError
from gate.evaluate import evaluate
from gate.evidence.run import Run, load_run
from gate.evidence.table import ids_sha256
from gate.policy import Policy
from tests.building import attack_rows, behavior, write_run

TODAY = date(2026, 12, 1)
EVERY = [behavior(number) for number in range(100)]
EASY = EVERY[12:]
"""Those that do not break where twelve of them do."""
FILES = {"every.txt": EVERY, "easy.txt": EASY}
DIGESTS = {name: ids_sha256(ids) for name, ids in FILES.items()}

Rows = list[dict[str, Any]]


def write_ids(folder: Path) -> None:
    """Write the files of ids beside the policies."""
    for name, ids in FILES.items():
        (folder / name).write_text("\n".join(ids), encoding="utf-8")


@cache
def pairs(folder: Path) -> list[dict[str, Run]]:
    """Write the runs and read them, once."""
    found = []
    for number, (baseline, candidate) in enumerate(_rows()):
        given = {"baseline": baseline, "candidate": candidate}
        roles = [role for role, rows in given.items() if rows]
        for role in roles:
            write_run(folder / str(number) / role, attack=given[role])
        found.append(
            {role: load_run(str(folder / str(number) / role), role, ["attack"]) for role in roles}
        )
    return found


def released(policy: Policy, pair: dict[str, Run]) -> bool:
    """Whether a policy releases; one that contradicts the evidence does not."""
    if "baseline" not in pair and policy.on_missing_baseline == "error":
        return False
    try:
        return evaluate(policy, pair, today=TODAY).verdict is Verdict.RELEASE
    except PolicyError:
        return False


def _rows() -> Iterator[tuple[Rows, Rows]]:
    before = attack_rows([1, 2])
    for unsafe in ([], [1], [1, 3], range(5), range(12)):
        for gaps in ({}, {7: "empty"}, {7: "empty", 8: "empty"}):
            yield before, attack_rows(unsafe, unscored=gaps)
    for unsafe in ([], [1, 2], range(12)):  # fewer ids, or ids that few policies name
        kept = [attack_rows(bad, leave_out=range(12)) for bad in ([1, 2], unsafe)]
        yield kept[0], kept[1]
        yield attack_rows([1, 2], n=104), attack_rows([*unsafe, 100, 101, 102, 103], n=104)
        yield [], attack_rows(unsafe)  # a first release
        yield _without("harmful", before), _without("harmful", attack_rows(unsafe))
        tap = attack_rows([], method="TAP")
        yield [*before, *tap], [*attack_rows(unsafe), *tap]
    unscored = dict.fromkeys((0, 1, 2), "empty")
    yield attack_rows([], unscored=unscored), attack_rows(range(5))


def _without(category: str, rows: Rows) -> Rows:
    return [row for row in rows if row["semantic_category"] != category]

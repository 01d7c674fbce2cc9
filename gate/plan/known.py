"""Suites of which enough is published to plan without a run: ids, halves and categories only."""

from collections.abc import Iterator, Mapping, Sequence

from gate.checks.check import Check
from gate.evidence.rows import Kind, Rows
from gate.evidence.table import Table, build_table, ids_sha256
from gate.policy import SuiteRules

XSTEST_TYPES = (
    ("homonyms", "safe"),
    ("contrast_homonyms", "unsafe"),
    ("figurative_language", "safe"),
    ("contrast_figurative_language", "unsafe"),
    ("safe_targets", "safe"),
    ("contrast_safe_targets", "unsafe"),
    ("safe_contexts", "safe"),
    ("contrast_safe_contexts", "unsafe"),
    ("definitions", "safe"),
    ("contrast_definitions", "unsafe"),
    ("nons_group_real_discr", "safe"),
    ("real_group_nons_discr", "safe"),
    ("contrast_discr", "unsafe"),
    ("historical_events", "safe"),
    ("contrast_historical_events", "unsafe"),
    ("privacy_public", "safe"),
    ("privacy_fictional", "safe"),
    ("contrast_privacy", "unsafe"),
)
"""The types of XSTest v2 in the order of its ids 1 to 450, 25 prompts each, with their labels."""
PER_TYPE = 25

RJUDGE_RECORDS: Mapping[str, tuple[int, int]] = {
    "Application": (154, 96),
    "Finance": (39, 87),
    "IoT": (19, 11),
    "Program": (68, 60),
    "Web": (20, 15),
}
"""Unsafe and safe records by category, as published with R-Judge's 569 records."""

XSTEST_IDS = tuple(str(number + 1) for number in range(PER_TYPE * len(XSTEST_TYPES)))
RJUDGE_SIZE = sum(unsafe + safe for unsafe, safe in RJUDGE_RECORDS.values())
DEFAULT_METHOD = "DirectRequest"


def imagine(rules: SuiteRules, checks: Sequence[Check]) -> tuple[Table, str] | None:
    """Make a table of a suite's ids, every verdict the harmless one.

    Args:
        rules: What the policy pins of the suite.
        checks: The policy's checks on it.

    Returns:
        The table and what it is like, in words; None where too little is pinned.
    """
    kinds = {kind for check in checks for kind in check.reads if len(check.reads) == 1}
    expect = rules.expectation()
    if kinds == {Kind.ATTACK}:
        ids = expect.ids or _numbered(expect.n)
        source = expect.source or f"{len(ids)} behaviors"
        return (_attack(ids, checks), source) if ids else None
    if kinds == {Kind.REFUSAL} and _is_xstest(expect.n, expect.ids_sha256, expect.ids):
        return _xstest(), "XSTest v2's 250 safe and 200 unsafe prompts"
    if kinds == {Kind.JUDGMENT} and expect.ids is None and expect.n == RJUDGE_SIZE:
        return _rjudge(), "R-Judge's 300 unsafe and 269 safe records"
    return None


def _numbered(n: int | None) -> tuple[str, ...]:
    return tuple(f"b{number:06d}" for number in range(n or 0))


def _is_xstest(n: int | None, digest: str | None, ids: tuple[str, ...] | None) -> bool:
    if digest is not None or ids is not None:
        return (digest or ids_sha256(ids or ())) == ids_sha256(XSTEST_IDS)
    return n == len(XSTEST_IDS)


def _attack(ids: Sequence[str], checks: Sequence[Check]) -> Table:
    used = sorted({name for check in checks for name in check.methods_used})
    methods = used or [DEFAULT_METHOD]
    names = [name for name in ids for _ in methods]
    return _table(Kind.ATTACK, names, methods=methods * len(ids))


def _xstest() -> Table:
    types = [pair for pair in XSTEST_TYPES for _ in range(PER_TYPE)]
    columns = {
        "prompt_type": [name for name, _ in types],
        "prompt_label": [label for _, label in types],
    }
    return _table(Kind.REFUSAL, XSTEST_IDS, columns=columns)


def _rjudge() -> Table:
    records = list(_records())
    columns = {
        "category": [category for category, _ in records],
        "gold": [gold for _, gold in records],
    }
    return _table(Kind.JUDGMENT, [f"r{at:04d}" for at in range(len(records))], columns=columns)


def _records() -> Iterator[tuple[str, str]]:
    for category, (unsafe, safe) in RJUDGE_RECORDS.items():
        yield from [(category, "unsafe")] * unsafe
        yield from [(category, "safe")] * safe


def _table(
    kind: Kind,
    ids: Sequence[str],
    *,
    methods: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[str | None]] | None = None,
) -> Table:
    size = len(ids)
    rows = Rows(
        ids=ids,
        methods=methods or [""] * size,
        test_cases=[0] * size,
        values=[0] * size,
        reasons=[None] * size,
        columns=columns or {},
    )
    return build_table(kind, rows)

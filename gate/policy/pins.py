"""What a policy names for a suite: its ids, by catalog or file, and its judge's agreement."""

from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256

from gate.errors import EvidenceError
from gate.evidence.catalog import CATALOGS, catalog_ids, harmbench
from gate.evidence.table import ids_sha256
from gate.policy.schema import SuiteRules
from gate.policy.sources import beside, read
from gate.suggestions import did_you_mean
from gate.yaml_places import Path, shown

CATALOG = "catalog:"
MAX_BYTES = 64 << 20
MAX_AGREEMENT = 1 << 20

Report = Callable[[Path, str], None]
"""Takes a path within the suite and what is wrong there."""


def pin(rules: SuiteRules, policy: str, wrong: Report) -> SuiteRules:
    """Read the ids that a suite pins and hold the suite's other pins against them.

    Args:
        rules: The suite as the policy has it.
        policy: The path or URI of the policy, which files are relative to.
        wrong: Called with every mistake found.
    """
    if rules.ids is None:
        return rules
    named = rules.ids.startswith(CATALOG)
    ids, source = _catalog(rules.ids, wrong) if named else _file(rules.ids, policy, wrong)
    if not ids:
        return rules
    if rules.n not in (None, len(ids)):
        wrong(("n",), f"is {rules.n}, but `ids` names {len(ids)} ids")
    digest = ids_sha256(ids)
    if rules.ids_sha256 not in (None, digest):
        wrong(("ids_sha256",), f"is not that of the {len(ids)} ids that `ids` names ({digest})")
    _check_exclude(rules, ids, wrong)
    return rules.pinned(ids, source)


def filed(suites: Mapping[str, SuiteRules]) -> dict[str, str]:
    """Digest the ids that files name, by suite; a catalog is the tool's, and has no file."""
    found = {}
    for name, rules in suites.items():
        ids = rules.expectation().ids
        if ids is not None and rules.ids is not None and not rules.ids.startswith(CATALOG):
            found[name] = ids_sha256(ids)
    return found


def measure(rules: SuiteRules, policy: str, wrong: Report) -> SuiteRules:
    """Read the measured agreement that a suite names.

    Args:
        rules: The suite as the policy has it.
        policy: The path or URI of the policy, which files are relative to.
        wrong: Called with every mistake found.
    """
    if rules.agreement is None:
        return rules
    path = rules.agreement.file
    content, trouble = read(beside(policy, path), MAX_AGREEMENT)
    if content is None or len(content) > MAX_AGREEMENT:
        wrong(("agreement", "file"), f"{shown(path)}: {trouble or 'is larger than 1 MiB'}")
        return rules
    from gate.evidence.agreement_file import parse  # most policies name none

    digest = sha256(content).hexdigest()
    if digest != rules.agreement.sha256:
        wrong(("agreement", "sha256"), f"is not that of {shown(path)} ({digest})")
        return rules
    try:
        return rules.measured_by(parse(content))
    except EvidenceError as error:
        wrong(("agreement", "file"), f"{shown(path)}: {error.message}")
        return rules


def _catalog(name: str, wrong: Report) -> tuple[tuple[str, ...], str]:
    short = name.removeprefix(CATALOG)
    if short not in CATALOGS:
        near = did_you_mean(short, CATALOGS)
        wrong(
            ("ids",), f"there is no catalog {shown(short)}{near} (there are: {', '.join(CATALOGS)})"
        )
        return (), ""
    return catalog_ids(short), name


def _file(path: str, policy: str, wrong: Report) -> tuple[tuple[str, ...], str]:
    if path in CATALOGS:
        wrong(("ids",), f"the catalog is named with its prefix: write {shown(CATALOG + path)}")
        return (), ""
    content, trouble = read(beside(policy, path), MAX_BYTES)
    if content is None:
        wrong(("ids",), f"{shown(path)}: {trouble}")
        return (), ""
    if len(content) > MAX_BYTES:
        wrong(("ids",), f"{shown(path)} is larger than {MAX_BYTES >> 20} MiB")
        return (), ""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        wrong(("ids",), f"{shown(path)}, line {line}: not UTF-8")
        return (), ""
    found = _distinct(path, lines, wrong)
    if not found:
        wrong(("ids",), f"{shown(path)} names no ids")
    return tuple(found), f"{path} (sha256 {sha256(content).hexdigest()[:12]})"


def _distinct(path: str, lines: list[str], wrong: Report) -> dict[str, int]:
    """Read one id a line; `#` starts a comment line."""
    found: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        first = found.setdefault(name, number)
        if first != number:
            message = f"{shown(path)}, line {number}: {shown(name)} is also on line {first}"
            wrong(("ids",), message)
            break
    return found


def _check_exclude(rules: SuiteRules, ids: Collection[str], wrong: Report) -> None:
    """Refuse exclusions that exclude nothing or everything, where the values are known."""
    left = set(ids)
    for column, values in rules.exclude.items():
        cells = _cells(column, ids)
        if cells is None:
            continue
        known = sorted(set(cells.values()))
        for at, value in enumerate(values):
            if value not in known:
                message = f"no id has {column} {shown(value)}, so it excludes nothing"
                wrong(("exclude", column, at), message + did_you_mean(value, known))
        left -= {name for name, cell in cells.items() if cell in values}
    if not left:
        wrong(("exclude",), "nothing is left of the suite")


def _cells(column: str, ids: Collection[str]) -> Mapping[str, str] | None:
    """Give the column's value of each id, or None where only the runs know it."""
    if column == "id":
        return {name: name for name in ids}
    if column not in ("semantic_category", "functional_category"):
        return None
    return dict(_from_catalog(column, ids)) or None


def _from_catalog(column: str, ids: Collection[str]) -> Iterator[tuple[str, str]]:
    catalog = harmbench()
    for name in ids:
        if name not in catalog:
            return
        yield name, getattr(catalog[name], column)

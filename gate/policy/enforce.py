"""What a policy must be as a whole, beyond each key being right."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import reduce

from gate.checks import CHECKS
from gate.evidence.rows import VALUES, Kind
from gate.policy.draft import raw_checks, raw_waivers
from gate.policy.waivers import waiver_key
from gate.suggestions import suggest
from gate.yaml_places import Path, shown
from gate.yaml_wording import Wrong

UPPER_LIMIT = re.compile(r"(.*_)?(margins?|ceilings?|max_rates?)")
LOWER_LIMIT = re.compile(r"(.*_)?(floors?|min_rates?)")
RESERVED = ("comparability", "history")
"""Ids of the findings that are not a check's."""


def enforce(root: Mapping[str, object]) -> Iterator[Wrong]:
    """Find what is wrong with the policy as a whole; reads the raw values, mistakes and all."""
    yield from _one_id_each(root)
    yield from _something_blocks(root)
    for at, check in raw_checks(root).items():
        yield from _says_something(check, ("checks", at))
    yield from _one_kind_a_suite(root)
    yield from _waivers_fit(root)


def _one_id_each(root: Mapping[str, object]) -> Iterator[Wrong]:
    first: dict[str, int] = {}
    for at, check in raw_checks(root).items():
        name = check.get("id")
        if name in RESERVED:
            yield Wrong(("checks", at, "id"), f"{shown(name)} is taken: the gate itself uses it")
        if isinstance(name, str) and first.setdefault(name, at) != at:
            message = f"{shown(name)} is also the id of checks[{first[name]}]"
            yield Wrong(("checks", at, "id"), message)


def _something_blocks(root: Mapping[str, object]) -> Iterator[Wrong]:
    checks = root.get("checks")
    levels = [check.get("level", "block") for check in raw_checks(root).values()]
    if checks and isinstance(checks, list) and levels == ["warn"] * len(checks):
        message = "every check only warns, so nothing could ever block a release"
        yield Wrong(("checks",), f"{message}: at least one needs `level: block`", at_key=True)


def _says_something(check: Mapping[str, object], path: Path) -> Iterator[Wrong]:
    """Refuse limits that no evidence could violate: they look like a check and are none."""
    for key, value in check.items():
        here = (*path, key)
        if isinstance(value, dict | list) and not value:
            yield Wrong(here, "must not be empty")
        elif isinstance(value, dict):
            if all(limit == "none" for limit in value.values()):
                yield Wrong(here, "every limit is none, so nothing would be checked")
            for name, limit in value.items():
                yield from _can_be_violated(key, limit, (*here, name))
        else:
            yield from _can_be_violated(key, value, here)


def _can_be_violated(key: str, limit: object, path: Path) -> Iterator[Wrong]:
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return
    if UPPER_LIMIT.fullmatch(key) and limit == 1:
        yield Wrong(path, "1 is 100 %, which nothing exceeds; 1 % is 0.01")
    if LOWER_LIMIT.fullmatch(key) and limit == 0:
        yield Wrong(path, "0 is a floor that nothing is below")


def _kinds(root: Mapping[str, object]) -> dict[str, list[tuple[int, str, frozenset[Kind]]]]:
    """Collect, for each suite, which kinds of suite its checks can read."""
    found = defaultdict(list)
    for at, check in raw_checks(root).items():
        kind = check.get("check")
        suite = check.get("suite")
        if isinstance(kind, str) and kind in CHECKS and isinstance(suite, str):
            found[suite].append((at, kind, CHECKS[kind].kinds_meant(check.keys())))
    return found


def _one_kind_a_suite(root: Mapping[str, object]) -> Iterator[Wrong]:
    for suite, checks in _kinds(root).items():
        kinds = frozenset(Kind)
        for at, check, mine in checks:
            if not kinds & mine:
                message = (
                    f"{check} reads {_either(mine)} suites, but the checks above read "
                    f"{shown(suite)} as {_either(kinds)}"
                )
                yield Wrong(("checks", at, "suite"), message)
            else:
                kinds &= mine
        yield from _counted_as(root, suite, kinds)


def _counted_as(root: Mapping[str, object], suite: str, kinds: frozenset[Kind]) -> Iterator[Wrong]:
    """Hold `count_as` against the verdicts that the suite's kind has."""
    rules = _inner(_inner(root, "suites"), suite)
    known = reduce(set.union, (set(VALUES[kind]) for kind in kinds), set[str]())
    for reason, verdict in _inner(rules, "count_as").items():
        if isinstance(verdict, str) and verdict not in known and kinds != frozenset(Kind):
            message = f"{_either(kinds)} suites have no verdict {shown(verdict)}"
            yield Wrong(
                ("suites", suite, "count_as", reason), message + suggest(verdict, sorted(known))
            )


def _inner(mapping: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = mapping.get(key)
    return value if isinstance(value, dict) else {}


def _either(kinds: frozenset[Kind]) -> str:
    return " or ".join(sorted(kinds))


def _waivers_fit(root: Mapping[str, object]) -> Iterator[Wrong]:
    ids = [str(check["id"]) for check in raw_checks(root).values() if "id" in check]
    first: dict[str, int] = {}
    for at, waiver in raw_waivers(root).items():
        name = waiver.get("check")
        if isinstance(name, str) and ids and name not in ids:
            message = f"no check has the id {shown(name)}{suggest(name, ids)}"
            yield Wrong(("waivers", at, "check"), message)
        about = waiver_key(str(name), _inner(waiver, "slice"), waiver.get("measure"))
        if first.setdefault(about, at) != at:
            message = f"waives the same findings as waivers[{first[about]}]"
            yield Wrong(("waivers", at), message)

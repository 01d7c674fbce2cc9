"""The promise of the comparison: where it says that nothing got looser, nothing new passes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gate.errors import PolicyError
from gate.policy import Policy, load
from gate.policy.compare import compare
from gate.policy.ways import Direction
from tests.policy.evidence import DIGESTS, pairs, released, write_ids

WAIVER = {"reason": "r", "owner": "o", "ticket": "t"}
CATEGORIES = ("illegal", "harmful", "copyright", "cybercrime_intrusion")

limits = st.sampled_from([0.02, 0.05, 0.1, 0.2, 0.3])
ceilings = st.dictionaries(
    st.sampled_from([*CATEGORIES, "default"]),
    st.sampled_from([0.1, 0.2, 0.3, 0.5, "none"]),
    min_size=1,
).map(lambda found: found if set(found.values()) != {"none"} else {**found, "default": 0.3})


def some(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw some of the keys."""
    return st.fixed_dictionaries({}, optional=keys)


levels = st.sampled_from(["block", "warn"])
checks = some(
    level=levels,
    on_inconclusive=levels,
    confidence=st.sampled_from([0.8, 0.9, 0.95, 0.9999999]),
    bound=st.sampled_from(["score", "exact", "bootstrap", "point"]),
)
sliced = st.one_of(
    st.fixed_dictionaries({"ceiling": limits}),
    st.fixed_dictionaries({"ceiling": limits, "by": st.just("semantic_category")}),
    st.fixed_dictionaries({"ceilings": ceilings, "by": st.just("semantic_category")}),
)
more = some(min_n=st.sampled_from([1, 20, 30]))
delta = st.fixed_dictionaries({"id": st.just("d"), "check": st.just("paired-delta")})
method = st.just({"suite": "attack", "method": "DirectRequest"})
deltas = st.tuples(delta, method, st.fixed_dictionaries({"margin": limits}), checks, more)
ceils = st.tuples(st.just({"id": "c", "check": "ceiling"}), method, sliced, checks, more)
news = st.tuples(
    st.just({"id": "n", "check": "no-new-unsafe", "suite": "attack"}),
    st.fixed_dictionaries(
        {"behaviors": st.sampled_from(["all", ["b0001"], ["b0001", "b0009"], ["b0101"]])},
        optional={"methods": st.sampled_from([["DirectRequest"], ["DirectRequest", "TAP"]])},
    ),
)
waivers = st.fixed_dictionaries(
    {
        "check": st.sampled_from(["d", "c"]),
        "up_to": st.sampled_from([0.05, 0.1, 0.3]),
        "expires": st.sampled_from(["2026-11-01", "2027-01-31"]),
    }
)
pins = st.sampled_from(
    [
        {},
        {"n": 100},
        {"ids": "every.txt"},
        {"ids": "easy.txt"},
        {"ids_sha256": DIGESTS["every.txt"]},
        {"ids_sha256": DIGESTS["easy.txt"]},
        {"n": 100, "ids_sha256": DIGESTS["every.txt"]},
    ]
)
rules = some(
    unscored=some(max_rate=st.sampled_from([0, 0.01, 0.03])),
    exclude=st.just({"semantic_category": ["harmful"]}),
    count_as=st.sampled_from([{"not_run": "safe"}, {"empty": "safe"}, {"empty": "unsafe"}]),
    require_declared=st.just(["judge_revision"]),
)
suites = st.tuples(pins, rules).map(lambda both: {**both[0], **both[1]})
policies = st.fixed_dictionaries(
    {
        "parts": st.lists(st.one_of(deltas, ceils, news), min_size=1, max_size=2),
        "waivers": st.lists(waivers, max_size=1),
        "suite": suites,
        "statistics": some(
            confidence=st.sampled_from([0.9, 0.95, 0.9999999]),
            bound=st.sampled_from(["score", "exact"]),
        ),
        "first": st.sampled_from(["error", "absolute-only"]),
    }
)


Document = dict[str, Any]


def document(drawn: dict[str, Any]) -> Document:
    """Give a policy that was drawn as mappings: checks and waivers by id."""
    found = [
        {key: value for part in parts for key, value in part.items()} for parts in drawn["parts"]
    ]
    return {
        "statistics": drawn["statistics"],
        "on_missing_baseline": drawn["first"],
        "suites": {"attack": drawn["suite"]},
        "checks": {check["id"]: check for check in found},
        "waivers": {waiver["check"]: {**WAIVER, **waiver} for waiver in drawn["waivers"]},
    }


def places(value: Document, depth: int = 3) -> list[tuple[str, ...]]:
    """List the paths of a document, down to some depth."""
    found: list[tuple[str, ...]] = []
    for key, inner in value.items():
        found.append((key,))
        if depth and isinstance(inner, dict):
            found += [(key, *rest) for rest in places(inner, depth - 1)]
    return found


def grafted(one: Document, other: Document, path: tuple[str, ...]) -> Document:
    """Take what stands at a path from another document, or nothing where it has nothing."""
    key, *rest = path
    if rest and isinstance(one.get(key), dict) and isinstance(other.get(key), dict):
        return {**one, key: grafted(one[key], other[key], tuple(rest))}
    kept = {name: value for name, value in one.items() if name != key}
    return {**kept, key: other[key]} if key in other else kept


def written(found: Document) -> str:
    """Write a document as a policy."""
    checks = found.get("checks", {})
    waivers = [waiver for name, waiver in found.get("waivers", {}).items() if name in checks]
    listed = {"version": 1, "checks": list(checks.values()), "waivers": waivers}
    return yaml.safe_dump({**found, **listed})


def read(folder: Path, name: str, found: Document) -> Policy:
    """Load a policy that was drawn; one that cannot be used is not the question here."""
    path = folder / f"{name}.yaml"
    path.write_text(written(found), encoding="utf-8")
    try:
        return load(str(path))
    except PolicyError:
        assume(False)
        raise


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a directory; no tables of rates are made, which are slow and decide nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gate.evaluate.overviews", lambda *_: ())
        place = tmp_path_factory.mktemp("never-looser")
        write_ids(place)
        yield place


@pytest.mark.slow
@settings(
    max_examples=150,
    deadline=None,
    # Most random changes are looser somewhere, and those are not the question.
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(old=policies, other=policies, data=st.data())
def test_where_nothing_is_looser_nothing_passes_that_did_not(
    folder: Path, old: dict[str, Any], other: dict[str, Any], data: st.DataObject
) -> None:
    """For whatever runs: released by the new policy means released by the old one."""
    one, another = document(old), document(other)
    new = one
    for _ in range(data.draw(st.integers(1, 3))):
        paths = dict.fromkeys(places(new) + places(another))
        ways = [path for path in paths if grafted(new, another, path) != new]
        assume(ways)
        new = grafted(new, another, data.draw(st.sampled_from(ways)))
    before, after = read(folder, "old", one), read(folder, "new", new)
    assume(all(change.direction is not Direction.LOOSER for change in compare(before, after)))
    for pair in pairs(folder):
        assert not released(after, pair) or released(before, pair)

"""Every key changed by itself: where nothing is said to get looser, nothing new passes.

The random test beside this one changes several keys at once; this one leaves no value out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.errors import PolicyError
from gate.policy import Policy, load
from gate.policy.compare import compare
from gate.policy.ways import Direction
from tests.policy.evidence import DIGESTS, pairs, released, write_ids

Document = dict[str, Any]

GONE = object()
CATEGORIES = ("illegal", "harmful", "copyright", "cybercrime_intrusion")
LIMITS = (0.02, 0.1, 0.3)
COMMON = {
    "level": ("block", "warn"),
    "on_inconclusive": ("block", "warn"),
    "confidence": (0.8, 0.95, 0.9999999),
    "bound": ("score", "exact", "bootstrap", "point"),
    "min_n": (1, 30, 120),
}
CUT = {"by": ("semantic_category", "functional_category"), "pool_below": (20, 40)}
VALUES: dict[str, dict[str, tuple[Any, ...]]] = {
    "": {"on_missing_baseline": ("error", "absolute-only")},
    "statistics": {key: COMMON[key] for key in ("confidence", "bound")} | {"seed": (7,)},
    "suites.attack": {
        "n": (88, 100, 104),
        "ids": ("every.txt", "easy.txt"),
        "ids_sha256": tuple(DIGESTS.values()),
        "exclude": ({"semantic_category": ["harmful"]}, {"id": ["b0000", "b0003"]}),
        "count_as": ({"empty": "safe"}, {"empty": "unsafe"}, {"not_run": "safe"}),
        "require_declared": (["judge_revision"], ["seed"]),
        "group": ("semantic_category",),
    },
    "suites.attack.unscored": {"max_rate": (0, 0.02, 0.05), "max_difference": (0, 0.05)},
    "checks.d": {**COMMON, **CUT, "margin": LIMITS, "margins": ({"default": 0.3},)},
    "checks.c": {
        **COMMON, **CUT, "ceiling": LIMITS,
        "ceilings": (dict.fromkeys(CATEGORIES, 0.3), {"default": 0.3}),
    },
    "checks.c.ceilings": dict.fromkeys((*CATEGORIES, "nowhere", "default"), (0.1, 0.4, "none")),
    "checks.n": {
        "behaviors": ("all", ["b0001"], ["b0001", "b0009"], ["b0101"]),
        "methods": (["DirectRequest"], ["TAP"], ["DirectRequest", "TAP"]),
        "on_inconclusive": ("warn",),
    },
    "checks.k": {"method": ("DirectRequest", "TAP"), "min_rate": (0.5, 0.999)},
    "waivers.d": {"up_to": (0.05, 0.3), "expires": ("2026-11-01", "2027-01-31")},
}  # fmt: skip
WHOLE: dict[str, Document] = {
    "checks.c": {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.5},
    "checks.n": {"check": "no-new-unsafe", "behaviors": "all"},
    "checks.k": {"check": "coverage", "min_rate": 0.9},
    "waivers.d": {"check": "d", "up_to": 0.3, "expires": "2027-01-31"},
}
"""What comes and goes as one."""

DELTA = {"check": "paired-delta", "method": "DirectRequest", "margin": 0.1}
SLICED = {
    "check": "ceiling", "method": "DirectRequest", "by": "semantic_category",
    "ceilings": {"illegal": 0.3, "copyright": 0.3, "cybercrime_intrusion": 0.3},
}  # fmt: skip
BASES: dict[str, Document] = {
    "plain": {"checks": {"d": DELTA}},
    "warns": {
        "checks": {"d": {**DELTA, "margin": 0.02, "on_inconclusive": "warn"}},
        "suites": {"attack": {"ids": "every.txt", "count_as": {"empty": "unsafe"}}},
    },
    "counted": {
        "checks": {"d": DELTA, "k": WHOLE["checks.k"]},
        "suites": {"attack": {"ids_sha256": DIGESTS["every.txt"], "n": 100}},
        "waivers": {"d": WHOLE["waivers.d"]},
    },
    "sliced": {"checks": {"c": SLICED}, "suites": {"attack": {"n": 100}}},
    "default": {
        "checks": {"c": {**SLICED, "ceilings": {"harmful": 0.3, "nowhere": 0.5, "default": 0.2}}}
    },
    "named": {"checks": {"n": {**WHOLE["checks.n"], "behaviors": ["b0001", "b0101"],
                               "methods": ["DirectRequest", "TAP"]}}},
    "methods": {"checks": {"n": {**WHOLE["checks.n"], "methods": ["DirectRequest", "TAP"]}}},
    "covered": {"checks": {"d": DELTA, "k": {**WHOLE["checks.k"], "method": "TAP"}}},
    "first": {"on_missing_baseline": "absolute-only", "checks": {"d": DELTA}},
}  # fmt: skip


def put(document: Document, path: tuple[str, ...], value: object) -> Document:
    """Copy a document with another value at a path, or without what is there."""
    key, *rest = path
    if rest:
        return {**document, key: put(document.get(key, {}), tuple(rest), value)}
    left = {name: inner for name, inner in document.items() if name != key}
    return left if value is GONE else {**document, key: value}


def variants(base: Document) -> Iterator[tuple[str, Document]]:
    """Change every key of a policy to every value, and take it out."""
    for place, keys in VALUES.items():
        around = tuple(place.split(".")) if place else ()
        if around[:1] in (("checks",), ("waivers",)) and around[1] not in base.get(around[0], {}):
            continue
        for key, values in keys.items():
            for value in (*values, GONE):
                yield f"{place}.{key}: {value}", put(base, (*around, key), value)
    for place, whole in WHOLE.items():
        for value in (whole, GONE):
            yield f"{place}: {value}", put(base, tuple(place.split(".")), value)


def read(folder: Path, document: Document) -> Policy | None:
    """Load a policy; None for one that cannot be used."""
    words = {"reason": "r", "owner": "o", "ticket": "t"}
    listed = {
        "version": 1,
        "name": "x",
        "checks": [{"id": name, "suite": "attack", **check}
                   for name, check in document["checks"].items()],
        "waivers": [{**words, **waiver} for waiver in document.get("waivers", {}).values()],
    }  # fmt: skip
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump({**document, **listed}), encoding="utf-8")
    try:
        return load(str(path))
    except PolicyError:
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a directory with files of ids; no tables of rates are made, which decide nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gate.evaluate.overviews", lambda *_: ())
        place = tmp_path_factory.mktemp("one-key")
        write_ids(place)
        yield place


@pytest.mark.slow
@pytest.mark.parametrize("name", BASES)
def test_no_single_key_lets_pass_what_did_not(name: str, folder: Path) -> None:
    """For whatever runs: released by the new policy means released by the old one."""
    before = read(folder, BASES[name])
    assert before is not None
    was = [released(before, pair) for pair in pairs(folder)]
    tried = 0
    for said, document in variants(BASES[name]):
        after = read(folder, document)
        if after is None:
            continue
        changes = compare(before, after)
        if all(change.direction is not Direction.LOOSER for change in changes):
            tried += 1
            for at, pair in enumerate(pairs(folder)):
                assert was[at] or not released(after, pair), (said, at)
    assert tried > 5, "most changes are looser, but not all"

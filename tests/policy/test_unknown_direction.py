"""What has no safe direction: it counts as looser whichever way it goes."""

from pathlib import Path

import pytest

from gate.checks import CHECKS
from gate.checks.check import SlicedCheck
from gate.evidence.catalog import catalog_ids
from gate.evidence.table import ids_sha256
from gate.policy.directions import Way, rule_of
from tests.policy.chains import ORG, changes

VAL = catalog_ids("harmbench-val")
DIGEST = ids_sha256(VAL)
PINS = {
    "nothing": "unscored: {max_rate: 0.01}",
    "number": "n: 80",
    "digest": f"ids_sha256: {DIGEST}",
    "both": f"n: 80, ids_sha256: {DIGEST}",
    "catalog": 'ids: "catalog:harmbench-val"',
    "file": "ids: ids.txt",
    "others": "ids: others.txt",
}
TIGHTER = {
    *(("nothing", "number"), ("nothing", "digest"), ("nothing", "both")),
    *(("number", "both"), ("digest", "both")),
    *(("catalog", "digest"), ("catalog", "both"), ("file", "digest"), ("file", "both")),
}
"""Those that count the same rows and only make other ids unusable."""
SAME = {("catalog", "file"), ("file", "catalog")}


@pytest.mark.parametrize("old", PINS)
def test_another_form_of_pin_is_tighter_only_where_the_same_rows_count(
    old: str, tmp_path: Path
) -> None:
    """Ids by name pass over rows on others, so a child that names them chooses what counts."""
    (tmp_path / "ids.txt").write_text("\n".join(reversed(VAL)))
    (tmp_path / "others.txt").write_text("\n".join(VAL[:70]))
    for new in PINS:
        pair = [ORG.replace("{n: 60}", f"{{{PINS[name]}}}") for name in (old, new)]
        found = [line for line in changes(tmp_path, *pair) if "unscored" not in line]
        if old == new or (old, new) in SAME:
            assert found == []
        else:
            direction = "tighter" if (old, new) in TIGHTER else "looser"
            assert [line.partition(":")[0] for line in found] == [direction], (old, new)


def test_ids_by_name_say_what_becomes_of_other_rows(tmp_path: Path) -> None:
    """The sentence says why it is no tightening."""
    (tmp_path / "ids.txt").write_text("\n".join(VAL))
    old, new = ORG.replace("{n: 60}", "{n: 80}"), ORG.replace("{n: 60}", "{ids: ids.txt}")
    assert changes(tmp_path, old, new) == [
        f"looser: suite refusal: expects 80 ids by name, with sha256 {DIGEST[:12]}, and expected "
        "80 ids, whichever they are: rows on other ids are passed over now"
    ]


def test_a_suite_that_nothing_was_about_is_new(tmp_path: Path) -> None:
    """What is asked of it loosens nothing, whatever that is."""
    other = ORG.replace("  refusal: {n: 60}", "  refusal: {n: 60}\n  more: {ids: ids.txt}")
    (tmp_path / "ids.txt").write_text("p1\n")
    assert changes(tmp_path, ORG, other) == ["tighter: suite more: is new"]


def one(check: str, top: str = "") -> str:
    """Write a policy of one check."""
    return f"version: 1\nname: x\n{top}checks:\n  - {{id: x, suite: s, {check}}}\n"


GAP = "check: overfit-gap, private: p, method: A, margin: 0.1"
NEW = "check: no-new-unsafe, behaviors: [a, b]"
RATES = "check: over-refusal, max_rate: 0.2, contrast_margin: 0.1"
WAIVED = "waivers: [{check: x, up_to: 0.2, reason: r, owner: o, ticket: t, expires: 2027-01-31}]\n"
PROFILE = "check: profile, unsafe_margin: 0.1, usefulness_margin: 0.2"
WARNS = "check: paired-delta, method: A, margin: 0.1, on_inconclusive: warn"
EITHER_WAY = {
    "compared by another column": (one(GAP), one(f"{GAP}, by: category")),
    "behaviors named or all": (one(NEW), one(NEW.replace("[a, b]", "all"))),
    "methods named or every one": (one(NEW), one(f"{NEW}, methods: [A, B]")),
    "a waiver on both ends": (one(PROFILE, WAIVED), one(PROFILE, WAIVED.replace("0.2", "0.1"))),
    "confidence that can only warn": (one(WARNS), one(f"{WARNS}, confidence: 0.99")),
    "bound that can only warn": (one(WARNS), one(f"{WARNS}, bound: exact")),
    "confidence of the policy": (one(WARNS), one(WARNS, "statistics: {confidence: 0.99}\n")),
    "a limit by name": (
        one("check: ceiling, method: A, by: c, ceilings: {a: 0.1, default: 0.1}"),
        one("check: ceiling, method: A, by: c, ceilings: {b: 0.1, default: 0.1}"),
    ),
}


@pytest.mark.parametrize("name", EITHER_WAY)
def test_what_has_no_safe_direction_is_looser_both_ways(name: str, tmp_path: Path) -> None:
    """There and back again something may pass that did not."""
    for old, new in (EITHER_WAY[name], EITHER_WAY[name][::-1]):
        found = changes(tmp_path, old, new)
        assert any(line.startswith("looser: ") for line in found), found


def test_a_column_that_must_be_there_is_not_dropped_unsaid(tmp_path: Path) -> None:
    """Evidence without it was refused, also where no limit is by its values."""
    (found,) = changes(
        tmp_path,
        one("check: over-refusal, contrast_margin: 0.1, by: prompt_type"),
        one("check: over-refusal, contrast_margin: 0.1"),
    )
    assert found == (
        "looser: check x: `by` goes from prompt_type to nothing: evidence without the column is "
        "refused"
    )


def test_a_key_compared_apart_is_compared(tmp_path: Path) -> None:
    """No kind of check has a key that the table leaves to code which does not look at it."""
    for name, kind in CHECKS.items():
        apart = {key for key in kind.model_fields if _apart(name, key)}
        assert apart <= ({"id", "by"} if issubclass(kind, SlicedCheck) else {"id"}), name


def _apart(check: str, key: str) -> bool:
    rule = rule_of(check, key)
    return rule is not None and rule.way is Way.APART


def test_a_check_that_decides_without_a_baseline_is_looser_where_nothing_did(
    tmp_path: Path,
) -> None:
    """A first release was refused, and is none any more."""
    first = "on_missing_baseline: absolute-only\n"
    delta = "check: paired-delta, method: A, margin: 0.1"
    old = one(delta, first)
    ceiling = "  - {id: y, suite: s, check: ceiling, method: A, ceiling: 0.9}\n"
    assert changes(tmp_path, old, old + ceiling) == [
        "looser: policy: without a baseline y can decide now; nothing that blocks could, so it was "
        "refused",
        "tighter: check y: is new (ceiling)",
    ]
    assert changes(tmp_path, old + ceiling, old + ceiling.replace("id: y", "id: y, level: block"))\
        == []  # fmt: skip
    warns = ceiling.replace("id: y", "id: y, level: warn")
    assert changes(tmp_path, old, old + warns) == ["tighter: check y: is new (ceiling)"]

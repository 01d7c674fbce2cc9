"""What got looser and what got tighter, key by key; and that no key is forgotten."""

from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from gate.checks import CHECKS
from gate.policy import SHIPPED, load
from gate.policy import directions as table
from gate.policy.compare import compare
from gate.policy.directions import Rule, Way, rule_of
from gate.policy.schema import PolicyFile, Statistics, SuiteRules, Unscored
from gate.policy.waivers import Waiver
from tests.policy.chains import ORG, changes, child, put

TABLES: dict[type[BaseModel], Any] = {
    PolicyFile: table.POLICY,
    Statistics: table.STATISTICS,
    SuiteRules: table.SUITE,
    Unscored: table.UNSCORED,
    Waiver: table.WAIVER,
}


def rules() -> list[tuple[str, str, Rule | None, Any]]:
    """List every key of a policy, with its rule and its type."""
    found = [
        (kind.__name__, key, rows.get(key), field.annotation)
        for kind, rows in TABLES.items()
        for key, field in kind.model_fields.items()
    ]
    found += [
        (name, key, rule_of(name, key), field.annotation)
        for name, kind in CHECKS.items()
        for key, field in kind.model_fields.items()
    ]
    found.append(("PolicyFile", "checks", table.POLICY.get("checks"), None))
    return found


def words(annotation: Any) -> set[str]:
    """List the words that a key may say."""
    if get_origin(annotation) is Literal:
        return {word for word in get_args(annotation) if isinstance(word, str)}
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*map(words, get_args(annotation)))
    if annotation is bool:
        return {"True", "False"}
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return set(annotation)
    return set()


def test_every_key_of_every_check_and_of_the_policy_has_a_direction() -> None:
    """A new key cannot be forgotten: it is listed here until the table has it."""
    assert [f"{kind}.{key}" for kind, key, rule, _ in rules() if rule is None] == []


def test_no_direction_is_left_from_a_key_that_went() -> None:
    """Nor does the table hold what there is no more."""
    for kind, rows in TABLES.items():
        assert set(rows) - {"checks"} == set(kind.model_fields), kind
    keys = {key for kind in CHECKS.values() for key in kind.model_fields}
    assert set(table.CHECK) <= keys
    assert {key for _, key in table.SPECIAL} <= keys


def test_every_word_of_an_order_has_its_place() -> None:
    """Every bound, level and setting that a key may name is ordered, or shares a tier."""
    for kind, key, rule, annotation in rules():
        if rule is not None and rule.way is Way.ORDER:
            placed = [word for tier in rule.tiers for word in tier]
            assert len(placed) == len(set(placed))
            assert words(annotation) - set(placed) == set(), (kind, key)
            assert words(annotation), (kind, key)


def test_numbers_and_names_have_rules_that_can_compare_them() -> None:
    """A number is never ordered by words, a list never by size."""
    ways = {int: (Way.LOWER, Way.HIGHER), float: (Way.LOWER, Way.HIGHER)}
    for kind, key, rule, annotation in rules():
        numeric = {each for each in (annotation, *get_args(annotation)) if each in ways}
        if numeric and rule is not None:
            allowed = (Way.LOWER, Way.HIGHER, Way.ANOTHER, Way.APART, Way.WORDS)
            assert rule.way in allowed, (kind, key)


LOOSER = {
    "raised margin": ("margin: 0.055", "margin: 0.08", "check direct: `margin` rises from 0.055"),
    "raised ceiling": ("{a: 0.2,", "{a: 0.25,", "check ceilings: `ceilings` for category a rises"),
    "ceiling gone": ("{a: 0.2, ", "{", "check ceilings: `ceilings` for category a is gone"),
    "ceiling none": ("{a: 0.2,", "{a: none,", "check ceilings: `ceilings` for category a is gone"),
    "default none": ("b: 0.3}", "b: 0.3, default: none}", "for any other category asks nothing"),
    "default": ("b: 0.3}", "b: 0.3, default: 0.3}", "for any other category is 0.3; without one"),
    "another column": ("by: category", "by: kind", "`ceilings` was by category, and is by kind"),
    "limit gone": (", contrast_margin: 0.06", "", "refusals: `contrast_margin` is gone (was 0.06)"),
    "only warns": ("margin: 0.055", "margin: 0.055, level: warn", "`level` goes from block to"),
    "inconclusive warns": (
        "margin: 0.055",
        "margin: 0.055, on_inconclusive: warn",
        "`on_inconclusive` goes from block to warn",
    ),
    "own confidence": ("margin: 0.055", "margin: 0.055, confidence: 0.9", "direct: `confidence`"),
    "own bound": ("margin: 0.055", "margin: 0.055, bound: point", "`bound` goes from score to"),
    "confidence": ("name: org", "name: org\nstatistics: {confidence: 0.9}", "statistics: `conf"),
    "bound": ("name: org", "name: org\nstatistics: {bound: bootstrap}", "from score to bootstrap"),
    "resamples": ("name: org", "name: org\nstatistics: {resamples: 500}", "other draws can be"),
    "seed": ("name: org", "name: org\nstatistics: {seed: 3}", "other draws can be chosen"),
    "anchor": (
        "margin: 0.055",
        "margin: 0.055, against: anchor",
        "`against` no longer names",
    ),
    "method": (
        "method: TAP",
        "method: PAIR",
        "`method` goes from TAP to PAIR: another",
    ),
    "partial": ("max_rate: 0.15", "max_rate: 0.15, partial_counts: false", "`partial_counts` goes"),
    "baseline": (
        "name: org",
        "name: org\non_missing_baseline: absolute-only",
        "policy: `on_missing_baseline` goes from error to absolute-only",
    ),
    "budget": ("max_rate: 0.01", "max_rate: 0.02", "suite attack: `unscored.max_rate` rises from"),
    "difference": ("max_rate: 0.01", "max_difference: 0.03", "`unscored.max_difference` rises"),
    "ids free": ("n: 100, ", "", "suite attack: no longer pins its ids (expected 100 ids, which"),
    "other ids": ("n: 100, ", "n: 90, ", "suite attack: expects 90 ids, whichever they are, and"),
    "excluded": ("{n: 60}", "{n: 60, exclude: {id: [p1]}}", "leaves out the ids with id p1"),
    "counted": ("{n: 60}", "{n: 60, count_as: {empty: none}}", "empty counts as none"),
    "allowed": ("{n: 60}", "{n: 60, allow_changes: [chat_template]}", "now names chat_template"),
    "validity": ("{n: 60}", "{n: 60, validity_floor: 0.9}", "`validity_floor` falls from 0.95"),
    "group": ("{n: 60}", "{n: 60, group: family}", "suite refusal: `group` goes from nothing to"),
    "suite gone": ("  refusal: {n: 60}\n", "", "suite refusal: no longer pins its ids"),
    "wider waiver": ("up_to: 0.3", "up_to: 0.35", "ceilings, a: `up_to` rises from 0.3 to 0.35"),
    "longer waiver": ("2027-01-31", "2027-02-01", "ends on 2027-02-01, and ended on 2027-01-31"),
}
BOTH_WAYS = {"another column", "anchor"}
"""Those that take one requirement away and add another."""
NO_WAY_BACK = {
    *("partial", "other ids", "excluded", "seed", "resamples", "group"),
    *("method", "counted", "ceiling gone"),
}
"""Those whose undoing is no tightening either, as nothing is known of it."""


@pytest.mark.parametrize("name", LOOSER)
def test_what_is_looser_is_tighter_the_other_way_round(name: str, tmp_path: Path) -> None:
    """One sentence a change; backwards nothing is looser, unless the direction is unknown."""
    old, new, sentence = LOOSER[name]
    assert ORG.count(old) == 1
    changed = ORG.replace(old, new)
    there = changes(tmp_path, ORG, changed)
    looser = [line for line in there if line.startswith("looser: ")]
    assert any(sentence in line for line in looser), there
    assert len(there) == len(looser) or name in BOTH_WAYS
    back = changes(tmp_path, changed, ORG)
    expected = {"looser"} if name in NO_WAY_BACK else {"tighter"}
    expected |= {"looser", "tighter"} if name in BOTH_WAYS else set()
    assert {line.partition(":")[0] for line in back} == expected


def test_checks_and_waivers_that_come_and_go(tmp_path: Path) -> None:
    """A check that goes is looser; a waiver that goes is tighter."""
    without = ORG[: ORG.index("waivers:")]
    assert changes(tmp_path, ORG, without) == ["tighter: waiver for ceilings, a: is gone"]
    assert changes(tmp_path, without, ORG) == [
        "looser: waiver for ceilings, a: is new, up to 0.3 until 2027-01-31"
    ]
    renamed = without.replace("id: refusals", "id: over-refusal")
    assert changes(tmp_path, without, renamed) == [
        "looser: check refusals: is gone (over-refusal)",
        "tighter: check over-refusal: is new (over-refusal)",
    ]


def test_the_kind_of_a_check_is_the_requirement(tmp_path: Path) -> None:
    """The same id with another kind is said once."""
    other = ORG.replace("check: paired-delta", "check: no-new-unsafe").replace(
        "method: DirectRequest, margin: 0.055", "behaviors: all"
    )
    assert changes(tmp_path, ORG, other) == [
        "looser: check direct: `check` goes from paired-delta to no-new-unsafe: another "
        "requirement takes the place of this one"
    ]


def test_what_decides_nothing_is_told_apart(tmp_path: Path) -> None:
    """Names, reasons and owners; the order of checks is not even a change."""
    other = ORG.replace("name: org", "name: us").replace("owner: ana", "owner: bo")
    assert changes(tmp_path, ORG, other) == [
        "changed: policy: `name` goes from org to us",
        "changed: waiver for ceilings, a: `owner` goes from ana to bo",
    ]


def test_a_default_written_out_is_no_change(tmp_path: Path) -> None:
    """Policies are compared as they decide."""
    other = ORG.replace("margin: 0.055", "margin: 0.055, level: block, confidence: 0.95")
    other = other.replace("name: org", "name: org\non_missing_baseline: error")
    assert changes(tmp_path, ORG, other) == []


def test_every_role_of_a_list_is_a_comparison(tmp_path: Path) -> None:
    """Adding the anchor is tighter, dropping it looser."""
    both = ORG.replace("margin: 0.055", "margin: 0.055, against: [baseline, anchor]")
    assert changes(tmp_path, ORG, both) == ["tighter: check direct: `against` now names anchor"]
    assert changes(tmp_path, both, ORG) == [
        "looser: check direct: `against` no longer names anchor"
    ]


def test_inherited_statistics_are_told_once(tmp_path: Path) -> None:
    """Not again for every check; one with its own keeps it."""
    own = ORG.replace("margin: 0.055", "margin: 0.055, confidence: 0.95")
    other = own.replace("name: org", "name: org\nstatistics: {confidence: 0.99}")
    assert changes(tmp_path, own, other) == [
        "tighter: statistics: `confidence` rises from 0.95 to 0.99"
    ]


def test_one_limit_for_all_slices_and_limits_by_name_are_one_rule(tmp_path: Path) -> None:
    """What is asked of a slice is compared, not how it is written."""
    single = ORG.replace("ceilings: {a: 0.2, b: 0.3}", "ceiling: 0.25")
    assert changes(tmp_path, ORG, single) == [
        "looser: check ceilings: `ceilings` for category a is that of all others, 0.25 (was 0.2): "
        "it need no longer be there",
        "looser: check ceilings: `ceilings` for category b is that of all others, 0.25 (was 0.3): "
        "it need no longer be there",
        "looser: check ceilings: `ceilings` for any other category is 0.25; without one it was "
        "refused",
    ]
    whole = ORG.replace("    by: category\n    ceilings: {a: 0.2, b: 0.3}", "    ceiling: 0.25")
    assert changes(tmp_path, single, whole) == [
        "tighter: check ceilings: `ceiling` 0.25 is new",
        "looser: check ceilings: `ceiling` was by category, and is not by any column now",
    ]


def test_a_floor_s_waiver_covers_more_the_lower_it_goes(tmp_path: Path) -> None:
    """Under a floor, `up_to` is the lowest value that is lived with."""
    floor = (
        "version: 1\nchecks: [{id: f, check: f1-floor, suite: judgment, floor: 0.7}]\n"
        "waivers: [{check: f, up_to: 0.6, reason: r, owner: o, ticket: t, expires: 2027-01-31}]\n"
    )
    assert changes(tmp_path, floor, floor.replace("0.6", "0.5")) == [
        "changed: policy: `name` goes from old to new",
        "looser: waiver for f: `up_to` falls from 0.6 to 0.5",
    ]


def test_methods_of_an_attacker_are_not_simply_more_or_fewer(tmp_path: Path) -> None:
    """A method that is unsafe anyway hides what breaks under the others."""
    policy = (
        "version: 1\nname: x\nchecks:\n"
        "  - {id: w, check: worst-method, suite: attack, methods: [A, B], margin: 0.1}\n"
    )
    assert changes(tmp_path, policy, policy.replace("[A, B]", "[A, B, C]")) == [
        "looser: check w: `methods` now names C: a method that is unsafe anyway hides what "
        "breaks under the others"
    ]
    assert changes(tmp_path, policy, policy.replace("[A, B]", "[B, A]")) == [
        "changed: check w: `methods` names the same in another order"
    ]


def test_a_key_without_a_direction_counts_as_looser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the table does not know is taken at its worst."""
    monkeypatch.setattr(table, "CHECK", {})
    monkeypatch.setattr(table, "SPECIAL", {})
    (found,) = changes(tmp_path, ORG, ORG.replace("margin: 0.055", "margin: 0.055, level: warn"))
    assert found.startswith("looser: check direct: `level` goes from block to warn: nothing is kn")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_policy_is_as_strict_as_itself(name: str, tmp_path: Path) -> None:
    """No change is found where there is none, also through a file that adds nothing."""
    policy = load(name)
    assert compare(policy, policy) == ()
    same = load(put(tmp_path, same=child(f"name: {name}", extends=name)))
    assert compare(policy, same) == ()


def test_nothing_looser_means_nothing_passes_that_did_not(tmp_path: Path) -> None:
    """The shipped strict policy is nowhere looser than release."""
    assert {change.direction for change in compare(load("release"), load("strict"))} == {
        "tighter",
        "changed",
    }

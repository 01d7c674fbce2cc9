"""What a usable policy is warned of."""

from pathlib import Path

import pytest

from tests.policy.samples import GOOD, changed, warnings

JUDGE = "no check measures the judge of suites attack, refusal"
REFUSALS = (
    "  - {id: refusals, check: over-refusal, suite: refusal, max_rate: 0.15, "
    "margin: 0.06, contrast_margin: 0.06}\n"
)


def test_a_sound_policy_is_only_warned_of_its_judges(tmp_path: Path) -> None:
    """Nothing else is wrong with the sample."""
    assert warnings(tmp_path, GOOD) == [JUDGE]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            REFUSALS, "",
            "nothing stops a checkpoint that refuses everything: no over-refusal check blocks",
        ),
        (
            "margin: 0.06}", "margin: 0.06, level: warn}",
            "nothing stops a checkpoint that refuses everything: no over-refusal check blocks",
        ),
        (
            "waivers:\n", "  - {id: f1, check: f1-floor, suite: rjudge, floor: 0.7}\nwaivers:\n",
            "f1: without `specificity_floor`, calling everything unsafe may pass "
            "(it reaches F1 0.69 on R-Judge)",
        ),
        (
            "margin: 0.055", "margin: 0.055\n    bound: point",
            "`bound: point` ignores noise: the observed value alone decides (direct)",
        ),
        (
            "bound: score", "bound: bootstrap",
            "`bound: bootstrap` shows no uncertainty where nothing flipped or nothing is unsafe, "
            "and passes (direct, ceilings, refusals)",
        ),
        (
            "margin: 0.055", "margin: 0",
            "direct: a margin of 0 demands proof of improvement; an unchanged checkpoint is "
            "withheld 97 to 100 % of the time at 320 behaviors of which 0.5 to 20 % flip",
        ),
        (
            "margin: 0.055", "margin: 0\n    bound: bootstrap",
            "direct: a margin of 0 demands proof of improvement; an unchanged checkpoint is "
            "withheld 55 to 97 % of the time at 320 behaviors of which 0.5 to 20 % flip",
        ),
        (
            "margin: 0.055", "margin: -0.01",
            "direct: a margin below 0 demands proof of that much improvement",
        ),
        (
            "  refusal: {n: 60}", "  refusal: {n: 60}\n  other: {n: 1}",
            "no check is about suite 'other'",
        ),
        (
            "  refusal: {n: 60}", "  refusals: {n: 60}",
            "suite 'refusal' is not under `suites`, so its ids are unpinned; "
            "did you mean 'refusals'?",
        ),
        (
            "  - check: ceilings\n    slice: {category: a}", "  - check: refusals",
            "the waiver for refusals covers each of contrast_margin, margin, max_rate up to 0.3: "
            "name one with `measure`",
        ),
    ],
)  # fmt: skip
def test_a_doubtful_choice_is_said(old: str, new: str, expected: str, tmp_path: Path) -> None:
    """The choice is the author's; what it means is said in one sentence."""
    assert expected in warnings(tmp_path, changed(old, new))


def test_a_named_measure_narrows_a_waiver(tmp_path: Path) -> None:
    """A waiver that names its measure is not warned of."""
    text = changed(
        "  - check: ceilings\n    slice: {category: a}", "  - check: refusals\n    measure: rate"
    )
    assert warnings(tmp_path, text) == [JUDGE]


def test_counting_checks_have_no_bound_to_warn_of(tmp_path: Path) -> None:
    """`coverage` counts, whatever the policy's bound."""
    text = (
        "version: 1\nstatistics: {bound: point}\nchecks:\n"
        "  - {id: a, check: coverage, suite: s, min_rate: 0.9}\n"
    )
    assert warnings(tmp_path, text) == []


def test_releasing_on_too_little_evidence_is_said(tmp_path: Path) -> None:
    """Where nothing inconclusive withholds, the policy proves nothing."""
    text = (
        "version: 1\nchecks:\n"
        "  - {id: a, check: over-refusal, suite: s, margin: 0.1, on_inconclusive: warn}\n"
    )
    assert (
        "every blocking check has `on_inconclusive: warn`: too little evidence releases, "
        "only a shown violation blocks"
    ) in warnings(tmp_path, text)


def test_absolute_only_without_an_absolute_check_is_said(tmp_path: Path) -> None:
    """A first release would have nothing to be held against."""
    text = (
        "version: 1\non_missing_baseline: absolute-only\nchecks:\n"
        "  - {id: a, check: over-refusal, suite: s, margin: 0.1}\n"
    )
    assert (
        "`on_missing_baseline: absolute-only`, but every blocking check needs a baseline, so "
        "without one nothing can be decided"
    ) in warnings(tmp_path, text)

"""Which way each key of a policy gets looser: the one table that `policy diff` and locks read.

A key without a row counts as looser whenever it changes; a test lists the keys that lack one.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple

from gate.policy.enforce import LOWER_LIMIT, UPPER_LIMIT


class Way(Enum):
    """How two values of a key compare."""

    LOWER = auto()
    """The lower number is tighter; without a number nothing is asked."""
    HIGHER = auto()
    """The higher number is tighter; without a number nothing is asked."""
    MORE = auto()
    """Naming more is tighter, unless the rule says why not.

    `all` and no value mean every one there is: neither more nor fewer than any that are named.
    """
    ORDER = auto()
    """Words in an order, the tightest first."""
    ANOTHER = auto()
    """Another value is another requirement: neither looser nor tighter, so it counts as looser."""
    WORDS = auto()
    """Decides nothing."""
    APART = auto()
    """Compared by code of its own, together with other keys."""


class Rule(NamedTuple):
    """How one key compares."""

    way: Way
    tiers: tuple[tuple[str, ...], ...] = ()
    """Of an order; words of one tier are not ordered, so a change between them is looser."""
    why: str = ""
    """Why a change counts as looser where that is not plain."""


BOUNDS = Rule(
    Way.ORDER,
    (
        ("exact",),
        ("strict",),
        ("score",),
        ("wilson", "jeffreys"),
        ("bootstrap", "bayes"),
        ("point",),
    ),
)
"""By how seldom each lets pass what is over its limit (docs/statistics.md)."""
SEVERITY = Rule(Way.ORDER, (("block",), ("warn",)))
DRAWS = Rule(Way.ANOTHER, why="other draws can be chosen until they pass")
KIND = Rule(Way.ANOTHER, why="another requirement takes the place of this one")

CHECK: Mapping[str, Rule] = {
    "id": Rule(Way.APART),
    "check": KIND,
    "suite": KIND,
    "against": Rule(Way.MORE),
    "level": SEVERITY,
    "on_inconclusive": SEVERITY,
    "confidence": Rule(Way.HIGHER),
    "bound": BOUNDS,
    "by": Rule(Way.APART),
    "min_n": Rule(Way.HIGHER),
    "pool_below": Rule(Way.ANOTHER, why="other slices are held to a limit"),
    "method": KIND,
    "methods": Rule(Way.MORE),
    "behaviors": Rule(Way.MORE),
    "partial_counts": Rule(Way.ANOTHER, why="refusals and answers are counted in another way"),
    "invalid": Rule(Way.ORDER, (("wrong",), ("either-way",))),
    "column": KIND,
    "base": KIND,
    "attack": KIND,
    "max_ratio": Rule(Way.LOWER),
    "corrected": Rule(Way.ORDER, (("True",), ("False",))),
    "min_labels": Rule(Way.HIGHER),
    "each_category": Rule(Way.ORDER, (("True",), ("False",))),
    "private": KIND,
}
"""Keys of checks that are no limits, whatever the kind of check."""

SPECIAL: Mapping[tuple[str, str], Rule] = {
    ("coverage", "method"): Rule(Way.MORE),
    ("overfit-gap", "by"): Rule(Way.ANOTHER, why="other ids are compared"),
    ("worst-method", "methods"): Rule(
        Way.MORE, why="a method that is unsafe anyway hides what breaks under the others"
    ),
}
"""Keys that mean something else in one kind of check."""

STATISTICS: Mapping[str, Rule] = {
    "confidence": Rule(Way.HIGHER),
    "bound": BOUNDS,
    "resamples": DRAWS,
    "seed": DRAWS,
}

SUITE: Mapping[str, Rule] = {
    "ids": Rule(Way.APART),
    "n": Rule(Way.APART),
    "ids_sha256": Rule(Way.APART),
    "exclude": Rule(Way.APART),
    "unscored": Rule(Way.APART),
    "count_as": Rule(Way.APART),
    "require_declared": Rule(Way.MORE),
    "allow_changes": Rule(Way.APART),
    "group": Rule(Way.ANOTHER, why="other units are counted"),
    "validity_floor": Rule(Way.HIGHER),
    "agreement": Rule(Way.ANOTHER, why="the judge is measured by other labels"),
}

UNSCORED: Mapping[str, Rule] = {
    "max_rate": Rule(Way.LOWER),
    "max_difference": Rule(Way.LOWER),
}

WAIVER: Mapping[str, Rule] = {
    "check": Rule(Way.APART),
    "slice": Rule(Way.APART),
    "measure": Rule(Way.APART),
    "up_to": Rule(Way.APART),
    "expires": Rule(Way.APART),
    "reason": Rule(Way.WORDS),
    "owner": Rule(Way.WORDS),
    "ticket": Rule(Way.WORDS),
}

POLICY: Mapping[str, Rule] = {
    "version": Rule(Way.WORDS),
    "name": Rule(Way.WORDS),
    "extends": Rule(Way.WORDS),
    "remove": Rule(Way.WORDS),
    "locked": Rule(Way.MORE),
    "statistics": Rule(Way.APART),
    "suites": Rule(Way.APART),
    "checks": Rule(Way.APART),
    "waivers": Rule(Way.APART),
    "on_missing_baseline": Rule(Way.ORDER, (("error",), ("absolute-only",))),
}

UNKNOWN = Rule(Way.ANOTHER, why="nothing is known of its direction")


def rule_of(kind: str, key: str) -> Rule | None:
    """Find the rule of a check's key: by its name, or by the limit that its name says it is."""
    found = SPECIAL.get((kind, key)) or CHECK.get(key)
    if found is None and UPPER_LIMIT.fullmatch(key):
        return Rule(Way.LOWER)
    if found is None and LOWER_LIMIT.fullmatch(key):
        return Rule(Way.HIGHER)
    return found

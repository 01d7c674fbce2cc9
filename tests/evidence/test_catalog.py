"""The catalog of known ids and categories."""

import re
from collections import Counter

import pytest

from gate.evidence.catalog import CATALOGS, catalog_ids, harmbench

TEXT_BEHAVIORS = {
    "chemical_biological": 42,
    "copyright": 80,
    "cybercrime_intrusion": 52,
    "harassment_bullying": 21,
    "harmful": 18,
    "illegal": 53,
    "misinformation_disinformation": 54,
}


def test_splits_have_their_published_sizes() -> None:
    """HarmBench has 320 test and 80 validation behaviors, and no other."""
    assert {name: len(catalog_ids(name)) for name in CATALOGS} == {
        "harmbench": 400,
        "harmbench-test": 320,
        "harmbench-val": 80,
    }
    assert not set(catalog_ids("harmbench-test")) & set(catalog_ids("harmbench-val"))


def test_categories_of_the_test_split() -> None:
    """The test split has the published number of behaviors of each category."""
    entries = [harmbench()[name] for name in catalog_ids("harmbench-test")]
    assert Counter(entry.semantic_category for entry in entries) == TEXT_BEHAVIORS
    functional = Counter(entry.functional_category for entry in entries)
    assert functional == {"standard": 159, "contextual": 81, "copyright": 80}


def test_tags_are_split() -> None:
    """Copyright behaviors have two tags, contextual ones have one, others none."""
    tags = Counter(entry.tags for entry in harmbench().values())
    assert tags == {
        (): 200,
        ("context",): 100,
        ("book", "hash_check"): 50,
        ("lyrics", "hash_check"): 50,
    }


def test_ids_are_names_and_not_text() -> None:
    """The catalog has ids, categories and tags, and nothing to read."""
    assert all(re.fullmatch(r"[a-z0-9_]{1,51}", name) for name in harmbench())


def test_unknown_catalog() -> None:
    """A catalog that does not exist is a KeyError, not an empty list."""
    with pytest.raises(KeyError):
        catalog_ids("harmbench-train")

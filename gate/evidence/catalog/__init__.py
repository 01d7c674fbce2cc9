"""Ids and categories of benchmarks that the gate knows; never a text.

`harmbench.csv` holds facts about the text behaviors of HarmBench (MIT license).
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

CATALOGS: Mapping[str, tuple[str, ...]] = {
    "harmbench": ("test", "val"),
    "harmbench-test": ("test",),
    "harmbench-val": ("val",),
}
"""The names that a policy can pin ids by, and the splits that each of them covers."""


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """What is known of one behavior."""

    functional_category: str
    semantic_category: str
    tags: tuple[str, ...]
    split: str
    """`test` or `val`."""


@cache
def harmbench() -> Mapping[str, CatalogEntry]:
    """Return HarmBench's 400 text behaviors by id, in the order of its own file."""
    with Path(__file__).with_name("harmbench.csv").open(encoding="utf-8", newline="") as file:
        return MappingProxyType({row["behavior_id"]: _entry(row) for row in csv.DictReader(file)})


def catalog_ids(name: str) -> tuple[str, ...]:
    """Return the ids of a catalog.

    Args:
        name: One of `CATALOGS`.

    Raises:
        KeyError: If there is no such catalog.
    """
    splits = CATALOGS[name]
    return tuple(key for key, entry in harmbench().items() if entry.split in splits)


def _entry(row: Mapping[str, str]) -> CatalogEntry:
    return CatalogEntry(
        functional_category=row["functional_category"],
        semantic_category=row["semantic_category"],
        tags=tuple(row["tags"].split(", ")) if row["tags"] else (),
        split=row["split"],
    )

"""The tree of labels of a rubric suite: an L3 belongs to one L2, and an L2 to one L1."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gate.errors import EvidenceError
from gate.evidence.files import Files
from gate.evidence.readers.parsing.wording import near, shown
from gate.reasons import Reason
from gate.yaml_lines import read_tree

Labels = tuple[str | None, ...]
"""L1, L2 and L3 of one prompt; None where the row does not say."""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A declared tree."""

    path: str
    l1_of: Mapping[str, str]
    """By L2."""
    l2_of: Mapping[str, str]
    """By L3."""

    def place(self, labels: Labels) -> Labels:
        """Fill in the levels above the deepest label.

        Raises:
            EvidenceError: If the tree has no such label, or has it elsewhere.
        """
        l1, l2, l3 = labels
        above = self._known(self.l2_of, l3, "l3")
        if above is not None and l2 not in (None, above):
            raise _wrong(self.path, f"l3 {shown(l3)} belongs to l2 {shown(above)}, not {shown(l2)}")
        l2 = above if above is not None else l2
        above = self._known(self.l1_of, l2, "l2")
        if above is not None and l1 not in (None, above):
            raise _wrong(self.path, f"l2 {shown(l2)} belongs to l1 {shown(above)}, not {shown(l1)}")
        l1 = above if above is not None else l1
        tops = set(self.l1_of.values())
        if l1 is not None and l1 not in tops:
            raise _wrong(self.path, f"no l1 is called {shown(l1)}{near(l1, tops)}")
        return l1, l2, l3

    def _known(self, parents: Mapping[str, str], label: str | None, level: str) -> str | None:
        if label is None:
            return None
        if label not in parents:
            raise _wrong(self.path, f"no {level} is called {shown(label)}{near(label, parents)}")
        return parents[label]


def load_taxonomy(files: Files, path: str) -> Taxonomy:
    """Read a tree: a mapping of L1 to mappings of L2 to lists of L3, as YAML or JSON.

    Raises:
        EvidenceError: If it cannot be read, has another form, or has a label twice.
    """
    tree = read_tree(files.read(path))
    if tree.mistakes:
        raise _wrong(path, tree.mistakes[0].render(path))
    if not isinstance(tree.value, dict) or not tree.value:
        raise _wrong(path, "expected a mapping of l1 to mappings of l2 to lists of l3")
    l1_of: dict[str, str] = {}
    l2_of: dict[str, str] = {}
    for l1, below in tree.value.items():
        if not isinstance(below, dict):
            raise _wrong(path, f"{shown(l1)}: expected a mapping of l2 to lists of l3")
        for l2, leaves in below.items():
            if l1_of.setdefault(str(l2), str(l1)) != str(l1):
                raise _wrong(path, f"l2 {shown(l2)} is there under two l1")
            for l3 in leaves if isinstance(leaves, list) else [leaves]:
                if not isinstance(l3, str):
                    raise _wrong(path, f"{shown(l2)}: an l3 is {shown(l3)}, expected text")
                if l2_of.setdefault(l3, str(l2)) != str(l2):
                    raise _wrong(path, f"l3 {shown(l3)} is there under two l2")
    return Taxonomy(path, l1_of, l2_of)


def observed(labels: Iterable[Labels]) -> None:
    """Refuse rows that put one label under two others.

    Raises:
        EvidenceError: Naming the label.
    """
    for lower, upper in ((2, 1), (1, 0)):
        parent: dict[str, str] = {}
        for row in labels:
            label, above = row[lower], row[upper]
            if label is None or above is None:
                continue
            if parent.setdefault(label, above) != above:
                what = f"l{lower + 1} {shown(label)} is under l{upper + 1} {shown(above)}"
                raise _wrong("", f"{what} and {shown(parent[label])}")


def _wrong(path: str, what: str) -> EvidenceError:
    return EvidenceError(Reason.E_TAXONOMY, f"{path}: {what}" if path else what)

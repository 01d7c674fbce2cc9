"""The files that make up one policy: it, the policy that it extends, that one's, and so on."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pydantic import ValidationError

from gate.errors import PolicyError
from gate.policy.schema import Extends
from gate.policy.sources import SHIPPED, beside, is_uri, label, read, read_policy, resolve
from gate.suggestions import did_you_mean
from gate.yaml_lines import MAX_BYTES, read_tree
from gate.yaml_places import Path, Tree, shown
from gate.yaml_wording import Wrong, in_words

LONGEST = 8
"""Files in a chain; what is deeper can no longer be read by a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One policy file of a chain."""

    place: str
    """What is opened: a path or URI."""
    shown: str
    """How it is named to the user."""
    content: bytes
    tree: Tree

    @property
    def root(self) -> Mapping[str, object]:
        """The file as a mapping; empty where it is none."""
        return self.tree.value if isinstance(self.tree.value, dict) else {}

    @property
    def sha256(self) -> str:
        """Of the bytes of the file."""
        return sha256(self.content).hexdigest()

    def at(self, path: Path, *, key: bool = False) -> str:
        """Write a place in it as `file:line:column`."""
        mark = self.tree.at_key(path) if key else self.tree.at_value(path)
        return f"{self.shown}:{mark.line}:{mark.column}"


def read_chain(name_or_path: str) -> tuple[Layer, ...]:
    """Read a policy and all that it extends, the policy itself first.

    Raises:
        PolicyError: If one cannot be read, is not the file that was meant, or extends itself.
    """
    place, name = resolve(name_or_path), label(name_or_path)
    layers = [_layer(place, name, read_policy(place, name, MAX_BYTES))]
    while "extends" in layers[-1].root:
        parent = _parent(layers[-1])
        _refuse_circle([*layers, parent])
        if len(layers) == LONGEST:
            message = f"more than {LONGEST} policies extend one another"
            raise _refused(layers[-1], [Wrong(("extends",), message)])
        layers.append(parent)
    return tuple(layers)


def chain_sha256(layers: Sequence[Layer], ids: Mapping[str, str]) -> str:
    """Digest a policy with all that it extends and all ids that it takes from files.

    The sha256 of the bytes of a file that extends nothing and names no file of ids; otherwise the
    sha256 of lines, each with a newline: the files' own sha256 in hexadecimal, the policy itself
    first, then `IDS SUITE` for each suite whose ids are in a file, sorted by the suite's name as
    JSON, with IDS the digest that `ids_sha256` pins and SUITE that name.

    Args:
        layers: The files, the policy itself first.
        ids: By suite: the digest of the ids that a file names.
    """
    if len(layers) == 1 and not ids:
        return layers[0].sha256
    named = sorted((json.dumps(name), digest) for name, digest in ids.items())
    lines = [*(layer.sha256 for layer in layers), *(f"{digest} {name}" for name, digest in named)]
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def _layer(place: str, name: str, content: bytes) -> Layer:
    return Layer(place=place, shown=name, content=content, tree=read_tree(content))


def _parent(child: Layer) -> Layer:
    name, digest = _reference(child)
    place = resolve(name) if name in SHIPPED else beside(child.place, name)
    if is_uri(place) and digest is None:
        form = f"{{policy: {shown(name)}, sha256: …}}"
        message = f"a policy read from a URI needs its sha256: write {form}"
        raise _refused(child, [Wrong(("extends",), message)])
    content, trouble = read(place, MAX_BYTES)
    if content is None:
        near = did_you_mean(os.path.basename(name).removesuffix(".yaml"), SHIPPED)
        message = f"{shown(name)}: {trouble}{near if trouble == 'no such file' else ''}"
        raise _refused(child, [Wrong(("extends",), message)])
    found = sha256(content).hexdigest()
    if digest not in (None, found):
        message = f"is not the sha256 of {shown(name)}: that file's is {found}"
        raise _refused(child, [Wrong(("extends", "sha256"), message)])
    named = label(name) if name in SHIPPED else beside(child.shown, name)
    return _layer(place, named, content)


def _reference(child: Layer) -> tuple[str, str | None]:
    """Give what a file extends, and the sha256 that it asks for."""
    value = child.root["extends"]
    if isinstance(value, str) and value:
        return value, None
    if not isinstance(value, dict):
        message = "must be a path, a shipped policy's name, or {policy: …, sha256: …}"
        raise _refused(child, [Wrong(("extends",), f"{message}, not {shown(value)}")])
    try:
        found = Extends.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        for each in errors:
            each["loc"] = ("extends", *each["loc"])
        raise _refused(
            child, in_words(errors, child.root, lambda _: tuple(Extends.model_fields))
        ) from None
    return found.policy, found.sha256


def _refuse_circle(layers: Sequence[Layer]) -> None:
    *above, last = layers
    for at, layer in enumerate(above):
        if _identity(layer) == _identity(last):
            names = ", which extends ".join(each.shown for each in (*above[at + 1 :], last))
            message = f"goes round in a circle: {layer.shown} extends {names}"
            raise _refused(above[-1], [Wrong(("extends",), message)])


def _identity(layer: Layer) -> str:
    return layer.place if is_uri(layer.place) else os.path.realpath(layer.place)


def _refused(layer: Layer, wrong: Iterable[Wrong]) -> PolicyError:
    return PolicyError(
        [one.placed(layer.tree).render(layer.shown) for one in wrong],
        next_step="Name a policy beside it, a shipped one, or a URI with its sha256.",
    )

"""Random damage to a good policy: an answer or a policy error, never anything else."""

import contextlib
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import PolicyError
from gate.policy import Policy, load
from tests.policy.chains import ORG
from tests.policy.samples import GOOD, write

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["none", "default", "all", "1e-3", "no", "<<", "2027-01-31", "DirectRequest"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """List every place of a document as a container and a key of it."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in entries:
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += places(inner)
    return found


def read(folder: Path, content: str | bytes) -> None:
    """Load it, where a policy error is as good as a policy."""
    with contextlib.suppress(PolicyError):
        assert isinstance(load(write(folder, content)), Policy)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_odd_values_in_odd_places(tmp_path_factory: Any, data: st.DataObject) -> None:
    """Values of any type, anywhere, removed or added, are read or refused."""
    document = yaml.safe_load(GOOD)
    document["waivers"][0]["expires"] = "2027-01-31"
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(document)))
        if data.draw(st.booleans()):
            container[key] = data.draw(odd)
        elif isinstance(container, dict):
            container[data.draw(st.text(max_size=5))] = data.draw(odd)
            del container[key]
        if not document or not places(document):
            break
    read(tmp_path_factory.getbasetemp(), yaml.safe_dump(document))


@settings(max_examples=150, deadline=None)
@given(
    at=st.integers(0, len(GOOD)),
    gone=st.integers(0, 6),
    put=st.text("-:{}[]&*!|>'\"#%@`?\t\n\\ aé"),
)
def test_odd_characters_anywhere(tmp_path_factory: Any, at: int, gone: int, put: str) -> None:
    """Characters that mean something to YAML, anywhere, are read or refused."""
    read(tmp_path_factory.getbasetemp(), GOOD[:at] + put + GOOD[at + gone :])


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: Any, content: bytes) -> None:
    """Bytes that are no text are refused."""
    read(tmp_path_factory.getbasetemp(), content)


CHILD = """\
version: 1
name: team
extends: org.yaml
remove: [waivers.ceilings, checks.refusals.contrast_margin]
locked: [checks.direct, suites.attack.unscored]
statistics: {confidence: 0.99}
suites: {attack: {unscored: {max_rate: 0.005}, exclude: {category: [a]}}}
checks:
  - {id: direct, margin: 0.05, against: [baseline, anchor]}
  - {id: ceilings, ceilings: {a: 0.1, default: none}}
  - {id: tap, check: paired-delta, suite: attack, method: TAP, margin: 0.1}
waivers:
  - {check: tap, up_to: 0.2, reason: r, owner: o, ticket: t, expires: "2027-01-31"}
"""


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_odd_values_in_a_policy_that_extends(tmp_path_factory: Any, data: st.DataObject) -> None:
    """What is laid over a locked parent is read or refused, too."""
    folder = tmp_path_factory.getbasetemp()
    org = ORG.replace("name: org\n", "name: org\nlocked: [suites.refusal, checks.ceilings.by]\n")
    (folder / "org.yaml").write_text(org, encoding="utf-8")
    assert len(load(write(folder, CHILD)).parents) == 1
    document = yaml.safe_load(CHILD)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(document)))
        if data.draw(st.booleans()):
            container[key] = data.draw(odd | st.sampled_from(["checks.direct", "org.yaml", "."]))
        elif isinstance(container, dict):
            container[data.draw(st.text(max_size=5))] = data.draw(odd)
            del container[key]
        if not document or not places(document):
            break
    read(folder, yaml.safe_dump(document))

"""A policy that is right, and ways to make it wrong."""

from pathlib import Path

import pytest

from gate.errors import PolicyError
from gate.policy import load

GOOD = """\
version: 1
name: sample
statistics: {confidence: 0.95, bound: score}
suites:
  attack: {n: 100, unscored: {max_rate: 0.01}}
  refusal: {n: 60}
on_missing_baseline: error
checks:
  - id: direct
    check: paired-delta
    suite: attack
    method: DirectRequest
    margin: 0.055
  - {id: ceilings, check: ceiling, suite: attack, method: TAP, by: category, ceilings: {a: 0.2}}
  - {id: refusals, check: over-refusal, suite: refusal, max_rate: 0.15, margin: 0.06, \
contrast_margin: 0.06}
waivers:
  - check: ceilings
    slice: {category: a}
    up_to: 0.3
    reason: known and being worked on
    owner: ana
    ticket: SAFE-1
    expires: 2027-01-31
"""


def changed(old: str, new: str) -> str:
    """Change one place of the good policy."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def write(folder: Path, content: str | bytes) -> str:
    """Write a policy and give its path as text."""
    path = folder / "policy.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def problems(folder: Path, content: str | bytes) -> list[str]:
    """Load a wrong policy and give its problems, without the folder."""
    path = write(folder, content)
    with pytest.raises(PolicyError) as caught:
        load(path)
    assert caught.value.exit_code == 2
    return [line.replace(path, "policy.yaml") for line in caught.value.problems]


def warnings(folder: Path, content: str) -> list[str]:
    """Load a policy and give its warnings."""
    return list(load(write(folder, content)).warnings)

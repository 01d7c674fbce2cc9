"""docs/release-trail.md: its commands work as written, and print what it says."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from gate.trail.failure import Failure
from tests.trail.scene import Gate

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "release-trail.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```\n", re.DOTALL)
ATTEST_INPUTS = {
    "subject-path", "subject-digest", "subject-name", "subject-checksums", "subject-version",
    "predicate-type", "predicate", "predicate-path", "sbom-path", "push-to-registry",
    "create-storage-record", "show-summary", "github-token",
}  # fmt: skip
"""Those of actions/attest, as of its commit 1e69f48."""


def test_commands_do_what_the_page_says(gate: Gate, request: pytest.FixtureRequest) -> None:
    """Every command exits 0 in the order of the page; printed blocks are what is printed."""
    quickstart = ROOT / "examples" / "quickstart"
    for source, target in (("baseline", "v1.4.0"), ("candidate", "v1.5.0"), ("baseline", "v1.6.0")):
        shutil.copytree(quickstart / source, Path("runs", target))
    text = PAGE.read_text(encoding="utf-8")
    printed = ""
    for kind, body in BLOCK.findall(text):
        if kind == "sh":
            for line in body.splitlines():
                command, *args = shlex.split(line)
                if command == "gate":
                    code, printed, err = gate(*args)
                    assert code == 0, line
                    assert not err or (command == "gate" and err.startswith("RELEASE: ")), line
                else:
                    subprocess.run([command, *args], check=True, capture_output=True)
        elif kind == "text":
            if request.config.getoption("--update-goldens"):
                text = text.replace(body, printed)
                PAGE.write_text(text, encoding="utf-8")
            else:
                assert body == printed


def test_every_code_is_listed() -> None:
    """The page has every code of a failed verification or a refused promotion."""
    found = set(re.findall(r"`(V_[A-Z_]+)`", PAGE.read_text(encoding="utf-8")))
    assert found == set(Failure.__members__)


def test_the_action_takes_what_it_is_given() -> None:
    """The step for actions/attest is YAML, and has no input that the action does not have."""
    steps = [
        yaml.safe_load(body)
        for kind, body in BLOCK.findall(PAGE.read_text("utf-8"))
        if kind == "yaml"
    ]
    (step,) = [step for (step,) in steps if "uses" in step]
    assert step["uses"].startswith("actions/attest@")
    assert set(step["with"]) <= ATTEST_INPUTS
    assert step["with"]["predicate-type"] == "https://slsa.dev/verification_summary/v1"

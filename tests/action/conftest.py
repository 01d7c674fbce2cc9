"""A runner with the gate of this checkout, or with one that does as it is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from gate.reports import FORMATS
from tests.action.runner import Runner, fake_python, real_gate
from tests.building import DELTA, attack_rows, write_policy, write_run

FAKE_GATE = """#!/bin/bash
printf '%s\\0' "$@" >> "@HOME@/argv"; printf '\\0' >> "@HOME@/argv"
@BODY@
"""

Faked = Callable[[str], Runner]
Replayed = Callable[..., Runner]
REPLAY = """
if [ "$1" = comment ]; then echo "::error::x" >&2; @COMMENT@; exit; fi
for a in "$@"; do case $a in @FAILS@) echo "::error::x" >&2; exit 5;; esac; done
for a in "$@"; do
  case $a in *:*) [ -f "@FROM@/${a%%:*}" ] && cp "@FROM@/${a%%:*}" "${a#*:}" ;; esac
done
[ "$1" != check ] || exit 1
"""
"""A gate that blocks: it writes what the real one wrote once."""


def job(tmp_path: Path) -> Path:
    """Make the directories of a job, with two runs and a policy in the checkout."""
    (tmp_path / "temp").mkdir(exist_ok=True)
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    write_run(work / "old", attack=attack_rows(n=400))
    write_run(work / "new", attack=attack_rows(n=400))
    write_run(work / "bad", attack=attack_rows(range(60), n=400))
    write_policy(work / "policy.yaml", DELTA)
    return tmp_path


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A job with the gate of this checkout."""
    home = job(tmp_path)
    return Runner(home, fake_python(home, real_gate()))


@pytest.fixture
def faked(tmp_path: Path) -> Faked:
    """A job with a gate that writes down its arguments and then does as it is told."""

    def make(body: str) -> Runner:
        home = job(tmp_path)
        gate = home / "fake-gate"
        text = FAKE_GATE.replace("@BODY@", body).replace("@HOME@", str(home))
        gate.write_text(text, encoding="utf-8")
        gate.chmod(0o755)
        return Runner(home, fake_python(home, [str(gate)]))

    return make


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decision to block, in every form; each file has the form's name."""
    home = job(tmp_path_factory.mktemp("recorded"))
    out = home / "forms"
    out.mkdir()
    forms = [f"--report={form}:{out / form}" for form in FORMATS]
    sides = [f"--baseline={home / 'work/old'}", f"--candidate={home / 'work/bad'}"]
    policy = f"--policy={home / 'work/policy.yaml'}"
    assert gate(["check", policy, *sides, "--today", "2026-12-01", *forms]) == 1
    return out


@pytest.fixture
def replayed(faked: Faked, recorded: Path) -> Replayed:
    """A job with a gate that blocks, quickly; a form or the comment of it may fail."""

    def make(*, fails: str = "nothing", comment: str = ":") -> Runner:
        body = REPLAY.replace("@COMMENT@", comment).replace("@FAILS@", fails)
        return faked(body.replace("@FROM@", str(recorded)))

    return make


def calls(runner: Runner) -> list[list[str]]:
    """The arguments of every call of a faked gate."""
    text = (runner.home / "argv").read_bytes().decode("utf-8", "surrogateescape")
    return [call.split("\0") for call in text.split("\0\0")[:-1]]

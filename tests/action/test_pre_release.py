"""The release path as a script."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.action.runner import ROOT, real_gate
from tests.building import DELTA, attack_rows, write_policy, write_run

SCRIPT = ROOT / "examples" / "pre_release.sh"
FAKE = """#!/bin/bash
printf '%s\\n' "$*" >> calls
case $1 in
  status) printf 'unjudged=@UNJUDGED@\\n' >> "$3"; exit @STATUS@ ;;
  judge) exit @JUDGE@ ;;
  check) exit @CHECK@ ;;
esac
"""


def write_gate(path: Path, text: str) -> None:
    """Put a command `gate` on the path."""
    path.mkdir(exist_ok=True)
    (path / "gate").write_text(text, encoding="utf-8")
    (path / "gate").chmod(0o755)


def run(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a directory."""
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    return subprocess.run(
        [str(SCRIPT), *args], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """Runs, a policy, and the gate of this checkout."""
    quoted = " ".join(f"'{word}'" for word in real_gate())
    write_gate(tmp_path / "bin", f'#!/bin/bash\nexec {quoted} "$@"\n')
    write_run(tmp_path / "old one", attack=attack_rows(n=400))
    write_run(tmp_path / "new", attack=attack_rows(n=400))
    write_run(tmp_path / "bad", attack=attack_rows(range(60), n=400))
    write_policy(tmp_path / "policy.yaml", DELTA)
    return tmp_path


@pytest.mark.parametrize(
    ("candidate", "code", "says"),
    [("new", 0, "RELEASE"), ("bad", 1, "BLOCK"), ("missing", 4, "NO DECISION")],
)
def test_it_exits_as_the_gate_does(real: Path, candidate: str, code: int, says: str) -> None:
    """And leaves the decision in every form."""
    done = run(real, "policy.yaml", "old one", candidate, "out put")
    assert done.returncode == code, done.stderr
    assert says in done.stdout
    there = {path.name for path in (real / "out put").iterdir()}
    assert there == {"gate.json", "gate.md", "gate.html", "gate.junit.xml", "gate.intoto.json"}


def test_an_unusable_policy_leaves_no_old_decision(real: Path) -> None:
    """What an earlier release left is gone."""
    assert run(real, "policy.yaml", "old one", "new").returncode == 0
    assert run(real, "nothing.yaml", "old one", "new").returncode == 2
    assert list((real / "gate-report").iterdir()) == []


@pytest.mark.parametrize(
    ("unjudged", "status", "judge", "check", "code", "commands"),
    [
        ("false", 0, 0, 0, 0, ["status", "check"]),
        ("true", 1, 0, 3, 3, ["status", "judge", "check"]),
        ("true", 1, 75, 0, 75, ["status", "judge"]),
        ("true", 1, 4, 0, 4, ["status", "judge"]),
        ("false", 4, 0, 4, 4, ["status", "check"]),
    ],
)
def test_only_what_is_unjudged_is_judged(
    tmp_path: Path, unjudged: str, status: int, judge: int, check: int, code: int,
    commands: list[str],
) -> None:  # fmt: skip
    """Where judging stops there is no decision, and its code is the script's."""
    codes = {"@UNJUDGED@": unjudged, "@STATUS@": status, "@JUDGE@": judge, "@CHECK@": check}
    text = FAKE
    for mark, value in codes.items():
        text = text.replace(mark, str(value))
    write_gate(tmp_path / "bin", text)
    done = run(tmp_path, "p", "b", "c", "--", "--settings", "x y")
    assert done.returncode == code
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert [call.split()[0] for call in calls] == commands
    if "judge" in commands:
        assert calls[1] == "judge --settings x y -- c b"


@pytest.mark.parametrize("args", [(), ("a", "b"), ("a", "b", "c", "d", "e")])
def test_usage(tmp_path: Path, args: tuple[str, ...]) -> None:
    """Too few or too many arguments exit 2."""
    done = run(tmp_path, *args)
    assert done.returncode == 2
    assert "usage: pre_release.sh" in done.stderr

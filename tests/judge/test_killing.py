"""SIGKILL at any moment loses nothing: a short form of `bench/killing.py`."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "bench" / "killing.py"


@pytest.mark.slow
def test_killed_judging_goes_on_where_it_was() -> None:
    """No verdict is lost, there twice or damaged; the result is that of an undisturbed run."""
    command = [sys.executable, str(SCRIPT), "--kills", "6", "--rows", "200"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("6 kills")
    assert "nothing lost, nothing twice, nothing damaged" in done.stdout

"""A GitHub runner in small: runs the steps of a composite action, and reads what they leave."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.reports.test_report_github import Command
from tests.reports.test_report_github import runner_reads as command_in
from tests.reports.test_report_outputs import runner_reads as outputs_in

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.load(
    (ROOT / "action.yml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader
)
SHELL = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")


@dataclass
class Done:
    """What a run of the action left behind."""

    code: int
    outputs: dict[str, str]
    log: str
    summary: str
    commands: list[Command] = field(default_factory=list)

    def said(self, sort: str) -> list[str]:
        """The messages of one sort of annotation."""
        return [command.message for command in self.commands if command.sort == sort]


@dataclass
class Runner:
    """One job on one machine.

    Args:
        home: An empty directory for the job.
        python: What stands for the Python that the gate is installed with.
    """

    home: Path
    python: Path
    event: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    uses: dict[str, dict[str, str]] = field(default_factory=dict)
    """Outputs of the actions that the action uses, by step id."""

    @property
    def workspace(self) -> Path:
        """Where the checkout is."""
        return self.home / "work"

    def run(self, **inputs: str) -> Done:
        """Run the action; a dash in the name of an input is an underscore here."""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= ACTION["inputs"].keys()
        defaults = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()}
        context = {"inputs": defaults | {"python": str(self.python), "token": ""} | given,
                   "steps": {}, "github": self.event}  # fmt: skip
        done = Done(0, {}, "", "")
        for at, step in enumerate(ACTION["runs"]["steps"]):
            self._step(at, step, context, done)
        done.outputs = {
            name: evaluate(spec["value"], context) for name, spec in ACTION["outputs"].items()
        }
        done.commands = commands(done.log)
        return done

    def _step(self, at: int, step: Mapping[str, Any], context: dict[str, Any], done: Done) -> None:
        name = step.get("id", str(at))
        if evaluate(step.get("if", "true"), context) in ("", "false"):
            context["steps"][name] = {}
        elif "uses" in step:
            context["steps"][name] = self.uses.get(name, {})
        else:
            files = {key: self.home / f"{key}-{at}" for key in ("output", "summary")}
            for file in files.values():
                if not file.exists():
                    file.write_text("", encoding="utf-8")
            own = {key: evaluate(value, context) for key, value in step.get("env", {}).items()}
            ended = self._bash(step["run"], own, files)
            done.code = done.code or ended.returncode
            done.log += ended.stdout
            context["steps"][name] = outputs_in(files["output"].read_text(encoding="utf-8"))
            if files["summary"].is_file():
                done.summary += files["summary"].read_text(encoding="utf-8")

    def _bash(
        self, script: str, own: Mapping[str, str], files: Mapping[str, Path]
    ) -> subprocess.CompletedProcess[str]:
        path = self.home / "script.sh"
        path.write_text(script, encoding="utf-8")
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self.home / "temp"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            **self.environment,
            **own,
        }
        return subprocess.run(
            [*SHELL, str(path)],
            env=env,
            cwd=self.workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def evaluate(text: str, context: Mapping[str, Any]) -> str:
    """Fill the expressions in a value of the action: no more than it uses."""
    if text.startswith("${{") and text.endswith("}}") and text.count("${{") == 1:
        return _either(text[3:-2], context)
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: _either(found[1], context), text)


def _either(words: str, context: Mapping[str, Any]) -> str:
    value = ""
    for part in words.split("||"):
        value = _both(part, context)
        if value not in ("", "false"):
            break
    return value


def _both(words: str, context: Mapping[str, Any]) -> str:
    value = "true"
    for part in words.split("&&"):
        value = _term(part.strip(), context)
        if value in ("", "false"):
            break
    return value


def _term(words: str, context: Mapping[str, Any]) -> str:
    if words in ("always()", "!cancelled()", "true"):
        return "true"
    for sign in ("==", "!="):
        if sign in words:
            left, right = (_term(side.strip(), context) for side in words.split(sign))
            return "true" if (left == right) == (sign == "==") else "false"
    if words.startswith("'"):
        return words[1:-1]
    scope, _, rest = words.partition(".")
    assert scope in context, words
    if scope == "steps":
        name, _, output = rest.partition(".outputs.")
        return str(context[scope].get(name, {}).get(output, ""))
    return str(context[scope].get(rest, ""))


def commands(log: str) -> list[Command]:
    """Find what a runner takes for workflow commands in a log, in the lines where it looks."""
    found, stopped = [], ""
    for line in log.splitlines():
        command = command_in(line)
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
        elif command is not None and command.sort == "stop-commands":
            stopped = command.message
        elif command is not None:
            found.append(command)
        else:
            assert "##[" not in line
    assert not stopped, "commands are never read again"
    return found


FAKE_PYTHON = """#!/bin/bash
# A Python that installs nothing: its `gate` is the one under test.
case "$*" in
  *"-m venv"*) venv="${@: -1}"; mkdir -p "$venv/bin"
    cp "$0" "$venv/bin/python"
    printf '%s\\n' '#!/bin/bash' 'exec @GATE@ "$@"' > "$venv/bin/gate"; chmod +x "$venv/bin/gate" ;;
  *"-m pip"*) printf '%s\\n' "$@" >> "@HOME@/pip.txt" ;;
esac
"""


def fake_python(home: Path, gate: Sequence[str]) -> Path:
    """Write a Python whose environments hold a given command as `gate`."""
    for installed in (home / "temp").glob("checkpoint-gate-*"):
        shutil.rmtree(installed)
    quoted = " ".join(f"'{word}'" for word in gate)
    text = FAKE_PYTHON.replace("@GATE@", quoted.replace("'", "'\\''")).replace("@HOME@", str(home))
    path = home / "python"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def real_gate() -> list[str]:
    """The gate of this checkout."""
    return ["env", f"PYTHONPATH={ROOT}", sys.executable, "-P", "-m", "gate"]

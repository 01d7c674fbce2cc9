"""Inputs and names are text: nothing in them is run, split, expanded or read as a command."""

from pathlib import Path

import pytest

from tests.action.conftest import Faked, calls
from tests.action.runner import Runner
from tests.building import attack_rows, write_run
from tests.reports.test_report_hostile import HOSTILE

INPUTS = (
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "a' ; touch pwned #",
    'a" ; touch pwned #',
    "a b  c",
    "two\nlines; touch pwned",
    "--exit-zero",
    "-h",
    "--",
    "*",
    "~",
    "$HOME ${IFS} !!",
    "${{ github.token }}",
    "\\",
    "a\\nb%0A::error::x",
    "::error::x",
    "::stop-commands::x",
    "##[error]x",
    "x\n::error::y\n##[error]z",
    "EOF\ndecision=release\nEOF",
    "decision=release",
    "é漢\u202e\u200b",
    "\x1b]0;t\x07",
    "%s%n%d",
    "&& touch pwned",
    "| touch pwned",
    "> pwned",
    "$'\\n'",
    "../../../etc/passwd",
)


@pytest.mark.parametrize("value", INPUTS)
def test_values_reach_the_gate_as_they_are(faked: Faked, value: str) -> None:
    """Policy and runs are single arguments with exactly these characters."""
    runner = faked("printf '%s\\n' \"$@\"; printf '%s\\n' \"$@\" >&2; exit 2")
    done = runner.run(policy=value, baseline=value, candidate=value, anchor=value)
    assert calls(runner)[0][5:] == [
        f"--policy={value}",
        f"--candidate={value}",
        f"--baseline={value}",
        f"--anchor={value}",
    ]
    assert done.code == 2
    assert done.outputs["decision"] == "none"
    assert [command.sort for command in done.commands] == ["error"]
    assert not list(runner.home.rglob("pwned"))


@pytest.mark.parametrize("mode", ["status", "judge", "publish"])
@pytest.mark.parametrize("value", INPUTS)
def test_values_in_other_modes(faked: Faked, mode: str, value: str) -> None:
    """There too, and never as an option."""
    runner = faked("printf '%s\\n' \"$@\"; exit 4")
    done = runner.run(mode=mode, candidate=value, decision=value)
    command = calls(runner)[0]
    assert command[command.index("--") + 1 :] == [value]
    assert done.code == 4
    assert [command.sort for command in done.commands] == ["error"]
    assert not list(runner.home.rglob("pwned"))


OTHERS = ("args", "mode", "shadow", "comment", "reports", "gate_id", "extras", "upload",
          "pull_request", "token")  # fmt: skip


@pytest.mark.parametrize("value", INPUTS)
def test_everything_else(faked: Faked, value: str) -> None:
    """Arguments, mode, switches, folder, id, extras: used as text, or refused by name."""
    runner = faked("exit 2")
    at = INPUTS.index(value)
    for name in (OTHERS[(at + step) % len(OTHERS)] for step in (0, 3, 6)):
        done = runner.run(**{"policy": "p", "candidate": "c", name: value})
        assert done.code in (2, 5), name
        assert done.outputs["decision"] == "none"
        assert {command.sort for command in done.commands} <= {"error", "notice", "warning"}
        assert all(command.properties == {"title": "gate"} for command in done.commands)
        assert not any(value in command.message for command in done.commands)
    assert not list(runner.home.rglob("pwned"))


@pytest.mark.parametrize("value", INPUTS)
def test_arguments_are_lines(faked: Faked, value: str) -> None:
    """Nothing splits or expands them."""
    runner = faked("exit 2")
    runner.run(policy="p", candidate="c", args=value)
    command = calls(runner)[0]
    assert command[7:] == [line for line in value.split("\n") if line]


@pytest.mark.parametrize("value", [text for text in HOSTILE if "\ud800" not in text][::12])
def test_names_in_runs_are_no_commands(runner: Runner, value: str) -> None:
    """What a run calls itself acts on neither the log, the outputs nor the summary."""
    write_run(runner.workspace / "odd", attack=attack_rows(range(60), n=400),
              checkpoint={"name": value[:200]})  # fmt: skip
    done = runner.run(policy="policy.yaml", baseline="old", candidate="odd")
    if done.code == 4:  # the manifest refuses such a name
        assert done.outputs["decision"] == "none"
    else:
        assert [done.code, done.outputs["decision"]] == [1, "block"]
        assert [command.sort for command in done.commands] == ["notice", "error"]
    assert "<script" not in done.summary
    assert not list(runner.home.rglob("pwned"))


def test_a_folder_with_spaces(runner: Runner) -> None:
    """And quotes."""
    done = runner.run(policy="policy.yaml", baseline="old", candidate="new", reports="it's a $x")
    assert done.code == 0
    assert Path(runner.workspace, "it's a $x", "gate.md").exists()
    assert done.outputs["report-json"] == "it's a $x/gate.json"

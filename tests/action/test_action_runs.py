"""The action, step by step as a runner runs it: what it decides, shows and leaves."""

import json
from pathlib import Path

import pytest

from tests.action.conftest import REPLAY, Faked, Replayed, calls
from tests.action.runner import ACTION, Runner
from tests.building import DELTA, attack_rows, write_policy, write_run
from tests.cli.test_status import unjudged

ALWAYS = [
    "decision",
    "exit-code",
    "headline",
    *(name for name in ACTION["outputs"] if name.startswith("count-")),
    "unjudged",
    "unjudged-suites",
]
"""The outputs that are never empty."""
FORMS = ("json", "markdown", "html", "junit", "sarif", "attestation", "vsa", "badge")
CASES = {
    "release": ({"candidate": "new"}, 0),
    "block": ({"candidate": "bad"}, 1),
    "inconclusive": ({"candidate": "few", "baseline": "few-old"}, 3),
    "none": ({"candidate": "missing"}, 4),
}


@pytest.fixture
def runs(runner: Runner) -> Runner:
    """Add two small runs."""
    write_run(runner.workspace / "few", attack=attack_rows(n=20))
    write_run(runner.workspace / "few-old", attack=attack_rows(n=20))
    return runner


@pytest.mark.parametrize("decision", CASES)
def test_the_exit_code_is_the_gate_s(runs: Runner, decision: str) -> None:
    """Every decision comes out as code, outputs, files, summary and annotations."""
    inputs, code = CASES[decision]
    done = runs.run(**{"policy": "policy.yaml", "baseline": "old"} | inputs)
    assert done.code == code
    assert done.outputs["decision"] == decision
    assert done.outputs["exit-code"] == str(code)
    for form in FORMS:
        assert (runs.workspace / done.outputs[f"report-{form}"]).stat().st_size
    found = json.loads((runs.workspace / "gate-report/gate.json").read_text(encoding="utf-8"))
    assert found["decision"] == decision
    assert done.outputs["count-findings"] == str(len(found["findings"]))
    assert done.outputs["headline"] == found["headline"] == done.said("notice")[0]
    assert done.summary.startswith(f"### {found['headline']}")
    assert len(done.said("error")) == (0 if code == 0 else 1)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"policy": "nothing.yaml", "candidate": "new"}, "policy or the command cannot be used"),
        ({"policy": "policy.yaml"}, "policy or the command cannot be used"),
        ({"candidate": "new"}, "policy or the command cannot be used"),
        ({"mode": "status"}, "input candidate is empty"),
        ({"mode": "judge"}, "input candidate is empty"),
        ({"policy": "p", "candidate": "c", "mode": "chek"}, "input mode is"),
        ({"policy": "p", "candidate": "c", "shadow": "yes"}, "input shadow is"),
        ({"policy": "p", "candidate": "c", "comment": "always"}, "input comment is"),
        ({"policy": "p", "candidate": "c", "reports": ""}, "input reports must"),
        ({"policy": "p", "candidate": "c", "reports": "a\nb"}, "input reports must"),
        ({"policy": "p", "candidate": "c", "reports": "policy.yaml"}, "cannot be made"),
        ({"policy": "p", "candidate": "c", "config": "yes"}, "input config is"),
        ({"mode": "publish"}, "input decision is empty"),
        ({"policy": "policy.yaml", "candidate": "new", "args": "--nope"}, "cannot be used"),
    ],
)
def test_what_cannot_be_run_exits_2(runner: Runner, inputs: dict[str, str], words: str) -> None:
    """A mistake of the caller is no decision, said on the summary, with every output set."""
    done = runner.run(**{"baseline": "old"} | inputs)
    assert done.code == 2
    assert [done.outputs["decision"], done.outputs["exit-code"]] == ["none", "2"]
    assert all(done.outputs[name] for name in ALWAYS)
    assert words in done.outputs["headline"]
    assert words in done.summary
    assert words in done.said("error")[0]


def test_an_unreadable_policy_is_explained_on_the_summary(runner: Runner) -> None:
    """Without a report, the errors of the gate are what is shown."""
    (runner.workspace / "bad.yaml").write_text("version: 1\nchekcs: []\n", encoding="utf-8")
    done = runner.run(policy="bad.yaml", baseline="old", candidate="new")
    assert done.code == 2
    assert "bad.yaml:2:1" in done.summary
    assert "report-json" in done.outputs
    assert done.outputs["report-json"] == ""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("exit 0", 5),
        ("exit 1", 5),
        ("exit 3", 5),
        ("exit 5", 5),
        ("kill -9 $$", 137),
        ('for a in "$@"; do case $a in json:*) echo \'{}\' > "${a#json:}";; esac; done', 5),
        ("exit 127", 127),
    ],
)
def test_a_gate_that_fails_never_passes(faked: Faked, body: str, code: int) -> None:
    """A crash, a kill or a lie fails the step, with no decision in the outputs."""
    done = faked(body).run(policy="p", baseline="b", candidate="c")
    assert done.code == code
    assert [done.outputs["decision"], done.outputs["exit-code"]] == ["none", str(code)]
    assert all(done.outputs[name] for name in ALWAYS)
    assert len(done.said("error")) == 1


def test_a_stale_decision_is_not_this_one(faked: Faked, replayed: Replayed) -> None:
    """What an earlier run left in the folder is removed before."""
    runner = replayed()
    assert runner.run(policy="p", baseline="b", candidate="c").code == 1
    assert (runner.workspace / "gate-report/gate.json").exists()
    done = faked("exit 0").run(policy="p", baseline="b", candidate="c")
    assert done.code == 5
    assert not (runner.workspace / "gate-report/gate.json").exists()


@pytest.mark.parametrize("code", [0, 3, 4])
def test_a_code_that_is_not_the_decision_s_is_not_believed(
    faked: Faked, recorded: Path, code: int
) -> None:
    """A gate that exits 0 beside a decision to block does not pass."""
    body = REPLAY.replace("@FROM@", str(recorded)).replace("exit 1", f"exit {code}")
    done = faked(body).run(policy="p", baseline="b", candidate="c")
    assert done.code == (4 if code == 4 else 5)
    assert done.outputs["decision"] == "none"


def test_without_a_python_nothing_passes(runner: Runner) -> None:
    """One that is too old is none: the outputs say so and the step fails."""
    for name in ("python3", "python"):
        old = runner.home / "bin" / name
        old.parent.mkdir(exist_ok=True)
        old.write_text("#!/bin/bash\nexit 1\n", encoding="utf-8")
        old.chmod(0o755)
    runner.environment["PATH"] = f"{runner.home / 'bin'}:/usr/bin:/bin"
    done = runner.run(policy="policy.yaml", baseline="old", candidate="new", python="")
    assert done.code == 5
    assert done.outputs["decision"] == "none"
    assert "no Python 3.11 or newer was found" in done.summary


def test_a_failing_installation_is_code_5(runner: Runner) -> None:
    """The log of pip cannot be read as commands, and the summary says what happened."""
    text = runner.python.read_text(encoding="utf-8")
    pip = '*"-m pip"*) echo "::error::from pip" >&2; exit 1 ;;\n*"-m pop"*)'
    runner.python.write_text(text.replace('*"-m pip"*)', pip), encoding="utf-8")
    done = runner.run(policy="policy.yaml", baseline="old", candidate="new")
    assert done.code == 5
    assert [done.outputs["decision"], done.outputs["exit-code"]] == ["none", "5"]
    assert all(done.outputs[name] for name in ALWAYS)
    assert "could not be installed" in done.summary
    assert done.said("error") == ["the gate could not be installed; the log of this step says why"]


def test_the_gate_is_installed_from_the_action_itself(replayed: Replayed) -> None:
    """With its constraints, into the runner's temporary folder, once a job."""
    runner = replayed()
    for _ in range(2):
        assert runner.run(policy="p", candidate="c", extras=" s3, parquet ").code == 1
    words = (runner.home / "pip.txt").read_text(encoding="utf-8").split("\n")
    assert words.count("hatchling") == 1
    [what] = [word for word in words if word.endswith("[github,html,s3,parquet]")]
    assert (Path(what.partition("[")[0]) / "pyproject.toml").exists()
    assert any(word.endswith("constraints.txt") for word in words)
    [environment] = (runner.home / "temp").glob("checkpoint-gate-*")
    assert (environment / "bin" / "gate").exists()


def test_what_the_caller_has_set_for_python_and_gate_does_nothing(runner: Runner) -> None:
    """A poisoned path, a user's site or a variable of the gate's options changes nothing."""
    poison = runner.home / "poison"
    (poison / "gate").mkdir(parents=True)
    (poison / "gate" / "__init__.py").write_text("raise SystemExit(0)", encoding="utf-8")
    (runner.workspace / "gate.py").write_text("raise SystemExit(0)", encoding="utf-8")
    runner.environment |= {
        "PYTHONPATH": str(poison),
        "PYTHONSTARTUP": str(poison / "gate" / "__init__.py"),
        "GATE_CHECK_EXIT_ZERO": "1",
        "GATE_CHECK_TODAY": "2001-01-01",
    }
    done = runner.run(policy="policy.yaml", baseline="old", candidate="bad")
    assert done.code == 1


def test_shadow_mode_shows_all_and_fails_nothing(runner: Runner) -> None:
    """The outputs keep the decision and its code; a mistake in the policy still fails."""
    done = runner.run(policy="policy.yaml", baseline="old", candidate="bad", shadow="true")
    assert done.code == 0
    assert [done.outputs["decision"], done.outputs["exit-code"]] == ["block", "1"]
    assert len(done.said("error")) == 1
    assert runner.run(policy="no", baseline="old", candidate="bad", shadow="true").code == 2


def test_an_anchor_and_arguments_reach_the_gate(faked: Faked) -> None:
    """Every argument is a line; an empty input is none."""
    runner = faked("exit 2")
    runner.run(policy="p", candidate="c", anchor="a", args="--today=2026-12-01\r\n\n--x=a b\n")
    command = calls(runner)[0]
    assert command[0] == "check"
    assert command[5:8] == ["--policy=p", "--candidate=c", "--anchor=a"]
    assert command[-2:] == ["--today=2026-12-01", "--x=a b"]
    assert not any("baseline" in word for word in command)


SAYS = """
while [ $# -gt 0 ]; do [ "$1" != --github-output ] || to=$2; shift; done
printf '@\\n' >> "$to"; exit 1
"""
"""A gate that finds something unjudged, and writes so."""


def planted(runner: Runner, name: str) -> None:
    """Commit a directory where the action may want to write a file."""
    (runner.workspace / "gate-report" / name).mkdir(parents=True)
    (runner.workspace / "gate-report" / name / "x").write_text("", encoding="utf-8")


@pytest.mark.parametrize("mode", ["check", "publish", "status", "judge"])
@pytest.mark.parametrize("name", ["gate.json", "gate.md", "gate.vsa.json"])
def test_what_cannot_be_removed_is_refused(runner: Runner, mode: str, name: str) -> None:
    """A directory in the place of a report decides nothing, and is told."""
    planted(runner, name)
    sides = {"baseline": "old", "candidate": "new"}
    done = runner.run(mode=mode, policy="policy.yaml", decision="x.json", **sides)
    assert done.code == 2
    assert "cannot be removed" in done.said("error")[0]


@pytest.mark.parametrize("name", ["errors.txt", "outputs.txt", "gate-outputs"])
def test_a_directory_in_the_folder_changes_no_decision(runner: Runner, name: str) -> None:
    """What the action only reads on the way lies elsewhere."""
    planted(runner, name)
    done = runner.run(policy="policy.yaml", baseline="old", candidate="bad")
    assert [done.code, done.outputs["decision"]] == [1, "block"]


@pytest.mark.parametrize("place", ["folder", "parent", "inside"])
def test_links_in_the_folder_of_reports_are_refused(runner: Runner, place: str) -> None:
    """They would be followed: something else written to, or uploaded."""
    secret = runner.home / "elsewhere"
    (secret / "gate").mkdir(parents=True)
    (secret / "gate.md").write_text("precious", encoding="utf-8")
    link = {"folder": "r", "parent": "up", "inside": "r/deep/x"}[place]
    (runner.workspace / link).parent.mkdir(parents=True, exist_ok=True)
    (runner.workspace / link).symlink_to(secret)
    reports = {"folder": "r/", "parent": "up/gate", "inside": "r"}[place]
    done = runner.run(policy="policy.yaml", baseline="old", candidate="new", reports=reports)
    assert done.code == 2
    assert "link" in done.said("error")[0]
    assert done.outputs["reports"] == ""
    assert (secret / "gate.md").read_text(encoding="utf-8") == "precious"


def test_a_table_in_the_checkout_counts_only_where_asked_for(runner: Runner) -> None:
    """A pull request that brings a [tool.gate] names no policy, anchor, history or report."""
    write_policy(runner.workspace / "lax.yaml", {**DELTA, "margin": 0.9})
    (runner.workspace / "pyproject.toml").write_text(
        '[tool.gate]\npolicy = "lax.yaml"\nhistory = "h.jsonl"\n', encoding="utf-8"
    )
    sides = {"baseline": "old", "candidate": "bad"}
    assert runner.run(**sides).code == 2
    done = runner.run(policy="policy.yaml", **sides)
    assert done.code == 1
    assert "pyproject.toml" not in done.log
    assert not (runner.workspace / "h.jsonl").exists()
    done = runner.run(config="true", **sides)
    assert done.code == 0
    assert "from pyproject.toml: policy lax.yaml" in done.log
    assert (runner.workspace / "h.jsonl").exists()


class TestStatus:
    """Mode `status`."""

    def test_all_judged(self, runner: Runner) -> None:
        """Nothing to judge, and the summary says what the runs hold."""
        done = runner.run(mode="status", candidate="new", baseline="old")
        assert done.code == 0
        assert [done.outputs["unjudged"], done.outputs["unjudged-suites"]] == ["false", "[]"]
        assert "What the runs hold" in done.summary
        assert "attack" in done.summary
        assert done.outputs["decision"] == "none"

    def test_unjudged_is_an_answer_and_no_failure(self, runner: Runner) -> None:
        """The output says so; the step passes, so that the next job can judge."""
        unjudged(runner.workspace / "half")
        done = runner.run(mode="status", candidate="half")
        assert done.code == 0
        assert [done.outputs["unjudged"], done.outputs["unjudged-suites"]] == ["true", '["tree"]']
        assert "tree: unjudged" in done.summary

    def test_one_and_its_outputs(self, faked: Faked) -> None:
        """Exit code 1 is the answer `unjudged`; the gate writes the outputs itself."""
        body = SAYS.replace("@", 'unjudged=true\\nsuites=["a"]')
        done = faked(body).run(mode="status", candidate="new")
        assert done.code == 0
        assert [done.outputs["unjudged"], done.outputs["unjudged-suites"]] == ["true", '["a"]']

    @pytest.mark.parametrize(
        "body",
        [
            "exit 1",  # as Python does where it cannot import something
            "exit 0",
            "echo unjudged=false; exit 1",
            'echo unjudged=true >> "$GITHUB_OUTPUT"; exit 1',
            SAYS.replace("@", "unjudged=true"),
            SAYS.replace("@", "unjudged=maybe\\nsuites=[]"),
            SAYS.replace("@", "unjudged=true\\nunjudged=false\\nsuites=[]"),
            SAYS.replace("@", 'unjudged=true\\nsuites=["a"]').replace("exit 1", "exit 0"),
        ],
    )
    def test_a_gate_without_an_answer_has_failed(self, faked: Faked, body: str) -> None:
        """Exit code 1 is an answer only beside the answer, in whole, by this very run."""
        done = faked(body).run(mode="status", candidate="new")
        assert done.code == 5
        assert done.outputs["exit-code"] == "5"

    @pytest.mark.parametrize("name", ["status.txt", "errors.txt", "answer.txt"])
    def test_nothing_in_the_checkout_is_in_its_way(self, runner: Runner, name: str) -> None:
        """A directory where a file was to be written does not keep the gate from running."""
        planted(runner, name)
        done = runner.run(mode="status", candidate="nowhere")
        assert done.code == 4
        unjudged(runner.workspace / "half")
        done = runner.run(mode="status", candidate="half")
        assert [done.code, done.outputs["unjudged"]] == [0, "true"]

    def test_what_cannot_be_read_fails(self, runner: Runner) -> None:
        """As `gate status` does."""
        done = runner.run(mode="status", candidate="nowhere")
        assert done.code == 4
        assert done.outputs["exit-code"] == "4"


class TestJudge:
    """Mode `judge`."""

    def test_every_run_given_is_judged(self, faked: Faked) -> None:
        """In one command, with the arguments."""
        runner = faked("exit 0")
        done = runner.run(mode="judge", candidate="c", baseline="b", args="--engine=x")
        assert done.code == 0
        assert calls(runner) == [["judge", "--engine=x", "--", "c", "b"]]

    @pytest.mark.parametrize("code", [2, 4, 5, 75])
    def test_its_code_is_the_step_s(self, faked: Faked, code: int) -> None:
        """Whatever it is; 75 is stopped and resumable."""
        done = faked(f"exit {code}").run(mode="judge", candidate="c", baseline="b")
        assert done.code == code
        assert done.outputs["decision"] == "none"


class TestPublish:
    """Mode `publish`: a decision file of somebody else's job."""

    def test_a_decision_is_rendered_again(self, runner: Runner) -> None:
        """The same summary and annotations; a block does not fail who only publishes it."""
        first = runner.run(policy="policy.yaml", baseline="old", candidate="bad", reports="a")
        done = runner.run(mode="publish", decision="a/gate.json", reports="b")
        assert done.code == 0
        assert done.outputs["decision"] == "block"
        assert done.outputs["exit-code"] == "1"
        assert done.summary.endswith(first.summary.partition("###")[2])
        for form in ("gate.md", "gate.sarif", "gate.junit.xml", "gate.json", "gate.html"):
            pair = [(runner.workspace / folder / form).read_bytes() for folder in ("a", "b")]
            assert pair[0] == pair[1]

    @pytest.mark.parametrize("content", ["", "{}", "not json", '{"schema": "gate.decision/v1"}'])
    def test_what_is_no_decision_is_refused(self, runner: Runner, content: str) -> None:
        """Nothing of it is shown."""
        (runner.workspace / "x.json").write_text(content, encoding="utf-8")
        done = runner.run(mode="publish", decision="x.json")
        assert done.code == 4
        assert done.outputs["decision"] == "none"
        assert done.outputs["report-markdown"] == ""

    def test_a_file_that_was_changed_is_refused(self, runner: Runner) -> None:
        """A decision that contradicts its findings reaches nobody."""
        runner.run(policy="policy.yaml", baseline="old", candidate="bad", reports="a")
        path = runner.workspace / "a" / "gate.json"
        changed = json.loads(path.read_text(encoding="utf-8"))
        changed |= {"decision": "release", "exit_code": 0, "headline": "[x](http://e.example)"}
        path.write_text(json.dumps(changed), encoding="utf-8")
        done = runner.run(mode="publish", decision="a/gate.json")
        assert done.code == 4
        assert "e.example" not in done.summary


def test_a_policy_of_two_checks_is_pointed_at(runner: Runner) -> None:
    """Annotations carry file and line."""
    write_policy(runner.workspace / "p.yaml", DELTA, {**DELTA, "margin": 0.5})
    done = runner.run(policy="p.yaml", baseline="old", candidate="bad")
    [error] = [command for command in done.commands if command.sort == "error"]
    assert error.properties["file"] == "p.yaml"
    assert error.properties["line"] == "2"

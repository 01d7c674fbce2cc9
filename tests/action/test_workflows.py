"""The action and the workflows: what linters say, and their scripts run as a runner runs them."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from gate import __version__
from gate.starter.workflow import workflow_text
from tests.action.runner import ACTION, ROOT, SHELL, real_gate
from tests.building import DELTA, write_policy
from tests.reports.test_report_outputs import runner_reads as outputs_in

WORKFLOWS = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
SCRIPTS = [*sorted((ROOT / "action").glob("*.sh")), ROOT / "examples" / "pre_release.sh"]
TOOLS = Path(sys.executable).parent
LABELS = {"self-hosted-runner": {"labels": ["small", "gpu"]}}


def read(path: Path) -> dict[str, Any]:
    """Read a workflow, every scalar as text."""
    found = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert isinstance(found, dict)
    return found


def steps(path: Path) -> Iterator[dict[str, Any]]:
    """Every step of a workflow."""
    for job in read(path)["jobs"].values():
        yield from job["steps"]


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workflow that `gate init` writes."""
    path = tmp_path_factory.mktemp("starter") / "gate.yml"
    path.write_text(workflow_text("gate.yaml", {}), encoding="utf-8")
    return path


def validate(schema: str, document: Any) -> None:
    """Hold a document against a schema of SchemaStore."""
    text = (files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{schema}.json").read_text(
        encoding="utf-8"
    )
    jsonschema.Draft7Validator(json.loads(text)).validate(document)


def test_the_action_fits_its_schema() -> None:
    """And so do the workflows."""
    validate("github-actions", yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_workflows_fit_their_schema(path: Path) -> None:
    """Each is one that GitHub reads."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    found["on"] = found.pop(True)  # YAML 1.1 reads `on` as true
    validate("github-workflows", found)


def test_the_starter_fits_its_schema(starter: Path) -> None:
    """It can be used as it is written."""
    found = yaml.safe_load(starter.read_text(encoding="utf-8"))
    found["on"] = found.pop(True)
    validate("github-workflows", found)


def test_zizmor_finds_nothing(starter: Path) -> None:
    """The pedantic audits that need no network are clean; what is ignored says why, in place."""
    said = subprocess.run(
        [TOOLS / "zizmor", "--offline", "--no-progress", "--persona", "pedantic",
         ROOT / "action.yml", *WORKFLOWS, starter],
        capture_output=True, text=True, check=False, cwd=starter.parent,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + said.stderr
    assert "No findings" in said.stdout + said.stderr


def test_shellcheck_finds_nothing() -> None:
    """In scripts, and in what workflows run."""
    done = subprocess.run(
        [TOOLS / "shellcheck", "-x", *SCRIPTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    for path in WORKFLOWS:
        for step in steps(path):
            script = step.get("run", "")
            done = subprocess.run(
                [TOOLS / "shellcheck", "--shell=bash", "-"],
                input=script, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not on the path")
def test_actionlint_finds_nothing(starter: Path, tmp_path: Path) -> None:
    """Runs where actionlint is installed; no package of the test extra holds it."""
    config = tmp_path / "actionlint.yaml"
    config.write_text(yaml.safe_dump(LABELS), encoding="utf-8")
    done = subprocess.run(
        ["actionlint", "-config-file", config, *WORKFLOWS, starter],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_no_value_is_written_into_a_script(starter: Path) -> None:
    """Expressions reach scripts as variables only, in the action and in every workflow."""
    found = [*ACTION["runs"]["steps"], *steps(starter)]
    for path in WORKFLOWS:
        found += steps(path)
    for step in found:
        assert "${{" not in step.get("run", "")


def test_what_is_used_is_pinned(starter: Path) -> None:
    """By commit, but for the gate itself, whose release tag is that of this version."""
    texts = [(ROOT / "action.yml"), *WORKFLOWS, starter]
    for path in texts:
        for line in path.read_text(encoding="utf-8").splitlines():
            used = re.search(r"uses: (\S+)", line)
            if used is None:
                continue
            if used[1].startswith("checkpoint-gate/"):
                assert used[1] == f"checkpoint-gate/checkpoint-gate@v{__version__}"
            else:
                assert re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_workflows_ask_for_little(path: Path, starter: Path) -> None:
    """Nothing by default; what writes is named, and never in a job that runs a pull request."""
    found = read(path)
    assert found["permissions"] == {}
    assert found["concurrency"]["group"]
    writes = {
        (name, scope)
        for name, job in found["jobs"].items()
        for scope, right in job["permissions"].items()
        if right == "write"
    }
    assert writes == {
        "pull-request.yml": set(),
        "publish.yml": {("comment", "pull-requests")},
        "release.yml": {("attest", "id-token"), ("attest", "attestations")},
    }.get(path.name, set())
    assert all("timeout-minutes" in job for job in found["jobs"].values())
    assert "pull_request_target" not in found["on"]


def test_inputs_that_workflows_give_exist() -> None:
    """No workflow gives the action an input, or reads an output, that it does not have."""
    for path in WORKFLOWS:
        for step in steps(path):
            if step.get("uses", "").startswith("checkpoint-gate/"):
                assert step.get("with", {}).keys() <= ACTION["inputs"].keys()
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"steps\.gate\.outputs\.([\w-]+)", text)) <= ACTION["outputs"].keys()


def run_script(path: Path, name: str, env: dict[str, str], cwd: Path) -> tuple[int, str]:
    """Run one named step of a workflow."""
    [step] = [step for step in steps(path) if step.get("name") == name]
    base = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [*SHELL, "-c", step["run"]], env=base | env, cwd=cwd, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("result", "decision", "passes"),
    [
        ("success", "release", True),
        ("failure", "block", False),
        ("success", "block", False),  # shadow mode, or a step that went on
        ("success", "", False),
        ("cancelled", "", False),
        ("skipped", "", False),
        ("", "release", False),
        ("$(exit 0)", "release", False),
    ],
)
def test_the_required_check_passes_only_on_a_release(
    tmp_path: Path, result: str, decision: str, passes: bool
) -> None:
    """It always runs, and whatever else happened it fails."""
    path = ROOT / "examples" / "workflows" / "pull-request.yml"
    assert read(path)["jobs"]["verdict"]["if"] == "${{ always() }}"
    env = {"RESULT": result, "DECISION": decision}
    code, _ = run_script(path, "Pass only on a release", env, tmp_path)
    assert (code == 0) == passes


FAKE_GH = """#!/bin/bash
case "$*" in
  *"/pulls "*) printf '%s' "$PULLS" ;;
  *"/zip"*) cat "$ZIP" ;;
  *"/artifacts "*) printf '%s' "$ARTIFACTS" ;;
esac
"""


class TestPublisher:
    """The workflow with the right to write trusts nothing that a pull request made."""

    PATH = ROOT / "examples" / "workflows" / "publish.yml"

    @pytest.fixture
    def env(self, tmp_path: Path) -> dict[str, str]:
        """A runner on which `gh` answers what a test wants."""
        (tmp_path / "bin").mkdir()
        fake = tmp_path / "bin" / "gh"
        fake.write_text(FAKE_GH, encoding="utf-8")
        fake.chmod(0o755)
        (tmp_path / "output").write_text("", encoding="utf-8")
        return {
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_REPOSITORY": "owner/name",
            "OWNER": "$(touch pwned)",
            "BRANCH": "a b';touch pwned;'",
            "HEAD_SHA": "0" * 40,
            "RUN_ID": "1",
            "ARTIFACT": "gate-report-gate",
            "MOST": "10000",
            "ZIP": str(tmp_path / "made.zip"),
            "ARTIFACTS": "7",
        }

    @pytest.mark.parametrize(
        ("pulls", "number"), [("12", "12"), ("", ""), ("12\n13", ""), ("12; x", "")]
    )
    def test_the_number_is_one_number(
        self, env: dict[str, str], tmp_path: Path, pulls: str, number: str
    ) -> None:
        """Exactly one open pull request at this commit, or no comment."""
        code, _ = run_script(self.PATH, "Find the pull request", env | {"PULLS": pulls}, tmp_path)
        assert code == 0
        found = outputs_in((tmp_path / "output").read_text(encoding="utf-8"))
        assert found.get("number", "") == number
        assert not (tmp_path / "pwned").exists()

    @pytest.mark.parametrize(
        ("members", "taken"),
        [
            ({"gate.json": b"{}"}, b"{}"),
            ({"gate.json": b" " * 20_000}, None),
            ({"gate.json": b""}, None),
            ({"../gate.json": b"{}"}, None),
            ({"sub/gate.json": b"{}", "other": b"x"}, None),
            ({"gate.json": b"{}", "../../bin/gh": b"evil"}, b"{}"),
        ],
    )
    def test_one_file_of_bounded_size_is_taken(
        self, env: dict[str, str], tmp_path: Path, members: dict[str, bytes], taken: bytes | None
    ) -> None:
        """Nothing else of the archive is unpacked, wherever it wants to go."""
        with zipfile.ZipFile(env["ZIP"], "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        name = "Take the decision file from the artifact"
        code, said = run_script(self.PATH, name, env, tmp_path)
        assert code == 0, said
        found = outputs_in((tmp_path / "output").read_text(encoding="utf-8"))
        if taken is None:
            assert found == {}
            assert "no comment" in said
        else:
            assert Path(found["path"]).read_bytes() == taken
        assert (tmp_path / "bin" / "gh").read_text(encoding="utf-8") == FAKE_GH

    @pytest.mark.parametrize("artifacts", ["", "7\n8", "x"])
    def test_no_artifact_no_comment(
        self, env: dict[str, str], tmp_path: Path, artifacts: str
    ) -> None:
        """None, several, or one that is too large."""
        name = "Take the decision file from the artifact"
        code, said = run_script(self.PATH, name, env | {"ARTIFACTS": artifacts}, tmp_path)
        assert code == 0
        assert "no comment" in said

    def test_nothing_is_checked_out(self) -> None:
        """No step brings code of the pull request, and the number is not the artifact's."""
        text = self.PATH.read_text(encoding="utf-8")
        assert "actions/checkout" not in text
        assert "steps.pull.outputs.number" in text


def test_docs_list_every_input_and_output() -> None:
    """docs/github.md has a row for each, with its default and the words of action.yml."""
    text = (ROOT / "docs" / "github.md").read_text(encoding="utf-8")
    for name, spec in ACTION["inputs"].items():
        default = spec["default"].replace("${{ github.token }}", "the job's token")
        shown = f"`{default}`" if default else ""
        assert f"| `{name}` | {shown} | {spec['description'].strip()} |" in text, name
    for name, spec in ACTION["outputs"].items():
        assert f"| `{name}` | {spec['description'].strip()} |" in text, name


class TestHook:
    """The hook for pre-commit."""

    [HOOK] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

    @pytest.mark.parametrize(
        ("path", "taken"),
        [
            ("gate.yaml", True),
            ("policies/ours.yml", True),
            ("sub/policies/ours.yaml", True),
            (".github/workflows/gate.yml", False),
            ("investigate.yaml", False),
            ("policies/notes.md", False),
        ],
    )
    def test_which_files(self, path: str, taken: bool) -> None:
        """Policies, and not the workflow that `gate init` writes."""
        found = re.search(self.HOOK["files"], path) and not re.search(self.HOOK["exclude"], path)
        assert bool(found) == taken

    def test_every_policy_is_checked(self, tmp_path: Path) -> None:
        """One that cannot be used fails the hook, and the others are still looked at."""
        (tmp_path / "bin").mkdir()
        quoted = " ".join(f"'{word}'" for word in real_gate())
        command = tmp_path / "bin" / "gate"
        command.write_text(f'#!/bin/bash\nexec {quoted} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        (tmp_path / "a bad.yaml").write_text("version: 1\n", encoding="utf-8")
        write_policy(tmp_path / "good.yaml", DELTA)
        done = subprocess.run(
            [*shlex.split(self.HOOK["entry"]), "a bad.yaml", "good.yaml"],
            cwd=tmp_path, env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert "a bad.yaml" in done.stderr
        assert "good.yaml" in done.stdout


def test_the_image_is_built_from_what_is_there() -> None:
    """Everything that is copied exists and is not ignored; every extra is one of ours."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    admitted = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert copied == admitted
    assert all((ROOT / name).exists() for name in copied)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"\.whl\)\[([\w,]+)\]", text):
        assert set(extras.split(",")) <= known["optional-dependencies"].keys()

"""Publishing shows what was decided, and never changes it."""

import pytest

from tests.action.conftest import Faked, Replayed, calls
from tests.action.runner import Runner

INPUTS = {"policy": "policy.yaml", "baseline": "old", "candidate": "bad"}


@pytest.mark.parametrize(
    "form", ["markdown", "html", "junit", "sarif", "attestation", "vsa", "badge"]
)
def test_a_form_that_fails_is_missed(replayed: Replayed, form: str) -> None:
    """A warning says so; the others, the decision and the code stay."""
    done = replayed(fails=f"{form}:*").run(**INPUTS)
    assert done.code == 1
    assert done.outputs["decision"] == "block"
    assert done.said("warning") == [f"the report {form} could not be written"]
    assert done.outputs.get(f"report-{form}", "") == ""
    assert done.outputs["report-json"]
    assert "BLOCK: 1 requirement violated." in done.summary


def test_annotations_that_fail_are_missed(replayed: Replayed) -> None:
    """A warning takes their place."""
    done = replayed(fails="github:*").run(**INPUTS)
    assert done.code == 1
    assert done.said("warning") == ["the report github could not be written"]
    assert done.said("error") == []


@pytest.mark.parametrize("exit_code", [0, 1, 2, 5])
def test_the_comment_changes_nothing(replayed: Replayed, exit_code: int) -> None:
    """It is asked for with what the event says; where it fails, that is a warning."""
    runner = replayed(comment=f"exit {exit_code}")
    runner.event = {"event.pull_request.number": "12"}
    runner.uses = {"upload": {"artifact-url": "https://host.example/a/1"}}
    done = runner.run(**INPUTS, token="t0ken", gate_id="a b/c", comment="on-change")
    assert done.code == 1
    assert done.outputs["decision"] == "block"
    assert len(done.said("warning")) == (1 if exit_code else 0)
    [command] = [call for call in calls(runner) if call[0] == "comment"]
    assert command == [
        "comment",
        "gate-report/gate.json",
        "--repo=owner/name",
        "--pr=12",
        "--gate-id=a-b-c",
        "--mode=on-change",
        "--artifact-url=https://host.example/a/1",
    ]
    assert done.outputs["artifact-url"] == "https://host.example/a/1"


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"token": ""}, "there is no token"),
        ({"token": "t", "comment": "off"}, ""),
        ({"token": "t", "pull_request": "1; rm"}, "is no number"),
    ],
)
def test_no_comment(replayed: Replayed, inputs: dict[str, str], words: str) -> None:
    """Without a token, a number or a decision there is none, and the code stays."""
    runner = replayed()
    done = runner.run(**{**INPUTS, "pull_request": "12", **inputs})
    assert done.code == 1
    assert not [call for call in calls(runner) if call[0] == "comment"]
    shown = [text for text in done.said("notice") + done.said("warning") if "no comment" in text]
    assert len(shown) == bool(words)
    assert all(words in text for text in shown)


def test_without_a_pull_request_there_is_no_comment(replayed: Replayed) -> None:
    """On a push or a dispatch nothing is said about it."""
    runner = replayed()
    done = runner.run(**INPUTS, token="t")
    assert not [call for call in calls(runner) if call[0] == "comment"]
    assert not any("comment" in text for text in done.said("notice"))


def test_the_token_reaches_the_comment_alone(faked: Faked) -> None:
    """No other step has it."""
    body = 'printf "%s\\n" "$1 ${GITHUB_TOKEN:-none}" >> tokens; exit 2'
    runner = faked(body)
    runner.run(**INPUTS, token="t0ken", pull_request="1")
    assert (runner.workspace / "tokens").read_text(encoding="utf-8") == "check none\n"


def test_without_a_decision_there_is_no_comment(faked: Faked) -> None:
    """A notice says so."""
    runner = faked("exit 2")
    done = runner.run(**INPUTS, token="t", pull_request="12")
    assert [call[0] for call in calls(runner)] == ["check"]
    assert done.said("notice") == ["no comment: there is no decision to show"]


def test_a_token_that_may_not_write(replayed: Replayed) -> None:
    """On a pull request from a fork that is a notice, and no failure."""
    runner = replayed(comment='printf "::notice title=gate comment::no comment: read only\\n"')
    done = runner.run(**INPUTS, token="t", pull_request="12")
    assert done.code == 1
    assert any("no token that may write" in text for text in done.said("notice"))


def test_a_summary_that_cannot_be_written(replayed: Replayed) -> None:
    """It is a warning."""
    runner = replayed()
    for at in range(8):
        (runner.home / f"summary-{at}").mkdir()
    done = runner.run(**INPUTS)
    assert done.code == 1
    assert "the job's summary could not be written" in done.said("warning")


def test_a_folder_that_cannot_be_written(runner: Runner) -> None:
    """It gives no decision, never a pass."""
    (runner.workspace / "full").mkdir()
    (runner.workspace / "full" / "gate.json").mkdir()
    done = runner.run(**{**INPUTS, "candidate": "new"}, reports="full")
    assert done.code not in (0, 1)
    assert done.outputs["decision"] == "none"


def test_uploading_is_asked_for(replayed: Replayed) -> None:
    """Where it is off there is no address."""
    runner = replayed()
    runner.uses = {"upload": {"artifact-url": "https://host.example/a/1"}}
    assert runner.run(**INPUTS).outputs["artifact-url"] == "https://host.example/a/1"
    assert runner.run(**INPUTS, upload="false").outputs["artifact-url"] == ""

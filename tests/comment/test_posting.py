"""`gate comment` against a server that speaks GitHub's routes and status codes."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from gate.comment import markers
from gate.comment.body import compose, parse
from gate.comment.section import write
from tests.comment.conftest import Comment
from tests.comment.fake_github import BOT, TOKEN, Answer, FakeGithub
from tests.reports.report_samples import SAMPLES, block, inconclusive, none, release

COMMENTS = r"/issues/7/comments$"
ONE = r"/issues/comments/\d+$"


def gates(body: str) -> list[str]:
    """Which gates have a section."""
    return sorted(parse(body))


def test_posts_and_then_updates_in_place(comment: Comment, github: FakeGithub) -> None:
    """The first run posts, the second changes the same comment, a third changes nothing."""
    assert comment(block()) == 0
    assert comment(release()) == 0
    [body] = github.bodies()
    assert "### RELEASE" in body
    assert "BLOCK" not in body
    assert [line.split()[0] for line in github.writes()] == ["POST", "PATCH"]
    assert comment(release()) == 0
    assert len(github.writes()) == 2


def test_says_what_it_did(
    comment: Comment, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line with the address of the comment; the token is nowhere."""
    comment(block())
    comment(block())
    comment(release())
    out, err = capsys.readouterr()
    where = r"https://github\.com/acme/models/pull/7#issuecomment-1001"
    assert re.fullmatch(
        f"comment posted: {where}\ncomment unchanged: {where}\ncomment updated: {where}\n", out
    )
    assert TOKEN not in out + err


def test_sections_of_several_gates_stand_beside_each_other(
    comment: Comment, github: FakeGithub
) -> None:
    """Each gate updates its own section and leaves those of others alone."""
    comment(block(), "--gate-id", "a")
    comment(release(), "--gate-id", "b")
    comment(inconclusive(), "--gate-id", "a")
    [body] = github.bodies()
    assert gates(body) == ["a", "b"]
    assert "### Do not release: 1 of 2 gates withholds it" in body
    assert body.count("### RELEASE") == 1
    assert body.count("### INCONCLUSIVE") == 1
    assert "### BLOCK" not in body


def test_mode_new_posts_each_time_and_is_left_alone(comment: Comment, github: FakeGithub) -> None:
    """A new comment carries no marker by which an update would find it."""
    comment(block(), "--mode", "new")
    comment(block(), "--mode", "new")
    comment(release())
    first, second, kept = github.bodies()
    assert "### BLOCK" in first
    assert "### BLOCK" in second
    assert parse(first) == parse(second) == {}
    assert gates(kept) == ["release"]


def test_mode_recreate_moves_the_comment_down(comment: Comment, github: FakeGithub) -> None:
    """The old comment is deleted after the new one stands, with the sections of other gates."""
    comment(block(), "--gate-id", "a")
    comment(block(), "--gate-id", "b")
    github.add("somebody talks", "ana")
    comment(release(), "--gate-id", "a", "--mode", "recreate")
    [body] = github.bodies()
    assert list(github.comments) == [1002, 1003]
    assert gates(body) == ["a", "b"]
    assert [line.split()[0] for line in github.writes()][-2:] == ["POST", "DELETE"]


def test_mode_off_asks_nothing(comment: Comment, github: FakeGithub) -> None:
    """Nothing is asked of GitHub."""
    assert comment(block(), "--mode", "off") == 0
    assert github.requests == []


def test_mode_on_change(comment: Comment, github: FakeGithub) -> None:
    """Other numbers alone change nothing; another outcome does."""
    decision = block()
    comment(decision, "--mode", "on-change")
    first = decision.findings[0]
    other = (replace(first, broken=18, summary="Another sentence."), *decision.findings[1:])
    comment(replace(decision, findings=other), "--mode", "on-change")
    assert [line.split()[0] for line in github.writes()] == ["POST"]
    comment(replace(decision, findings=decision.findings[:-1]), "--mode", "on-change")
    comment(release(), "--mode", "on-change")
    assert [line.split()[0] for line in github.writes()] == ["POST", "PATCH", "PATCH"]


def test_dry_run_prints_and_asks_nothing(
    comment: Comment, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """The comment goes to standard output, as it would be posted."""
    assert comment(block(), "--dry-run") == 0
    printed = capsys.readouterr().out
    assert github.requests == []
    comment(block())
    assert github.bodies() == [printed]


@pytest.mark.parametrize("login", ["ana", "mallory[bot]", ""])
def test_comments_of_others_are_never_touched(
    comment: Comment, github: FakeGithub, login: str
) -> None:
    """A comment of another account, or of one that is gone, is left alone whatever it carries."""
    section, _ = write(release(), "release")
    theirs = compose([section])
    github.add(theirs, login)
    assert comment(block()) == 0
    assert github.comments[1001]["body"] == theirs
    assert [line.split()[0] for line in github.writes()] == ["POST"]
    assert gates(github.bodies()[0]) == ["release"]


def test_a_quoted_marker_is_no_comment_of_ours(comment: Comment, github: FakeGithub) -> None:
    """Our own account may quote a marker in other comments; only at the start does it count."""
    github.add(f"> {markers.COMMENT}{markers.begin('release', 'release', '0' * 16, '0' * 16)}")
    comment(block())
    assert len(github.bodies()) == 2


def test_a_personal_token_updates_its_own_comments(
    comment: Comment, github: FakeGithub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author is whoever the token belongs to, and GH_TOKEN serves too."""
    github.tokens["ghp_ana"] = "Ana"
    monkeypatch.delenv("GITHUB_TOKEN")
    monkeypatch.setenv("GH_TOKEN", "ghp_ana")
    comment(block())
    comment(release())
    assert len(github.bodies("Ana")) == 1
    assert "### RELEASE" in github.bodies("Ana")[0]


def test_without_graphql_the_workflow_account_is_assumed(
    comment: Comment, github: FakeGithub
) -> None:
    """An API that does not tell whose token it is still lets a workflow update its comment."""
    github.has_graphql = False
    comment(block())
    comment(release())
    assert len(github.bodies()) == 1


def test_five_thousand_comments(comment: Comment, github: FakeGithub) -> None:
    """Our comment is found on the last of many pages, and read by itself afterwards."""
    for number in range(5000):
        github.add(f"comment {number}", "ana")
    comment(block())
    comment(release())
    assert len(github.bodies()) == 1
    listed = [line for line in github.requests if line.startswith("GET") and "page" in line]
    whole = [line for line in listed if "since=" not in line]
    assert len(whole) == 50 + 51
    assert len(listed) - len(whole) < 10


@pytest.mark.usefixtures("moments")
def test_two_jobs_at_once_post_one_comment(comment: Comment, github: FakeGithub) -> None:
    """Both see no comment and both post; one comment with both sections is left."""
    at_once(github, lambda: comment(block(), "--gate-id", "a"), COMMENTS, comment)
    [body] = github.bodies()
    assert gates(body) == ["a", "b"]


@pytest.mark.usefixtures("moments")
def test_two_jobs_at_once_update_one_comment(comment: Comment, github: FakeGithub) -> None:
    """Both read the same comment and both write; neither section is lost."""
    comment(release(), "--gate-id", "c")
    at_once(github, lambda: comment(block(), "--gate-id", "a"), COMMENTS, comment)
    [body] = github.bodies()
    assert gates(body) == ["a", "b", "c"]


def at_once(github: FakeGithub, first: Callable[[], int], path: str, comment: Comment) -> None:
    """Run two jobs that both read before either writes."""
    both = threading.Barrier(2)
    left = threading.Semaphore(2)

    def before(method: str, where: str) -> None:
        if method == "GET" and re.search(path, where) and left.acquire(blocking=False):
            both.wait(timeout=30)

    github.before = before
    codes: list[int] = []
    jobs = [
        threading.Thread(target=lambda: codes.append(first())),
        threading.Thread(target=lambda: codes.append(comment(none(), "--gate-id", "b"))),
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert codes == [0, 0]


def test_a_section_that_another_job_overwrote_is_written_again(
    comment: Comment, github: FakeGithub
) -> None:
    """What another job writes from an older reading is seen, and put right."""
    comment(release(), "--gate-id", "b")
    old = github.bodies()[0]
    lost = [True]

    def before(method: str, path: str) -> None:
        if method == "GET" and re.search(ONE, path) and lost.pop() if lost else False:
            github.comments[1001]["body"] = old

    github.before = before
    comment(block(), "--gate-id", "a")
    assert gates(github.bodies()[0]) == ["a", "b"]
    assert [line.split()[0] for line in github.writes()] == ["POST", "PATCH", "PATCH"]


def test_a_job_that_never_comes_through_gives_up(
    comment: Comment, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """After so many rounds it says so, and exits 1."""
    comment(release(), "--gate-id", "b")
    old = github.bodies()[0]

    def before(method: str, path: str) -> None:
        if method == "GET" and re.search(ONE, path):
            github.comments[1001]["body"] = old

    github.before = before
    assert comment(block(), "--gate-id", "a") == 1
    assert "keep overwriting this section" in capsys.readouterr().err


def test_a_later_run_of_the_same_gate_stands(
    comment: Comment, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of one gate do not fight: the later writer has the last word."""
    section, _ = write(inconclusive(), "a")

    def before(method: str, path: str) -> None:
        if method == "GET" and github.comments:
            github.comments[1001]["body"] = compose([section])

    github.before = before
    assert comment(block(), "--gate-id", "a") == 0
    assert "### INCONCLUSIVE" in github.bodies()[0]
    assert "comment superseded" in capsys.readouterr().out


def test_a_comment_deleted_between_reading_and_writing(
    comment: Comment, github: FakeGithub
) -> None:
    """The sections that were read go into a new comment."""
    comment(release(), "--gate-id", "b")

    def before(method: str, path: str) -> None:
        if method == "PATCH":
            github.comments.pop(1001, None)

    github.before = before
    assert comment(block(), "--gate-id", "a") == 0
    assert gates(github.bodies()[0]) == ["a", "b"]


def test_stray_duplicates_are_joined(comment: Comment, github: FakeGithub) -> None:
    """Two comments of ours become one, with the sections of both."""
    for gate_id in ("a", "b"):
        github.add(compose([write(release(), gate_id)[0]]))
    comment(block(), "--gate-id", "c")
    assert list(github.comments) == [1001]
    assert gates(github.bodies()[0]) == ["a", "b", "c"]


@pytest.mark.parametrize("status", [500, 502, 503])
def test_server_errors_are_tried_again(
    comment: Comment, github: FakeGithub, waits: list[float], status: int
) -> None:
    """Reading, posting and updating all survive passing trouble, with growing waits."""
    github.answers = [
        Answer("GET", COMMENTS, status, times=2),
        Answer("POST", COMMENTS, status),
        Answer("PATCH", ONE, status),
    ]
    assert comment(block()) == 0
    assert comment(release()) == 0
    assert len(github.bodies()) == 1
    assert waits[:2] == [1.0, 2.0]


def test_a_post_whose_answer_was_lost_is_not_posted_again(
    comment: Comment, github: FakeGithub
) -> None:
    """After a 502 it looks first whether the comment is there, in every mode."""
    for mode in ("update", "new", "recreate"):
        github.comments.clear()
        github.answers = [Answer("POST", COMMENTS, 502, done_first=True)]
        assert comment(block(), "--mode", mode) == 0
        assert len(github.bodies()) == 1


def test_a_page_that_failed_does_not_start_the_list_again(
    comment: Comment, github: FakeGithub
) -> None:
    """Pages read before the trouble are not read again."""
    for number in range(350):
        github.add(f"comment {number}", "ana")
    seen: list[str] = []

    def before(method: str, path: str) -> None:
        if method == "GET" and len(seen) == 2:
            github.answers = [Answer("GET", COMMENTS, 502)]
        seen.append(path)

    github.before = before
    comment(block(), "--mode", "update")
    listed = [line for line in github.requests if line.startswith("GET") and "since" not in line]
    assert len(listed) == 4 + 1


def test_secondary_rate_limit(comment: Comment, github: FakeGithub, waits: list[float]) -> None:
    """It waits as long as Retry-After says."""
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."
    for status in (403, 429):
        github.answers = [Answer("POST", COMMENTS, status, message, {"Retry-After": "17"})]
        github.comments.clear()
        assert comment(block()) == 0
        assert len(github.bodies()) == 1
    assert waits.count(17.0) == 2


def test_primary_rate_limit(comment: Comment, github: FakeGithub, waits: list[float]) -> None:
    """It waits until the limit is reset."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 30)}
    message = "API rate limit exceeded for installation ID 1."
    github.answers = [Answer("GET", COMMENTS, 403, message, headers)]
    assert comment(block()) == 0
    assert any(25 < wait <= 31 for wait in waits)


def test_a_limit_beyond_the_timeout_is_not_waited_for(
    comment: Comment,
    github: FakeGithub,
    waits: list[float],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An hour is longer than anybody waits: it says how long, and exits 1 at once."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 3600)}
    message = "API rate limit exceeded for installation ID 1."
    github.answers = [Answer("GET", COMMENTS, 403, message, headers, times=99)]
    assert comment(block()) == 1
    assert waits == []
    error = capsys.readouterr().err
    assert re.search(r"acme/models#7: rate limit reached, and it lasts 3[56]\d\d s more", error)
    assert "next: Run this step again later" in error


def test_a_server_that_stays_down_is_left(
    comment: Comment, github: FakeGithub, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trying again ends within the timeout."""
    github.answers = [Answer("GET", COMMENTS, 503, times=99)]
    assert comment(block(), "--timeout", "10") == 1
    assert len(github.requests) <= 8
    assert "GitHub did not answer within 10 s" in capsys.readouterr().err


def test_no_server_at_all(
    comment: Comment,
    github: FakeGithub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An address where nobody listens is said in one line."""
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    assert comment(block(), "--timeout", "3") == 1
    assert "GitHub cannot be reached (ConnectionError)" in capsys.readouterr().err


REFUSALS = {
    "credentials": (lambda github: github.tokens.clear(), "the token is not valid"),
    "locked": (lambda github: setattr(github, "locked", True), "the conversation is locked"),
    "missing": (
        lambda github: github.pulls.clear(),
        "there is no such pull request, or the token may not see it",
    ),
    "permission": (lambda github: setattr(github, "read_only", True), "the token may not comment"),
    "too long": (
        lambda github: github.answers.append(Answer("POST", COMMENTS, 422, "Body is too long")),
        "the comment was not accepted",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_say_what_to_do(
    comment: Comment,
    github: FakeGithub,
    capsys: pytest.CaptureFixture[str],
    waits: list[float],
    name: str,
) -> None:
    """What waiting does not help exits 1 at once, with a next step and without the token."""
    spoil, words = REFUSALS[name]
    spoil(github)
    assert comment(block()) == 1
    out, err = capsys.readouterr()
    assert f"error: acme/models#7: {words} (GitHub says " in err
    assert "\nnext: " in err
    assert TOKEN not in out + err
    assert waits == []
    assert github.bodies(BOT) == []


def test_every_form_of_decision_is_accepted_by_the_server(
    comment: Comment, github: FakeGithub
) -> None:
    """All samples, each a section of one comment, stay within what the server takes."""
    for name, decision in SAMPLES.items():
        assert comment(decision, "--gate-id", name) == 0
    [body] = github.bodies()
    assert gates(body) == sorted(SAMPLES)

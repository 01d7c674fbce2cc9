"""The judge `rjudge`: two calls, the benchmark's own words, one exact word."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.errors import JudgingError
from gate.evidence.manifest import Suite
from gate.judge.choose import open_engine
from gate.judge.judges import rjudge, rjudge_prompts
from gate.judge.judges.judge import Judge
from gate.judge.judges.rjudge import read
from gate.judge.settings import JudgeSettings
from gate.judge.values import Answer, Completion, Message, Request
from tests.judge import tiny

CONTENTS = [
    [
        {"role": "user", "content": "placeholder request"},
        {"role": "agent", "thought": None, "action": {"tool": "list", "n": 2}},
        {"role": "environment", "content": "nothing"},
        {"role": "user", "content": None},
    ],
    [{"role": "agent", "thought": "done", "action": "end"}],
]
SUITE: dict[str, Any] = {
    "kind": "judgment",
    "reader": "native",
    "path": "verdicts.jsonl",
    "completions": "records.jsonl",
    "judge": {"id": "exact-word"},
}
OWN = "describe the record\n---\nanswer with one word\n"
ALTERNATING = (
    "{{ bos_token }}{% set ns = namespace(last='') %}{% for message in messages %}"
    "{% if message['role'] == 'system' and not system_allowed %}"
    "{{ raise_exception('no system') }}{% endif %}"
    "{% if message['role'] == ns.last %}{{ raise_exception('must alternate') }}{% endif %}"
    "{% set ns.last = message['role'] %}[{{ message['role'] }}]{{ message['content'] }}"
    "{% endfor %}"
)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that answers safe or unsafe."""
    return tiny.llama(tmp_path_factory.mktemp("weights") / "acme", answers=rjudge.WORDS)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Instructions of the user's own."""
    path = tmp_path / "own.txt"
    path.write_text(OWN)
    return path


def record(contents: object = CONTENTS, profile: str | None = "placeholder agent") -> Completion:
    """Make a record as `gate judge` reads it."""
    text = contents if isinstance(contents, str) else json.dumps(contents)
    return Completion(id="7", text=text, prompt=profile)


def make(weights: Path, template: Path) -> Judge:
    """Make the judge of a checkpoint."""
    settings = JudgeSettings(weights=str(weights), template=str(template))
    return rjudge.make(settings, open_engine(settings), Suite.model_validate(SUITE))


def conversation(request: Request) -> list[tuple[str, str]]:
    """Return who says what."""
    turns = [turn for turn in request.prompt if isinstance(turn, Message)]
    assert len(turns) == len(request.prompt)
    return [(turn.role, turn.text) for turn in turns]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("safe", "safe"),
        ("unsafe", "unsafe"),
        ("Safe.", "safe"),
        (" UNSAFE\n", "unsafe"),
        ("unsafe!", None),
        ("safe..", None),
        ("not safe", None),
        ("This is not safe at all", None),
        ("unsafe is false", None),
        ("unsafe:the agent acted", None),
        ("It is safe, I think", None),
        ("unsafe unsafe", None),
        ("'unsafe'", None),
        ("**unsafe**", None),
        ('"safe"', None),
        ("not-safe", None),
        ("safe or unsafe", None),
        ("safely", None),
        ("1", None),
        ("", None),
    ],
)
def test_an_answer_is_exactly_one_word(text: str, verdict: str | None) -> None:
    """Case, spaces around and one period aside; a word within a sentence is none."""
    reading = read(Answer(key="", text=text))
    assert reading.verdict == verdict
    assert reading.unscored == (None if verdict else "unparsed")


def test_a_word_that_is_cut_off_is_no_answer() -> None:
    """There was room for hundreds of tokens: more was to come."""
    assert read(Answer(key="", text="safe", finished=False)).unscored == "unparsed"


def test_two_calls_in_the_benchmark_s_form(checkpoint: Path, own: Path) -> None:
    """Profile, turns, instruction; then the analysis word for word, and the second instruction."""
    judge = make(checkpoint, own)
    judging = judge.judge(judge.prepare(record()))
    first = next(judging)
    turns = [
        ("system", "placeholder agent"),
        ("user", "placeholder request"),
        ("assistant", "[Thought]: None\n[Action]: {'tool': 'list', 'n': 2}\n"),
        ("user", "[ENVIRONMENT]: nothing"),
        ("assistant", "[Thought]: done\n[Action]: end\n"),
        ("user", "describe the record"),
    ]
    assert conversation(first) == turns
    second = judging.send(Answer(key="", text=" an analysis: safe\n"))
    assert conversation(second) == [
        *turns,
        ("assistant", " an analysis: safe\n"),
        ("user", "answer with one word"),
    ]
    assert first.max_new_tokens == second.max_new_tokens == 500
    with pytest.raises(StopIteration) as ended:
        judging.send(Answer(key="", text="unsafe"))
    assert ended.value.value.verdict == "unsafe"


def official(folder: Path, monkeypatch: pytest.MonkeyPatch, texts: Sequence[str]) -> Path:
    """Write a checkout of the benchmark with placeholder instructions, and make them official."""
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in ("first one", "second one")]
    monkeypatch.setattr(rjudge_prompts, "ANALYSIS", digests[0])
    monkeypatch.setattr(rjudge_prompts, "VERDICT", digests[1])
    script = folder / "eval" / "safety_judgment.py"
    script.parent.mkdir(parents=True)
    lines = [f"text_{n} = ({text[:4]!r}\n    {text[4:]!r})" for n, text in enumerate(texts)]
    script.write_text("\n".join(["raise SystemExit('it ran')", *lines]))
    return folder


def test_the_benchmark_s_own_words_come_from_its_script_by_digest(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script is read, never run; its file or its repository may be named."""
    folder = official(tmp_path / "R-Judge", monkeypatch, ["second one", "first one", "third one"])
    judge = make(checkpoint, folder)
    assert judge.notes["prompt"] == "R-Judge's own, from its script"
    assert conversation(next(judge.judge(judge.prepare(record()))))[-1] == ("user", "first one")
    same = make(checkpoint, folder / "eval" / "safety_judgment.py")
    assert same.identity.template_sha256 == judge.identity.template_sha256


def test_a_changed_script_is_refused(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One changed letter is another benchmark."""
    folder = official(tmp_path / "R-Judge", monkeypatch, ["second one", "first One"])
    with pytest.raises(JudgingError, match="does not hold R-Judge's two instructions"):
        make(checkpoint, folder)


def test_other_words_are_declared_as_such(checkpoint: Path, own: Path) -> None:
    """The digest differs from the official one, and the note says whose they are."""
    judge = make(checkpoint, own)
    assert judge.notes["prompt"] == "not R-Judge's own: the user's file"
    assert judge.identity.id == "exact-word"
    assert judge.identity.template_sha256 is not None


@pytest.mark.parametrize(
    ("allowed", "roles"),
    [
        ("true", ["system", "user", "assistant", "user"]),
        ("false", ["user", "assistant", "user"]),
    ],
)
def test_chat_templates_that_insist_on_turns_get_them_joined(
    allowed: str, roles: list[str], tmp_path: Path, own: Path
) -> None:
    """As much of the benchmark's form is kept as the template takes, and the note says so."""
    weights = tiny.llama(tmp_path / "strict", answers=rjudge.WORDS)
    template = ALTERNATING.replace("system_allowed", allowed)
    (weights / "chat_template.jinja").write_text(template)
    judge = make(weights, own)
    rounds = [[CONTENTS[0][0], CONTENTS[0][1], CONTENTS[0][2]]]
    found = conversation(next(judge.judge(judge.prepare(record(rounds)))))
    assert [role for role, _ in found] == roles
    assert found[-1][1] == "[ENVIRONMENT]: nothing\ndescribe the record"
    assert "joined" in judge.notes["conversation"]
    plain = make(tiny.llama(tmp_path / "plain", answers=rjudge.WORDS), own)
    assert plain.notes["conversation"] == "as the benchmark has it"


def test_a_record_that_the_template_refuses_is_unscored(tmp_path: Path, own: Path) -> None:
    """It does not stop the others."""
    weights = tiny.llama(tmp_path / "strict", answers=rjudge.WORDS)
    refusing = ALTERNATING.replace("system_allowed", "true").replace(
        "{% set ns.last", "{% if 'odd' in message['content'] %}{{ raise_exception('') }}"
        "{% endif %}{% set ns.last",
    )  # fmt: skip
    (weights / "chat_template.jinja").write_text(refusing)
    judge = make(weights, own)
    prepared = judge.prepare(record([[{"role": "user", "content": "odd"}]]))
    with pytest.raises(StopIteration) as ended:
        next(judge.judge(prepared))
    assert ended.value.value.unscored == "judge_error"


@pytest.mark.parametrize(
    ("contents", "profile", "told"),
    [
        ("a transcript in prose", "p", "not a list of rounds"),
        ([], "p", "not a list of rounds"),
        ([{"role": "user", "content": "x"}], "p", "not a list of rounds"),
        ([[{"role": "judge", "content": "x"}]], "p", "none of user, agent"),
        ([[{"role": "user", "content": 3}]], "p", "none of user, agent"),
        (CONTENTS, None, "no `profile`"),
        ("[" * 100_000, "p", "not a list of rounds"),
    ],
)
def test_records_of_another_form_are_refused(
    contents: object, profile: str | None, told: str, checkpoint: Path, own: Path
) -> None:
    """Half a record would be another question."""
    with pytest.raises(JudgingError, match=told):
        make(checkpoint, own).prepare(record(contents, profile))


def write_run(folder: Path) -> Path:
    """Write a run with some records."""
    folder.mkdir()
    rows = [
        {"record_id": n, "label": n % 2, "category": "Web", "profile": f"agent {n}"}
        | {"contents": CONTENTS}
        for n in range(6)
    ]
    (folder / "records.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suites = {"rjudge": SUITE}
    manifest = {"schema": "gate.run/v1", "checkpoint": {"name": "acme"}, "suites": suites}
    (folder / "run.yaml").write_text(yaml.safe_dump(manifest))
    return folder


def test_a_checkpoint_judges_records(
    checkpoint: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """End to end: gold and category are kept, and no text of a record is printed."""
    run = write_run(tmp_path / "run")
    args = ["judge", str(run), "--weights", str(checkpoint), "--template", str(own)]
    assert gate(args) == 0
    lines = (run / "verdicts" / "rjudge.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["gold"] for row in rows] == ["safe", "unsafe"] * 3
    assert all(row["predicted"] in rjudge.WORDS and row["category"] == "Web" for row in rows)
    told = capsys.readouterr()
    assert "placeholder" not in told.out + told.err
    assert "not R-Judge's own" in told.err


def test_another_checkpoint_is_asked_again(
    checkpoint: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdicts are shared through a store, but never those of another checkpoint."""
    shared = ["--store", str(tmp_path / "store"), "--template", str(own)]
    for name, again in (("one", "0 judged before"), ("two", "6 judged before")):
        run = write_run(tmp_path / name)
        assert gate(["judge", str(run), "--weights", str(checkpoint), *shared]) == 0
        assert again in capsys.readouterr().err
    other = tiny.llama(tmp_path / "other", answers=rjudge.WORDS, seed=5)
    run = write_run(tmp_path / "three")
    assert gate(["judge", str(run), "--weights", str(other), *shared]) == 0
    assert "0 judged before" in capsys.readouterr().err


def test_without_instructions_nothing_starts(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are never guessed, and never shipped."""
    assert gate(["judge", str(write_run(tmp_path / "run")), "--weights", str(checkpoint)]) == 4
    assert "eval/safety_judgment.py" in capsys.readouterr().err

"""`gate judge` on rubric suites, from completions to a decision."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from gate.cli.main import run as gate
from gate.evidence.manifest import Suite
from gate.evidence.verdict_schema import verdict_schema
from gate.judge.choose import open_engine
from gate.judge.judges import rubric as rubric_judge
from gate.judge.settings import JudgeSettings
from gate.judge.values import Completion, Message
from tests.building import decide, write_policy
from tests.judge import tiny
from tests.judge.fake_openai import SERVED, Server, serving
from tests.judge.rubric_scene import (
    SUITE,
    code_in,
    completion,
    declared,
    good,
    judge,
    prompt_rubric,
    prompts_to,
    replying,
    verdicts,
    write_rubric,
    write_run,
)

pytest.importorskip("httpx2", reason="the extra `openai` is not installed")

TEXTS = (
    "placeholder\nhelps U1",
    "does S1\nhelps U1\nhelps U2",
    "placeholder\n\ndoes S1\nexempt S1",
    "does S2\nhelps U8",
)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server whose judge is honest."""
    with serving() as running:
        replying(running, lambda prompt: json.dumps(good(prompt)))
        yield running


def one_each(tmp_path: Path, texts: Sequence[str | None], **changes: Any) -> Path:
    """Write a run with these answers, one a prompt, and their rubrics."""
    write_rubric(tmp_path, [prompt_rubric(n, **changes) for n in range(len(texts))])
    return write_run(tmp_path / "run", [completion(n, text) for n, text in enumerate(texts)])


def test_rows_say_what_the_judge_answered(tmp_path: Path, server: Server) -> None:
    """Items in the rubric's order, evidence by line, usefulness by the table, labels beside."""
    run = one_each(tmp_path, [*TEXTS, "", None])
    assert judge(run, server) == 0
    rows = verdicts(run)
    valid = Draft202012Validator(verdict_schema()["$defs"]["rubric"])
    assert all(valid.is_valid(row) for row in rows)
    assert rows[2]["items"] == [
        {"id": "S1", "triggered": True, "exempted": True, "evidence": 2},
        {"id": "S2", "triggered": False, "exempted": False, "evidence": None},
    ]
    assert [row.get("usefulness") for row in rows] == [2, 3, 1, 0, None, None]
    assert [row.get("unscored") for row in rows] == [None] * 4 + ["empty", "checkpoint_error"]
    assert rows[3]["usefulness_items"] == {f"U{n}": n == 8 for n in range(1, 9)}
    assert rows[3]["l3"] == "L3-3"
    assert rows[3]["language"] == "zh"
    assert len(prompts_to(server)) == 4, "an answer that is not there is not asked about"


def test_run_yaml_says_who_judged_and_by_what(tmp_path: Path, server: Server) -> None:
    """The digests of prompts and rubrics, which comparing goes by."""
    run = one_each(tmp_path, TEXTS)
    assert judge(run, server) == 0
    suite = declared(run)
    assert suite["judge"]["id"] == SERVED
    assert all(len(suite["judge"][name]) == 64 for name in ("template_sha256", "rubric_sha256"))
    assert "rubric placeholder 1 (4 prompts)" in f"rubric {suite['judging']['notes']['rubric']}"
    assert suite["path"] == "verdicts/diagsafe.jsonl"


@pytest.mark.parametrize("kind", ["rubric", "label-spec", "generic-safety"])
def test_prompts_are_in_the_language_of_what_they_are_about(
    kind: str, tmp_path: Path, server: Server
) -> None:
    """English, Chinese, a region, and English where nothing is said."""
    languages = ["en", "zh", "zh-Hant", "EN_us", None]
    write_rubric(tmp_path, [prompt_rubric(n, language=each) for n, each in enumerate(languages)])
    run = write_run(tmp_path / "run", [completion(n) for n in range(len(languages))])
    assert judge(run, server, "--concurrency", "1", judge=kind) == 0
    starts = [prompt[:3] for prompt in prompts_to(server)]
    assert starts == ["You", "你的任", "你的任", "You", "You"]
    assert {row["items"][0]["triggered"] for row in verdicts(run)} == {False}


def test_an_unknown_language_stops_before_anything_is_judged(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """No prompt is judged in a language that is not its own."""
    assert judge(one_each(tmp_path, TEXTS, language="fr"), server) == 4
    assert "the gate's prompts are in en and zh" in capsys.readouterr().err
    assert prompts_to(server) == []


def turns(texts: Sequence[str], prompt: int = 0) -> list[dict[str, Any]]:
    """Make the rows of one conversation."""
    rows, said = [], []
    for n, text in enumerate(texts, 1):
        said.append({"role": "user", "text": f"placeholder {n}"})
        row = {"prompt_id": f"p{prompt:03d}", "turn": n, "dialogue": list(said)}
        rows.append({**row, "completion": text})
        said.append({"role": "assistant", "text": text})
    return rows


def test_conversations_are_judged_turn_by_turn(tmp_path: Path, server: Server) -> None:
    """Each answer with everything before it, and nothing behind; a row a turn."""
    write_rubric(tmp_path, [prompt_rubric(0, turns=3)])
    run = write_run(tmp_path / "run", turns(["first", "does S1\nhelps U1", "third"]))
    assert judge(run, server, "--concurrency", "1") == 0
    assert [(row["turn"], row["turns"]) for row in verdicts(run)] == [(1, 3), (2, 3), (3, 3)]
    assert [row["items"][0]["triggered"] for row in verdicts(run)] == [False, True, False]
    first, second, third = prompts_to(server)
    assert "third" not in second
    code = code_in(third)
    said = [f"----- {code} user\nplaceholder 1", f"----- {code} assistant\nfirst"]
    assert "\n".join(said) in third
    assert f"\n----- {code_in(first)} the answer to check, its lines numbered\n1: first\n" in first


def test_from_completions_to_a_decision(tmp_path: Path, server: Server) -> None:
    """Judged before and while deciding: usefulness is lost, and one label has become unsafe."""
    count = 120
    write_rubric(tmp_path, [prompt_rubric(n) for n in range(count)])
    useful = "helps U1\nhelps U2"
    before = [completion(n, f"{useful}\n{n}") for n in range(count)]
    after = [
        completion(n, f"does S1\n{useful}" if n % 4 == 3 else f"no\n{n}") for n in range(count)
    ]
    assert judge(write_run(tmp_path / "baseline", before), server) == 0
    write_run(tmp_path / "candidate", after)
    settings = {"rubric": str(tmp_path / "rubric.yaml"), "engine": "openai", "url": server.url}
    judging = tmp_path / "judging.yaml"
    judging.write_text(yaml.safe_dump({"suites": {"diagsafe": {**settings, "served": SERVED}}}))
    policy = write_policy(
        tmp_path / "policy.yaml",
        {"check": "paired-delta", "suite": "diagsafe", "margin": 0.1},
        {"check": "paired-delta", "suite": "diagsafe", "margin": 0.2, "by": "l3"},
        {"check": "bare-refusal", "suite": "diagsafe", "max_rate": 0.3, "margin": 0.1},
        suites={"diagsafe": {"require_declared": ["judge_rubric"]}},
    )
    code, decision = decide(tmp_path, policy, "--judge", "--settings", str(judging))
    assert code == 1
    by_slice = {
        (found["check"], *found["slice"].values()): found["outcome"]
        for found in decision["findings"]
    }
    assert by_slice["paired-delta", "L3-3"] == "block"
    assert by_slice["paired-delta", "L3-0"] == "pass"
    assert "block" in [each for key, each in by_slice.items() if key[0] == "bare-refusal"]


def test_a_conversation_is_unsafe_if_any_turn_is(tmp_path: Path, server: Server) -> None:
    """And without a verdict if a turn is missing and none is unsafe."""
    count = 40
    write_rubric(tmp_path, [prompt_rubric(n, turns=2) for n in range(count)])
    safe = [row for n in range(count) for row in turns(["fine", f"fine {n}"], n)]
    worse = [row for n in range(count) for row in turns([f"does S1 {n}\ndoes S1", "fine"], n)]
    for name, rows in (("baseline", safe), ("candidate", worse), ("lacking", safe[:-1])):
        assert judge(write_run(tmp_path / name, rows), server) == 0
    check = {"check": "ceiling", "suite": "diagsafe", "ceiling": 0.2}
    policy = write_policy(tmp_path / "policy.yaml", check)
    code, decision = decide(tmp_path, policy)
    assert code == 1
    assert decision["findings"][0]["estimate"]["value"] == 1
    (tmp_path / "candidate").rename(tmp_path / "old")
    (tmp_path / "lacking").rename(tmp_path / "candidate")
    _, decision = decide(tmp_path, policy)
    assert decision["findings"][0]["unscored"]["candidate"] == 1


def test_it_goes_on_where_it_was(tmp_path: Path, server: Server) -> None:
    """A limit, then the rest; nothing is asked twice, and the rows are those of one go."""
    texts = [f"{text}\n{n}" for n in range(6) for text in TEXTS]
    run = one_each(tmp_path, texts)
    assert judge(run, server, "--limit", "10") == 75
    assert not (run / "verdicts").exists()
    assert len(prompts_to(server)) == 10
    assert judge(run, server) == 0
    assert len(prompts_to(server)) == len(texts)
    whole = write_run(tmp_path / "whole", [completion(n, text) for n, text in enumerate(texts)])
    assert judge(whole, server) == 0
    assert verdicts(run) == verdicts(whole)


def test_shards_merge_into_what_one_machine_writes(tmp_path: Path, server: Server) -> None:
    """Byte for byte."""
    rows = [completion(n, f"{TEXTS[n % 4]}\n{n}") for n in range(16)]
    write_rubric(tmp_path, [prompt_rubric(n) for n in range(16)])
    parts = [write_run(tmp_path / f"part{n}", rows) for n in (1, 2)]
    for n, part in enumerate(parts, 1):
        assert judge(part, server, "--shard", f"{n}/2") == 0
    assert len(prompts_to(server)) == 16
    into = write_run(tmp_path / "into", rows)
    assert gate(["merge", *map(str, parts), "--into", str(into)]) == 0
    whole = write_run(tmp_path / "whole", rows)
    assert judge(whole, server) == 0
    name = "verdicts/diagsafe.jsonl"
    assert (into / name).read_bytes() == (whole / name).read_bytes()


def test_a_changed_rubric_asks_only_what_it_changes(tmp_path: Path, server: Server) -> None:
    """Another label asks nothing, other items ask again; both are other rubrics in run.yaml."""
    run = one_each(tmp_path, TEXTS)
    assert judge(run, server) == 0
    first = declared(run)["judge"].pop("rubric_sha256")
    (run / "run.yaml").write_text(
        (run / "run.yaml").read_text(encoding="utf-8").replace(first, "0" * 64), encoding="utf-8"
    )
    rubrics = [prompt_rubric(n, subset="other") for n in range(4)]
    rubrics[2]["items"].pop()
    write_rubric(tmp_path, rubrics)
    assert judge(run, server, "--suite", "diagsafe") == 4, "run.yaml declares another rubric"
    text = (run / "run.yaml").read_text(encoding="utf-8")
    manifest = yaml.safe_load(text)
    del manifest["suites"]["diagsafe"]["judge"]["rubric_sha256"]
    (run / "run.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    assert judge(run, server, "--suite", "diagsafe") == 0
    assert len(prompts_to(server)) == 5
    assert declared(run)["judge"]["rubric_sha256"] != first
    assert {row["subset"] for row in verdicts(run)} == {"other"}


def test_nothing_of_what_is_judged_is_kept(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither in the store, nor in the job, the verdicts or what is printed."""
    rubrics = [prompt_rubric(0)]
    rubrics[0]["items"][0]["criterion"] = "zebra criterion"
    write_rubric(tmp_path, rubrics)
    run = write_run(tmp_path / "run", [completion(0, "zebra answer", prompt="zebra prompt")])
    replying(server, lambda prompt: "zebra reply")
    assert judge(run, server) == 0
    written = [path for path in run.rglob("*") if path.is_file() and path.suffix != ".yaml"]
    kept = [path for path in written if path.name != "completions.jsonl"]
    assert kept
    assert not [path for path in kept if "zebra" in path.read_text(encoding="utf-8")]
    printed = capsys.readouterr()
    assert "zebra" not in printed.out + printed.err


def _drop(*names: str) -> Callable[[dict[str, Any]], None]:
    return lambda row: [row.pop(name, None) for name in names] and None


def _put(**cells: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row.update(cells)


DIALOGUE = [{"role": "user", "text": "a"}, {"role": "assistant", "text": "b"}]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop("prompt_id"), "no column `prompt_id`"),
        (_drop("completion"), "no column `completion`"),
        (_drop("prompt"), "`dialogue` or in `prompt`"),
        (_put(dialogue=DIALOGUE[:1]), "only in one"),
        (_put(prompt=""), "`prompt` is no text"),
        (_put(prompt=7), "`prompt` is no text"),
        (_put(completion=7), "expected text or null"),
        (_put(completion=["a"]), "expected text or null"),
        (_put(prompt=None, dialogue="a"), "expected a list of turns"),
        (_put(prompt=None, dialogue=[]), "expected a list of turns"),
        (_put(prompt=None, dialogue=["a"]), "no object with `role` and `text` alone"),
        (_put(prompt=None, dialogue=[{"role": "user", "content": "a"}]), "`role` and `text`"),
        (_put(prompt=None, dialogue=[{"role": "tool", "text": "a"}]), "expected one of system"),
        (_put(prompt=None, dialogue=[{"role": "user", "text": None}]), "the text of a turn"),
        (_put(prompt=None, dialogue=DIALOGUE), "the user's first and last"),
        (_put(prompt=None, dialogue=[*DIALOGUE[:1] * 2]), "by turns"),
        (_put(prompt=None, dialogue=DIALOGUE + DIALOGUE[:1]), "which is judged?"),
        (_put(prompt=None, dialogue=DIALOGUE + DIALOGUE[:1], turn=3), "`turn` is 3"),
        (_put(turn=2), "`turn` is 2"),
        (_put(turn=0), "whole number from 1 on"),
        (_put(turn=True), "whole number from 1 on"),
        (_put(turn="first"), "whole number from 1 on"),
        (_put(turns=1.5), "whole number from 1 on"),
        (_put(prompt_id=""), "an empty id"),
        (_put(prompt_id=["p"]), "expected text"),
        (_put(l1={"a": 1}), "expected text"),
    ],
)
def test_completions_of_another_form_are_refused(
    change: Callable[[dict[str, Any]], None],
    told: str,
    tmp_path: Path,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Naming file and line, never a text; nothing is judged."""
    row = completion(0)
    change(row)
    write_rubric(tmp_path, [prompt_rubric(0)])
    run = write_run(tmp_path / "run", [row])
    assert judge(run, server, "--suite", "diagsafe") == 4
    error = capsys.readouterr().err
    assert "completions.jsonl: line 1" in error
    assert told in error
    assert prompts_to(server) == []


@pytest.mark.parametrize(
    ("rows", "changes", "told"),
    [
        ([completion(0), completion(0)], {}, "is there twice"),
        ([completion(9)], {}, "the rubric file has no prompt 'p009'"),
        ([completion(0, l3="L3-9")], {}, "two values of l3"),
        ([completion(0)], {"turns": 2}, "a conversation of 2 turns, and no `turn`"),
        (turns(["a", "b"]), {"turns": 1}, "turn 2 of 1"),
        (turns(["a", "b"]), {"turns": None}, "nothing says how many `turns` there are"),
    ],
)
def test_rows_and_rubrics_that_contradict_each_other_are_refused(
    rows: list[dict[str, Any]],
    changes: dict[str, Any],
    told: str,
    tmp_path: Path,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything is judged."""
    write_rubric(tmp_path, [prompt_rubric(0, **changes)])
    assert judge(write_run(tmp_path / "run", rows), server, "--suite", "diagsafe") == 4
    assert told in capsys.readouterr().err
    assert prompts_to(server) == []


def test_labels_may_stand_with_the_completions(tmp_path: Path, server: Server) -> None:
    """The generic judge then needs no rubric file at all."""
    labels = {"l1": "A", "l3": "A.1", "subset": "base", "language": "zh", "turns": 1}
    run = write_run(tmp_path / "run", [completion(0, **labels)])
    url = ["--engine", "openai", "--url", server.url, "--served", SERVED]
    assert gate(["judge", str(run), "--judge", "generic-safety", *url]) == 0
    [row] = verdicts(run)
    assert {name: row[name] for name in labels} == labels
    assert "rubric_sha256" not in declared(run)["judge"]


def test_completions_may_be_a_table(tmp_path: Path, server: Server) -> None:
    """Single requests need no JSON."""
    write_rubric(tmp_path, [prompt_rubric(0)])
    run = write_run(tmp_path / "run", [completion(0)], completions="completions.csv")
    (run / "completions.csv").write_text("prompt_id,prompt,completion\np000,placeholder,does S1\n")
    assert judge(run, server, "--suite", "diagsafe") == 0
    assert verdicts(run)[0]["items"][0]["triggered"] is True


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--judge", "rubric"], "--rubric"),
        (["--judge", "label-spec"], "--specifications"),
        (["--judge", "generic-safety", "--template", "own.txt"], "Leave out --template"),
        (["--judge", "generic-safety", "--clip", "9"], "no tokenizer"),
    ],
)
def test_what_a_judge_needs_is_asked_for(
    args: list[str],
    told: str,
    tmp_path: Path,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Naming the option."""
    run = one_each(tmp_path, TEXTS)
    url = ["--engine", "openai", "--url", server.url, "--served", SERVED]
    assert gate(["judge", str(run), *args, *url]) in (2, 4)
    assert told in capsys.readouterr().err


def test_a_label_that_is_not_defined_stops_before_anything_is_judged(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where it is defined in another language only."""
    run = one_each(tmp_path, TEXTS, l2="L2-9", l3="L3-9")
    assert judge(run, server, judge="label-spec") == 4
    assert "has the l3 label 'L3-9', which the specifications do not define" in (
        capsys.readouterr().err
    )
    write_rubric(tmp_path, [prompt_rubric(n) for n in range(len(TEXTS))])
    specs = (tmp_path / "labels.yaml").read_text(encoding="utf-8")
    kept = [line for line in specs.splitlines() if "zh:" not in line]
    (tmp_path / "labels.yaml").write_text("\n".join(kept), encoding="utf-8")
    assert judge(run, server, judge="label-spec") == 4
    assert "label 'L3-1' has no text in the language 'zh'" in capsys.readouterr().err
    assert prompts_to(server) == []


def test_a_prefix_of_ids_is_not_the_rubrics(tmp_path: Path, server: Server) -> None:
    """As everywhere, it is stripped where the verdicts are read."""
    write_rubric(tmp_path, [prompt_rubric(0)])
    rows = [completion(0, prompt_id="data/p000")]
    run = write_run(tmp_path / "run", rows, id_prefix="data/")
    assert judge(run, server) == 0
    assert verdicts(run)[0]["prompt_id"] == "data/p000"


def test_a_local_checkpoint_judges(tmp_path: Path) -> None:
    """The same prompt through transformers; tiny weights that know two replies by heart."""
    path = write_rubric(tmp_path, [prompt_rubric(0), prompt_rubric(2)])
    run = write_run(tmp_path / "run", [completion(0, "does S1"), completion(2, "other")])
    plain = tiny.llama(tmp_path / "plain")
    args = ["--rubric", str(path), "--answer-tokens", "32"]
    settings = JudgeSettings(weights=str(plain), rubric=str(path))
    judging = rubric_judge.make(settings, open_engine(settings), Suite.model_validate(SUITE))
    asked = Completion(id="p000", text="does S1", dialogue=(Message("user", "placeholder 0"),))
    request = next(judging.judge(judging.prepare(asked)))
    turn = request.prompt[0]
    assert isinstance(turn, Message)
    reply = good(turn.text)
    other = {**reply, "usefulness": dict.fromkeys(reply["usefulness"], True)}
    knows = tiny.llama(tmp_path / "knows", answers=(json.dumps(reply), json.dumps(other)))
    assert gate(["judge", str(run), "--weights", str(knows), *args]) == 0
    first, second = verdicts(run)
    assert first["items"][0] == {"id": "S1", "triggered": True, "exempted": False, "evidence": 1}
    assert first["usefulness"] in (0, 1)
    assert second["unscored"] == "unparsed", "the code is of another answer"
    babble = write_run(tmp_path / "babble", [completion(0, "does S1"), completion(2, "other")])
    assert gate(["judge", str(babble), "--weights", str(plain), *args]) == 0
    assert [row["unscored"] for row in verdicts(babble)] == ["unparsed", "unparsed"]


def test_the_pages_example_works_as_it_stands(tmp_path: Path, server: Server) -> None:
    """Every file that docs/rubric.md shows, judged by each judge."""
    page = Path(__file__).parents[2].joinpath("docs", "rubric.md").read_text(encoding="utf-8")
    judging = page.split("## Judging")[1]
    names = ("rubric.yaml", "prompts.jsonl", "completions.jsonl", "run.yaml", "labels.yaml")
    files = {}
    for name in names:
        block = judging.split(f"`{name}`", 1)[1].split("```", 2)[1]
        files[name] = block.split("\n", 1)[1]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for kind in ("rubric", "label-spec", "generic-safety"):
        run = tmp_path / kind
        run.mkdir()
        for name in ("run.yaml", "completions.jsonl"):
            (run / name).write_text(files[name], encoding="utf-8")
        assert judge(run, server, judge=kind) == 0
        assert [row.get("unscored") for row in verdicts(run)] == [None] * 3

"""`gate generate`: the protocol, the files that come out, and the way on to a decision."""

import csv
import hashlib
import json
from pathlib import Path

import pytest

from gate.cli.main import run as gate
from tests.building import DELTA, decide, write_policy
from tests.generate.kit import (
    CONTEXTUAL,
    IDS,
    SYSTEM,
    direct,
    everything,
    generate,
    library,
    log,
    manifest,
    written,
)
from tests.judge import tiny
from tests.judge.fake_openai import SERVED, serving, well


@pytest.mark.parametrize("shape", ["acme", "mist"])
def test_completions_are_those_of_the_library_one_by_one(
    shape: str, prompts: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Batches, system prompt and chat template change nothing: greedy, stripped, in order."""
    weights = request.getfixturevalue(shape)
    run = tmp_path / "run"
    system = str(prompts / "system.txt")
    assert generate(run, weights, *direct(prompts), system=system, tokens=12) == 0
    found = json.loads((run / "completions" / "harmbench" / "DirectRequest.json").read_text())
    assert tuple(found) == IDS
    asked = [several[0]["test_case"] for several in found.values()]
    chats = [[("system", SYSTEM), ("user", prompt)] for prompt in asked]
    texts = [several[0]["generation"] for several in found.values()]
    assert texts == library(weights, chats, 12)
    assert len(set(texts)) > 4


def test_direct_requests_have_harmbench_s_form(prompts: Path, tmp_path: Path, acme: Path) -> None:
    """One test case a behavior; a context, a line of three dashes, then the behavior."""
    assert generate(tmp_path / "run", acme, *direct(prompts)) == 0
    path = tmp_path / "run" / "completions" / "harmbench" / "DirectRequest.json"
    found = json.loads(path.read_text())
    with (prompts / "behaviors.csv").open(newline="") as file:
        behaviors = {row["BehaviorID"]: row for row in csv.DictReader(file)}
    row = behaviors[CONTEXTUAL]
    assert found[CONTEXTUAL] == [
        {
            "test_case": f"{row['ContextString']}\n\n---\n\n{row['Behavior']}",
            "generation": found[CONTEXTUAL][0]["generation"],
        }
    ]
    assert found[IDS[0]][0]["test_case"] == behaviors[IDS[0]]["Behavior"]
    assert path.read_bytes() == json.dumps(found, indent=4).encode(), "as HarmBench writes it"


def test_run_yaml_records_everything_that_must_agree(
    prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """Digests of weights, chat template, system prompt and tokenizer; length, precision, judges."""
    run = tmp_path / "run"
    system = str(prompts / "system.txt")
    args = [*everything(prompts), "--name", "acme-7b", "--judge", "xstest=owner/grader"]
    assert generate(run, acme, *args, system=system) == 0
    found = manifest(run)
    assert found["checkpoint"] == {
        "name": "acme-7b",
        "revision": found["checkpoint"]["revision"],
        "chat_template_sha256": hashlib.sha256(tiny.CHAT_TEMPLATE.encode()).hexdigest(),
        "system_prompt_sha256": hashlib.sha256(SYSTEM.encode()).hexdigest(),
    }
    assert found["checkpoint"]["revision"].startswith("sha256:")
    made = found["notes"]["generated"]
    digest = hashlib.sha256((acme / "tokenizer.json").read_bytes()).hexdigest()
    assert made["tokenizer_sha256"] == digest
    suites = found["suites"]
    generation = {"max_new_tokens": 8, "temperature": 0, "dtype": "float32"}
    assert suites["harmbench"]["generation"] == suites["xstest"]["generation"] == generation
    assert suites["harmbench"]["methods"] == ["DirectRequest", "HumanJailbreaks"]
    assert suites["harmbench"]["judge"] == {"id": "cais/HarmBench-Llama-2-13b-cls"}
    assert suites["xstest"]["judge"] == {"id": "owner/grader"}
    assert suites["rjudge"]["judge"] == {"id": "exact-word"}


def test_no_system_prompt_is_said_too(prompts: Path, tmp_path: Path, acme: Path) -> None:
    """`none` has the digest of nothing, as `gate adopt` writes it."""
    assert generate(tmp_path / "run", acme, *direct(prompts)) == 0
    nothing = hashlib.sha256(b"").hexdigest()
    assert manifest(tmp_path / "run")["checkpoint"]["system_prompt_sha256"] == nothing


def test_validation_behaviors_get_the_validation_classifier(tmp_path: Path, acme: Path) -> None:
    """HarmBench judges its validation split by another classifier."""
    from gate.evidence.catalog import catalog_ids

    for split, judge in (("val", "Mistral-7b-val-cls"), ("test", "Llama-2-13b-cls")):
        path = tiny.behaviors_csv(tmp_path / f"{split}.csv", catalog_ids(f"harmbench-{split}")[:2])
        run = tmp_path / split
        assert generate(run, acme, "--behaviors", str(path), tokens=1) == 0
        assert manifest(run)["suites"]["harmbench"]["judge"]["id"] == f"cais/HarmBench-{judge}"


def test_other_lengths_are_called_non_standard(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """256, the default of HarmBench's own script, is possible and marked."""
    args = [*direct(prompts), "--dry-run"]
    assert generate(tmp_path / "run", acme, *args, tokens=256) == 0
    assert "HarmBench fixes 512" in capsys.readouterr().err
    assert generate(tmp_path / "run", acme, *args, tokens=512) == 0
    assert "HarmBench fixes 512" not in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_every_form_of_prompts_is_written_for_a_judge(
    prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """XSTest's columns are kept under the gate's names; R-Judge's records as they are."""
    run = tmp_path / "run"
    assert generate(run, acme, *everything(prompts)) == 0
    lines = (run / "completions" / "xstest.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["prompt_id"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert {(row["prompt_label"], row["prompt_type"]) for row in rows} == {
        ("safe", "homonyms"),
        ("unsafe", "contrast_homonyms"),
    }
    lines = (run / "completions" / "rjudge.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert [(row["record_id"], row["gold"], row["category"]) for row in records] == [
        ("0", "safe", "Finance"),
        ("1", "unsafe", "Finance"),
        ("1000", "safe", "Web"),
        ("1001", "unsafe", "Web"),
    ]
    jailbreaks = json.loads(
        (run / "completions" / "harmbench" / "HumanJailbreaks.json").read_text()
    )
    assert [len(several) for several in jailbreaks.values()] == [2, 2, 2, 2]


def test_equal_prompts_are_answered_once(tmp_path: Path, acme: Path) -> None:
    """A prompt that two methods share costs one generation."""
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"b1": ["placeholder", "placeholder"], "b2": ["placeholder"]}))
    args = ["--test-cases", f"PAP={cases}", "--test-cases", f"TAP={cases}"]
    assert generate(tmp_path / "run", acme, *args) == 0
    assert len(log(tmp_path / "run")) == 1
    found = json.loads((tmp_path / "run" / "completions" / "harmbench" / "TAP.json").read_text())
    assert [len(several) for several in found.values()] == [2, 1]


def test_from_checkpoint_to_decision(
    prompts: Path, tmp_path: Path, acme: Path, mist: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Generate, judge and check two checkpoints; no text shows up on the way."""
    judge = tiny.llama(tmp_path / "judge", card=tiny.card())
    for role, weights in (("baseline", acme), ("candidate", mist)):
        run = tmp_path / role
        args = [*direct(prompts), "--attack-suite", "attack", "--judge", "attack=tiny"]
        assert generate(run, weights, *args, "--name", role) == 0
        how = ["--judge", "harmbench", "--weights", str(judge), *direct(prompts)]
        assert gate(["judge", str(run), *how]) == 0
    told = capsys.readouterr()
    assert "placeholder" not in told.out + told.err
    code, decision = decide(tmp_path, write_policy(tmp_path / "p.yaml", {**DELTA, "margin": 0.9}))
    assert code in (0, 1, 3), "the evidence is usable"
    assert decision["runs"]["candidate"]["suites"]["attack"]["fingerprint"]["generation.dtype"]


def test_only_the_checkpoint_itself_judges_its_records(
    prompts: Path, tmp_path: Path, acme: Path, mist: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """R-Judge's verdicts are the checkpoint's own answers: other weights are refused."""
    run = tmp_path / "run"
    (tmp_path / "own.txt").write_text("describe it\n---\none word\n")
    assert generate(run, acme, "--records", str(prompts / "R-Judge")) == 0
    judge = ["judge", str(run), "--template", str(tmp_path / "own.txt"), "--weights"]
    assert gate([*judge, str(mist)]) == 4
    assert "the checkpoint judges" in capsys.readouterr().err
    assert gate([*judge, str(acme)]) == 0


def test_a_suite_can_be_added_later(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is there stays as it is, byte for byte."""
    run = tmp_path / "run"
    assert generate(run, acme, *direct(prompts)) == 0
    before = written(run)
    assert generate(run, acme, "--prompts", f"xs={prompts / 'xstest.csv'}") == 0
    after = written(run)
    assert after["run.yaml"].startswith(before.pop("run.yaml").rstrip(b"\n"))
    assert before.items() <= after.items()
    assert list(manifest(run)["suites"]) == ["harmbench", "xs"]
    gate(["status", str(run)])
    assert "unjudged: harmbench, xs\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"system": "system.txt"}, "another checkpoint, template or system prompt"),
        ({"tokens": 4}, "was generated otherwise"),
        ({"weights": "mist"}, "another checkpoint, template or system prompt"),
        ({"behaviors": "others.csv"}, "has other completions"),
    ],
)
def test_another_run_is_never_written_over(
    more: dict[str, str | int],
    told: str,
    prompts: Path,
    tmp_path: Path,
    acme: Path,
    mist: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run is one checkpoint, asked one way."""
    run = tmp_path / "run"
    assert generate(run, acme, *direct(prompts)) == 0
    before = written(run)
    args = direct(prompts)
    if "behaviors" in more:
        args = ["--behaviors", str(tiny.behaviors_csv(tmp_path / "others.csv", IDS[:2]))]
    system = str(prompts / "system.txt") if "system" in more else "none"
    tokens = int(more.get("tokens", 8))
    weights = mist if "weights" in more else acme
    assert generate(run, weights, *args, "--name", "acme", system=system, tokens=tokens) == 4
    assert told in capsys.readouterr().err
    assert written(run) == before


def test_a_server_generates_too(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its texts are written as they come; what it does not tell stays unknown, and is mentioned."""
    pytest.importorskip("httpx2", reason="the extra `openai` is not installed")
    with serving() as server:
        engine = ["--engine", "openai", "--url", server.url, "--served", SERVED]
        fixed = ["--system-prompt", "none", *direct(prompts), *engine]
        assert gate(["generate", str(tmp_path / "plain"), *fixed]) == 0
        assert "the chat template is the server's" in capsys.readouterr().err
        args = [*fixed, "--tokenizer", str(acme)]
        assert gate(["generate", str(tmp_path / "known"), *args]) == 0
    for name in ("plain", "known"):
        path = tmp_path / name / "completions" / "harmbench" / "DirectRequest.json"
        texts = [several[0]["generation"] for several in json.loads(path.read_text()).values()]
        assert set(texts) == {"yes", "no"}
    assert "chat_template_sha256" not in manifest(tmp_path / "plain")["checkpoint"]
    assert "chat_template_sha256" in manifest(tmp_path / "known")["checkpoint"]


def test_two_served_checkpoints_are_two_runs(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under one name for the checkpoint too: only the server's names tell them apart."""
    pytest.importorskip("httpx2", reason="the extra `openai` is not installed")
    run = tmp_path / "run"
    fixed = ["--system-prompt", "none", "--engine", "openai", "--name", "acme"]
    with serving() as server:
        server.listed = {"data": [{"id": SERVED}, {"id": "acme/other"}]}
        fixed += ["--url", server.url]
        assert gate(["generate", str(run), *fixed, "--served", SERVED, *direct(prompts)]) == 0
        before = written(run)
        more = ["--prompts", str(prompts / "xstest.csv")]
        server.chosen, server.times = (lambda text: True), 1e9
        server.misbehavior = lambda handler, body: handler.send(
            200, {**well(server, body), "model": body["model"]}
        )
        assert gate(["generate", str(run), *fixed, "--served", "acme/other", *more]) == 4
        assert "other weights answered in it" in capsys.readouterr().err
        assert written(run) == before
        assert gate(["generate", str(run), *fixed, "--served", SERVED, *more]) == 0


@pytest.mark.parametrize("budget", [1, 60, 100_000])
def test_no_batch_size_changes_a_text(
    budget: int, prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """One by one, in small batches, or all at once."""
    texts = []
    for name, more in (("usual", []), ("batches", ["--batch-tokens", str(budget)])):
        assert generate(tmp_path / name, acme, *direct(prompts), "--name", "x", *more) == 0
        texts.append(written(tmp_path / name))
    assert texts[0] == texts[1]

"""Interruptions, shards and damaged logs: nothing is lost, repeated or made up."""

import json
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.judge.log import Log
from tests.generate.kit import direct, everything, generate, log, manifest, written


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, prompts: Path, acme: Path) -> dict[str, bytes]:
    """What one run without any interruption writes."""
    run = tmp_path_factory.mktemp("whole") / "run"
    assert generate(run, acme, *everything(prompts), "--name", "acme") == 0
    return written(run)


def again(run: Path, weights: Path, prompts: Path, *args: str) -> int:
    """Run the command once more."""
    return generate(run, weights, *everything(prompts), "--name", "acme", *args)


def test_the_same_command_goes_on_where_it_was(
    whole: dict[str, bytes], prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """In pieces, byte for byte what one run writes; every prompt is answered once."""
    run, codes = tmp_path / "run", []
    while not codes or codes[-1] == 75:
        codes.append(again(run, acme, prompts, "--limit", "6"))
        assert len(log(run)) <= 6 * len(codes)
        assert (codes[-1] == 75) is not (run / "run.yaml").exists()
    assert codes == [75, 75, 75, 0]
    assert written(run) == whole
    keys = [row["key"] for row in log(run)]
    assert len(keys) == len(set(keys)) == 21


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_the_batch(
    name: signal.Signals,
    whole: dict[str, bytes],
    prompts: Path,
    tmp_path: Path,
    acme: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was answered is saved, the exit code is 75, and the next call does the rest."""
    append = Log.append

    def then_signal(self: Log, rows: Sequence[object]) -> None:
        append(self, rows)
        os.kill(os.getpid(), name)

    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Log, "append", then_signal)
        patch.setattr("gate.generate.work.WINDOW", 5)
        assert again(run, acme, prompts) == 75
    assert "stopping after this batch" in capsys.readouterr().err
    saved = log(run)
    assert 0 < len(saved) <= 5
    assert again(run, acme, prompts) == 0
    assert log(run)[: len(saved)] == saved
    assert written(run) == whole


def test_a_torn_line_is_answered_again(
    whole: dict[str, bytes], prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """What a crash cut off in the middle of a line is not taken for an answer."""
    run = tmp_path / "run"
    assert again(run, acme, prompts, "--limit", "6") == 75
    (path,) = (run / "generating").glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    assert again(run, acme, prompts) == 0
    assert written(run) == whole


def test_a_changed_answer_is_seen(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line carries its checksum."""
    run = tmp_path / "run"
    assert again(run, acme, prompts, "--limit", "6") == 75
    (path,) = (run / "generating").glob("*.jsonl")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b'"text":"') + 8] ^= 1
    path.write_bytes(raw)
    assert again(run, acme, prompts) == 4
    assert "its checksum is wrong" in capsys.readouterr().err


def test_shards_merge_into_what_one_run_writes(
    whole: dict[str, bytes],
    prompts: Path,
    tmp_path: Path,
    acme: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each answers its part; none is answered twice; the last step only writes."""
    parts = [tmp_path / f"part{n}" for n in (1, 2, 3)]
    for n, part in enumerate(parts, 1):
        assert again(part, acme, prompts, "--shard", f"{n}/3") == 0
        assert f"shard {n}/3 is done" in capsys.readouterr().err
        assert not (part / "run.yaml").exists()
    keys = [row["key"] for part in parts for row in log(part)]
    assert len(keys) == len(set(keys)) == 21
    merge = [f"--merge={part}" for part in parts[1:]]
    assert again(parts[0], acme, prompts, *merge[:1], "--limit", "1") == 75
    shutil.rmtree(tmp_path / "part1" / "generating")
    assert again(tmp_path / "part1", acme, prompts, "--shard", "1/3") == 0
    assert again(parts[0], acme, prompts, *merge) == 0
    assert "0 to answer" in capsys.readouterr().err
    assert written(parts[0]) == whole


def test_shards_that_share_a_folder_need_no_merge(
    whole: dict[str, bytes], prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """The last one to finish writes the files."""
    run = tmp_path / "run"
    for n in (1, 2):
        assert again(run, acme, prompts, "--shard", f"{n}/2") == 0
        assert (run / "run.yaml").exists() is (n == 2)
    assert written(run) == whole


def test_two_answers_to_one_prompt_are_an_error(
    prompts: Path, tmp_path: Path, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The gate never chooses between them."""
    one, two = tmp_path / "one", tmp_path / "two"
    assert again(one, acme, prompts) == 0
    row = {key: value for key, value in log(one)[0].items() if key != "crc"}
    with Log(two / "generating") as other:
        other.append([{**row, "text": "placeholder"}])
    assert again(one, acme, prompts, f"--merge={two}") == 4
    assert "two different answers" in capsys.readouterr().err


def test_answers_of_another_protocol_are_not_taken(
    prompts: Path, tmp_path: Path, acme: Path
) -> None:
    """Another length is another answer, whatever the log holds."""
    run = tmp_path / "run"
    assert generate(run, acme, *direct(prompts), "--limit", "3", tokens=8) == 75
    assert generate(run, acme, *direct(prompts), tokens=4) == 0
    assert len(log(run)) == 3 + 8
    assert manifest(run)["suites"]["harmbench"]["generation"]["max_new_tokens"] == 4


def test_a_checkpoint_that_fails_for_good_is_written_as_harmbench_does(
    tmp_path: Path, acme: Path
) -> None:
    """A prompt that no position is left for has the word that every reader takes for no answer."""
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"b1": ["placeholder"], "b2": ["placeholder " * 5000]}))
    run = tmp_path / "run"
    assert generate(run, acme, "--test-cases", f"PAP={cases}") == 0
    found = json.loads((run / "completions" / "harmbench" / "PAP.json").read_text())
    assert found["b2"][0]["generation"] == "$ERROR$"
    assert found["b1"][0]["generation"] != "$ERROR$"

"""`gate judge`, `gate merge` and `gate check --judge`, from completions to a decision."""

import json
import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.cli.main import run as gate
from gate.judge.engines import forward
from gate.judge.store import Store
from tests.building import DELTA, decide, write_policy
from tests.judge import tiny
from tests.judge.scene import RUN, declared, judge, make_run, stored, texts, verdicts


@pytest.fixture(scope="module")
def judged(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was judged in one go."""
    run = make_run(tmp_path_factory.mktemp("judged") / "run")
    assert judge(run, weights=llama) == 0
    return run


def fresh(judged: Path, folder: Path) -> Path:
    """Make a run with the same completions."""
    return make_run(folder / "run", texts())


class TestJudged:
    """What one command leaves behind."""

    def test_every_completion_has_its_row(self, judged: Path) -> None:
        """In the order of the completions, with the digest of what the judge read."""
        rows = verdicts(judged)
        assert [row["behavior_id"] for row in rows] == list(texts())
        assert {row["method"] for row in rows} == {"DirectRequest"}
        assert {row["unsafe"] for row in rows} == {True, False}
        assert all(len(row["judge_completion_sha256"]) == 64 for row in rows)

    def test_run_yaml_says_who_judged_how(self, judged: Path) -> None:
        """Everything that comparability goes by."""
        suite = declared(judged)
        assert suite["path"] == "verdicts/attack.jsonl"
        assert suite["completions"] == {"DirectRequest": "completions.json"}
        told = suite["judge"]
        assert told["id"] == "tiny-judge"
        assert told["revision"].startswith("sha256:")
        assert len(told["template_sha256"]) == 64
        assert told["dtype"] == "float32"
        assert "512 tokens" in told["decoding"]
        assert suite["judging"]["completions"] == len(texts())
        assert suite["judging"]["marks"]["empty"] == 1

    def test_equal_completions_are_judged_once(self, judged: Path) -> None:
        """Equal text of one behavior, not of two: their prompts differ."""
        assert len(stored(judged)) == len(texts())

    def test_no_text_is_kept_or_shown(
        self, judged: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Neither in the run, nor in what the command prints."""
        written = [
            path.read_text(encoding="utf-8")
            for path in judged.rglob("*")
            if path.is_file() and path.name != "completions.json"
        ]
        shown = "".join(capsys.readouterr())
        for text in ("placeholder request", "garden", "Rule one"):
            assert not any(text in content for content in written)
            assert text not in shown

    def test_again_there_is_nothing_to_do(
        self, judged: Path, llama: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The weights are not even loaded, and no byte changes."""
        before = {path: path.read_bytes() for path in judged.rglob("*") if path.is_file()}

        def refuse(*args: object, **more: object) -> None:
            raise AssertionError("loaded")

        monkeypatch.setattr(forward.Forward, "__init__", refuse)
        assert judge(judged, weights=llama) == 0
        assert judge(judged, "--suite", "attack", weights=llama) == 0
        assert before == {path: path.read_bytes() for path in judged.rglob("*") if path.is_file()}


def test_comments_and_other_suites_stay(tmp_path: Path, llama: Path) -> None:
    """Only the judged suite changes in run.yaml."""
    run = make_run(tmp_path / "run")
    other = "  xstest: {kind: refusal, reader: xstest, path: x.csv, judge: {id: human}}  # ours\n"
    text = (run / "run.yaml").read_text(encoding="utf-8")
    text = f"# a note\n{text}    # the last word\n{other}# the end\n"
    (run / "run.yaml").write_text(text, encoding="utf-8")
    assert judge(run, "--suite", "attack", weights=llama) == 0
    after = (run / "run.yaml").read_text(encoding="utf-8")
    for kept in ("# a note\n", other, "# the end\n"):
        assert kept in after
    assert declared(run)["judge"]["dtype"] == "float32"


@pytest.mark.parametrize("flow", [False, True])
def test_run_yaml_in_flow_style_is_changed_too(tmp_path: Path, llama: Path, flow: bool) -> None:
    """As JSON, which is YAML."""
    run = make_run(tmp_path / "run")
    dump = json.dumps(RUN) if flow else yaml.safe_dump(RUN)
    (run / "run.yaml").write_text(dump, encoding="utf-8")
    assert judge(run, weights=llama) == 0
    assert gate(["status", str(run)]) == 0


class TestResume:
    """Whatever stops it, the same command goes on."""

    def test_a_limit_leaves_the_rest_for_later(
        self, judged: Path, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """With exit code 75, and without a verdict file until everything is judged."""
        run = fresh(judged, tmp_path)
        assert judge(run, "--limit", "15", weights=llama) == 75
        assert "stopped: 25 completions are not judged yet" in capsys.readouterr().err
        assert not (run / "verdicts").exists()
        assert len(stored(run)) == 15
        assert gate(["status", str(run)]) == 1
        out = capsys.readouterr().out
        assert "to judge    25 of 40 completions" in out
        assert "at the speed of the last time on cpu" in out
        assert judge(run, weights=llama) == 0
        assert verdicts(run) == verdicts(judged)
        assert (run / "run.yaml").read_bytes() == (judged / "run.yaml").read_bytes()

    @pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_finishes_the_batch(
        self,
        name: signal.Signals,
        judged: Path,
        tmp_path: Path,
        llama: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """Saves, and exits 75."""
        run = fresh(judged, tmp_path)
        whole = forward.Forward._first_tokens

        def signaled(self: Any, group: Sequence[Any], *, alone: bool) -> Any:
            os.kill(os.getpid(), name)
            return whole(self, group, alone=alone)

        assert threading.current_thread() is threading.main_thread()
        monkeypatch.setattr(forward.Forward, "_first_tokens", signaled)
        assert judge(run, "--batch-tokens", "300", weights=llama) == 75
        assert "stopping after this batch" in capsys.readouterr().err
        monkeypatch.undo()
        saved = len(stored(run))
        assert 0 < saved < 40
        assert judge(run, weights=llama) == 0
        assert verdicts(run) == verdicts(judged)
        assert len(stored(run)) == 40

    def test_changed_completions_are_judged_anew(self, tmp_path: Path, llama: Path) -> None:
        """What is equal is not."""
        run = make_run(tmp_path / "run")
        assert judge(run, weights=llama) == 0
        changed = {**texts(), "b007": ["another placeholder"]}
        tiny.completions(run / "completions.json", changed)
        assert judge(run, "--suite", "attack", weights=llama) == 0
        assert len(stored(run)) == 41

    def test_a_shared_store_serves_both_checkpoints(
        self, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """What the baseline answered too is not judged again."""
        store = ("--store", str(tmp_path / "store"))
        first, second = make_run(tmp_path / "v1"), make_run(tmp_path / "v2")
        changed = {**texts(), "b007": ["another placeholder"]}
        tiny.completions(second / "completions.json", changed)
        assert judge(first, *store, weights=llama) == 0
        capsys.readouterr()
        assert judge(second, *store, weights=llama) == 0
        assert "39 judged before, 1 to judge" in capsys.readouterr().err
        assert len(Store(tmp_path / "store")) == 41

    def test_another_precision_is_another_verdict(self, tmp_path: Path, llama: Path) -> None:
        """It is part of the key; and run.yaml's declared judge may not change in silence."""
        run = make_run(tmp_path / "run")
        assert judge(run, "--limit", "5", weights=llama) == 75
        assert judge(run, "--dtype", "bfloat16", weights=llama) == 0
        assert len(stored(run)) == 45

    def test_a_dry_run_judges_nothing(
        self, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It says what there is to do."""
        run = make_run(tmp_path / "run")
        assert judge(run, "--dry-run", weights=llama) == 0
        err = capsys.readouterr().err
        assert "attack: 40 completions, 0 judged before, 40 to judge, about" in err
        assert stored(run) == []


class TestShards:
    """Parts of a job on several machines."""

    def shards(self, tmp_path: Path, llama: Path, of: int) -> list[Path]:
        """Judge every part in a copy of the run of its own."""
        made = []
        for number in range(1, of + 1):
            run = make_run(tmp_path / f"s{number}" / "run")
            assert judge(run, "--shard", f"{number}/{of}", weights=llama) == 0
            made.append(run)
        return made

    def test_merged_shards_are_one_run_to_the_byte(
        self, judged: Path, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Verdicts, run.yaml and job."""
        shards = self.shards(tmp_path, llama, 8)
        counts = Counter(len(stored(run)) for run in shards)
        assert sum(size * count for size, count in counts.items()) == 40
        into = make_run(tmp_path / "into" / "run")
        some = [str(run) for run in shards[:5]]
        assert gate(["merge", *some, "--into", str(into)]) == 1
        assert "not judged by any" in capsys.readouterr().out
        assert not (into / "verdicts").exists()
        assert gate(["merge", *map(str, shards), "--into", str(into)]) == 0
        for name in ("verdicts/attack.jsonl", "run.yaml", "judging/attack.job"):
            assert (into / name).read_bytes() == (judged / name).read_bytes()

    def test_overlap_is_told_and_contradictions_are_errors(
        self, judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """One verdict twice is fine; two verdicts are not."""
        other = Path(shutil.copytree(judged, tmp_path / "other"))
        into = make_run(tmp_path / "into" / "run")
        places = [str(judged), str(other), "--into", str(into)]
        assert gate(["merge", *places]) == 0
        assert "40 judged more than once" in capsys.readouterr().out
        [path] = (other / "judging" / "store").glob("*.jsonl")
        path.unlink()
        from gate.judge.log import Log

        rows = [{**row, "verdict": "safe"} for row in stored(judged)]
        with Log(path.parent) as log:
            log.append([{k: v for k, v in row.items() if k != "crc"} for row in rows])
        assert gate(["merge", *places]) == 4
        assert "two verdicts on one completion" in capsys.readouterr().err

    def test_shards_of_different_jobs_are_refused(
        self, judged: Path, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Other completions, or another judge."""
        other = make_run(tmp_path / "other" / "run", texts(seed=5))
        assert judge(other, "--shard", "1/2", weights=llama) == 0
        assert gate(["merge", str(judged), str(other), "--into", str(other)]) == 2
        assert "different jobs of suite 'attack'" in capsys.readouterr().err

    def test_the_last_shard_on_a_shared_disk_finishes(
        self, judged: Path, tmp_path: Path, llama: Path
    ) -> None:
        """Then there is nothing to merge."""
        run = fresh(judged, tmp_path)
        assert judge(run, "--shard", "1/2", weights=llama) == 0
        assert not (run / "verdicts").exists()
        assert judge(run, "--shard", "2/2", weights=llama) == 0
        assert verdicts(run) == verdicts(judged)

    @pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/0", "-1/2"])
    def test_a_part_must_be_one(self, tmp_path: Path, shard: str) -> None:
        """Counted from 1."""
        assert gate(["judge", str(make_run(tmp_path / "run")), f"--shard={shard}"]) == 2


class TestCheck:
    """Judging inline."""

    def test_check_judges_what_is_missing_and_decides(
        self, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """With the exit code of the decision; without it the evidence is unusable."""
        make_run(tmp_path / "baseline", revision="r0")
        make_run(tmp_path / "candidate", texts(seed=9))
        policy = write_policy(tmp_path / "policy.yaml", {**DELTA, "margin": 0.6})
        code, decision = decide(tmp_path, policy)
        assert code == 4
        assert decision["findings"][0]["reason"] == "E_UNJUDGED"
        assert "gate judge" in decision["findings"][0]["next_step"]
        settings = tmp_path / "judging.yaml"
        settings.write_text(
            f"weights: {llama}\nsuites:\n  attack:\n    judge: harmbench\n"
            f"    behaviors: {tmp_path / 'behaviors.csv'}\n",
            encoding="utf-8",
        )
        code, decision = decide(tmp_path, policy, "--judge", "--settings", str(settings))
        assert code == 0
        assert decision["findings"][0]["n"] == 40
        told = [text for text in decision["warnings"] if "gate judge" in text]
        assert len(told) == 2
        assert "1 empty" in told[0]
        capsys.readouterr()

    def test_what_cannot_be_judged_stays_unusable(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The reason is told, and there is a report all the same."""
        make_run(tmp_path / "baseline", revision="r0")
        make_run(tmp_path / "candidate")
        policy = write_policy(tmp_path / "policy.yaml", DELTA)
        settings = tmp_path / "judging.yaml"
        settings.write_text("judge: harmbench\nweights: /no/such\n", encoding="utf-8")
        code, decision = decide(tmp_path, policy, "--judge", "--settings", str(settings))
        assert code == 4
        assert decision["findings"][0]["reason"] == "E_UNJUDGED"
        assert "not judged: '/no/such' is neither a folder nor a hub id" in capsys.readouterr().err

    def test_another_precision_does_not_compare(self, tmp_path: Path, llama: Path) -> None:
        """The judge's arithmetic is part of who judged."""
        for side, dtype in (("baseline", "float32"), ("candidate", "bfloat16")):
            run = make_run(tmp_path / side, revision=side)
            assert judge(run, "--dtype", dtype, weights=llama) == 0
        code, decision = decide(tmp_path, write_policy(tmp_path / "policy.yaml", DELTA))
        assert code == 4
        assert decision["findings"][0]["reason"] == "E_JUDGE"
        assert "judge.dtype is float32" in decision["findings"][0]["summary"]


class TestWrong:
    """What cannot be judged, and why."""

    @pytest.mark.parametrize(
        ("args", "code", "message"),
        [
            (("--suite", "other"), 2, "no suite 'other'"),
            (("--engine", "transfomers"), 2, "did you mean transformers"),
            (("--judge", "harmbnech"), 2, "did you mean harmbench"),
            (("--settings", "missing.yaml"), 2, "cannot read the settings"),
            (("--behaviors", "missing.csv"), 4, "cannot be read"),
            (("--template", "missing.md"), 4, "no judge prompt can be read"),
            (("--label", "yes"), 2, "is not ANSWER=MEANING"),
        ],
    )
    def test_it_is_told(
        self,
        args: tuple[str, ...],
        code: int,
        message: str,
        tmp_path: Path,
        llama: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """With what to do next."""
        run = make_run(tmp_path / "run")
        assert judge(run, *args, weights=llama) == code
        err = capsys.readouterr().err
        assert message in err
        assert "next: " in err
        assert "Traceback" not in err

    def test_unknown_settings_are_placed(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """By line, with what was meant."""
        settings = tmp_path / "judging.yaml"
        settings.write_text("engine: transformers\nweigths: here\n", encoding="utf-8")
        run = make_run(tmp_path / "run")
        assert gate(["judge", str(run), "--settings", str(settings)]) == 2
        err = capsys.readouterr().err
        assert "judging.yaml:2" in err
        assert "weights" in err

    def test_a_behavior_without_text_stops_it_before_anything_is_judged(
        self, tmp_path: Path, llama: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Nothing is guessed."""
        run = make_run(tmp_path / "run")
        tiny.behaviors_csv(tmp_path / "behaviors.csv", list(texts())[1:])
        assert judge(run, weights=llama) == 4
        assert "has no behavior 'b000'" in capsys.readouterr().err
        assert stored(run) == []

    def test_a_declared_judge_is_not_replaced(
        self, judged: Path, tmp_path: Path, mistral: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Other weights under the same name are refused."""
        run = Path(shutil.copytree(judged, tmp_path / "run"))
        shutil.copy(judged.parent / "behaviors.csv", tmp_path)
        assert judge(run, "--suite", "attack", weights=mistral) == 4
        assert "run.yaml declares revision sha256:" in capsys.readouterr().err

    def test_a_run_elsewhere_cannot_be_judged(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Judging writes into the run."""
        assert gate(["judge", "s3://bucket/run"]) == 2
        assert "is not a folder on this machine" in capsys.readouterr().err

    def test_a_failed_completion_is_not_judged(self, tmp_path: Path, llama: Path) -> None:
        """HarmBench's own mark for it has its own reason."""
        run = make_run(tmp_path / "run", {**texts(), "b005": ["$ERROR$"]})
        assert judge(run, weights=llama) == 0
        row = next(row for row in verdicts(run) if row["behavior_id"] == "b005")
        assert (row["unsafe"], row["unscored"]) == (None, "checkpoint_error")

    def test_a_missing_extra_is_named(
        self, tmp_path: Path, llama: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        """With the command that installs it."""
        import sys

        monkeypatch.setitem(sys.modules, "transformers", None)
        assert judge(make_run(tmp_path / "run"), weights=llama) == 4
        assert "pip install 'checkpoint-gate[judge]'" in capsys.readouterr().err


def test_a_harmbench_tree_is_judged_where_it_lies(tmp_path: Path, llama: Path) -> None:
    """Its completions of every method; run.yaml then names the files."""
    run = make_run(tmp_path / "run")
    for method, experiment in (("DirectRequest", "default"), ("TAP", "other")):
        folder = run / "results" / method / experiment / "completions"
        tiny.completions(
            folder / "acme.json", {name: several * 2 for name, several in texts().items()}
        )
    manifest = yaml.safe_load((run / "run.yaml").read_text())
    suite = manifest["suites"]["attack"]
    suite |= {"reader": "harmbench", "path": "results", "model": "acme"}
    suite["methods"] = ["DirectRequest", "TAP"]
    del suite["completions"]
    (run / "run.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    assert judge(run, weights=llama) == 0
    rows = verdicts(run)
    assert Counter(row["method"] for row in rows) == {"DirectRequest": 80, "TAP": 80}
    assert {row["test_case"] for row in rows} == {0, 1}
    assert len(stored(run)) == 40, "equal completions of one behavior are judged once"
    assert declared(run)["completions"]["TAP"] == "results/TAP/other/completions/acme.json"
    assert "model" not in declared(run)
    assert gate(["status", str(run)]) == 0

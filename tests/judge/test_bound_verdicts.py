"""Verdicts are bound to everything that they depend on, and to the completions they are of."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gate.cli.main import run as gate
from tests.building import DELTA, decide, write_policy
from tests.judge import fake_openai, tiny
from tests.judge.fake_openai import SERVED, Server
from tests.judge.scene import declared, judge, make_run, stored, texts, verdicts

LABELS = ("yes=unsafe", "no=safe")
SWAPPED = ("yes=safe", "no=unsafe")


@pytest.fixture
def server() -> Iterator[Server]:
    """An honest server."""
    with fake_openai.serving() as server:
        yield server


def ask(
    run: Path, server: Server, *args: str, labels: tuple[str, ...] = LABELS, served: str = SERVED
) -> int:
    """Judge by a template and a server."""
    prompt = run.parent / "prompt.txt"
    prompt.write_text("Placeholder? {generation}\n", encoding="utf-8")
    given = [part for label in labels for part in ("--label", label)]
    place = ["--engine", "openai", "--url", server.url, "--served", served, "--tries", "1"]
    return gate(
        ["judge", str(run), "--judge", "template", "--template", str(prompt), *given, *place, *args]
    )


def declare(run: Path, **keys: object) -> None:
    """Change what run.yaml says of the suite."""
    manifest = yaml.safe_load((run / "run.yaml").read_text(encoding="utf-8"))
    manifest["suites"]["attack"] |= keys
    (run / "run.yaml").write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")


def decided(folder: Path) -> tuple[int, str, str]:
    """Decide between the runs `baseline` and `candidate`; return code, reason and summary."""
    code, decision = decide(folder, write_policy(folder / "policy.yaml", {**DELTA, "margin": 0.9}))
    finding = decision["findings"][0]
    return code, finding["reason"], finding["summary"]


class TestLabels:
    """What the judge's answers mean is a part of who judged."""

    def test_another_map_judges_anew(self, tmp_path: Path, server: Server) -> None:
        """Half of one map is never mixed with half of the other."""
        run = make_run(tmp_path / "run")
        assert ask(run, server, "--limit", "10") == 75
        assert ask(run, server, labels=SWAPPED) == 0
        clean = make_run(tmp_path / "clean" / "run")
        assert ask(clean, server, labels=SWAPPED) == 0
        assert verdicts(run) == verdicts(clean)

    def test_sides_with_opposite_maps_do_not_compare(self, tmp_path: Path, server: Server) -> None:
        """The rates would mean opposite things."""
        assert ask(make_run(tmp_path / "baseline", revision="r0"), server) == 0
        assert ask(make_run(tmp_path / "candidate"), server, labels=SWAPPED) == 0
        code, reason, summary = decided(tmp_path)
        assert (code, reason) == (4, "E_JUDGE")
        assert "judge.depends.answers" in summary

    def test_the_order_of_labels_is_no_difference(self, tmp_path: Path, server: Server) -> None:
        """The map is what counts."""
        assert ask(make_run(tmp_path / "baseline", revision="r0"), server) == 0
        assert ask(make_run(tmp_path / "candidate"), server, labels=LABELS[::-1]) == 0
        assert decided(tmp_path)[0] == 0

    def test_shards_with_opposite_maps_do_not_merge(self, tmp_path: Path, server: Server) -> None:
        """They are different jobs."""
        one, two = make_run(tmp_path / "1" / "run"), make_run(tmp_path / "2" / "run")
        ask(one, server, "--shard", "1/2")
        ask(two, server, "--shard", "2/2", labels=SWAPPED)
        into = make_run(tmp_path / "into" / "run")
        assert gate(["merge", str(one), str(two), "--into", str(into)]) == 2


def test_what_a_server_calls_the_weights_is_bound(tmp_path: Path, server: Server) -> None:
    """Whatever run.yaml calls the judge: two served names are two judges."""
    server.listed = {"data": [{"id": SERVED}, {"id": "acme/other"}]}
    for side, served in (("baseline", SERVED), ("candidate", "acme/other")):
        run = make_run(tmp_path / side, revision=side)
        if side == "candidate":
            server.misbehavior, server.times = renamed, 1e9
            server.chosen = lambda text: True
        assert ask(run, server, served=served) == 0
        assert declared(run)["judge"]["depends"]["served"] == served
    code, reason, summary = decided(tmp_path)
    assert (code, reason) == (4, "E_JUDGE")
    assert "judge.depends.served" in summary


def renamed(handler: fake_openai.Handler, body: dict[str, object]) -> None:
    """Answer under the name that was asked for."""
    handler.send(200, {**fake_openai.well(handler.server, body), "model": body["model"]})


class TestWeights:
    """The digest of what ran counts, whatever it is called."""

    def test_a_declared_revision_stands_in_for_no_digest(self, tmp_path: Path, llama: Path) -> None:
        """Both sides declare one commit, and ran other weights."""
        other = tiny.llama(tmp_path / "other", card=tiny.card(), seed=7)
        for side, weights in (("baseline", llama), ("candidate", other)):
            run = make_run(tmp_path / side, revision=side)
            declare(run, judge={"id": "tiny-judge", "revision": "a" * 40})
            assert judge(run, weights=weights) == 0
            assert declared(run)["judge"]["revision"] == "a" * 40
        code, reason, summary = decided(tmp_path)
        assert (code, reason) == (4, "E_JUDGE")
        assert "judge.depends.weights" in summary

    def test_the_notes_of_a_hub_stand_in_for_no_digest(self, tmp_path: Path, llama: Path) -> None:
        """Weights swapped in a folder that tells a commit are other weights."""
        digests = []
        for seed in (0, 7):
            folder = tiny.llama(tmp_path / f"w{seed}", card=tiny.card(), seed=seed)
            notes = folder / ".cache" / "huggingface" / "download"
            notes.mkdir(parents=True)
            (notes / "config.json.metadata").write_text("b" * 40 + "\n", encoding="utf-8")
            run = make_run(tmp_path / f"r{seed}" / "run")
            assert judge(run, weights=folder) == 0
            assert declared(run)["judge"]["revision"] == "b" * 40
            digests.append(declared(run)["judge"]["depends"]["weights"])
        assert digests[0] != digests[1]

    def test_an_index_and_what_it_names_are_digested(self, tmp_path: Path) -> None:
        """Also in a folder below; nothing outside is ever read."""
        folder = tiny.llama(tmp_path / "w", card=tiny.card())
        shards = folder / "below"
        shards.mkdir()
        (folder / "model.safetensors").rename(shards / "a.safetensors")
        names = _tensors(shards / "a.safetensors")
        index = folder / "model.safetensors.index.json"
        index.write_text(
            json.dumps({"metadata": {}, "weight_map": dict.fromkeys(names, "below/a.safetensors")}),
            encoding="utf-8",
        )
        run = make_run(tmp_path / "run")
        assert judge(run, weights=folder) == 0
        first = declared(run)["judge"]["depends"]["weights"]
        other = tiny.llama(tmp_path / "other", card=tiny.card(), seed=7)
        shutil.copy(other / "model.safetensors", shards / "a.safetensors")
        again = make_run(tmp_path / "again" / "run")
        assert judge(again, weights=folder) == 0
        assert declared(again)["judge"]["depends"]["weights"] != first

    @pytest.mark.parametrize("name", ["../a.safetensors", "/a.safetensors", "none.safetensors"])
    def test_an_index_names_nothing_outside(
        self, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Refused before anything is loaded."""
        folder = tiny.llama(tmp_path / "w", card=tiny.card())
        index = folder / "model.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": {"x": name}}), encoding="utf-8")
        assert judge(make_run(tmp_path / "run"), weights=folder) == 4
        assert "model.safetensors.index.json: it names a file" in capsys.readouterr().err

    def test_tensors_that_are_missing_are_never_made_up(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A config of more layers than the files hold is refused."""
        folder = tiny.llama(tmp_path / "w", card=tiny.card())
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        for key, of in config.items():
            if key == "layer_types" and of:
                config[key] = [*of, of[-1]]
        config["num_hidden_layers"] += 1
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        run = make_run(tmp_path / "run")
        assert judge(run, weights=folder) == 4
        assert "do not hold all of the weights: 9 missing tensors" in capsys.readouterr().err
        assert stored(run) == []

    def test_adapters_are_refused(self, tmp_path: Path, llama: Path) -> None:
        """They are put on weights that lie elsewhere."""
        folder = Path(shutil.copytree(llama, tmp_path / "w"))
        (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
        assert judge(make_run(tmp_path / "run"), weights=folder) == 4


def test_weights_that_a_config_renames_are_refused(tmp_path: Path, llama: Path) -> None:
    """They could lie anywhere below."""
    folder = Path(shutil.copytree(llama, tmp_path / "w"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["transformers_weights"] = "below/a.safetensors"
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert judge(make_run(tmp_path / "run"), weights=folder) == 4


def _tensors(path: Path) -> list[str]:
    from safetensors import safe_open

    with safe_open(path, "np") as file:
        return list(file.keys())


def test_the_chat_template_of_a_chat_judge_is_bound(tmp_path: Path, llama: Path) -> None:
    """Through another template it reads another prompt."""
    other = Path(shutil.copytree(llama, tmp_path / "other"))
    template = other / "chat_template.jinja"
    template.write_text(template.read_text(encoding="utf-8") + "Answer: ", encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("Placeholder? {generation}", encoding="utf-8")
    args = ["--judge", "template", "--template", str(tmp_path / "prompt.txt"), "--chat"]
    args += [part for label in LABELS for part in ("--label", label)]
    for side, weights in (("baseline", llama), ("candidate", other)):
        run = make_run(tmp_path / side, revision=side)
        assert gate(["judge", str(run), "--weights", str(weights), *args]) == 0
    code, reason, summary = decided(tmp_path)
    assert (code, reason) == (4, "E_JUDGE")
    assert "judge.depends.chat_template" in summary


def test_the_behaviors_are_bound(tmp_path: Path, llama: Path) -> None:
    """A judge that reads another behavior judges something else."""
    assert judge(make_run(tmp_path / "baseline", revision="r0"), weights=llama) == 0
    candidate = make_run(tmp_path / "candidate")
    csv = tmp_path / "behaviors.csv"
    csv.write_text(csv.read_text(encoding="utf-8").replace("request b002", "request c002"))
    assert judge(candidate, weights=llama) == 0
    code, reason, summary = decided(tmp_path)
    assert (code, reason) == (4, "E_JUDGE")
    assert "judge.depends.behaviors" in summary


class TestMerge:
    """Only verdicts on what a run has, by the judge that it declares, go into it."""

    @pytest.fixture
    def shard(self, tmp_path: Path, server: Server) -> Path:
        """A run that was judged."""
        run = make_run(tmp_path / "shard" / "run")
        assert ask(run, server) == 0
        return run

    def into(self, shard: Path, run: Path) -> int:
        """Merge."""
        return gate(["merge", str(shard), "--into", str(run)])

    def test_other_completions(
        self, tmp_path: Path, shard: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Verdicts on one checkpoint's completions never become another's."""
        run = make_run(tmp_path / "run", texts(seed=5))
        before = (run / "run.yaml").read_bytes()
        assert self.into(shard, run) == 4
        assert "other completions in completions.json" in capsys.readouterr().err
        assert (run / "run.yaml").read_bytes() == before
        assert not (run / "verdicts").exists()
        assert not (run / "judging").exists()

    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"judge": {"id": "another"}}, 4),
            ({"judge": {"id": "tiny-judge", "revision": "a" * 40}}, 4),
            ({"judge": {"id": "tiny-judge", "template_sha256": "a" * 64}}, 4),
            ({"completions": {"Other": "completions.json"}}, 4),
            ({"kind": "refusal", "completions": "completions.json"}, 2),
        ],
    )
    def test_another_declaration(
        self, tmp_path: Path, shard: Path, changed: dict[str, object], code: int
    ) -> None:
        """Judge, prompt, methods and kind are held against the run's own."""
        run = make_run(tmp_path / "run")
        declare(run, **changed)
        assert self.into(shard, run) == code
        assert not (run / "verdicts").exists()

    def test_no_such_suite(
        self, tmp_path: Path, shard: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Told, not a crash."""
        run = make_run(tmp_path / "run")
        text = (run / "run.yaml").read_text(encoding="utf-8")
        (run / "run.yaml").write_text(text.replace("  attack:", "  other:"), encoding="utf-8")
        assert self.into(shard, run) == 2
        assert "no suite 'attack' of kind attack" in capsys.readouterr().err

    def test_the_same_is_merged(self, tmp_path: Path, shard: Path) -> None:
        """What the run has, goes into it."""
        run = make_run(tmp_path / "run")
        assert self.into(shard, run) == 0
        assert verdicts(run) == verdicts(shard)


def test_completions_that_changed_are_unjudged_again(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status tells, check refuses, and judging judges them."""
    for side in ("baseline", "candidate"):
        assert ask(make_run(tmp_path / side, revision=side), server) == 0
    assert decided(tmp_path)[0] == 0
    run = tmp_path / "candidate"
    tiny.completions(run / "completions.json", texts(seed=5))
    assert gate(["status", str(run)]) == 1
    told = capsys.readouterr().out
    assert "changed since they were judged" in told
    assert "40 of 40 completions" in told
    code, reason, _ = decided(tmp_path)
    assert (code, reason) == (4, "E_UNJUDGED")
    assert ask(run, server) == 0
    assert gate(["status", str(run)]) == 0
    clean = make_run(tmp_path / "clean" / "run", texts(seed=5))
    assert ask(clean, server) == 0
    assert verdicts(run) == verdicts(clean)


def test_verdicts_without_their_completions_stand(tmp_path: Path, server: Server) -> None:
    """A run may be handed on without texts."""
    run = make_run(tmp_path / "run")
    assert ask(run, server) == 0
    (run / "completions.json").unlink()
    assert gate(["status", str(run)]) == 0


def test_half_a_character_is_judged(tmp_path: Path, server: Server) -> None:
    """A lone surrogate in a completion stops nothing, without a tokenizer too."""
    run = make_run(tmp_path / "run", {"b000": ["one \ud800 two"], "b001": ["plain"]})
    assert ask(run, server) == 0
    assert {row["unsafe"] for row in verdicts(run)} <= {True, False}
    assert len(verdicts(run)) == 2


def test_half_a_character_in_an_id_is_told(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two ids could become one."""
    run = make_run(tmp_path / "run", {"b000": ["plain"]})
    (run / "completions.json").write_text('{"b\\ud800": [{"generation": "x"}]}', encoding="utf-8")
    assert ask(run, server) == 4
    assert "lone surrogate" in capsys.readouterr().err


@pytest.mark.parametrize("verdict", ["full", "safe 2", None])
def test_a_stored_word_of_another_kind_is_told(
    tmp_path: Path, server: Server, verdict: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """However well its checksum fits."""
    from gate.judge.log import Log

    run = make_run(tmp_path / "run")
    assert ask(run, server, "--limit", "5") == 75
    rows = [{key: of for key, of in row.items() if key != "crc"} for row in stored(run)]
    [path] = (run / "judging" / "store").glob("*.jsonl")
    path.unlink()
    with Log(path.parent) as log:
        log.append([{**rows[0], "verdict": verdict}, *rows[1:]])
    assert ask(run, server) == 4
    assert "is none of a suite of kind attack" in capsys.readouterr().err

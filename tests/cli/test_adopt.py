"""`gate adopt`: what files are, what they do not say, and the run that comes of it."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from gate.cli import adopt as adopt_module
from gate.cli.main import gate as command_line
from gate.cli.main import run as gate
from tests.building import attack_rows, judgment_rows, refusal_rows, write_policy

TEXT = "placeholder request"
TOLD = ("--checkpoint", "acme-7b", "--judge", "placeholder-judge", "--max-new-tokens", "512")
Adopt = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adopt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Adopt:
    """Run `gate adopt` in a directory of its own; gives the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = gate(["adopt", *args])
        shown = capsys.readouterr()
        assert TEXT not in shown.out + shown.err
        return code, shown.out, shown.err

    return run


def manifest(folder: str = ".") -> dict[str, Any]:
    """Read the run.yaml that was written."""
    loaded = yaml.safe_load(Path(folder, "run.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def suite(name: str, folder: str = ".") -> dict[str, Any]:
    """Read one suite of the run.yaml that was written."""
    found: dict[str, Any] = manifest(folder)["suites"][name]
    return found


def write(path: str | Path, content: object) -> Path:
    """Write JSON, or text as it stands, making folders as needed."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    place.write_text(text, encoding="utf-8")
    return place


def write_csv(path: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as CSV."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_lines(path: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as JSON lines."""
    write(path, "".join(json.dumps(row) + "\n" for row in rows))


def results(*unsafe: int, n: int = 30, judged: bool = True) -> dict[str, Any]:
    """Make a HarmBench file of n behaviors, those named unsafe."""
    label = (lambda i: {"label": int(i in unsafe)}) if judged else (lambda i: {})
    return {f"b{i:03d}": [{"test_case": TEXT, "generation": TEXT, **label(i)}] for i in range(n)}


def artifact(method: str, checkpoint: str, *unsafe: int, null: Sequence[int] = ()) -> Any:
    """Make a JailbreakBench artifact of 20 behaviors."""
    return {
        "parameters": {"method": method, "model": checkpoint},
        "jailbreaks": [
            {
                "index": i,
                "behavior": f"Behavior {i}",
                "category": "Placeholder",
                "prompt": None if i in null else TEXT,
                "response": None if i in null else TEXT,
                "jailbroken": i in unsafe,
                "jailbroken_llama_guard1": False,
            }
            for i in range(20)
        ],
    }


def xstest(*refused: int, prefix: str = "v2-", other: str = "") -> list[dict[str, object]]:
    """Make XSTest rows: 20 safe prompts, 10 unsafe contrasts."""
    return [
        {
            "id": f"{prefix}{i + 1}",
            "type": "homonyms" if i < 20 else "contrast_homonyms",
            "completion": TEXT,
            "final_label": other if other and i == 3 else
            "2_full_refusal" if i in refused or i >= 20 else "1_full_compliance",
            "gpt4_label": "1_full_compliance",
        }
        for i in range(30)
    ]  # fmt: skip


def records(*wrong: int, n: int = 20) -> list[dict[str, object]]:
    """Make R-Judge records with predictions; every second one is unsafe."""
    return [
        {"id": i, "contents": [[{"role": "user", "content": TEXT}]], "label": i % 2,
         "pred": 1 - i % 2 if i in wrong else i % 2}
        for i in range(n)
    ]  # fmt: skip


def check(*checks: Mapping[str, Any], baseline: str, candidate: str) -> int:
    """Decide on two adopted runs."""
    policy = write_policy(Path("policy.yaml"), *checks)
    return gate(
        ["check", "--policy", str(policy), "--baseline", baseline, "--candidate", candidate]
    )


class TestHarmBench:
    """Trees and results files."""

    def test_a_tree_becomes_a_run_that_can_be_decided_on(self, adopt: Adopt) -> None:
        """Two checkpoints of one tree are adopted into runs of their own, and compared."""
        for method in ("DirectRequest", "TAP"):
            write(f"results/{method}/default/results/v1.json", results(1))
            write(f"results/{method}/default/results/v2.json", results(*range(20)))
        for name in ("v1", "v2"):
            code, out, _ = adopt("results", *TOLD, "--model", name, "--out", f"runs/{name}")
            assert code == 0
            assert "DirectRequest: 30 ids, 30 of 30 rows scored" in out
        declared = suite("harmbench", "runs/v1")
        assert declared["path"] == "../../results"
        assert declared["methods"] == ["DirectRequest", "TAP"]
        delta = {"suite": "harmbench", "check": "paired-delta", "method": "TAP", "margin": 0.2}
        shutil.copytree("runs/v1", "runs/v1-again")
        with Path("runs/v1-again/run.yaml").open("a", encoding="utf-8") as manifest:
            manifest.write("# again\n")
        assert check(delta, baseline="runs/v1", candidate="runs/v1-again") == 0
        assert check(delta, baseline="runs/v1", candidate="runs/v2") == 1

    def test_the_checkpoint_of_a_tree_must_be_named_where_there_are_several(
        self, adopt: Adopt
    ) -> None:
        """Variants beside the checkpoint's own file are never taken for it."""
        write("results/TAP/default/results/v1.json", results())
        write("results/TAP/default/results/v1_full_70.json", results())
        code, _, err = adopt("results", *TOLD)
        assert code == 2
        assert "--model NAME: which checkpoint's files" in err
        assert "one of v1, v1_full_70" in err
        assert not Path("results/run.yaml").exists()

    def test_an_experiment_is_chosen_only_where_there_are_several(self, adopt: Adopt) -> None:
        """A method with one experiment needs none; one with two needs an answer."""
        write("results/TAP/one/results/v1.json", results())
        write("results/TAP/two/results/v1.json", results(1, 2))
        write("results/DirectRequest/default/results/v1.json", results())
        assert "--experiment TAP=FOLDER" in adopt("results", *TOLD)[2]
        code, _, _ = adopt("results", *TOLD, "--experiment", "TAP=two")
        assert code == 0
        assert suite("harmbench", "results")["experiments"] == {"TAP": "two"}

    def test_other_lengths_lie_in_folders_of_their_own(self, adopt: Adopt) -> None:
        """The length told decides which files are meant."""
        write("results/TAP/default/results/256_tokens/v1.json", results())
        code, _, err = adopt("results", *TOLD)
        assert code == 2
        assert "no files of max_new_tokens 512" in err
        assert "256 tokens" in err
        told = (*TOLD[:4], "--max-new-tokens", "256")
        assert adopt("results", *told)[0] == 0

    def test_a_tree_is_found_one_folder_down(self, adopt: Adopt) -> None:
        """Beside other files, which are looked at for themselves."""
        write("results/TAP/default/results/v1.json", results(1))
        write("results/TAP/default/completions/v1.json", results(judged=False))
        write_csv("x.csv", xstest())
        told = ("--checkpoint", "acme", "--judge", "harmbench=j", "--judge", "xstest=human",
                "--max-new-tokens", "512", "--label-column", "xstest=final_label")  # fmt: skip
        code, _, err = adopt(".", *told)
        assert code == 0, err
        assert suite("harmbench")["path"] == "results"
        assert suite("xstest")["path"] == "x.csv"

    def test_completions_without_results_are_unjudged(self, adopt: Adopt) -> None:
        """The run is written, and both adopt and status say what awaits a judge."""
        write("results/TAP/default/completions/v1.json", results(judged=False))
        code, out, _ = adopt("results", *TOLD)
        assert code == 0
        assert "completions without results: TAP/default/v1" in out
        assert "unjudged: harmbench" in out
        assert gate(["status", "results"]) == 1

    def test_a_single_file_needs_its_method(self, adopt: Adopt) -> None:
        """The file does not say how requests were put; the tree it lies in does."""
        write("v1.json", results(1))
        code, _, err = adopt("v1.json", *TOLD)
        assert code == 2
        assert "--method v1.json=METHOD" in err
        assert adopt("v1.json", *TOLD, "--method", "TAP")[0] == 0
        assert suite("harmbench")["path"] == {"TAP": "v1.json"}
        write("tree/PAIR/default/results/v1.json", results(1))
        assert adopt("tree/PAIR/default/results/v1.json", *TOLD, "--out", "run")[0] == 0
        assert list(suite("harmbench", "run")["path"]) == ["PAIR"]

    def test_a_single_file_of_completions_is_unjudged(self, adopt: Adopt) -> None:
        """It is declared as what awaits a judge."""
        write("v1.json", results(judged=False))
        code, out, _ = adopt("v1.json", *TOLD, "--method", "TAP")
        assert code == 0
        assert "unjudged: harmbench" in out
        assert suite("harmbench")["completions"] == "v1.json"


class TestJailbreakBench:
    """Artifacts."""

    def test_methods_come_from_the_artifacts(self, adopt: Adopt) -> None:
        """A folder of artifacts becomes one suite, a file a method; null prompts are counted."""
        write("jbb/PAIR/v1.json", artifact("PAIR", "v1", 1, 2, null=[5, 6, 7]))
        write("jbb/GCG/v1.json", artifact("GCG", "v1", 1))
        code, out, _ = adopt("jbb", *TOLD, "--label-column", "jailbroken", "--out", "run")
        assert code == 0
        assert "GCG: 20 ids, 20 of 20 rows scored" in out
        assert "PAIR: 20 ids, 17 of 20 rows scored; unscored: 3 not_submitted" in out
        declared = suite("jailbreakbench", "run")
        assert declared["path"] == {"GCG": "../jbb/GCG/v1.json", "PAIR": "../jbb/PAIR/v1.json"}
        assert declared["label_column"] == "jailbroken"

    def test_the_judge_column_is_never_guessed(self, adopt: Adopt) -> None:
        """Two judges' columns are two answers; the files of two checkpoints are two runs."""
        write("jbb/v1.json", artifact("PAIR", "v1"))
        write("jbb/v2.json", artifact("PAIR", "v2"))
        _, _, err = adopt("jbb", *TOLD)
        assert "one of jailbroken, jailbroken_llama_guard1" in err
        assert "one of v1, v2" in err
        told = (*TOLD, "--label-column", "jailbroken", "--model", "v2")
        assert adopt("jbb", *told)[0] == 0
        assert suite("jailbreakbench", "jbb")["path"] == {"PAIR": "v2.json"}

    def test_two_files_of_one_method_are_refused(self, adopt: Adopt) -> None:
        """Which one counts is not for the tool to say."""
        write("jbb/a.json", artifact("PAIR", "v1"))
        write("jbb/b.json", artifact("PAIR", "v1"))
        code, _, err = adopt("jbb", *TOLD, "--label-column", "jailbroken")
        assert code == 2
        assert "both of method PAIR" in err


class TestXSTest:
    """Rows of XSTest."""

    def test_the_prefix_of_ids_is_stripped(self, adopt: Adopt) -> None:
        """Ids v2-1 of one checkpoint meet ids 1 of the other."""
        write_csv("v1.csv", xstest(1, 2))
        write_csv("v2.csv", xstest(1, 2, prefix=""))
        told = ("--checkpoint", "acme", "--judge", "human", "--label-column", "final_label")
        code, out, _ = adopt("v1.csv", *told, "--out", "runs/v1")
        assert code == 0
        assert "ids start with v2-, which is stripped" in out
        assert suite("xstest", "runs/v1")["id_prefix"] == "v2-"
        assert adopt("v2.csv", *told, "--out", "runs/v2")[0] == 0
        assert "id_prefix" not in suite("xstest", "runs/v2")
        limits = {"suite": "xstest", "check": "over-refusal", "max_rate": 0.5, "margin": 0.3}
        assert check(limits, baseline="runs/v1", candidate="runs/v2") == 0

    def test_labels_that_are_not_xstests_must_be_told(self, adopt: Adopt) -> None:
        """A label of no known meaning is asked for by name."""
        write_csv("v1.csv", xstest(other="__unparseable__"))
        told = ("--checkpoint", "acme", "--judge", "j", "--label-column", "final_label")
        code, _, err = adopt("v1.csv", *told)
        assert code == 2
        assert "--label __unparseable__=MEANING" in err
        code, out, _ = adopt("v1.csv", *told, "--label", "__unparseable__=unparsed")
        assert code == 0
        assert "29 of 30 rows scored; unscored: 1 unparsed" in out

    def test_two_checkpoints_files_are_refused(self, adopt: Adopt) -> None:
        """A run is about one checkpoint."""
        write_csv("x/v1.csv", xstest())
        write_csv("x/v2.csv", xstest())
        code, _, err = adopt("x", *TOLD)
        assert code == 2
        assert "a run is about one checkpoint" in err


class TestRJudge:
    """Records with predictions."""

    def test_a_file_becomes_a_judgment_suite(self, adopt: Adopt) -> None:
        """The prediction is found by its name."""
        write("rjudge.json", records(3))
        told = ("--checkpoint", "acme", "--judge", "exact-word", "--temperature", "0")
        code, out, _ = adopt("rjudge.json", *told)
        assert code == 0
        assert "20 ids, 20 of 20 rows scored" in out
        assert suite("rjudge")["label_column"] == "pred"
        assert suite("rjudge")["generation"] == {"temperature": 0}

    def test_a_folder_of_categories_is_one_suite(self, adopt: Adopt) -> None:
        """Its folders are the categories."""
        write("out/Finance/a/results.json", records(n=4))
        write("out/Web/b/results.json", [{**row, "id": 100 + i} for i, row in enumerate(records())])
        told = ("--checkpoint", "acme", "--judge", "exact-word")
        code, out, _ = adopt("out", *told, "--out", "run")
        assert code == 0
        assert "24 ids" in out
        floor = {"suite": "rjudge", "check": "f1-floor", "floor": 0.3, "by": "category",
                 "floors": {"Finance": 0.1, "Web": 0.5}}  # fmt: skip
        assert check(floor, baseline="run", candidate="run") == 0

    def test_records_without_predictions_are_no_verdicts(self, adopt: Adopt) -> None:
        """The benchmark's own records say nothing about a checkpoint."""
        bare = [{key: row[key] for key in ("id", "contents", "label")} for row in records()]
        write("rjudge.json", bare)
        code, _, err = adopt("rjudge.json", *TOLD)
        assert code == 2
        assert "no column of verdicts" in err


class TestNative:
    """Our own rows."""

    def test_a_folder_of_native_files_becomes_suites_by_name(self, adopt: Adopt) -> None:
        """Kinds come from the columns, in every form of file."""
        write_lines("run/harm.jsonl", attack_rows([1]))
        write_csv("run/over.csv", refusal_rows())
        parquet("run/judge.parquet", judgment_rows())
        write("run/README.md", "notes")
        judges = [x for name in ("harm", "over", "judge") for x in ("--judge", f"{name}=j")]
        told = ("--checkpoint", "acme", *judges, "--max-new-tokens", "256")
        code, out, _ = adopt("run", *told)
        assert code == 0
        kinds = {name: found["kind"] for name, found in manifest("run")["suites"].items()}
        assert kinds == {"harm": "attack", "judge": "judgment", "over": "refusal"}
        assert "left aside: run/README.md" in out
        assert "everything is readable and judged" in out

    def test_a_named_folder_of_shards_is_one_suite(self, adopt: Adopt) -> None:
        """NAME=PATH joins the files."""
        rows = attack_rows([1])
        write_lines("shards/a.jsonl", rows[:50])
        write_lines("shards/b.jsonl", rows[50:])
        code, out, _ = adopt("harm=shards", *TOLD, "--out", "run")
        assert code == 0
        assert "100 ids" in out
        assert suite("harm", "run")["path"] == ["../shards/a.jsonl", "../shards/b.jsonl"]

    def test_another_encoding_is_declared(self, adopt: Adopt) -> None:
        """It is written into run.yaml, and the rows are read by it."""
        rows = refusal_rows(n=40, safe=20)
        write_csv("over.csv", [{**row, "prompt_type": "größer"} for row in rows])
        text = Path("over.csv").read_text(encoding="utf-8")
        Path("over.csv").write_text(text, encoding="cp1252")
        assert adopt("over.csv", *TOLD)[0] == 4
        assert adopt("over.csv", *TOLD, "--encoding", "cp1252")[0] == 0
        assert suite("over")["encoding"] == "cp1252"


class TestTables:
    """Everything else."""

    ROWS = tuple({"index": i, "flagged": i % 3 == 0, "answer": TEXT * i} for i in range(30))

    def test_a_table_says_its_columns_and_asks_for_the_rest(self, adopt: Adopt) -> None:
        """First what it is about, then its columns, then its labels: all named, none guessed."""
        write("odd.json", list(self.ROWS))
        _, out, err = adopt("odd.json", *TOLD)
        assert "a table in no known format, odd.json; columns: answer, flagged, index" in out
        assert "--kind KIND: what the table is about" in err
        _, _, err = adopt("odd.json", *TOLD, "--kind", "attack")
        for ours in ("behavior_id", "unsafe", "method"):
            assert f"--column {ours}=COLUMN" in err
        columns = ("--column", "behavior_id=index", "--column", "unsafe=flagged")
        told = (*TOLD, "--kind", "attack", *columns, "--constant", "method=TAP")
        _, _, err = adopt("odd.json", *told)
        assert "--label false=MEANING" in err
        assert "--label true=MEANING" in err
        code, out, _ = adopt("odd.json", *told, "--label", "true=unsafe", "--label", "false=safe")
        assert code == 0
        assert "TAP: 30 ids, 30 of 30 rows scored" in out
        assert suite("odd")["labels"] == {"true": "unsafe", "false": "safe"}

    def test_a_column_of_text_cannot_be_the_verdict(self, adopt: Adopt) -> None:
        """Its values are neither shown nor asked about."""
        write("odd.json", list(self.ROWS))
        columns = ("--column", "behavior_id=index", "--column", "unsafe=answer")
        told = (*TOLD, "--kind", "attack", *columns, "--constant", "method=TAP")
        code, _, err = adopt("odd.json", *told)
        assert code == 2
        assert "column 'answer' holds text" in err

    def test_two_tables_may_give_one_label_two_meanings(self, adopt: Adopt) -> None:
        """SUITE/LABEL says which is meant; labels that are not there yet are kept."""
        write("a.json", [{"index": i, "v": i % 2} for i in range(20)])
        write("b.json", [{"index": i, "v": 1} for i in range(20)])
        told = ("--checkpoint", "acme", "--judge", "a=j", "--judge", "b=j", "--kind", "a=attack",
                "--kind", "b=refusal", "--max-new-tokens", "512", "--column", "behavior_id=index",
                "--column", "prompt_id=#row", "--column", "unsafe=v", "--column", "refusal=v",
                "--constant", "method=TAP", "--constant", "prompt_label=safe")  # fmt: skip
        _, _, err = adopt("a.json", "b.json", *told)
        assert "--label a/1=MEANING" in err
        labels = [x for text in ("a/1=unsafe", "a/0=safe", "b/1=none", "b/0=full")
                  for x in ("--label", text)]  # fmt: skip
        assert adopt("a.json", "b.json", *told, *labels)[0] == 0
        assert suite("b")["labels"] == {"0": "full", "1": "none"}

    def test_an_object_in_no_known_format_is_refused(self, adopt: Adopt) -> None:
        """It has no rows that could be declared."""
        write("odd.json", {"a": {"x": 1}})
        code, _, err = adopt("odd.json", *TOLD)
        assert code == 2
        assert "in no known format, and has no rows" in err


class TestAnswers:
    """What the files do not say."""

    def test_what_is_missing_is_listed_exactly(self, adopt: Adopt) -> None:
        """Only what must be told is; a suite is named where there are several."""
        write_lines("harm.jsonl", attack_rows())
        write_csv("x.csv", xstest())
        code, out, err = adopt("harm.jsonl", "x.csv")
        assert code == 2
        options = [line.split(":")[1].strip() for line in err.splitlines() if ": --" in line]
        assert options == [
            "--checkpoint NAME",
            "--max-new-tokens harm=N",
            "--judge harm=ID",
            "--label-column xstest=COLUMN",
            "--judge xstest=ID",
        ]
        assert "found harm" in out
        assert list(Path().glob("**/run.yaml")) == []

    def test_what_stays_unknown_is_said_with_what_follows(self, adopt: Adopt) -> None:
        """Left out or told to be unknown: not declared, and visible in run.yaml."""
        write_lines("harm.jsonl", attack_rows())
        code, out, _ = adopt("harm.jsonl", *TOLD, "--revision", "unknown")
        assert code == 0
        assert "unknown: revision: reports cannot say which weights were judged" in out
        assert "unknown: judge template [suite harm]: a changed judge prompt goes unnoticed" in out
        assert manifest()["checkpoint"] == {"name": "acme-7b"}
        assert "# template_sha256: unknown" in Path("run.yaml").read_text(encoding="utf-8")

    def test_templates_are_digested_never_copied(self, adopt: Adopt) -> None:
        """A file, a digest, or none at all."""
        write_lines("harm.jsonl", attack_rows())
        write("chat.jinja", TEXT)
        told = ("--chat-template", "chat.jinja", "--system-prompt", "none")
        code, _, _ = adopt("harm.jsonl", *TOLD, *told, "--judge-template", "AB" * 32)
        assert code == 0
        assert manifest()["checkpoint"] == {
            "name": "acme-7b",
            "chat_template_sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
            "system_prompt_sha256": hashlib.sha256(b"").hexdigest(),
        }
        assert suite("harm")["judge"]["template_sha256"] == "ab" * 32
        assert TEXT not in Path("run.yaml").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--chat-template", "nowhere"], "neither a sha256 nor a file"),
            (["--max-new-tokens", "many"], "not a whole number"),
            (["--temperature", "nan"], "not a number"),
            (["--judge", "xtest=human"], "there is no suite 'xtest'"),
            (["--judge", "other"], "given as"),
            (["--label-column", "flagged"], "nothing that was found needs --label-column flagged"),
            (["--experiment", "default"], "must be METHOD=FOLDER"),
        ],
    )
    def test_an_answer_that_cannot_be_right_is_refused(
        self, adopt: Adopt, options: list[str], says: str
    ) -> None:
        """Whatever its option, the message names it and nothing is written."""
        write_lines("harm.jsonl", attack_rows())
        told = [*TOLD[:4], *options]
        told += [] if "--max-new-tokens" in options else TOLD[4:]
        code, _, err = adopt("harm.jsonl", *told)
        assert code == 2
        assert says in err
        assert not Path("run.yaml").exists()

    def test_one_judge_is_never_taken_for_several_suites(self, adopt: Adopt) -> None:
        """Each suite's judge must be named."""
        write_lines("harm.jsonl", attack_rows())
        write_lines("over.jsonl", refusal_rows())
        code, _, err = adopt("harm.jsonl", "over.jsonl", *TOLD)
        assert code == 2
        assert "of which suite? There are harm, over" in err


class TestPrompts:
    """On a terminal."""

    @pytest.fixture(autouse=True)
    def terminal(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Pretend that there is somebody to ask."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(adopt_module, "on_a_terminal", lambda: True)

    def ask(self, *args: str, answers: Sequence[str]) -> Any:
        """Run `gate adopt` with answers typed."""
        typed = "".join(f"{answer}\n" for answer in answers)
        return CliRunner().invoke(
            command_line, ["adopt", *args], input=typed, standalone_mode=False
        )

    def test_everything_unknown_is_asked_for(self) -> None:
        """Enter leaves what may stay unknown; a wrong answer is asked for again."""
        write_csv("x.csv", xstest(1))
        answers = ["acme", "", "nowhere", "", "none", "labels", "final_label", "human", "", "", "0"]
        done = self.ask("x.csv", answers=answers)
        assert done.return_value == 0, done.output
        assert "'nowhere' is neither a sha256 nor a file" in done.output
        assert "one of final_label, gpt4_label" in done.output
        assert suite("xstest")["judge"] == {"id": "human"}
        assert suite("xstest")["generation"] == {"temperature": 0.0}
        assert set(manifest()["checkpoint"]) == {"name", "system_prompt_sha256"}

    def test_options_are_not_asked_for_again(self) -> None:
        """Only the rest is."""
        write_lines("harm.jsonl", attack_rows())
        done = self.ask("harm.jsonl", *TOLD, answers=["r1", "", "", "", "", "0.7"])
        assert done.return_value == 0, done.output
        assert "id of the judge" not in done.output
        assert manifest()["checkpoint"]["revision"] == "r1"

    def test_a_table_is_asked_for_column_by_column(self) -> None:
        """Also what is the same in every row, and what each label means."""
        write("odd.json", list(TestTables.ROWS))
        told = (*TOLD, "--revision", "r", "--chat-template", "none", "--system-prompt", "none",
                "--judge-revision", "1", "--judge-template", "none",
                "--temperature", "0")  # fmt: skip
        answers = ["refusal", "index", "flagged", "(constant)", "safe", "none", "full"]
        done = self.ask("odd.json", *told, answers=answers)
        assert done.return_value == 0, done.output
        assert suite("odd")["constants"] == {"prompt_label": "safe"}
        assert suite("odd")["labels"] == {"false": "none", "true": "full"}

    def test_an_interrupted_conversation_writes_nothing(self) -> None:
        """The end of the input is no answer."""
        write_lines("harm.jsonl", attack_rows())
        done = self.ask("harm.jsonl", answers=["acme"])
        assert done.return_value is None
        assert not Path("run.yaml").exists()


class TestFiles:
    """What is read and written."""

    def test_nothing_is_written_over(self, adopt: Adopt) -> None:
        """A run.yaml that is there stays, unless --force says otherwise."""
        write_lines("harm.jsonl", attack_rows())
        write("run.yaml", "mine")
        code, _, err = adopt("harm.jsonl", *TOLD)
        assert code == 2
        assert "run.yaml exists already" in err
        assert Path("run.yaml").read_text(encoding="utf-8") == "mine"
        assert adopt("harm.jsonl", *TOLD, "--force")[0] == 0

    def test_a_run_that_cannot_be_read_back_exits_4(self, adopt: Adopt) -> None:
        """What is wrong far down in the file shows then; run.yaml stays to be corrected."""
        rows = attack_rows(n=400)
        write_lines("harm.jsonl", [*rows, {**rows[0], "behavior_id": "z", "unsafe": "maybe"}])
        code, out, _ = adopt("harm.jsonl", *TOLD)
        assert code == 4
        assert "line 401" in out
        assert "correct run.yaml, then: gate status ." in out
        assert Path("run.yaml").exists()

    @pytest.mark.parametrize(
        ("name", "content"),
        [("empty.json", ""), ("half.json", '{"a": [{"label"'), ("half.csv", 'id,type\n"1')],
    )
    def test_a_file_that_cannot_be_read_exits_4(
        self, adopt: Adopt, name: str, content: str
    ) -> None:
        """Nothing is written, and the file is named."""
        write(name, content)
        code, _, err = adopt(name, *TOLD)
        assert code == 4
        assert name in err
        assert not Path("run.yaml").exists()

    @pytest.mark.parametrize("paths", [["nowhere"], ["harm=nowhere"], ["folder"]])
    def test_a_path_without_verdicts_is_refused(self, adopt: Adopt, paths: list[str]) -> None:
        """It must exist, and hold something."""
        write("folder/README.md", "notes")
        assert adopt(*paths, *TOLD)[0] == 2

    def test_hostile_names_are_shown_harmless_and_kept_exact(self, adopt: Adopt) -> None:
        """What a terminal or YAML would act on is escaped, and still names the file."""
        name = "a: [b] # 'c' \u2028{d}"
        write_lines(f"in/{name}.jsonl", attack_rows())
        code, out, _ = adopt("in", *TOLD, "--out", "run")
        assert code == 0
        assert "\u2028" not in out
        assert suite(name, "run")["path"] == f"../in/{name}.jsonl"

    def test_names_that_yaml_cannot_hold_are_refused(self, adopt: Adopt) -> None:
        """A control character is told by its number, never printed."""
        write_lines("in/a\x1b[31m.jsonl", attack_rows())
        code, out, err = adopt("in", *TOLD, "--out", "run")
        assert code == 2
        assert "U+001B" in err
        assert "\x1b" not in out + err
        assert not Path("run/run.yaml").exists()


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """A newcomer can start from the help alone."""
    assert gate(["adopt", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Examples:" in shown
    assert "--label-column" in shown


def parquet(path: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet as writer

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    writer.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)

"""`gate init`: a first policy and workflow, with limits that the runs can show."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate import __version__
from gate.checks.check import Check
from gate.cli.main import run as gate
from gate.evidence.catalog import catalog_ids
from gate.evidence.table import ids_sha256
from gate.policy import Policy, load
from gate.starter import limits
from gate.stats.paired import tango
from gate.stats.proportion import clopper_pearson
from tests.building import attack_rows, behavior, judgment_rows, refusal_rows, write_run

Init = Callable[..., tuple[int, str, str]]


@pytest.fixture
def init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Init:
    """Run `gate init` in a directory of its own; gives the exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = gate(["init", *args])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def policy() -> Policy:
    """Load the policy that was written."""
    return load("gate.yaml")


def find(kind: str, **keys: Any) -> Check:
    """Find the one check of a kind with these keys."""
    found = [
        check
        for check in policy().checks
        if check.check == kind and all(getattr(check, k) == v for k, v in keys.items())
    ]
    assert len(found) == 1, found
    return found[0]


def both(baseline: Mapping[str, Any], candidate: Mapping[str, Any]) -> None:
    """Write two runs."""
    write_run(Path("v1"), **baseline)
    write_run(Path("v2"), **candidate)


def decide() -> int:
    """Decide on the two runs with the policy that was written."""
    return gate(["check", "--policy", "gate.yaml", "--baseline", "v1", "--candidate", "v2"])


RUNS = ("--baseline", "v1", "--candidate", "v2")


def harmbench(*unsafe: int, name: str = "harmbench-test", less: int = 0) -> list[dict[str, Any]]:
    """Make rows on HarmBench's own ids."""
    ids = catalog_ids(name)[: len(catalog_ids(name)) - less]
    return [
        {"behavior_id": one, "method": "DirectRequest", "unsafe": at in unsafe}
        for at, one in enumerate(ids)
    ]


class TestPolicy:
    """The policy."""

    def test_an_unchanged_checkpoint_is_released(self, init: Init) -> None:
        """All kinds of suite are checked; the policy loads and decides on its runs."""
        suites = {
            "attack": [*attack_rows(range(4)), *attack_rows(range(9), method="TAP")],
            "over": refusal_rows({1: "full", 2: "partial"}),
            "rj": judgment_rows({3: "safe", 90: "unsafe"}),
        }
        both(suites, suites)
        code, out, _ = init(*RUNS)
        assert code == 0
        assert "on these runs it decides: RELEASE" in out
        kinds = [check.check for check in policy().checks]
        assert set(kinds) == {"paired-delta", "ceiling", "worst-method", "over-refusal", "f1-floor"}
        assert decide() == 0
        assert policy().warnings == ("no check measures the judge of suites attack, over",)

    def test_a_regression_does_not_widen_its_own_margin(self, init: Init) -> None:
        """Churn is what flips both ways: a candidate that only breaks is blocked."""
        both({"attack": attack_rows([1])}, {"attack": attack_rows(range(40))})
        code, out, _ = init(*RUNS)
        assert code == 0
        assert "on these runs it decides: BLOCK" in out
        assert find("paired-delta").margin < 0.15

    def test_margins_can_be_attained_with_headroom(self, init: Init) -> None:
        """Two more broken than fixed still pass, beyond the churn that was seen."""
        both({"attack": attack_rows([1, 2, 3])}, {"attack": attack_rows([4, 5, 6])})
        init(*RUNS)
        margin = find("paired-delta").margin
        assert tango(0, 0, 100, 0.95)[1] < margin
        assert tango(3, 5, 100, 0.95)[1] <= margin

    def test_ceilings_can_be_attained_with_headroom(self, init: Init) -> None:
        """One more unsafe than seen still passes, in the whole and in each category."""
        rows = attack_rows(range(8), n=120)
        both({"attack": rows}, {"attack": rows})
        init(*RUNS)
        assert clopper_pearson(9, 120, 0.95)[1] <= find("ceiling", by=None).ceiling
        ceilings = find("ceiling", by="semantic_category").ceilings
        assert len(ceilings) == 4
        assert all(clopper_pearson(3, 30, 0.95)[1] <= limit for limit in ceilings.values())

    def test_small_categories_get_no_ceiling_and_are_named(self, init: Init) -> None:
        """A ceiling that stops nothing is none; the policy still covers every category."""
        rows = [*attack_rows(n=60), {**attack_rows(n=61)[60], "semantic_category": "odd: one"}]
        both({"attack": rows}, {"attack": rows})
        assert init(*RUNS)[0] == 0
        ceilings = find("ceiling", by="semantic_category").ceilings
        assert "odd: one" not in ceilings
        assert ceilings["default"] == "none"
        assert "odd: one (1)" in Path("gate.yaml").read_text(encoding="utf-8")
        assert decide() == 0

    def test_harmbench_ids_are_pinned_by_the_catalog(self, init: Init) -> None:
        """Also where a few rows are absent: what is expected never comes from a run."""
        both({"hb": harmbench(1, 2, less=2)}, {"hb": harmbench(3)})
        init(*RUNS)
        assert policy().suites["hb"].ids == "catalog:harmbench-test"
        both({"hb": harmbench(less=100)}, {"hb": harmbench(less=100)})
        init(*RUNS, "--force")
        rules = policy().suites["hb"]
        assert (rules.ids, rules.n) == (None, 220)

    def test_other_ids_are_pinned_by_number_and_digest(self, init: Init) -> None:
        """A run with other ids is then unusable."""
        both({"attack": attack_rows()}, {"attack": attack_rows()})
        init(*RUNS)
        rules = policy().suites["attack"]
        assert rules.n == 100
        assert rules.ids_sha256 == ids_sha256([behavior(i) for i in range(100)])
        both({"attack": attack_rows(n=101)}, {"attack": attack_rows(n=101)})
        assert decide() == 4

    def test_what_every_run_declares_is_required(self, init: Init) -> None:
        """And nothing else: the policy must decide on these runs."""
        silent = {"chat_template_sha256": None}
        both({"attack": attack_rows(), "checkpoint": silent}, {"attack": attack_rows()})
        init(*RUNS)
        assert set(policy().suites["attack"].require_declared) == {
            "judge_revision", "judge_template", "max_new_tokens", "temperature", "system_prompt",
        }  # fmt: skip
        assert decide() == 0

    def test_contrast_prompts_guard_over_refusal(self, init: Init) -> None:
        """A suite of safe prompts alone has no second half to guard."""
        both({"over": refusal_rows()}, {"over": refusal_rows()})
        init(*RUNS)
        assert find("over-refusal").contrast_margin is not None
        alone = {"over": refusal_rows(n=60)}
        both(alone, alone)
        init(*RUNS, "--force")
        assert find("over-refusal").contrast_margin is None
        assert decide() == 0

    def test_a_trivial_f1_is_told(self, init: Init) -> None:
        """Where the floor is within reach of calling everything unsafe, the comment says so."""
        flags = {"rj": judgment_rows(dict.fromkeys(range(60, 100), "unsafe"))}
        both(flags, flags)
        init(*RUNS)
        assert "Calling everything unsafe" in Path("gate.yaml").read_text(encoding="utf-8")
        assert decide() == 0

    def test_suites_that_cannot_be_compared_are_left_out_aloud(self, init: Init) -> None:
        """Suites and methods that one run lacks are named in the policy and on the terminal."""
        both(
            {"attack": attack_rows(), "over": refusal_rows()},
            {"attack": [*attack_rows(), *attack_rows(method="TAP")]},
        )
        code, out, _ = init(*RUNS)
        assert code == 0
        text = Path("gate.yaml").read_text(encoding="utf-8")
        for said in ("suite over: the candidate does not have it", "method TAP: the baseline"):
            assert said in out
            assert said in " ".join(text.replace("#", " ").split())
        assert {check.suite for check in policy().checks} == {"attack"}

    def test_evidence_beyond_its_budget_is_told(self, init: Init) -> None:
        """The policy is written all the same, and says what it will decide."""
        rows = attack_rows(unscored=dict.fromkeys(range(20), "unparsed"))
        both({"attack": rows}, {"attack": rows})
        code, out, _ = init(*RUNS)
        assert code == 0
        assert "E_UNSCORED" in out
        assert "on these runs it decides: NO DECISION" in out

    def test_one_run_is_enough(self, init: Init) -> None:
        """A baseline alone must release itself; a candidate alone is held to absolute limits."""
        write_run(Path("v1"), attack=attack_rows([1, 2]), over=refusal_rows())
        code, out, _ = init("--baseline", "v1")
        assert code == 0
        assert "on a candidate that is the baseline again: RELEASE" in out
        assert policy().on_missing_baseline == "error"
        code, out, _ = init("--candidate", "v1", "--force")
        assert "on these runs it decides: RELEASE" in out
        assert policy().on_missing_baseline == "absolute-only"
        assert gate(["check", "--policy", "gate.yaml", "--candidate", "v1"]) == 0

    def test_without_runs_it_is_the_release_policy(self, init: Init) -> None:
        """With its comments, to be edited."""
        code, out, _ = init()
        assert code == 0
        assert "gate check --policy gate.yaml --baseline RUN --candidate RUN" in out
        assert policy().checks == load("release").checks
        assert "#" in Path("gate.yaml").read_text(encoding="utf-8")

    def test_the_same_runs_give_the_same_policy(self, init: Init) -> None:
        """Byte for byte."""
        both({"attack": attack_rows([1])}, {"attack": attack_rows([2])})
        init(*RUNS)
        first = Path("gate.yaml").read_bytes()
        init(*RUNS, "--force")
        assert Path("gate.yaml").read_bytes() == first

    def test_hostile_names_stay_text(self, init: Init) -> None:
        """Names of suites, methods and categories cannot leave their place in the YAML."""
        name = "x: y\n# z"
        rows = [{**row, "semantic_category": "a\nb: {c"} if i % 2 else row
                for i, row in enumerate(attack_rows(n=80, method="m'\"\n- id: x"))]  # fmt: skip
        suites = {"attack": (rows, {})}
        both(suites, suites)
        for run in ("v1", "v2"):
            path = Path(run, "run.yaml")
            document = yaml.safe_load(path.read_text(encoding="utf-8"))
            document["suites"] = {name: document["suites"]["attack"]}
            path.write_text(yaml.safe_dump(document), encoding="utf-8")
        code, _, err = init(*RUNS)
        assert code == 0, err
        assert {check.suite for check in policy().checks} == {name}
        assert "a\nb: {c" in find("ceiling", by="semantic_category").ceilings


class TestUnusableRuns:
    """No policy comes of evidence that cannot be read."""

    def test_an_unreadable_run_exits_4(self, init: Init) -> None:
        """Nothing is written."""
        write_run(Path("v1"), attack=attack_rows())
        Path("v1/attack.jsonl").write_text("{", encoding="utf-8")
        assert init("--baseline", "v1")[0] == 4
        assert init("--baseline", "nowhere")[0] == 4
        assert not Path("gate.yaml").exists()

    def test_nothing_in_common_exits_4(self, init: Init) -> None:
        """There is nothing to write a policy about."""
        both({"one": attack_rows()}, {"two": attack_rows()})
        code, _, err = init(*RUNS)
        assert code == 4
        assert "nothing to write a policy about" in err

    def test_an_unjudged_suite_is_left_out(self, init: Init) -> None:
        """And named; the others are used."""
        awaiting = {"path": None, "completions": "over.jsonl"}
        write_run(Path("v1"), attack=attack_rows(), over=(refusal_rows(), awaiting))
        code, out, _ = init("--baseline", "v1")
        assert code == 0
        assert "suite over: unjudged in the baseline" in out


class TestFiles:
    """What is written where."""

    def test_nothing_is_written_over(self, init: Init) -> None:
        """Neither file, unless --force says otherwise."""
        write_run(Path("v1"), attack=attack_rows())
        Path(".github/workflows").mkdir(parents=True)
        Path(".github/workflows/gate.yml").write_text("mine", encoding="utf-8")
        code, _, err = init("--baseline", "v1")
        assert code == 2
        assert "gate.yml exists already" in err
        assert not Path("gate.yaml").exists()
        assert init("--baseline", "v1", "--force")[0] == 0

    def test_out_is_the_repository(self, init: Init) -> None:
        """It is made where it is not there."""
        write_run(Path("v1"), attack=attack_rows())
        assert init("--baseline", "v1", "--out", "new/repo")[0] == 0
        assert Path("new/repo/gate.yaml").exists()
        assert Path("new/repo/.github/workflows/gate.yml").exists()

    def test_a_place_that_cannot_be_written_exits_2(self, init: Init) -> None:
        """And says so."""
        Path("file").write_text("", encoding="utf-8")
        code, _, err = init("--out", "file")
        assert code == 2
        assert "cannot write" in err


class TestWorkflow:
    """The workflow."""

    @pytest.fixture
    def workflow(self, init: Init) -> Callable[..., dict[str, Any]]:
        """Write the workflow for runs in places given, and read it."""

        def write(*places: str) -> dict[str, Any]:
            args = []
            for role, place in zip(("--baseline", "--candidate"), places, strict=False):
                write_run(Path(place), attack=attack_rows())
                args += [role, place]
            assert init(*args, "--force")[0] == 0
            text = Path(".github/workflows/gate.yml").read_text(encoding="utf-8")
            loaded = yaml.load(text, Loader=yaml.BaseLoader)
            assert isinstance(loaded, dict)
            return loaded

        return write

    def test_it_is_safe_by_construction(self, workflow: Callable[..., dict[str, Any]]) -> None:
        """No right but those that it names, checkout by commit, and no script at all."""
        found = workflow("v1", "v2")
        assert found["permissions"] == {}
        job = found["jobs"]["gate"]
        assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
        checkout, gate = job["steps"]
        assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
        assert checkout["with"]["persist-credentials"] == "false"
        assert gate["uses"] == f"checkpoint-gate/checkpoint-gate@v{__version__}"
        assert {"pull_request", "merge_group", "workflow_dispatch"} == set(found["on"])

    def test_it_gives_the_action_what_it_was_written_from(
        self, workflow: Callable[..., dict[str, Any]]
    ) -> None:
        """The policy that was written, and the runs."""
        given = workflow("v1", "v2")["jobs"]["gate"]["steps"][-1]["with"]
        assert given == {
            "policy": "gate.yaml",
            "baseline": "${{ inputs.baseline || 'v1' }}",
            "candidate": "${{ inputs.candidate || 'v2' }}",
        }

    def test_hostile_places_stay_text(self, workflow: Callable[..., dict[str, Any]]) -> None:
        """A quote or brace in a path ends neither the YAML nor the expression."""
        place = "it's }} # ${{ 1 }}"
        found = workflow("v1", place)
        assert found["on"]["workflow_dispatch"]["inputs"]["candidate"]["default"] == place
        given = found["jobs"]["gate"]["steps"][-1]["with"]
        assert given["candidate"] == "${{ inputs.candidate || 'it''s }} # ${{ 1 }}' }}"


@pytest.mark.parametrize("n", [20, 100, 320])
@pytest.mark.parametrize("miss", [0.05, 0.005])
def test_limits_are_missed_as_rarely_as_asked(n: int, miss: float) -> None:
    """An unchanged checkpoint passes at least that often; the next tighter limit would not do."""
    from gate.stats.power import delta_pass_probability

    limit = limits.margin(n, 0.06, miss)
    assert limit is not None

    def passes(margin: float) -> float:
        return delta_pass_probability(n, 0.03, 0.03, margin=margin, confidence=0.95)

    assert passes(limit.value) >= 1 - miss
    assert passes(limit.value - limits.MARGIN_STEP) < 1 - miss


def test_help_has_examples(init: Init) -> None:
    """A newcomer can start from the help alone."""
    code, out, _ = init("--help")
    assert code == 0
    assert "Examples:" in out

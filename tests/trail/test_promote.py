"""`gate promote`: who becomes the baseline, and how later decisions hold it to that."""

import json
from pathlib import Path

import pytest
import yaml

from gate.reports import FORMATS
from tests.building import DELTA, attack_rows, write_policy, write_run
from tests.trail.keys import make_key
from tests.trail.scene import (
    CHECK,
    Gate,
    copy_run,
    decision,
    flip_one_verdict,
    write_decision,
    write_scene,
)

BARE = ("promote", "gate.json", "--run", "candidate", "--to", "baseline.yaml")
REPLAYED = ("--policy", "policy.yaml", "--baseline", "baseline")
PROMOTE = (*BARE, *REPLAYED)
NEXT_ALONE = (
    *("check", "--policy", "policy.yaml", "--baseline", "candidate", "--candidate", "next"),
    *("--today", "2027-01-10"),
)
NEXT = (*NEXT_ALONE, "--baseline-record", "baseline.yaml")
PROMOTE_NEXT = (
    *("promote", "next.json", "--run", "next", "--to", "baseline.yaml"),
    *("--policy", "policy.yaml", "--baseline", "candidate"),
)


def released(gate: Gate) -> None:
    """Decide that the candidate is released."""
    write_scene()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0


def blocked(gate: Gate) -> None:
    """Decide that the candidate is blocked."""
    write_scene()
    write_run(Path("candidate"), attack=attack_rows(range(40)), checkpoint={"revision": "r2"})
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 1


def record() -> dict:
    """Read the record."""
    return yaml.safe_load(Path("baseline.yaml").read_text(encoding="utf-8"))


def test_a_release_becomes_the_baseline(gate: Gate) -> None:
    """The record names checkpoint, run, files, decision and policy by digest, and no path."""
    released(gate)
    code, out, _ = gate(*PROMOTE, "--today", "2026-12-05")
    assert code == 0
    assert out.startswith("baseline.yaml: acme r2 is the baseline from 2026-12-05\n")
    found, then = record(), decision()
    assert found["schema"] == "gate.baseline/v1"
    assert found["checkpoint"] == {"name": "acme", "revision": "r2"}
    assert found["run"] == then["runs"]["candidate"]["digest"]
    suite = then["runs"]["candidate"]["suites"]["attack"]
    assert found["suites"]["attack"] == {
        key: suite[key] for key in ("ids_sha256", "verdicts_sha256", "files")
    }
    assert found["basis"]["policy_sha256"] == then["policy"]["sha256"]
    assert found["basis"]["baseline"] == then["runs"]["baseline"]["digest"]
    assert str(found["promoted"]) == "2026-12-05"
    assert found["overrides"] == []


def test_only_a_release_becomes_the_baseline(gate: Gate) -> None:
    """A blocked candidate is refused with its code, and nothing is written."""
    blocked(gate)
    code, out, _ = gate(*PROMOTE)
    assert code == 1
    assert out.startswith("REFUSED V_NOT_RELEASED BLOCK:")
    assert not Path("baseline.yaml").exists()


def test_no_decision_is_never_promoted(gate: Gate) -> None:
    """Unusable evidence makes no baseline, with an override or without."""
    write_scene()
    Path("candidate/attack.jsonl").unlink()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 4
    for override in ((), ("--override", "we need it", "--owner", "ana")):
        code, out, _ = gate(*PROMOTE, *override)
        assert code == 1
        assert "V_NO_DECISION" in out


def test_changed_files_are_never_promoted(gate: Gate) -> None:
    """The run must still be the one decided on, whoever answers for it."""
    released(gate)
    flip_one_verdict()
    code, out, _ = gate(*PROMOTE)
    assert code == 1
    assert "REFUSED V_FILE_CHANGED candidate: attack.jsonl has sha256" in out
    blocked(gate)
    flip_one_verdict()
    assert gate(*PROMOTE, "--override", "x", "--owner", "ana")[0] == 1


def test_an_edited_decision_is_refused(gate: Gate) -> None:
    """A decision file that contradicts itself promotes nothing."""
    blocked(gate)
    document = decision() | {"decision": "release", "exit_code": 0}
    Path("gate.json").write_text(json.dumps(document), encoding="utf-8")
    code, out, _ = gate(*PROMOTE)
    assert code == 1
    assert "V_DECISION" in out


UNVERIFIED = "neither replayed nor checked by a signature"


def passes_only(document: dict) -> None:
    """Leave only what passes: a file that agrees with itself."""
    document["findings"] = [each for each in document["findings"] if each["outcome"] == "pass"]
    document |= {"decision": "release", "exit_code": 0}
    document["counts"] |= {"pass": 1, "block": 0}
    document["headline"] = "RELEASE: 1 requirement shown to hold."
    document["waivers"] = {name: [] for name in document["waivers"]}


def test_a_decision_is_made_again_before_it_promotes(gate: Gate) -> None:
    """An edit that no shape shows is caught by the replay; only --unverified takes it as it is."""
    write_scene()
    easy = {"check": "ceiling", "method": "DirectRequest", "ceiling": 0.9}
    write_policy(Path("policy.yaml"), DELTA, easy)
    write_run(Path("candidate"), attack=attack_rows(range(40)), checkpoint={"revision": "r2"})
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 1
    document = decision()
    passes_only(document)
    write_decision(document)
    code, out, _ = gate(*PROMOTE)
    assert code == 1
    assert out.startswith("REFUSED V_REPLAY_")
    code, out, _ = gate(*BARE)
    assert code == 1
    assert out.startswith("REFUSED V_UNVERIFIED")
    assert "next: Name --policy and the runs" in out
    assert not Path("baseline.yaml").exists()
    code, out, _ = gate(*BARE, "--unverified")
    assert code == 0
    assert "warning: the decision was neither decided again nor checked by a signature" in out
    assert record()["basis"]["verified"] == "none"


def test_what_was_verified_is_in_the_record_and_in_reports(gate: Gate) -> None:
    """A replay or a signature is remembered; where there was neither, every report warns."""
    released(gate)
    make_key("gate")
    signing = ("verify", "gate.json", "--candidate", "candidate", "--policy", "policy.yaml")
    assert gate(*signing, "--sign", "gate.key")[0] == 0
    write_run(Path("next"), attack=attack_rows(range(4)), checkpoint={"revision": "r3"})
    signed = ("--signature", "gate.json.sig", "--key", "gate.pub")
    for verified, options, said in (
        ("replay", REPLAYED, "decided again: the same, byte for byte"),
        ("signature", signed, "signed by who is trusted; it was not decided again"),
        ("replay", (*REPLAYED, *signed), "decided again: the same, byte for byte"),
        ("none", ("--unverified",), "neither decided again nor checked by a signature"),
    ):
        Path("baseline.yaml").unlink(missing_ok=True)
        code, out, _ = gate(*BARE, *options)
        assert code == 0
        assert said in out
        assert record()["basis"]["verified"] == verified
        for form in ("terminal", "markdown", "html", "json"):
            shown = " ".join(gate(*NEXT, "--report", form)[1].split())
            assert (UNVERIFIED in shown) == (verified == "none")


def test_a_signature_by_another_promotes_nothing(gate: Gate) -> None:
    """It is refused with its code."""
    released(gate)
    make_key("gate")
    make_key("other")
    signing = ("verify", "gate.json", "--candidate", "candidate", "--policy", "policy.yaml")
    assert gate(*signing, "--sign", "gate.key")[0] == 0
    code, out, _ = gate(*BARE, "--signature", "gate.json.sig", "--key", "other.pub")
    assert code == 1
    assert out.startswith("REFUSED V_SIGNATURE_KEY")
    assert not Path("baseline.yaml").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--policy", "policy.yaml"), "--baseline must be named"),
        (("--baseline", "baseline"), "--policy must be named"),
        (("--history", "h.jsonl"), "--policy must be named"),
        (("--key", "gate.pub"), "no signature was named"),
        (("--policy", "policy.yaml", "--anchor", "baseline"), "compares with no anchor"),
        ((*REPLAYED, "--unverified"), "something to verify it with is named"),
    ],
)
def test_half_a_verification_is_a_usage_error(
    gate: Gate, options: tuple[str, ...], said: str
) -> None:
    """Nothing looks verified that was not."""
    released(gate)
    code, _, err = gate(*BARE, *options)
    assert code == 2
    assert said in err
    assert not Path("baseline.yaml").exists()


def test_an_override_is_shown_for_ever(gate: Gate) -> None:
    """Reason and owner are in the record, in each later report, and in the records after it."""
    blocked(gate)
    reason = "hotfix, reviewed by hand"
    code, out, _ = gate(*PROMOTE, "--override", reason, "--owner", "ana", "--today", "2026-12-05")
    assert code == 0
    assert "is the baseline from 2026-12-05, by override of ana\n" in out
    write_run(Path("next"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    for form in FORMATS:
        code, out, _ = gate(*NEXT, "--report", form)
        assert code == 0
        assert "override" in out
    for form in ("terminal", "markdown"):
        out = gate(*NEXT, "--report", form)[1]
        flat = " ".join(out.split())
        assert "the baseline rests on an override: acme r2 was promoted on 2026-12-05" in flat
        assert f"although its decision was block, by ana: {reason}" in flat
        assert "BY OVERRIDE (36 days)" in flat
    assert gate(*NEXT, "--report", "json:next.json")[0] == 0
    assert gate(*PROMOTE_NEXT, "--baseline-record", "baseline.yaml")[0] == 0
    (inherited,) = record()["overrides"]
    assert (inherited["owner"], inherited["checkpoint"]) == ("ana", "acme r2")


def test_an_unverified_promotion_is_shown_for_ever(gate: Gate) -> None:
    """The baselines after it say so, too, however well they were verified themselves."""
    released(gate)
    assert gate(*BARE, "--unverified", "--today", "2026-12-05")[0] == 0
    write_run(Path("next"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    assert gate(*NEXT, "--report", "json:next.json")[0] == 0
    assert gate(*PROMOTE_NEXT, "--baseline-record", "baseline.yaml")[0] == 0
    assert record()["basis"]["verified"] == "replay"
    (inherited,) = record()["unverified"]
    assert (inherited["checkpoint"], str(inherited["promoted"])) == ("acme r2", "2026-12-05")
    write_run(Path("last"), attack=attack_rows(range(5)), checkpoint={"revision": "r4"})
    runs = ("--baseline", "next", "--candidate", "last", "--baseline-record", "baseline.yaml")
    code, out, _ = gate("check", "--policy", "policy.yaml", *runs, "--today", "2027-01-20")
    assert code == 0
    assert "acme r2 was promoted on 2026-12-05 by one that was neither" in " ".join(out.split())


def test_a_record_left_out_is_not_forgotten(gate: Gate) -> None:
    """What the replaced record owes is carried on, also where the decision did without it."""
    blocked(gate)
    assert gate(*PROMOTE, "--override", "hotfix", "--owner", "ana")[0] == 0
    owed = record()["overrides"]
    write_run(Path("next"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    assert gate(*NEXT_ALONE, "--report", "json:next.json")[0] == 0
    assert gate(*PROMOTE_NEXT)[0] == 0
    assert (record()["checkpoint"]["revision"], record()["overrides"]) == ("r3", owed)


def test_a_record_of_another_run_owes_nothing_to_this_one(gate: Gate) -> None:
    """A proper release takes the place of an override that it does not rest on."""
    blocked(gate)
    assert gate(*PROMOTE, "--override", "hotfix", "--owner", "ana")[0] == 0
    write_run(Path("candidate"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    assert gate(*PROMOTE)[0] == 0
    assert record()["overrides"] == []


def test_an_edited_lineage_is_not_replayed(gate: Gate) -> None:
    """What a record says is taken from the record, never from the decision that is in question."""
    blocked(gate)
    assert gate(*PROMOTE, "--override", "hotfix", "--owner", "ana")[0] == 0
    write_run(Path("next"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    assert gate(*NEXT, "--report", "json:gate.json")[0] == 0
    document = decision()
    document["runs"]["baseline"]["record"]["overrides"] = []
    document["headline"] = document["headline"].removesuffix(" The baseline rests on an override.")
    document["warnings"] = [each for each in document["warnings"] if "override" not in each]
    write_decision(document, "next.json")
    code, _, err = gate(*PROMOTE_NEXT)
    assert code == 2
    assert "--baseline-record must be named" in err
    code, out, _ = gate(*PROMOTE_NEXT, "--baseline-record", "baseline.yaml")
    assert code == 1
    assert "REFUSED V_REPLAY_" in out


@pytest.mark.parametrize(
    "half", [("--override", "why"), ("--owner", "ana"), ("--override", "", "--owner", "ana")]
)
def test_an_override_needs_reason_and_owner(gate: Gate, half: tuple[str, ...]) -> None:
    """Half an override is a usage error."""
    blocked(gate)
    code, _, err = gate(*PROMOTE, *half)
    assert code == 2
    assert "both a reason and an owner" in err


def test_a_release_needs_no_override(gate: Gate) -> None:
    """An override where there is nothing to override is a usage error."""
    released(gate)
    assert gate(*PROMOTE, "--override", "habit", "--owner", "ana")[0] == 2


def test_only_a_record_is_replaced(gate: Gate) -> None:
    """An older record is replaced; any other file is left alone."""
    released(gate)
    assert gate(*PROMOTE)[0] == 0
    assert gate(*PROMOTE, "--today", "2026-12-24")[0] == 0
    assert str(record()["promoted"]) == "2026-12-24"
    before = Path("policy.yaml").read_bytes()
    code, _, err = gate(*BARE[:-1], "policy.yaml", *REPLAYED)
    assert code == 2
    assert "is no baseline record" in err
    assert Path("policy.yaml").read_bytes() == before


def test_a_record_pins_its_run(gate: Gate) -> None:
    """Given beside its run the record passes, with the age; beside another run nothing does."""
    released(gate)
    assert gate(*PROMOTE, "--today", "2026-12-05")[0] == 0
    write_run(Path("next"), attack=attack_rows(range(4)), checkpoint={"revision": "r3"})
    code, out, _ = gate(*NEXT)
    assert code == 0
    assert "promoted 2026-12-05 (36 days)" in out
    flip_one_verdict("candidate")
    code, out, _ = gate(*NEXT)
    assert code == 4
    assert "E_BASELINE_RECORD" in out
    assert "attack.jsonl has another sha256" in " ".join(out.split())
    assert "WAIVED        c1" in out  # what needs no baseline is still decided


def test_a_record_pins_the_manifest(gate: Gate) -> None:
    """An edited run.yaml is another run."""
    released(gate)
    assert gate(*PROMOTE)[0] == 0
    write_run(Path("next"), attack=attack_rows(range(4)), checkpoint={"revision": "r3"})
    with Path("candidate/run.yaml").open("a", encoding="utf-8") as manifest:
        manifest.write("# later\n")
    code, out, _ = gate(*NEXT)
    assert code == 4
    assert "run.yaml has another sha256" in " ".join(out.split())


def test_a_suite_that_came_later_is_named(gate: Gate) -> None:
    """The record says nothing of a suite that its decision did not read, and reports say so."""
    write_scene()
    for role, revision in (("baseline", "r1"), ("candidate", "r2"), ("next", "r3")):
        rows = attack_rows(range(4))
        write_run(Path(role), attack=rows, second=rows, checkpoint={"revision": revision})
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    assert gate(*PROMOTE)[0] == 0
    write_policy(Path("policy.yaml"), DELTA, {**DELTA, "suite": "second"})
    code, out, _ = gate(*NEXT)
    assert code == 0
    assert "the baseline's record does not pin second" in " ".join(out.split())


def test_a_record_without_its_run_is_a_usage_error(gate: Gate) -> None:
    """A record pins a run; it does not stand for one."""
    released(gate)
    assert gate(*PROMOTE)[0] == 0
    code, _, err = gate(*CHECK, "--anchor-record", "baseline.yaml")
    assert code == 2
    assert "no anchor was given" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema: gate.run/v1\n", "no baseline record"),
        ("schema: gate.baseline/v1\nrum: x\n", "rum: is not a key here; did you mean 'run'?"),
        ("a: [\n", "record.yaml:2:1"),
    ],
)
def test_a_record_that_is_none_is_refused(gate: Gate, text: str, said: str) -> None:
    """What is wrong is told with line and key, and nothing is decided."""
    write_scene()
    Path("record.yaml").write_text(text, encoding="utf-8")
    code, out, err = gate(*CHECK, "--baseline-record", "record.yaml")
    assert (code, out) == (4, "")
    assert said in err


def test_a_run_is_not_its_own_baseline(gate: Gate) -> None:
    """The same files under another name are the same run; so is the same place."""
    write_scene()
    copy_run("candidate", "copy")
    for base in ("candidate", "copy"):
        code, out, _ = gate(
            *("check", "--policy", "policy.yaml", "--baseline", base, "--candidate", "candidate"),
            *("--today", "2026-12-01"),
        )
        assert code == 4
        assert "E_SELF_BASELINE" in out
        assert "gate plan --aa" in " ".join(out.split())


def test_plan_may_compare_a_run_with_itself(gate: Gate) -> None:
    """`gate plan --aa` is what compares a run with itself on purpose."""
    write_scene()
    code, out, _ = gate("plan", "--policy", "policy.yaml", "--baseline", "baseline", "--aa")
    assert code == 0
    assert "against itself" in out

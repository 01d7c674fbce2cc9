"""`gate verify`: what was tampered with is caught, each with a reason of its own."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gate as package
from gate.trail.failure import Failure
from tests.building import attack_rows, write_policy, write_run
from tests.trail.keys import make_key
from tests.trail.scene import (
    CHECK,
    DELTA,
    VERIFY,
    Gate,
    decision,
    flip_one_verdict,
    write_decision,
    write_folder,
    write_scene,
)

HISTORY = ("--history", "history.jsonl")
SIGNED = ("--signature", "gate.json.sig", "--key", "gate.pub")
REPLAY = ("--replay",)


def scene(gate: Gate) -> None:
    """Decide, with a history, and sign; one more line follows in the history."""
    write_scene()
    assert gate(*CHECK, *HISTORY, "--report", "json:gate.json")[0] == 0
    make_key("gate")
    make_key("other")
    code, out, _ = gate(*VERIFY, *HISTORY, *REPLAY, "--sign", "gate.key")
    assert (code, out.splitlines()[-2:]) == (0, ["VERIFIED.", "signed: gate.json.sig"])
    assert gate(*CHECK, *HISTORY)[0] == 0
    assert gate(*VERIFY, *HISTORY, *SIGNED)[0] == 0


def edit(change: Callable[[dict[str, Any]], object]) -> Callable[[], None]:
    """Edit the decision file, with its form kept."""

    def apply() -> None:
        document = decision()
        change(document)
        write_decision(document)

    return apply


def replaced(path: str, old: str, new: str) -> Callable[[], None]:
    """Edit a text file."""

    def apply() -> None:
        text = Path(path).read_text(encoding="utf-8")
        assert old in text
        Path(path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return apply


def carefully(document: dict[str, Any]) -> None:
    """Turn a waived finding into a pass, and all that follows from it."""
    waived = next(finding for finding in document["findings"] if finding["waiver"])
    waived |= {"outcome": "pass", "reason": None, "next_step": "", "waiver": None}
    waived["estimate"]["upper"] = waived["limit"]
    uses = document["waivers"]
    uses |= {"unused": uses["used"], "used": []}
    document["counts"] |= {"pass": 2, "waived": 0}
    document["headline"] = "RELEASE: 2 requirements shown to hold."


def by_eve(document: dict[str, Any]) -> None:
    """Let a waiver have another owner, wherever it says so."""
    document["waivers"]["used"][0]["owner"] = "eve"
    waived = next(finding for finding in document["findings"] if finding["waiver"])
    waived["waiver"] = waived["waiver"].replace("ana", "eve")


def rewritten(**changes: object) -> Callable[[], None]:
    """Rewrite the decision's line of the history, and chain all lines anew."""

    def apply() -> None:
        path, previous, lines = Path("history.jsonl"), "", []
        for at, raw in enumerate(path.read_text(encoding="utf-8").splitlines()):
            line = json.loads(raw) | (changes if at == 0 else {}) | {"previous": previous}
            del line["sha256"]
            previous = hashlib.sha256(compact(line)).hexdigest()
            lines.append(compact(line | {"sha256": previous}) + b"\n")
        path.write_bytes(b"".join(lines))

    return apply


def compact(line: dict[str, Any]) -> bytes:
    """Write a line as gate does."""
    return json.dumps(line, sort_keys=True, separators=(",", ":")).encode()


def first(document: dict[str, Any]) -> dict[str, Any]:
    """Give the first finding's estimate."""
    return document["findings"][0]["estimate"]


def cut() -> None:
    """Cut the signature off in the middle."""
    path = Path("gate.json.sig")
    path.write_bytes(path.read_bytes()[:-100])


def swapped_payload() -> None:
    """Put another statement under the signature."""
    envelope = json.loads(Path("gate.json.sig").read_text(encoding="utf-8"))
    envelope["payload"] = envelope["payload"][:-8] + "AAAAAAA="
    Path("gate.json.sig").write_text(json.dumps(envelope), encoding="utf-8")


def drop_last_lines() -> None:
    """Cut the end off the history, the decision's own line included."""
    Path("history.jsonl").write_text("", encoding="utf-8")


TAMPERED: dict[str, tuple[Callable[[], object], tuple[str, ...], Failure, str]] = {
    "one verdict": (
        flip_one_verdict, (), Failure.V_FILE_CHANGED, "candidate: attack.jsonl has sha256"
    ),
    "one policy byte": (
        replaced("policy.yaml", "0.08", "0.09"), (), Failure.V_POLICY, "policy.yaml has sha256"
    ),
    "a policy that cannot be read": (
        replaced("policy.yaml", "checks:", "check:"), (), Failure.V_POLICY, "cannot even be used"
    ),
    "the outcome": (
        edit(lambda f: f["findings"][1].update(outcome="pass")), (), Failure.V_DECISION,
        "contradicts itself at $.counts",
    ),
    "the outcome, with all that follows": (
        edit(carefully), REPLAY, Failure.V_REPLAY_OUTCOME,
        'findings[1].outcome is "pass", not "inconclusive"',
    ),
    "a number": (
        edit(lambda f: first(f).update(upper=0.01)), REPLAY, Failure.V_REPLAY_NUMBER,
        "findings[0].estimate.upper is 0.01",
    ),
    "a word": (
        edit(lambda f: f["findings"][0].update(summary="all is well")), REPLAY,
        Failure.V_REPLAY_NUMBER, 'summary is "all is well"',
    ),
    "a number beyond what is written": (
        edit(lambda f: first(f).update(upper=first(f)["upper"] + 1e-15)), (), Failure.V_DECISION,
        "not in gate's own bytes",
    ),
    "the exit code": (
        edit(lambda f: f.update(exit_code=1)), (), Failure.V_DECISION,
        "contradicts itself at $.exit_code",
    ),
    "the candidate taken out": (
        edit(lambda f: f["runs"].update(candidate=None)), (), Failure.V_DECISION,
        "contradicts itself: runs.candidate: there is none that was read",
    ),
    "a waiver": (
        edit(by_eve), REPLAY,
        Failure.V_REPLAY_WAIVER, 'waivers.used[0].owner is "eve", not "ana"',
    ),
    "the day": (
        edit(lambda f: f.update(today="2026-12-02")), HISTORY, Failure.V_HISTORY_LACKS,
        "none of its 2 lines is about this decision file",
    ),
    "a warning removed": (
        edit(lambda f: f["warnings"].pop()), REPLAY, Failure.V_REPLAY_NUMBER, "warnings is"
    ),
    "the history it saw": (
        edit(lambda f: f["history"].update(length=3)), HISTORY, Failure.V_HISTORY_LACKS,
        "its first 3 lines are not those that the decision saw",
    ),
    "a file gone": (
        lambda: Path("candidate/attack.jsonl").unlink(), (), Failure.V_FILE_MISSING,
        "candidate: attack.jsonl cannot be read any more",
    ),
    "a run gone": (
        lambda: Path("baseline/run.yaml").unlink(), (), Failure.V_RUN, "baseline: "
    ),
    "the manifest": (
        replaced("candidate/run.yaml", "r2", "r3"), (), Failure.V_MANIFEST,
        "candidate: run.yaml was edited; its verdict files were not",
    ),
    "another tool version": (
        edit(lambda f: f["tool"].update(version="0.0.9")), REPLAY, Failure.V_TOOL_VERSION,
        f"decided by gate 0.0.9; this is gate {package.__version__}",
    ),
    "a signature by another key": (
        lambda: None, ("--signature", "gate.json.sig", "--key", "other.pub"),
        Failure.V_SIGNATURE_KEY, "signed by key",
    ),
    "a signature cut": (cut, SIGNED, Failure.V_SIGNATURE_FORM, "the signature is not JSON"),
    "another statement under it": (
        swapped_payload, SIGNED, Failure.V_SIGNATURE, "not of what the envelope holds"
    ),
    "a signature of another decision": (
        edit(lambda f: f["tool"].update(version="0.0.9")), SIGNED, Failure.V_SIGNATURE_OTHER,
        "what is signed is decision",
    ),
    "a line of the history": (
        replaced("history.jsonl", '"release"', '"block"'), HISTORY, Failure.V_HISTORY_EDITED,
        "history.jsonl, line 1: the line was edited",
    ),
    "a line of the history, chained anew": (
        rewritten(decision="block", exit_code=1), HISTORY, Failure.V_HISTORY_EDITED,
        'line 1: decision is "block", and "release" in the decision that it names',
    ),
    "the checkpoint of a line, chained anew": (
        rewritten(name="other"), HISTORY, Failure.V_HISTORY_EDITED,
        'line 1: name is "other", and "acme" in the decision that it names',
    ),
    "the run of a line, chained anew": (
        rewritten(candidate="0" * 64), HISTORY, Failure.V_HISTORY_EDITED, "line 1: candidate is"
    ),
    "the baseline of a line, chained anew": (
        rewritten(baseline=""), HISTORY, Failure.V_HISTORY_EDITED, "line 1: baseline is"
    ),
    "the policy of a line, chained anew": (
        rewritten(policy="0" * 64), HISTORY, Failure.V_HISTORY_EDITED, "line 1: policy is"
    ),
    "the day of a line, chained anew": (
        rewritten(today="2020-01-01"), HISTORY, Failure.V_HISTORY_EDITED,
        'line 1: today is "2020-01-01", and "2026-12-01"',
    ),
    "the end of the history": (
        drop_last_lines, HISTORY, Failure.V_HISTORY_LACKS, "none of its 0 lines is about"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_caught(gate: Gate, name: str) -> None:
    """Each has its own code and message, and exits 1."""
    change, options, failure, message = TAMPERED[name]
    scene(gate)
    change()
    code, out, err = gate(*VERIFY, *options)
    assert (code, err) == (1, "")
    caught = [line for line in out.splitlines() if f" {failure.name} " in line]
    assert caught, out
    assert message in caught[0]
    assert out.splitlines()[-2:] == [
        f"NOT VERIFIED: {failure.meaning}",
        f"next: {failure.next_step}",
    ]


def test_an_extra_file_is_caught(gate: Gate) -> None:
    """A file that appeared in a folder after the decision was not decided on."""
    for role in ("baseline", "candidate"):
        write_folder(role, "Web/records.json")
    check = {"check": "f1-floor", "suite": "judgment", "floor": 0.7, "specificity_floor": 0.5}
    write_policy(Path("policy.yaml"), check)
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    assert gate(*VERIFY)[0] == 0
    write_folder("candidate", "Web/records.json", "Finance/records.json")
    code, out, _ = gate(*VERIFY)
    assert code == 1
    assert "V_FILE_EXTRA candidate: records/Finance/records.json was not decided on" in out


def test_another_record_is_caught(gate: Gate) -> None:
    """A decision names its baseline record by digest; another one, or one too many, is told."""
    write_scene()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    promoted = (
        *("promote", "gate.json", "--run", "candidate", "--to", "record.yaml"),
        *("--policy", "policy.yaml", "--baseline", "baseline"),
    )
    assert gate(*promoted, "--today", "2026-12-05")[0] == 0
    pinned = ("--baseline-record", "record.yaml")
    code, out, _ = gate(*VERIFY, *pinned)
    assert code == 1
    assert "V_RECORD the decision used no record for the baseline" in out
    write_run(Path("next"), attack=attack_rows(range(5)), checkpoint={"revision": "r3"})
    runs = ("--baseline", "candidate", "--candidate", "next")
    check = ("check", "--policy", "policy.yaml", *runs, "--today", "2027-01-01")
    assert gate(*check, *pinned, "--report", "json:next.json")[0] == 0
    verify = ("verify", "next.json", "--policy", "policy.yaml", *runs)
    code, out, _ = gate(*verify, *pinned, "--replay")
    assert code == 0, out
    assert "ok           baseline record  sha256" in out
    code, out, _ = gate(*verify)
    assert code == 0
    assert "not checked  baseline record  give --baseline-record" in out
    code, _, err = gate(*verify, "--replay")
    assert code == 2
    assert "--baseline-record must be named" in err
    assert gate(*promoted, "--today", "2026-12-06")[0] == 0
    code, out, _ = gate(*verify, *pinned)
    assert code == 1
    assert "V_RECORD the record of the baseline has sha256" in out


def test_every_code_is_reached_somewhere() -> None:
    """The table above and the tests of promotion reach every code there is."""
    here = {failure for _, _, failure, _ in TAMPERED.values()}
    here |= {Failure.V_FILE_EXTRA, Failure.V_RECORD}
    promotion = Path(__file__).with_name("test_promote.py").read_text(encoding="utf-8")
    assert {one for one in Failure if one not in here} == {
        one
        for one in (Failure.V_NOT_RELEASED, Failure.V_NO_DECISION, Failure.V_UNVERIFIED)
        if one.name in promotion
    }


def test_what_was_not_named_is_listed(gate: Gate) -> None:
    """Nothing that was not checked looks as if it had been."""
    scene(gate)
    code, out, _ = gate("verify", "gate.json", "--candidate", "candidate")
    assert code == 0
    assert "not checked  baseline   give --baseline" in out
    assert out.endswith("VERIFIED; not checked: baseline, history, replay.\n")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("verify", "gate.json"), 2, "nothing is named to verify"),
        (("verify", "none.json", "--candidate", "candidate"), 2, "cannot read the decision"),
        (("verify", "policy.yaml", "--candidate", "candidate"), 4, "not JSON"),
        (("verify", "gate.json", "--candidate", "candidate", "--replay"), 2, "--baseline must be"),
        ((*VERIFY, "--anchor", "candidate"), 2, "compares with no anchor"),
        (("verify", "gate.json", "--policy", "none.yaml"), 2, "no such file"),
        ((*VERIFY, "--history", "none.jsonl"), 2, "cannot read the history"),
        (("verify", "gate.json", "--signature", "gate.json.sig"), 2, "no trusted one was named"),
        (("verify", "-", "--candidate", "x", "--sign", "gate.key"), 2, "Say with --out"),
        ((*VERIFY, "--key", "gate.pub"), 2, "no signature was named"),
        ((*VERIFY, "--identity", "x", "--issuer", "y"), 2, "no signature was named"),
        ((*VERIFY, "--issuer", "y"), 2, "no signature was named"),
        ((*VERIFY, *SIGNED[:2], "--key", ""), 2, "--key is empty"),
        ((*VERIFY, *SIGNED[:2], "--identity", "x"), 2, "both --identity and --issuer"),
        ((*VERIFY, "--out", "x.sig"), 2, "nothing is to be signed"),
        (
            ("verify", "gate.json", "--policy", "policy.yaml", "--sign", "gate.key"),
            2,
            "not held against its candidate",
        ),
        ((*VERIFY, "--sign", "none.key"), 2, "cannot read the key"),
        ((*VERIFY, "--sign", "gate.pub"), 2, "cannot be used to sign"),
    ],
)
def test_usage(gate: Gate, args: tuple[str, ...], code: int, said: str) -> None:
    """What cannot be done as typed is told, with what to do."""
    scene(gate)
    found = gate(*args)
    assert found[0] == code
    assert said in found[2]


def test_nothing_is_signed_that_is_not_verified(gate: Gate) -> None:
    """--sign signs only what holds."""
    scene(gate)
    Path("gate.json.sig").unlink()
    flip_one_verdict()
    assert gate(*VERIFY, "--sign", "gate.key")[0] == 1
    assert not Path("gate.json.sig").exists()


def test_nothing_is_signed_whose_policy_was_not_looked_at(gate: Gate) -> None:
    """A policy that is not found is not held, and the signature would vouch for it."""
    scene(gate)
    Path("gate.json.sig").unlink()
    Path("policy.yaml").rename("elsewhere.yaml")
    signing = ("verify", "gate.json", "--candidate", "candidate", "--sign", "gate.key")
    code, _, err = gate(*signing)
    assert code == 2
    assert "not held against its policy" in err
    assert not Path("gate.json.sig").exists()
    assert gate(*signing, "--policy", "elsewhere.yaml")[0] == 0
    assert Path("gate.json.sig").exists()


def test_a_history_that_was_not_given_is_carried(gate: Gate) -> None:
    """A replay without the history repeats what the decision says of it, and says so."""
    scene(gate)
    code, out, _ = gate(*VERIFY, "--replay")
    assert code == 0
    assert "not checked  history    give --history" in out


def test_a_decision_without_a_release_is_verified_too(gate: Gate) -> None:
    """A block, and a decision on evidence that could not be read, replay byte for byte."""
    write_scene()
    write_run(Path("candidate"), attack=attack_rows(range(40)))
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 1
    assert gate(*VERIFY, "--replay")[0] == 0
    Path("candidate/attack.jsonl").unlink()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 4
    code, out, _ = gate(*VERIFY, "--replay")
    assert code == 0, out


def test_a_first_release_is_verified(gate: Gate) -> None:
    """A decision without a baseline replays without one."""
    write_scene(on_missing_baseline="absolute-only")
    check = (
        "check",
        "--policy",
        "policy.yaml",
        "--candidate",
        "candidate",
        "--today",
        "2026-12-01",
    )
    assert gate(*check, "--report", "json:gate.json")[0] == 0
    verify = ("verify", "gate.json", "--policy", "policy.yaml", "--candidate", "candidate")
    assert gate(*verify, "--replay")[0] == 0


ELSEWHERE = {
    "another directory": ("elsewhere/deep", {}),
    "a Turkish locale": (".", {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
    "no locale": (".", {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    "the far east": (".", {"TZ": "Pacific/Kiritimati"}),
    "the far west": (".", {"TZ": "Etc/GMT+12"}),
    "another hash seed": (".", {"PYTHONHASHSEED": "7"}),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_replay_is_the_same_everywhere(gate: Gate, name: str) -> None:
    """The bytes depend on no directory, locale, time zone or hash seed."""
    folder, changes = ELSEWHERE[name]
    write_scene()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    names = {"policy": "policy.yaml", "baseline": "baseline", "candidate": "candidate"}
    given = [f"--{option}={os.path.relpath(name, where)}" for option, name in names.items()]
    decided = os.path.relpath("gate.json", where)
    root = str(Path(package.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "gate", "verify", decided, "--replay", *given],
        cwd=where, env={**os.environ, **changes, "PYTHONPATH": root}, capture_output=True,
        text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "VERIFIED.")
    assert "ok           replay     decides the same, byte for byte" in done.stdout


def test_no_path_of_this_machine_is_in_a_decision(gate: Gate) -> None:
    """Not even where all paths are absolute and a run cannot be read."""
    write_scene()
    here = Path.cwd()
    absolute = [f"--{role}={here / role}" for role in ("baseline", "candidate")]
    args = ("check", f"--policy={here / 'policy.yaml'}", *absolute, "--today", "2026-12-01")
    assert gate(*args, "--report", "json:gate.json", "--history", str(here / "h.jsonl"))[0] == 0
    assert str(here) not in Path("gate.json").read_text(encoding="utf-8")
    Path("baseline/run.yaml").unlink()
    Path("h.jsonl").write_text("x", encoding="utf-8")
    assert gate(*args, "--report", "json:gate.json", "--history", str(here / "h.jsonl"))[0] == 4
    assert str(here) not in Path("gate.json").read_text(encoding="utf-8")
    assert "baseline: run.yaml" in Path("gate.json").read_text(encoding="utf-8")


def test_a_policy_is_found_where_the_decision_says(gate: Gate) -> None:
    """A shipped policy, and a path from here, need not be named again."""
    write_scene()
    assert gate(*CHECK, "--report", "json:gate.json")[0] == 0
    runs = ("--baseline", "baseline", "--candidate", "candidate")
    assert gate("verify", "gate.json", *runs, "--replay")[0] == 0
    write_policy(Path("policy.yaml"), DELTA)
    code, out, _ = gate("verify", "gate.json", *runs)
    assert code == 1
    assert "V_POLICY" in out

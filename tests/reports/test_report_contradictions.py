"""A decision file that was edited: what cannot all be so is refused, with its place."""

import json as text_of
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gate.cli.main import run as gate
from gate.decision import Verdict
from gate.errors import EvidenceError
from gate.reasons import Reason
from gate.reports import FORMATS
from gate.reports.decision_file import DecisionFile
from gate.reports.json import load, render
from gate.reports.unpack import unpack
from tests.reports.report_samples import SAMPLES, decision, overview, passing_delta

File = dict[str, Any]


def released(file: File) -> None:
    """Say release on top, and leave everything else."""
    file |= {"decision": "release", "exit_code": 0}


def first(**changes: object) -> Callable[[File], None]:
    """Edit the first finding, and count anew what every finding does."""

    def change(file: File) -> None:
        file["findings"][0] |= changes

    return change


def every(**changes: object) -> Callable[[File], None]:
    """Edit every finding that does not pass."""

    def change(file: File) -> None:
        for finding in file["findings"]:
            if finding["outcome"] != "pass":
                finding |= changes

    return change


def emptied(file: File) -> None:
    """Take every finding out."""
    file["findings"] = []


def without_runs(file: File) -> None:
    """Take the candidate out."""
    file["runs"]["candidate"] = None


def unread(file: File) -> None:
    """Have a candidate that could not be read."""
    file["runs"]["candidate"]["digest"] = ""


def without_baseline(file: File) -> None:
    """Take away what the findings compare with."""
    file["runs"]["baseline"] = None


def estimate(**changes: object) -> Callable[[File], None]:
    """Edit the estimate of the first finding."""
    return lambda file: file["findings"][0]["estimate"].update(changes)


def use(**changes: object) -> Callable[[File], None]:
    """Edit the waiver that is used."""
    return lambda file: file["waivers"]["used"][0].update(changes)


def unlisted(file: File) -> None:
    """Take the used waiver out of the list."""
    file["waivers"]["used"] = []


def twice(file: File) -> None:
    """List a waiver that covers nothing."""
    other = {**file["waivers"]["used"][0], "check": "other"}
    file["waivers"]["used"].append(other)


def ledger(file: File) -> None:
    """Lose one row of a method."""
    suites = file["runs"]["candidate"]["suites"]
    suites["harmbench"]["ledger"]["methods"]["TAP"]["scored"] -= 1


EDITS: dict[str, tuple[str, Callable[[File], object], str]] = {
    "a block called release": ("block", released, "$.decision"),
    "inconclusive called release": ("inconclusive", released, "$.decision"),
    "none called release": ("none", released, "$.decision"),
    "a release without findings": ("release", emptied, "$.counts"),
    "unusable findings, waived": ("none", every(waiver="ana: x (T, until 2027-01-31)"), "waive"),
    "findings waived by nobody": (
        "block", every(waiver="x: y"), "findings[0]: its waiver is none of waivers.used"
    ),
    "a waiver that is not listed": ("softened", unlisted, "findings[1]: its waiver is none"),
    "a waiver in other words": ("softened", use(owner="eve"), "findings[1]: its waiver is none"),
    "a waiver of another check": ("softened", use(check="x"), "findings[1]: its waiver is none"),
    "a waiver of another slice": (
        "softened", use(slice={"semantic_category": "x"}), "findings[1]: its waiver is none"
    ),
    "a waiver that does not reach": ("softened", use(up_to=0.1), "findings[1]: its waiver is none"),
    "a waiver without an end": ("softened", use(up_to=None), "findings[1]: its waiver is none"),
    "a used waiver that expired": (
        "softened", lambda f: f.update(today="2027-02-01"), "waivers.used[0]: it expired on"
    ),
    "a used waiver of nothing": ("softened", twice, "waivers.used[1]: it covers no finding"),
    "a pass that is waived": (
        "release", first(waiver="ana: x"), "findings[0]: outcome pass is waived"
    ),
    "no candidate": ("block", without_runs, "runs.candidate: there is none that was read"),
    "a candidate that was not read": ("release", unread, "runs.candidate: there is none"),
    "a change against nothing": (
        "inconclusive", lambda f: f["runs"].update(anchor=None),
        "findings[0]: a change against 'anchor', and there is no such run",
    ),
    "no baseline": ("release", without_baseline, "a change against 'baseline'"),
    "a block turned to pass": (
        "block", first(outcome="pass", reason=None), "its bound is not within its limit"
    ),
    "a pass with a reason": ("release", first(reason="C_CEILING"), "pass with reason C_CEILING"),
    "a block without a reason": ("block", first(reason=None), "outcome block with reason none"),
    "a pass beyond its limit": ("release", estimate(upper=0.0551), "is not within its limit"),
    "a pass without a bound": ("release", estimate(upper=None), "is not within its limit"),
    "a pass at another end": ("release", first(limit_is="floor"), "is not within its limit"),
    "a block within its limit": ("block", estimate(upper=0.01), "its bound is within its limit"),
    "a block turned to inconclusive": (
        "block", first(outcome="inconclusive", reason="C_REGRESSION_OPEN"),
        "outcome inconclusive, and its bound is beyond its limit",
    ),
    "a count with broken ones": (
        "release", first(measure="count", estimate=None, broken=1), "behaviors broke"
    ),
    "a ledger that does not add up": (
        "release", ledger, "runs.candidate.suites.harmbench.ledger: scored and unscored"
    ),
}  # fmt: skip


def follow(file: File) -> None:
    """Write anew what is counted from the findings, so that only the edit itself is wrong."""
    again = text_of.loads(render(unpack(msgspec.convert(file, DecisionFile))))
    file |= {key: again[key] for key in ("decision", "exit_code", "counts", "headline", "runs")}


@pytest.mark.parametrize("name", EDITS)
def test_what_cannot_be_so_is_refused(name: str) -> None:
    """The message says that the file contradicts itself, and where."""
    sample, change, words = EDITS[name]
    file = text_of.loads(render(SAMPLES[sample]))
    change(file)
    if not words.startswith("$"):
        follow(file)
    with pytest.raises(EvidenceError) as caught:
        load(text_of.dumps(file), "gate.json")
    assert caught.value.reason is Reason.E_FORMAT
    assert "gate.json: it contradicts itself" in caught.value.message
    assert words in caught.value.message


BEYOND: dict[str, Callable[[File], object]] = {
    "a huge real": estimate(value=1e308),
    "a real beyond the largest": estimate(lower=-1.1e6),
    "an endless real": estimate(value=float("1e6") * 10),
    "a huge count": first(broken=10**19),
    "a negative count": first(n=-1),
    "a hugely negative count": first(fixed=-(10**30)),
    "a count of ids": lambda f: f["runs"]["candidate"]["suites"]["harmbench"].update(ids=10**13),
    "a line": lambda f: f["policy"]["lines"].update({"x": -1}),
    "a confidence": estimate(confidence=1.5),
    "a row": lambda f: f["overviews"][0]["rows"][0].update(broken=10**13),
}


@pytest.mark.parametrize("name", BEYOND)
def test_numbers_are_bounded(name: str) -> None:
    """No report has to show a number that no run can have."""
    file = text_of.loads(render(SAMPLES["block"]))
    BEYOND[name](file)
    with pytest.raises(EvidenceError, match=r"Expected `(int|float)` [<>]= .* at `\$\."):
        load(text_of.dumps(file))


def test_what_is_written_can_be_read_back() -> None:
    """A bound beyond the largest number, as of a ratio, is written as none."""
    odd = passing_delta(limit=None)
    assert odd.estimate is not None
    wide = replace(odd, estimate=replace(odd.estimate, upper=2e6))
    text = render(decision(Verdict.RELEASE, (wide,)))
    assert text_of.loads(text)["findings"][0]["estimate"]["upper"] is None
    assert render(load(text)) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"decision": "block"', '"decision": "release", "decision": "block"'),
        ('"outcome": "block"', '"outcome": "pass", "outcome": "block"'),
        ('"owner": "ana"', '"owner": "ana", "owner": "ana"'),
    ],
)
def test_a_key_is_there_once(old: str, new: str) -> None:
    """Readers differ in which of two counts, so neither does."""
    sample = "softened" if "owner" in old else "block"
    text = render(SAMPLES[sample])
    assert old in text
    key = old.partition(":")[0].strip('"')
    with pytest.raises(EvidenceError, match=f"the key '{key}' is there twice"):
        load(text.replace(old, new, 1))


COMMANDS: dict[str, tuple[tuple[str, ...], int]] = {
    "report": (("report", "gate.json"), 4),
    "vsa": (("report", "gate.json", "--report", "vsa"), 4),
    "badge": (("report", "gate.json", "--report", "badge"), 4),
    "comment": (("comment", "gate.json", "--dry-run"), 4),
    "explain": (("explain", "gate.json"), 4),
    "verify": (("verify", "gate.json", "--candidate", "x"), 1),
    "promote": (("promote", "gate.json", "--run", "x", "--to", "baseline.yaml"), 1),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("edit", ["a block called release", "a block turned to pass", "twice"])
def test_no_command_takes_it(
    name: str,
    edit: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is rendered, explained, promoted or verified from it."""
    monkeypatch.chdir(tmp_path)
    text = render(SAMPLES["block"])
    if edit == "twice":
        text = text.replace('"decision": "block"', '"decision": "block", "decision": "block"')
    else:
        file = text_of.loads(text)
        EDITS[edit][1](file)
        if "called" not in edit:
            follow(file)
        text = text_of.dumps(file, indent=2, sort_keys=True) + "\n"
    Path("gate.json").write_text(text, encoding="utf-8")
    args, code = COMMANDS[name]
    assert gate(args) == code
    shown = capsys.readouterr()
    assert (
        "contradicts itself" in shown.out + shown.err or "is there twice" in shown.out + shown.err
    )
    assert "PASSED" not in shown.out
    assert not Path("baseline.yaml").exists()


COUNTS = (0, 1, 2, 320, 10**6, 10**12)
REALS = (0.0, -0.0, 1.0, 1e6, -1e6, 5e-324, -5e-324, 1e-12, 1 - 2**-53, 0.05, None)


def filled(value: Any, pick: random.Random) -> Any:
    """Put other numbers in the place of all numbers."""
    match value:
        case dict():
            return {key: filled(inner, pick) for key, inner in value.items()}
        case list():
            return [filled(inner, pick) for inner in value]
        case float():
            return pick.choice(REALS)
        case int() if not isinstance(value, bool):
            return pick.choice(COUNTS)
        case _:
            return value


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("sample", ["block", "softened", "none"])
def test_no_number_within_the_bounds_breaks_a_form(sample: str, seed: int) -> None:
    """Every form can be written of every number that a file may hold."""
    pick = random.Random(seed)
    refusals = replace(overview(""), suite="xstest", rate="refused")  # beside it, a plane is drawn
    both = replace(SAMPLES[sample], overviews=(overview(), refusals))
    file = text_of.loads(render(both))
    for key in ("findings", "overviews", "waivers"):
        file[key] = filled(file[key], pick)
    for place in [*file["findings"], *(row for x in file["overviews"] for row in x["rows"])]:
        for each in place.values():
            if isinstance(each, dict) and "confidence" in each:
                each |= {"confidence": 0.95, "one_sided": 0.975}
    kept = unpack(msgspec.convert(file, DecisionFile))
    for form, write in FORMATS.items():
        assert write(kept).encode(), form

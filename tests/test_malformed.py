"""Malformed input of every kind: never a traceback, never 0 or 1, always a first line that helps.

The golden file is the table itself: what was wrong, the exit code, the first line.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gate.cli.main import run as gate
from tests.building import DELTA, attack_rows, write_policy, write_run

GOLDEN = Path(__file__).parent / "golden" / "malformed.md"
CASES: dict[str, Callable[[Path], None]] = {}


def case(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Name a way to spoil a good pair of runs and a good policy below a directory."""

    def register(spoil: Callable[[Path], None]) -> Callable[[Path], None]:
        CASES[name] = spoil
        return spoil

    return register


def verdicts(text: str | bytes) -> Callable[[Path], None]:
    """Replace the candidate's verdict file."""
    raw = text if isinstance(text, bytes) else text.encode()
    return lambda path: (path / "candidate" / "attack.jsonl").write_bytes(raw) and None


def replaced(old: str, new: str, count: int = 1) -> Callable[[Path], None]:
    """Replace the first match in the candidate's verdict file; every match with -1."""

    def spoil(path: Path) -> None:
        file = path / "candidate" / "attack.jsonl"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, count), encoding="utf-8")

    return spoil


def manifest(text: str | bytes) -> Callable[[Path], None]:
    """Replace the candidate's run.yaml."""
    raw = text if isinstance(text, bytes) else text.encode()
    return lambda path: (path / "candidate" / "run.yaml").write_bytes(raw) and None


def suite(**keys: object) -> Callable[[Path], None]:
    """Replace keys of the candidate's suite; None takes a key out."""

    def spoil(path: Path) -> None:
        file = path / "candidate" / "run.yaml"
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        declared = document["suites"]["attack"] | keys
        document["suites"]["attack"] = {k: v for k, v in declared.items() if v is not None}
        file.write_text(yaml.safe_dump(document), encoding="utf-8")

    return spoil


def policy(text: str | bytes) -> Callable[[Path], None]:
    """Replace the policy."""
    raw = text if isinstance(text, bytes) else text.encode()
    return lambda path: (path / "policy.yaml").write_bytes(raw) and None


def checks(*rows: str) -> Callable[[Path], None]:
    """Replace the policy's checks."""
    lines = "".join(f"  - {row}\n" for row in rows)
    return policy(f"version: 1\nname: t\nchecks:\n{lines}")


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
GOOD = "{id: a, check: paired-delta, suite: attack, method: DirectRequest, margin: 0.08}"

CASES.update(
    {
        "verdicts: empty file": verdicts(""),
        "verdicts: blank lines only": verdicts("\n\n\n"),
        "verdicts: not JSON": verdicts("behavior_id,method,unsafe\nb0001,DirectRequest,false\n"),
        "verdicts: cut in the middle of a row": verdicts('{"behavior_id": "b0001", "method": "Dir'),
        "verdicts: an array in a lines file": verdicts("[1, 2, 3]\n"),
        "verdicts: invalid UTF-8": verdicts(b'{"behavior_id": "\xff\xfe", "method": "D"}\n'),
        "verdicts: UTF-16": verdicts('{"behavior_id": "b0001"}\n'.encode("utf-16")),
        "verdicts: a NUL byte": verdicts(b'{"behavior_id": "b\x0001"}\n'),
        "verdicts: gzip cut short": verdicts(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab"),
        "verdicts: zstd magic only": verdicts(b"\x28\xb5\x2f\xfd"),
        "verdicts: no behavior_id": replaced('"behavior_id": "b0000", ', ""),
        "verdicts: empty behavior_id": replaced('"b0000"', '""'),
        "verdicts: a number as behavior_id": replaced('"b0000"', "7"),
        "verdicts: no method": replaced('"method": "DirectRequest", ', ""),
        "verdicts: no verdict column": replaced('"unsafe": false, ', ""),
        "verdicts: text as verdict": replaced('"unsafe": false', '"unsafe": "False"'),
        "verdicts: a number as verdict": replaced('"unsafe": false', '"unsafe": 0'),
        "verdicts: NaN as verdict": replaced('"unsafe": false', '"unsafe": NaN'),
        "verdicts: an unknown reason": replaced(
            '"unsafe": false', '"unsafe": null, "unscored": "x"'
        ),
        "verdicts: verdict and reason at once": replaced(
            '"unsafe": false', '"unsafe": false, "unscored": "empty"'
        ),
        "verdicts: a negative test case": replaced('"test_case": 0', '"test_case": -1'),
        "verdicts: a misspelled column": replaced('"semantic_category"', '"semantic_categry"', -1),
        "verdicts: a lone surrogate in an id": replaced('"b0000"', '"\\ud800"'),
        "run.yaml: empty": manifest(""),
        "run.yaml: a list": manifest("- 1\n"),
        "run.yaml: broken YAML": manifest("schema: [gate.run/v1\n"),
        "run.yaml: another schema": manifest(
            "schema: gate.run/v9\ncheckpoint: {name: a}\nsuites: {}\n"
        ),
        "run.yaml: no suites": manifest("schema: gate.run/v1\ncheckpoint: {name: a}\nsuites: {}\n"),
        "run.yaml: invalid UTF-8": manifest(b"schema: \xff\n"),
        "run.yaml: a Python tag": manifest("!!python/object/apply:os.system ['true']\n"),
        "run.yaml: unknown key": suite(judgee={"id": "x"}),
        "run.yaml: unknown kind": suite(kind="attak"),
        "run.yaml: unknown reader": suite(reader="harmbnch"),
        "run.yaml: no judge": suite(judge=None),
        "run.yaml: an attack suite without a length": suite(generation={}),
        "run.yaml: a length of zero": suite(generation={"max_new_tokens": 0}),
        "run.yaml: a path that is not there": suite(path="nowhere.jsonl"),
        "run.yaml: a path to a directory": suite(path="."),
        "run.yaml: an unknown URI scheme": suite(path="nosuch://x/y.jsonl"),
        "run.yaml: another suffix": suite(path="attack.txt"),
        "run.yaml: a tree without a model": suite(reader="harmbench", path="."),
        "policy: empty": policy(""),
        "policy: a list": policy("- a\n"),
        "policy: broken YAML": policy("checks: [\n"),
        "policy: a tab": policy("version: 1\n\tname: t\n"),
        "policy: invalid UTF-8": policy(b"name: \xff\n"),
        "policy: no version": policy(f"name: t\nchecks:\n  - {GOOD}\n"),
        "policy: a future version": policy(f"version: 2\nname: t\nchecks:\n  - {GOOD}\n"),
        "policy: no checks": policy("version: 1\nname: t\n"),
        "policy: empty checks": policy("version: 1\nname: t\nchecks: []\n"),
        "policy: a key twice": policy(f"version: 1\nname: t\nname: u\nchecks:\n  - {GOOD}\n"),
        "policy: two documents": policy("version: 1\n---\nversion: 1\n"),
        "policy: an alias bomb": policy(BOMB),
        "policy: a Python tag": policy("!!python/object/apply:os.system ['true']\n"),
        "policy: an unknown key": checks(GOOD.replace("margin", "margn")),
        "policy: an unknown check": checks(GOOD.replace("paired-delta", "paired-dleta")),
        "policy: an exponent read as text": checks(GOOD.replace("0.08", "8e-2")),
        "policy: a percentage": checks(GOOD.replace("0.08", "8%")),
        "policy: a margin in points": checks(GOOD.replace("0.08", "8")),
        "policy: NaN": checks(GOOD.replace("0.08", ".nan")),
        "policy: infinity": checks(GOOD.replace("0.08", ".inf")),
        "policy: null": checks(GOOD.replace("0.08", "null")),
        "policy: no as a level": checks(GOOD.replace("}", ", level: no}")),
        "policy: warnings only": checks(GOOD.replace("}", ", level: warn}")),
        "policy: one id twice": checks(GOOD, GOOD),
        "policy: an unknown category": checks(
            "{id: a, check: ceiling, suite: attack, method: DirectRequest, by: semantic_category, "
            "ceilings: {illegl: 0.5, default: 0.5}}"
        ),
        "policy: a category without a limit": checks(
            "{id: a, check: ceiling, suite: attack, method: DirectRequest, by: semantic_category, "
            "ceilings: {illegal: 0.5}}"
        ),
        "policy: an unknown column": checks(GOOD.replace("}", ", by: colour}")),
        "policy: a waiver without owner": policy(
            f"version: 1\nname: t\nchecks:\n  - {GOOD}\nwaivers:\n"
            "  - {check: a, up_to: 0.1, reason: r, ticket: t, expires: 2027-01-01}\n"
        ),
    }
)


@case("files: no candidate directory")
def _(path: Path) -> None:
    (path / "candidate" / "run.yaml").unlink()
    (path / "candidate" / "attack.jsonl").unlink()
    (path / "candidate").rmdir()


@case("files: the candidate is a file")
def _(path: Path) -> None:
    CASES["files: no candidate directory"](path)
    (path / "candidate").write_text("placeholder", encoding="utf-8")


@case("files: verdicts are a FIFO")
def _(path: Path) -> None:
    (path / "candidate" / "attack.jsonl").unlink()
    os.mkfifo(path / "candidate" / "attack.jsonl")


@case("files: verdicts are a dangling link")
def _(path: Path) -> None:
    (path / "candidate" / "attack.jsonl").unlink()
    (path / "candidate" / "attack.jsonl").symlink_to("nowhere")


@case("files: no policy")
def _(path: Path) -> None:
    (path / "policy.yaml").unlink()


@case("files: the policy is a directory")
def _(path: Path) -> None:
    (path / "policy.yaml").unlink()
    (path / "policy.yaml").mkdir()


def outcome(name: str, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Spoil, decide, and give the exit code with the first line of the message."""
    write_run(path / "baseline", attack=attack_rows())
    write_run(path / "candidate", attack=attack_rows())
    write_policy(path / "policy.yaml", DELTA)
    CASES[name](path)
    report = path / "decision.json"
    sides = ["--baseline", str(path / "baseline"), "--candidate", str(path / "candidate")]
    code = gate(
        ["check", "--policy", str(path / "policy.yaml"), *sides, "--report", f"json:{report}"]
    )
    errors = capsys.readouterr().err
    assert "Traceback" not in errors, errors
    if report.exists():
        finding = json.loads(report.read_text(encoding="utf-8"))["findings"][0]
        first = f"{finding['reason']}: {finding['summary']}"
    else:
        first = errors.splitlines()[0]
    return code, first.replace(f"{path}/", "")


def test_malformed_inputs_are_refused_with_help(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """Each is refused with 2 or 4 and a line that names what is wrong."""
    lines = ["| what is wrong | exit | first line |", "|---|---|---|"]
    for number, name in enumerate(CASES):
        code, first = outcome(name, tmp_path / str(number), capsys)
        assert code == (2 if name.startswith("policy") or "policy" in name else 4), (name, first)
        assert not re.search(r"[\x00-\x1f\x7f]", first), name
        lines.append(f"| {name} | {code} | {first.replace('|', '/')} |")
    text = "\n".join(lines) + "\n"
    if request.config.getoption("--update-goldens"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    assert len(CASES) >= 40

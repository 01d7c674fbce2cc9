"""JailbreakBench's artifacts."""

from pathlib import Path
from typing import Any

import pytest

from gate.evidence.rows import Rows
from gate.reasons import Reason
from tests.evidence.reading import read, refused, tuples, write_json

JAILBREAK = {
    "index": 0,
    "behavior": "Placeholder",
    "category": "Privacy",
    "prompt": "[removed]",
    "response": "[removed]",
    "jailbroken": True,
    "jailbroken_other": False,
}


def artifact(folder: Path, *changes: dict[str, Any], method: Any = "PAIR") -> None:
    """Write an artifact with one jailbreak for each set of changes."""
    jailbreaks = [{**JAILBREAK, "index": i, **change} for i, change in enumerate(changes)]
    content = {"parameters": {"method": method}, "jailbreaks": jailbreaks}
    write_json(folder / "pair.json", content, indent=1)


def one(folder: Path, *changes: dict[str, Any], **declared: Any) -> Rows:
    """Read such an artifact."""
    artifact(folder, *changes)
    return read(folder, "attack", "jailbreakbench", "pair.json", **declared)


def wrong(reason: Reason, folder: Path, *changes: dict[str, Any], **declared: Any) -> str:
    """Return the message with which such an artifact is refused."""
    artifact(folder, *changes)
    return refused(reason, folder, "attack", "jailbreakbench", "pair.json", **declared)


def test_verdicts(tmp_path: Path) -> None:
    """The label is a boolean; a prompt of null was never submitted, which is not safe."""
    rows = one(
        tmp_path,
        {},
        {"behavior": None, "jailbroken": False},
        {"behavior": "Other", "prompt": None, "response": None, "jailbroken": False},
        {"behavior": "Silent", "response": None, "jailbroken": False},
        {"behavior": "Unread", "jailbroken": None, "category": None},
    )
    assert tuples(rows) == [
        ("Placeholder", "PAIR", 0, 1, None, "Privacy"),
        ("1", "PAIR", 0, 0, None, "Privacy"),
        ("Other", "PAIR", 0, -1, "not_submitted", "Privacy"),
        ("Silent", "PAIR", 0, -1, "empty", "Privacy"),
        ("Unread", "PAIR", 0, -1, "unparsed", None),
    ]


def test_other_judges(tmp_path: Path) -> None:
    """Another judge's column can be chosen; one that is not there is an error."""
    assert list(one(tmp_path, {}, label_column="jailbroken_other").values) == [0]
    message = wrong(Reason.E_FORMAT, tmp_path, {}, label_column="jailbroken_othr")
    assert message.endswith("no 'jailbroken_othr' (did you mean 'jailbroken_other'?)")


@pytest.mark.parametrize(
    ("label", "found"), [("True", "the text 'True'"), (1, "1"), ("unsafe", "'unsafe'")]
)
def test_labels_of_another_sort(tmp_path: Path, label: Any, found: str) -> None:
    """Only JSON's true and false are labels, unless others are declared."""
    message = wrong(Reason.E_LABEL, tmp_path, {}, {"jailbroken": label})
    assert message.startswith(f"pair.json: jailbreak 1: jailbroken is {found}, which is none")
    declared = {"labels": {"unsafe": "unsafe"}}
    assert list(one(tmp_path, {"jailbroken": "unsafe"}, **declared).values) == [1]


def test_contradictions(tmp_path: Path) -> None:
    """A jailbreak without a prompt cannot have succeeded; one without the key says nothing."""
    message = wrong(Reason.E_FORMAT, tmp_path, {"prompt": None})
    assert message == "pair.json: jailbreak 0: the prompt is null, but the label is true"
    bare = {key: value for key, value in JAILBREAK.items() if key != "prompt"}
    write_json(tmp_path / "pair.json", {"parameters": {"method": "PAIR"}, "jailbreaks": [bare]})
    message = refused(Reason.E_FORMAT, tmp_path, "attack", "jailbreakbench", "pair.json")
    assert message.endswith("no `prompt`: was it ever submitted?")


def test_methods(tmp_path: Path) -> None:
    """The method is the artifact's own, and must be the one declared."""
    assert list(one(tmp_path, {}, methods=["PAIR", "GCG"]).methods) == ["PAIR"]
    message = wrong(Reason.E_MANIFEST, tmp_path, {}, methods=["GCG"])
    assert message == (
        "run.yaml: suites.demo.methods: 'GCG', but parameters.method of pair.json is 'PAIR'"
    )
    artifact(tmp_path, {}, method=None)
    arguments = (tmp_path, "attack", "jailbreakbench")
    assert list(read(*arguments, {"GCG": "pair.json"}).methods) == ["GCG"]
    assert list(read(*arguments, "pair.json", methods=["TAP"]).methods) == ["TAP"]
    refused(Reason.E_MANIFEST, *arguments, "pair.json")
    refused(Reason.E_MANIFEST, *arguments, {"GCG": "pair.json"}, methods=["TAP"])
    artifact(tmp_path, {})
    refused(Reason.E_MANIFEST, *arguments, {"GCG": "pair.json"})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([], Reason.E_FORMAT),
        ({}, Reason.E_FORMAT),
        ({"jailbreaks": {}}, Reason.E_FORMAT),
        ({"parameters": {"method": "PAIR"}, "jailbreaks": []}, Reason.E_EMPTY),
        ({"parameters": {"method": "PAIR"}, "jailbreaks": [1]}, Reason.E_FORMAT),
        ({"parameters": [], "jailbreaks": [JAILBREAK]}, Reason.E_MANIFEST),
        ({"parameters": {"method": ""}, "jailbreaks": [JAILBREAK]}, Reason.E_FORMAT),
    ],
)
def test_other_shapes(tmp_path: Path, content: Any, reason: Reason) -> None:
    """What is no artifact is refused."""
    write_json(tmp_path / "pair.json", content)
    refused(reason, tmp_path, "attack", "jailbreakbench", "pair.json")


def test_keys_that_are_there_twice(tmp_path: Path) -> None:
    """An artifact with two lists of jailbreaks is refused; Python would take the last."""
    content = '{"parameters": {"method": "PAIR"}, "jailbreaks": [], "jailbreaks": []}'
    (tmp_path / "pair.json").write_text(content, encoding="utf-8")
    message = refused(Reason.E_FORMAT, tmp_path, "attack", "jailbreakbench", "pair.json")
    assert "'jailbreaks' is there twice" in message

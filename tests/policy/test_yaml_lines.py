"""YAML read without its surprises, by either of PyYAML's parsers."""

import pytest
import yaml

from gate import yaml_lines
from gate.yaml_lines import read_tree
from gate.yaml_places import Mark


@pytest.fixture(params=["fast", "plain"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run everything with libyaml and without."""
    if request.param == "plain":
        monkeypatch.setattr(yaml_lines, "_LOADER", yaml.SafeLoader)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-3", -3),
        ("+0.5", 0.5),
        (".5", 0.5),
        ("1.0e-3", 0.001),
        ("1.0e3", 1000.0),
        ("1e-3", "1e-3"),
        ("007", "007"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("12:30:00", "12:30:00"),
        ("2027-01-31", "2027-01-31"),
        ("True", True),
        ("false", False),
        ("'false'", "false"),
        ('"0.5"', "0.5"),
        ("y", "y"),
        ("~", None),
        ("|\n  two\n  lines\n", "two\nlines\n"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_a_scalar_is_what_it_looks_like(text: str, value: object) -> None:
    """Numbers and truth values are read where they are plain; everything else is text."""
    tree = read_tree(f"key: {text}".encode())
    assert tree.mistakes == ()
    assert tree.value == {"key": value}
    assert type(tree.value["key"]) is type(value)  # type: ignore[index]


def test_places_are_kept() -> None:
    """Keys and values know their line and column, in block and flow style."""
    tree = read_tree(b"# comment\na:\n  - {b: 1, c: [x, y]}\n")
    assert tree.at_key(("a", 0, "c")) == Mark(3, 12)
    assert tree.at_value(("a", 0, "c", 1)) == Mark(3, 19)
    assert tree.at_value(("a", 0, "missing")) == Mark(3, 5)
    assert tree.at_value(("nowhere",)) == Mark(2, 1)


@pytest.mark.parametrize("word", ["yes", "No", "ON", "off"])
def test_words_that_yaml_takes_for_truth_values_are_refused(word: str) -> None:
    """They mean one thing to one parser and another to the next."""
    (mistake,) = read_tree(f"key: {word}".encode()).mistakes
    assert mistake.message.startswith(f"`{word}` reads as ")
    assert read_tree(f"key: '{word}'".encode()).mistakes == ()


def test_every_duplicate_is_found() -> None:
    """Each is named with the line of the first; what it holds is not looked at."""
    tree = read_tree(b"a: 1\nb: {c: 1, c: [{}]}\na: {d: 1, d: 2}\na: 3\n")
    assert [(mistake.mark, mistake.path) for mistake in tree.mistakes] == [
        (Mark(2, 11), ("b", "c")),
        (Mark(3, 1), ("a",)),
        (Mark(4, 1), ("a",)),
    ]
    assert tree.value == {"a": 1, "b": {"c": 1}}


def test_aliases_repeat_a_value_as_programs_write_equal_parts() -> None:
    """What a YAML writer abbreviates is read as if it stood there twice."""
    assert read_tree(b"a: &x {b: 1}\nc: *x\n").value == {"a": {"b": 1}, "c": {"b": 1}}

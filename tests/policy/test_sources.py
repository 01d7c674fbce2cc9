"""Where policies and the ids that they pin come from."""

import hashlib
from pathlib import Path

import fsspec
import pytest

from gate.errors import PolicyError
from gate.evidence.table import ids_sha256
from gate.policy import SHIPPED, load, resolve
from tests.policy.samples import GOOD, changed, problems, write


def test_a_loaded_policy_carries_where_it_came_from(tmp_path: Path) -> None:
    """Path as written, and the sha256 of the bytes."""
    path = write(tmp_path, GOOD)
    policy = load(path)
    assert policy.path == path
    assert policy.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    assert policy.name == "sample"


def test_a_policy_without_a_name_has_its_file_s(tmp_path: Path) -> None:
    """The name is for reports, and there always is one."""
    assert load(write(tmp_path, changed("name: sample\n", ""))).name == "policy"


def test_checks_get_the_policy_s_statistics_unless_they_have_their_own(tmp_path: Path) -> None:
    """Confidence and bound are filled in, never overridden."""
    text = changed("{confidence: 0.95, bound: score}", "{confidence: 0.9, bound: exact}")
    text = text.replace("margin: 0.055", "margin: 0.055\n    bound: score")
    checks = load(write(tmp_path, text)).checks
    assert [check.confidence for check in checks] == [0.9, 0.9, 0.9]
    assert [check.bound for check in checks] == ["score", "exact", "exact"]


def test_a_whole_number_is_a_number(tmp_path: Path) -> None:
    """An integer where a fraction is meant is taken as it is."""
    policy = load(write(tmp_path, changed("margin: 0.055", "margin: 0")))
    assert policy.checks[0].model_dump()["margin"] == 0


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_a_uri_is_read(scheme: str, tmp_path: Path) -> None:
    """Any fsspec URI will do, and files of ids are found beside it."""
    folder = "memory://policies" if scheme == "memory" else f"file://{tmp_path}"
    text = changed("{n: 60}", "{ids: ids.txt}")
    for name, content in (("p.yaml", text), ("ids.txt", "p1\np2\n")):
        with fsspec.open(f"{folder}/{name}", "wt") as file:
            file.write(content)
    policy = load(f"{folder}/p.yaml")
    assert policy.path == f"{folder}/p.yaml"
    assert policy.suites["refusal"].expectation().ids == ("p1", "p2")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.yaml", "gone.yaml: no such file (shipped policies: release, pr-smoke, "),
        ("relaese", "relaese: no such file; did you mean 'release'? (shipped policies: "),
        (".", ".: is a directory"),
        ("", "(no path): no such file"),
        ("memory://gone.yaml", "memory://gone.yaml: no such file"),
        ("nothing://x/y.yaml", "nothing://x/y.yaml: cannot be read: Protocol not known"),
        ("a\0b.yaml", "a\0b.yaml: cannot be read: embedded null byte"),
    ],
)
def test_a_policy_that_cannot_be_read_is_a_policy_error(path: str, message: str) -> None:
    """What cannot be opened is named as it was written, with what could be meant."""
    with pytest.raises(PolicyError) as caught:
        load(path)
    assert caught.value.message.startswith(message)
    assert caught.value.next_step


def test_a_file_does_not_take_the_place_of_a_shipped_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--policy release` means the same in every directory; `./release` is the file."""
    (tmp_path / "release").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert load("release").name == "release"
    assert load("release").path == "shipped:release"
    assert load("./release").name == "sample"


def test_every_shipped_name_resolves_to_a_file() -> None:
    """A name that help lists can be opened."""
    assert all(Path(resolve(name)).is_file() for name in SHIPPED)


def test_a_catalog_pins_its_ids(tmp_path: Path) -> None:
    """The catalog's ids are what pairing expects, with their source."""
    text = changed("{n: 100, ", '{ids: "catalog:harmbench-val", n: 80, ')
    expectation = load(write(tmp_path, text)).suites["attack"].expectation()
    assert expectation.ids is not None
    assert len(expectation.ids) == 80
    assert expectation.source == "catalog:harmbench-val"
    assert expectation.budget.max_rate == 0.01


def test_a_file_pins_its_ids(tmp_path: Path) -> None:
    """One id a line, comments and blank lines left out, relative to the policy."""
    (tmp_path / "ids.txt").write_text("# ours\nb2\n\n  b1  \n")
    digest = ids_sha256(["b1", "b2"])
    text = changed(
        "{n: 60}", f"{{ids: ids.txt, n: 2, ids_sha256: {digest}, exclude: {{id: [b1]}}}}"
    )
    expectation = load(write(tmp_path, text)).suites["refusal"].expectation()
    assert expectation.ids == ("b2", "b1")
    assert expectation.exclude == {"id": ("b1",)}
    assert expectation.source.startswith("ids.txt (sha256 ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"b1\nb2\nb1\n", "'ids.txt', line 3: 'b1' is also on line 1"),
        (b"# none\n", "'ids.txt' names no ids"),
        (b"", "'ids.txt' names no ids"),
        (b"b1\n\xff\n", "'ids.txt', line 2: not UTF-8"),
    ],
)
def test_a_file_of_ids_that_cannot_be_right_is_refused(
    content: bytes, message: str, tmp_path: Path
) -> None:
    """What is wrong with the file is a problem of the policy that names it."""
    (tmp_path / "ids.txt").write_bytes(content)
    found = problems(tmp_path, changed("{n: 60}", "{ids: ids.txt}"))
    assert found == [f"policy.yaml:6:18: suites.refusal.ids: {message}"]


def test_what_a_suite_expects_follows_its_keys(tmp_path: Path) -> None:
    """Every setting that pairing needs is handed on."""
    rules = (
        "{n: 100, exclude: {category: [a]}, count_as: {not_submitted: safe}, "
        "unscored: {max_rate: 0.02, max_difference: 0}}"
    )
    text = changed("{n: 100, unscored: {max_rate: 0.01}}", rules)
    expectation = load(write(tmp_path, text)).suites["attack"].expectation()
    assert expectation.ids is None
    assert expectation.n == 100
    assert expectation.exclude == {"category": ("a",)}
    assert expectation.count_as == {"not_submitted": "safe"}
    assert (expectation.budget.max_rate, expectation.budget.max_difference) == (0.02, 0)


def test_the_ids_of_a_file_are_part_of_the_policy(tmp_path: Path) -> None:
    """Its sha256 follows the ids, whatever their order and comments; a catalog has no file."""
    text = changed("{n: 60}", "{ids: ids.txt}")
    digests = []
    for content in ("p1\np2\n", "# ours\np2\np1\n", "p1\np3\n"):
        (tmp_path / "ids.txt").write_text(content)
        digests.append(load(write(tmp_path, text)).sha256)
    assert digests[0] == digests[1] != digests[2]
    own = hashlib.sha256(text.encode()).hexdigest()
    lines = f'{own}\n{ids_sha256(["p1", "p2"])} "refusal"\n'
    assert digests[0] == hashlib.sha256(lines.encode()).hexdigest()
    assert load(write(tmp_path, text)).own_sha256 == own
    catalog = changed("{n: 100, ", '{ids: "catalog:harmbench-val", ')
    found = load(write(tmp_path, catalog)).sha256
    assert found == hashlib.sha256(catalog.encode()).hexdigest()

"""A policy built on another: what is taken over, what is laid over, and where mistakes are."""

import hashlib
from pathlib import Path

import fsspec
import pytest

from gate.evidence.table import ids_sha256
from gate.policy import load
from tests.policy.chains import ORG, child, extended, put, refusal, refused


def test_what_is_not_mentioned_is_taken_over(tmp_path: Path) -> None:
    """Suites, checks and waivers are the parent's; the name is the child's own."""
    parent = load(put(tmp_path, org=ORG))
    policy = extended(tmp_path, "on_missing_baseline: absolute-only\n")
    assert policy.suites == parent.suites
    assert policy.checks == parent.checks
    assert policy.waivers == parent.waivers
    assert policy.on_missing_baseline == "absolute-only"
    assert (policy.name, parent.name) == ("team", "org")
    assert policy.parents == (parent,)


def test_mappings_merge_at_every_depth(tmp_path: Path) -> None:
    """One key changes, its neighbors stay, however deep it is."""
    policy = extended(
        tmp_path,
        "statistics: {bound: exact}\n"
        "suites: {attack: {unscored: {max_difference: 0}}, extra: {n: 5}}\n"
        "checks:\n"
        "  - {id: ceilings, ceilings: {b: 0.25, c: none}}\n"
        "  - {id: tap, check: paired-delta, suite: attack, method: TAP, margin: 0.1}\n",
    )
    assert (policy.statistics.confidence, policy.statistics.bound) == (0.95, "exact")
    assert policy.suites["attack"].n == 100
    unscored = policy.suites["attack"].unscored
    assert (unscored.max_rate, unscored.max_difference) == (0.01, 0)
    assert [check.id for check in policy.checks] == ["direct", "ceilings", "refusals", "tap"]
    assert policy.checks[1].model_dump()["ceilings"] == {"a": 0.2, "b": 0.25, "c": "none"}
    assert policy.checks[0].bound == "exact"


def test_a_list_takes_the_place_of_the_parent_s(tmp_path: Path) -> None:
    """Lists have no keys to merge by."""
    org = ORG.replace("{n: 60}", "{n: 60, require_declared: [chat_template, judge_revision]}")
    policy = extended(tmp_path, "suites: {refusal: {require_declared: [chat_template]}}\n", org)
    assert policy.suites["refusal"].require_declared == ("chat_template",)
    assert policy.suites["refusal"].n == 60


def test_a_waiver_of_the_same_findings_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Another one is added; what a waiver covers says which is which."""
    waiver = "up_to: 0.25, reason: r, owner: bo, ticket: T-2, expires: 2027-03-01}\n"
    policy = extended(
        tmp_path,
        f"waivers:\n  - {{check: ceilings, slice: {{category: a}}, {waiver}"
        f"  - {{check: ceilings, slice: {{category: b}}, {waiver}",
    )
    assert [(each.owner, each.slice["category"]) for each in policy.waivers] == [
        ("bo", "a"),
        ("bo", "b"),
    ]


def test_what_goes_goes_by_name(tmp_path: Path) -> None:
    """A check, a key, the waivers of a check."""
    policy = extended(
        tmp_path,
        "remove: [checks.refusals, waivers.ceilings, checks.ceilings.ceilings.b, "
        "suites.attack.unscored]\n",
    )
    assert [check.id for check in policy.checks] == ["direct", "ceilings"]
    assert policy.waivers == ()
    assert policy.checks[1].model_dump()["ceilings"] == {"a": 0.2}
    assert policy.suites["attack"].unscored.max_rate == 0.01
    assert policy.suites["attack"].n == 100


def test_an_id_with_dots_is_found(tmp_path: Path) -> None:
    """A path is read by the keys that are there."""
    org = ORG.replace("id: refusals", "id: refusals.v2")
    policy = extended(tmp_path, "remove: [checks.refusals.v2.contrast_margin]\n", org)
    assert policy.checks[2].model_dump()["contrast_margin"] is None


def test_a_removed_check_may_be_written_anew(tmp_path: Path) -> None:
    """Then nothing of the old one is left."""
    body = (
        "remove: [checks.direct]\n"
        "checks: [{id: direct, check: ceiling, suite: attack, method: X, ceiling: 0.1}]\n"
    )
    assert extended(tmp_path, body).checks[-1].check == "ceiling"


def test_chains_of_several_and_shipped_policies(tmp_path: Path) -> None:
    """Each file lies over the one that it names; a shipped name is that policy."""
    put(
        tmp_path,
        org=child("checks: [{id: direct-request, margin: 0.05}]", extends="release"),
        team=child("checks: [{id: worst-method, margin: 0.07}]"),
    )
    policy = load(put(tmp_path, own=child("name: mine", extends="team.yaml")))
    margins = {check.id: check.model_dump().get("margin") for check in policy.checks}
    assert (margins["direct-request"], margins["worst-method"]) == (0.05, 0.07)
    assert [parent.path.rpartition("/")[2] for parent in policy.parents] == [
        "team.yaml",
        "org.yaml",
        "shipped:release",
    ]
    assert policy.suites["harmbench"].expectation().ids is not None


def test_files_of_ids_are_beside_the_policy_that_names_them(tmp_path: Path) -> None:
    """Not beside the one that extends it."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "ids.txt").write_text("p1\np2\n")
    put(tmp_path / "base", org=ORG.replace("{n: 60}", "{ids: ids.txt}"))
    policy = load(put(tmp_path, team=child("name: team", extends="base/org.yaml")))
    assert policy.suites["refusal"].expectation().ids == ("p1", "p2")


def test_the_digest_covers_the_whole_chain(tmp_path: Path) -> None:
    """It is made of the digests of the files, the policy's own first; each can be changed."""
    files = [put(tmp_path, org=ORG), put(tmp_path, team=child("name: team"))]
    own = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in reversed(files)]
    policy = load(files[1])
    assert policy.sha256 == hashlib.sha256("".join(f"{x}\n" for x in own).encode()).hexdigest()
    assert policy.parents[0].own_sha256 == own[1]
    put(tmp_path, org=ORG + "# a comment\n")
    assert load(files[1]).sha256 != policy.sha256


def test_a_parent_is_held_to_its_digest(tmp_path: Path) -> None:
    """A local file may carry one, and is then checked."""
    digest = hashlib.sha256(ORG.encode()).hexdigest()
    text = child("name: team", extends=f"{{policy: org.yaml, sha256: {digest}}}")
    assert load(put(tmp_path, org=ORG, team=text)).checks
    path = put(tmp_path, org=ORG + "\n", team=text)
    assert refusal(tmp_path, path)[0].startswith(
        "team.yaml:2:37: extends.sha256: is not the sha256 of 'org.yaml': that file's is "
    )


def test_a_uri_needs_a_digest(tmp_path: Path) -> None:
    """What lies elsewhere could change under the policy."""
    with fsspec.open("memory://shared/org.yaml", "wt") as file:
        file.write(ORG)
    place = "memory://shared/org.yaml"
    digest = hashlib.sha256(ORG.encode()).hexdigest()
    good = child("name: x", extends=f"{{policy: '{place}', sha256: {digest}}}")
    assert load(put(tmp_path, team=good)).parents[0].path == place
    path = put(tmp_path, team=child("name: x", extends=f"'{place}'"))
    assert refusal(tmp_path, path) == [
        "team.yaml:2:10: extends: a policy read from a URI needs its sha256: write "
        "{policy: 'memory://shared/org.yaml', sha256: …}"
    ]


def test_a_circle_is_named(tmp_path: Path) -> None:
    """With every policy on it."""
    put(tmp_path, a=child("", extends="b.yaml"), b=child("", extends="c.yaml"))
    put(tmp_path, c=child("", extends="./a.yaml"))
    (found,) = refusal(tmp_path, str(tmp_path / "a.yaml"))
    assert found == (
        "c.yaml:2:10: extends: goes round in a circle: a.yaml extends b.yaml, which extends "
        "c.yaml, which extends ./a.yaml"
    )


def test_a_chain_has_an_end(tmp_path: Path) -> None:
    """Nobody reads nine policies to know what one says."""
    put(tmp_path, p0=ORG)
    for number in range(1, 9):
        path = put(tmp_path, **{f"p{number}": child("", extends=f"p{number - 1}.yaml")})
    assert load(str(tmp_path / "p7.yaml")).checks
    assert "more than 8 policies extend one another" in refusal(tmp_path, path)[0]


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("gone.yaml", "extends: 'gone.yaml': no such file"),
        ("relaese", "extends: 'relaese': no such file; did you mean 'release'?"),
        (".", "extends: '.': is a directory"),
        ("3", "extends: must be a path, a shipped policy's name, or {policy: …, sha256: …}, not 3"),
        ("''", "extends: must be a path, a shipped policy's name, or {policy: …, sha256: …}"),
        ("{policy: org.yaml}", "extends.sha256: is missing"),
        ("{polcy: org.yaml, sha256: x}", "extends.polcy: is not a key here; did you mean 'policy'"),
        ("{policy: org.yaml, sha256: ABC}", "extends.sha256: must be a sha256: 64 hexadecimal"),
    ],
)
def test_a_parent_that_cannot_be_meant(extends: str, message: str, tmp_path: Path) -> None:
    """What is wrong with `extends` is told where it stands."""
    found = refusal(tmp_path, put(tmp_path, org=ORG, team=child("", extends=extends)))
    assert any(message in line and line.startswith("team.yaml:2:") for line in found), found


def test_a_parent_must_be_right_by_itself(tmp_path: Path) -> None:
    """Its mistakes are told in its own file, with the way that led there."""
    put(tmp_path, org=ORG.replace("0.055", "5.5"), team=child(""))
    found = refusal(tmp_path, put(tmp_path, own=child("", extends="team.yaml")))
    assert found[0].startswith("org.yaml:7:85: checks[0].margin: must be at most 1, not 5.5")
    assert found[1:] == [
        "team.yaml:2:10: extends: org.yaml cannot be used, and must be by itself",
        "own.yaml:2:10: extends: team.yaml cannot be used, and must be by itself",
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "checks: [{id: dirct, margin: 0.05}]",
            "3:10: checks[0].check: is missing: org.yaml has no check 'dirct' to change; did you "
            "mean 'direct'?",
        ),
        (
            "checks: [{id: direct, check: ceiling}]",
            "3:30: checks[0].check: is paired-delta in org.yaml: to put another kind of check in "
            "its place, list checks.direct under `remove`",
        ),
        (
            "checks: [{id: direct, margn: 0.05}]",
            "3:23: checks[0].margn: is not a key here; did you mean 'margin'?",
        ),
        ("checks: [{id: direct, margin: 5}]", "3:31: checks[0].margin: must be at most 1, not 5"),
        (
            "checks: [{id: direct, margin: 0.1}, {id: direct, margin: 0.2}]",
            "3:42: checks[1].id: 'direct' is also the id of checks[0]",
        ),
        ("checks: {direct: 1}", "3:9: checks: must be a list, not a mapping"),
        ("checks: []", "3:9: checks: is empty"),
        (
            "suites: {attack: {}}",
            "3:18: suites.attack: is empty, and so changes nothing of what org.yaml says: leave it "
            "out, or name what is to go under `remove`",
        ),
        ("waivers: []", "3:10: waivers: is empty, and so changes nothing of what org.yaml says"),
        (
            "remove: [refusals]",
            "3:10: remove[0]: org.yaml has no 'refusals'; did you mean 'checks.refusals'?",
        ),
        ("remove: [name]", "3:10: remove[0]: org.yaml has no 'name' (paths begin with: "),
        ("remove: []", "3:9: remove: must not be empty"),
        (
            "remove: [checks.ceilings]",
            "16:12: waivers[0].check: no check has the id 'ceilings' (there are: direct, refusals) "
            "(once team.yaml extends it)",
        ),
        (
            "remove: [checks.direct.margin]",
            "3:10: remove[0]: `margin` is missing: say how large a rise you accept",
        ),
        (
            "checks:\n  - {id: direct, level: warn}\n  - {id: ceilings, level: warn}\n"
            "  - {id: refusals, level: warn}",
            "3:1: checks: every check only warns, so nothing could ever block a release",
        ),
        ("locked: [checks.dirct]", "3:10: locked[0]: there is no 'checks.dirct' here to lock; did"),
        ("locked: checks", "3:9: locked: must be a list, not the text 'checks'"),
    ],
)
def test_mistakes_stand_where_they_were_made(body: str, message: str, tmp_path: Path) -> None:
    """In the file that makes the mistake, at its line, with what could be meant."""
    found = refused(tmp_path, body)
    file = "org.yaml" if message.startswith("16:") else "team.yaml"
    assert any(line.startswith(f"{file}:{message}") for line in found), found


def test_nothing_is_removed_from_nothing(tmp_path: Path) -> None:
    """`remove` without `extends` is a slip."""
    (found,) = refusal(tmp_path, put(tmp_path, own=f"{ORG}remove: [checks.direct]\n"))
    assert found.startswith("own.yaml:23:1: remove: there is nothing to remove from")


def test_lines_point_into_the_policy_named(tmp_path: Path) -> None:
    """Of a check that it says nothing of, to where it extends the one that has it."""
    policy = extended(tmp_path, "checks:\n  - {id: refusals, max_rate: 0.1}\n")
    assert policy.lines == {"direct": 2, "ceilings": 2, "refusals": 4}


def test_the_digest_covers_the_ids_that_a_parent_s_file_names(tmp_path: Path) -> None:
    """The files of the chain come first, then the ids of each suite by its name."""
    (tmp_path / "ids.txt").write_text("p1\np2\n")
    org = ORG.replace("{n: 60}", "{ids: ids.txt}")
    policy = load(put(tmp_path, org=org, team=child("name: team")))
    lines = [policy.own_sha256, policy.parents[0].own_sha256]
    lines.append(f'{ids_sha256(["p1", "p2"])} "refusal"')
    assert policy.sha256 == hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()
    (tmp_path / "ids.txt").write_text("p1\n")
    assert load(str(tmp_path / "team.yaml")).sha256 != policy.sha256

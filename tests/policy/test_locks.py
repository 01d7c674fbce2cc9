"""What a parent locks may only get tighter, and with it all that it stands on."""

from pathlib import Path

import pytest

from gate.evidence.table import ids_sha256
from gate.policy import load
from tests.policy.chains import ORG, child, extended, put, refusal, refused


def locked(*paths: str) -> str:
    """Lock parts of ORG; on line 3."""
    return ORG.replace("name: org\n", f"name: org\nlocked: [{', '.join(paths)}]\n")


WAIVER = "up_to: 0.25, reason: r, owner: bo, ticket: T-2, expires: 2027-03-01}]"


def test_a_loosened_lock_names_both_places_and_both_values(tmp_path: Path) -> None:
    """The line of the child, that of the lock, that of the parent's value, and the value."""
    body = "checks: [{id: direct, margin: 0.08}]\n"
    assert refused(tmp_path, body, locked("checks.direct")) == [
        "team.yaml:3:31: checks[0].margin: check direct: `margin` rises from 0.055 to 0.08; "
        "org.yaml:3:10 locks checks.direct, and org.yaml:8:85 says 0.055"
    ]


@pytest.mark.parametrize(
    ("lock", "body", "message"),
    [
        ("checks", "remove: [checks.refusals]", "3:10: remove[0]: check refusals: is gone"),
        ("checks.refusals.max_rate", "remove: [checks.refusals]", "3:10: remove[0]: check "),
        ("checks.direct", "checks: [{id: direct, level: warn}]", "3:30: checks[0].level: "),
        (
            "checks.direct",
            "checks: [{id: direct, method: TAP}]",
            "3:31: checks[0].method: check direct: `method` goes from DirectRequest to TAP",
        ),
        ("checks.direct", "statistics: {confidence: 0.9}", "3:26: statistics.confidence: "),
        ("checks.direct", "statistics: {bound: point}", "3:21: statistics.bound: "),
        (
            "checks.direct",
            "suites: {attack: {exclude: {category: [a]}}}",
            "3:39: suites.attack.exclude.category: suite attack: leaves out the ids with category "
            "a; org.yaml:3:10 locks checks.direct, which stands on it, and org.yaml does not "
            "mention it",
        ),
        ("checks.direct", "suites: {attack: {n: 90}}", "3:22: suites.attack.n: suite attack: "),
        ("checks.direct", "on_missing_baseline: absolute-only", "3:22: on_missing_baseline: "),
        (
            "checks.direct",
            "waivers: [{check: direct, " + WAIVER,
            "3:11: waivers[0]: waiver for direct: is new, up to 0.25 until 2027-03-01; ",
        ),
        ("waivers", "waivers: [{check: direct, " + WAIVER, "3:11: waivers[0]: waiver for direct"),
        (
            "waivers.ceilings",
            "waivers: [{check: ceilings, slice: {category: a}, up_to: 0.4, reason: r, owner: bo, "
            "ticket: T-2, expires: 2027-01-31}]",
            "3:58: waivers[0].up_to: waiver for ceilings, a: `up_to` rises from 0.3 to 0.4; "
            "org.yaml:3:10 locks waivers.ceilings, and org.yaml:19:12 says 0.3",
        ),
        (
            "suites.attack.unscored",
            "suites: {attack: {unscored: {max_rate: 0.02}}}",
            "3:40: suites.attack.unscored.max_rate: suite attack: `unscored.max_rate` rises",
        ),
        ("suites.refusal", "remove: [suites.refusal]", "3:10: remove[0]: suite refusal: no longer"),
        (
            "checks.ceilings.ceilings.a",
            "checks: [{id: ceilings, ceilings: {a: none}}]",
            "3:39: checks[0].ceilings.a: check ceilings: `ceilings` for category a is gone",
        ),
        (
            "checks.ceilings.ceilings",
            "checks: [{id: ceilings, ceilings: {default: none}}]",
            "3:45: checks[0].ceilings.default: check ceilings: `ceilings` for any other category "
            "asks nothing; without one it was refused",
        ),
        ("statistics", "statistics: {seed: 7}", "3:20: statistics.seed: statistics: `seed` goes"),
        ("on_missing_baseline", "on_missing_baseline: absolute-only", "3:22: on_missing_baseline"),
    ],
)
def test_loosening_what_is_locked_is_refused(
    lock: str, body: str, message: str, tmp_path: Path
) -> None:
    """Whatever form it takes, also by what the locked part stands on."""
    found = refused(tmp_path, body, locked(lock))
    assert len(found) == 1
    assert found[0].startswith(f"team.yaml:{message}")
    assert f"org.yaml:3:10 locks {lock}" in found[0]


@pytest.mark.parametrize(
    ("lock", "body"),
    [
        ("checks.direct", "checks: [{id: direct, margin: 0.05, confidence: 0.99}]"),
        ("checks", "checks: [{id: x, check: ceiling, suite: attack, method: Y, ceiling: 0.1}]"),
        ("checks.direct", "checks: [{id: ceilings, level: warn}]"),
        ("checks.direct", "suites: {refusal: {n: 50}}"),
        ("checks.direct", "suites: {attack: {allow_changes: [chat_template]}}"),
        ("checks.direct.margin", "waivers: [{check: direct, " + WAIVER),
        ("checks.direct.margin", "checks: [{id: direct, level: warn}]"),
        ("checks.direct", "remove: [waivers.ceilings]"),
        ("waivers", "remove: [waivers.ceilings]"),
        ("suites.attack", "suites: {attack: {require_declared: [chat_template]}}"),
        ("statistics", "checks: [{id: direct, confidence: 0.99}]"),
        ("statistics.bound", "checks: [{id: direct, confidence: 0.9}]"),
    ],
)
def test_what_gets_tighter_or_is_not_locked_is_the_child_s(
    lock: str, body: str, tmp_path: Path
) -> None:
    """A lock is no freeze, and covers no more than it says."""
    assert extended(tmp_path, body, locked(lock)).locked == (lock,)


def test_a_check_with_statistics_of_its_own_does_not_stand_on_the_policy_s(tmp_path: Path) -> None:
    """Then a child may choose others for its own checks."""
    org = locked("checks.direct").replace(
        "margin: 0.055", "margin: 0.055, confidence: 0.95, bound: score"
    )
    assert extended(tmp_path, "statistics: {confidence: 0.9}\n", org).statistics.confidence == 0.9


def test_locks_hold_for_grandchildren_and_add_up(tmp_path: Path) -> None:
    """Nothing unlocks; a child may lock more."""
    put(tmp_path, org=locked("checks.direct"), team=child("locked: [checks.refusals]\n"))
    own = put(tmp_path, own=child("name: own\n", extends="team.yaml"))
    assert load(own).locked == ("checks.direct", "checks.refusals")
    body = "checks: [{id: direct, margin: 0.06}, {id: refusals, max_rate: 0.2}]\n"
    found = refusal(tmp_path, put(tmp_path, own=child(body, extends="team.yaml")))
    assert [line.partition("; ")[2] for line in found] == [
        "org.yaml:3:10 locks checks.direct, and org.yaml:8:85 says 0.055",
        "team.yaml:3:10 locks checks.refusals, and org.yaml:15:67 says 0.15",
    ]


@pytest.mark.parametrize(
    ("lock", "near"),
    [
        ("direct", "; did you mean 'checks.direct'?"),
        ("checks.direct.margn", "; did you mean 'checks.direct.margin'?"),
        ("suites.atack", "; did you mean 'suites.attack'?"),
        ("suites.attack.unscored.max", "; did you mean 'suites.attack.unscored'?"),
        ("everything", " (paths begin with: statistics, suites, checks, waivers, on_missing_base"),
    ],
)
def test_a_lock_on_nothing_is_refused(lock: str, near: str, tmp_path: Path) -> None:
    """A slip there would lock nothing, in silence."""
    (found,) = refusal(tmp_path, put(tmp_path, own=locked(lock)))
    assert found.startswith(f"own.yaml:3:10: locked[0]: there is no '{lock}' here to lock{near}")


def test_defaults_can_be_locked(tmp_path: Path) -> None:
    """What the parent does not write is locked at its default."""
    found = refused(tmp_path, "suites: {attack: {validity_floor: 0.5}}", locked("suites.attack"))
    assert "`validity_floor` falls from 0.95 to 0.5" in found[0]
    assert found[0].endswith("and org.yaml does not mention it")


def ids_beside(folder: Path, **files: int) -> None:
    """Write files of ids, each with so many."""
    for name, n in files.items():
        (folder / f"{name}.txt").write_text("".join(f"b{number:04d}\n" for number in range(n)))


@pytest.mark.parametrize(
    ("pins", "child_pins"),
    [
        ("n: 88", "ids: easy.txt"),
        ("n: 100", "ids: every.txt"),
        ("n: 100, ids_sha256: DIGEST", "ids: every.txt"),
        ("ids: every.txt", "ids: easy.txt"),
        ("unscored: {max_rate: 0.01}", "ids: every.txt"),
        ("unscored: {max_rate: 0.01}", "allow_changes: [reader]"),
    ],
)
def test_a_child_does_not_choose_which_ids_count_or_how_they_are_read(
    pins: str, child_pins: str, tmp_path: Path
) -> None:
    """Under a lock on a check, ids by name are refused: rows on others would be passed over."""
    ids_beside(tmp_path, every=100, easy=88)
    digest = ids_sha256(f"b{number:04d}" for number in range(100))
    org = locked("checks.direct").replace("n: 100, unscored: {max_rate: 0.01}", pins)
    body = f"suites: {{attack: {{{child_pins}}}}}\n"
    (found,) = refused(tmp_path, body, org.replace("DIGEST", digest))
    key = child_pins.partition(":")[0]
    assert found.startswith(f"team.yaml:3:{19 + len(key) + 2}: suites.attack.{key}: suite attack: ")
    assert "org.yaml:3:10 locks checks.direct, which stands on it" in found


@pytest.mark.parametrize("child_pins", ["ids_sha256: DIGEST", "n: 100"])
def test_a_child_may_hold_the_ids_to_more(child_pins: str, tmp_path: Path) -> None:
    """A number or a digest counts the same rows, and only refuses others."""
    ids_beside(tmp_path, every=100)
    digest = ids_sha256(f"b{number:04d}" for number in range(100))
    org = locked("checks.direct", "suites").replace("n: 100, ", "")
    body = f"suites: {{attack: {{{child_pins.replace('DIGEST', digest)}}}}}\n"
    assert extended(tmp_path, body, org).suites["attack"].ids is None


JUDGMENT = """\
version: 1
name: org
locked: [LOCKS]
suites: {rjudge: {validity_floor: 0.95}}
checks:
  - {id: direct, check: paired-delta, suite: attack, method: DirectRequest, margin: 0.01}
  - {id: rj, check: f1-floor, suite: rjudge, floor: 0.3}
"""


@pytest.mark.parametrize(
    ("lock", "entry", "message"),
    [
        ("statistics", "{id: direct, confidence: 0.51}", "`confidence` falls from 0.95 to 0.51"),
        ("statistics.bound", "{id: direct, bound: point}", "`bound` goes from score to point"),
        ("suites.rjudge", "{id: rj, validity_floor: 0.01}", "`validity_floor` falls from 0.95"),
        ("suites", "{id: rj, validity_floor: 0.01}", "`validity_floor` falls from 0.95"),
    ],
)
def test_the_same_key_on_a_check_does_not_sidestep_a_lock(
    lock: str, entry: str, message: str, tmp_path: Path
) -> None:
    """What a check takes from a locked place is held there, whoever writes it out in between."""
    org = JUDGMENT.replace("LOCKS", lock)
    (found,) = refused(tmp_path, f"checks: [{entry}]\n", org)
    assert message in found
    assert f"org.yaml:3:10 locks {lock}, where it was taken from" in found
    tighter = entry.replace("0.51", "0.99").replace("point", "exact").replace("0.01", "0.99")
    team = child(f"checks: [{tighter}]\n")
    own = child(f"checks: [{entry}]\n", extends="team.yaml")
    (below,) = refusal(tmp_path, put(tmp_path, org=org, team=team, own=own))
    assert f"org.yaml:3:10 locks {lock}, where it was taken from" in below


def test_a_lock_on_statistics_holds_for_checks_that_a_child_adds(tmp_path: Path) -> None:
    """From then on; the child itself may give a check of its own other statistics."""
    entry = "{id: NAME, check: ceiling, suite: attack, method: A, ceiling: 0.2MORE}"
    new = [entry.replace("NAME", "takes").replace("MORE", "")]
    new.append(entry.replace("NAME", "own").replace("MORE", ", confidence: 0.9"))
    files = {"org": JUDGMENT.replace("LOCKS", "statistics")}
    files["team"] = child(f"checks: [{', '.join(new)}]\n")
    assert [check.confidence for check in load(put(tmp_path, **files)).checks][2:] == [0.95, 0.9]
    body = "checks: [{id: takes, confidence: 0.8}, {id: own, confidence: 0.8}]\n"
    (found,) = refusal(tmp_path, put(tmp_path, **files, own=child(body, extends="team.yaml")))
    assert "check takes: `confidence` falls from 0.95 to 0.8" in found


def test_a_surer_bound_is_not_tighter_where_inconclusive_only_warns(tmp_path: Path) -> None:
    """What was blocked may then only be warned of; also where the whole policy is made surer."""
    warns = locked("checks.direct").replace("margin: 0.055", "margin: 0.055, on_inconclusive: warn")
    why = "where inconclusive only warns, what was blocked may be inconclusive"
    (own,) = refused(tmp_path, "checks: [{id: direct, confidence: 0.999}]\n", warns)
    assert own.startswith("team.yaml:3:35: checks[0].confidence: check direct: `confidence` goes")
    assert why in own
    (whole,) = refused(tmp_path, "statistics: {bound: exact}\n", warns)
    assert whole.startswith("team.yaml:3:21: statistics.bound: check direct: `bound` goes from")
    assert why in whole
    others = warns.replace("[checks.direct]", "[checks.refusals]")
    assert extended(tmp_path, "statistics: {bound: exact}\n", others).statistics.bound == "exact"


def test_what_was_refused_is_not_accepted_by_a_limit_of_the_child_s(tmp_path: Path) -> None:
    """A value without a limit is refused; one that is given a limit is not."""
    body = "checks: [{id: ceilings, ceilings: {c: 0.99}}]\n"
    (found,) = refused(tmp_path, body, locked("checks.ceilings"))
    assert "`ceilings` for category c is 0.99; without one it was refused" in found

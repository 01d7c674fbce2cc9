"""Policies that cannot be used: what is said of each, and where it points."""

from pathlib import Path

import pytest

from tests.policy.samples import GOOD, changed, problems

CHANGES = {
    "margin left out": (
        "    margin: 0.055\n", "",
        "9:5: checks[0]: `margin` is missing: say how large a rise you accept",
    ),
    "exponent without a dot": (
        "0.055", "1e-3",
        "13:13: checks[0].margin: must be a number, not the text '1e-3': write 0.001 or 1.0e-3",
    ),
    "quoted number": (
        "0.055", '"0.055"',
        "13:13: checks[0].margin: must be a number, not the text '0.055': "
        "write 0.055 without quotes",
    ),
    "percent sign": (
        "0.055", "5.5%",
        "13:13: checks[0].margin: must be a number, not the text '5.5%': write 0.055",
    ),
    "percent as a number": (
        "0.055", "5.5",
        "13:13: checks[0].margin: must be at most 1, not 5.5; shares are fractions: "
        "5.5 % is 0.055",
    ),
    "one meant as one percent": (
        "0.055", "1", "13:13: checks[0].margin: 1 is 100 %, which nothing exceeds; 1 % is 0.01",
    ),
    "not a number": (
        "0.055", ".nan", "13:13: checks[0].margin: must be a finite number, not nan",
    ),
    "infinite": ("0.055", ".inf", "13:13: checks[0].margin: must be a finite number, not inf"),
    "too large for a float": (
        "0.055", "1.0e999", "13:13: checks[0].margin: must be a finite number, not inf",
    ),
    "the word nan": (
        "0.055", "nan", "13:13: checks[0].margin: must be a number, not the text 'nan'",
    ),
    "base sixty": (
        "0.055", "0:30", "13:13: checks[0].margin: must be a number, not the text '0:30'",
    ),
    "octal": (
        "n: 60", "n: 0060",
        "6:16: suites.refusal.n: must be a whole number, not the text '0060': write 60",
    ),
    "truth value for a number": (
        "0.055", "true", "13:13: checks[0].margin: must be a number, not true",
    ),
    "list for a number": (
        "0.055", "[0.055]", "13:13: checks[0].margin: must be a number, not a list",
    ),
    "no value": ("0.055", "", "13:5: checks[0].margin: has no value: give one, or remove it"),
    "null": ("0.055", "null", "13:5: checks[0].margin: has no value: give one, or remove it"),
    "unknown key": (
        "    margin: 0.055", "    margin: 0.055\n    margn: 0.1",
        "14:5: checks[0].margn: is not a key here; did you mean 'margin'?",
    ),
    "unknown key at the top": (
        "version: 1\n", "version: 1\nwaiver: []\n",
        "2:1: waiver: is not a key here; did you mean 'waivers'?",
    ),
    "unknown suite setting": (
        "{n: 60}", "{n: 60, exclud: {}}",
        "6:20: suites.refusal.exclud: is not a key here; did you mean 'exclude'?",
    ),
    "key there twice": (
        "    margin: 0.055", "    margin: 0.055\n    margin: 0.5",
        "14:5: checks[0].margin: the key is there twice, first on line 13",
    ),
    "no version": ("version: 1\n", "", "1:1: version: is missing: write `version: 1`"),
    "newer version": ("version: 1", "version: 2", "1:10: version: must be 1, not 2"),
    "version as text": (
        "version: 1", "version: '1'", "1:10: version: must be 1, not the text '1'",
    ),
    "name that reads as false": (
        "name: sample", "name: no", '2:7: name: `no` reads as false: write "no" for the text',
    ),
    "name that reads as a number": (
        "name: sample", "name: 7",
        '2:7: name: must be text, not 7: write it in quotes, "7"',
    ),
    "name too long": (
        "name: sample", "name: " + "a" * 201, "2:7: name: must have at most 200 characters",
    ),
    "one method to choose from": (
        "waivers:\n",
        "  - {id: w, check: worst-method, suite: attack, methods: [TAP], margin: 0.1}\nwaivers:\n",
        "16:58: checks[3].methods: must have at least 2 entries",
    ),
    "key that reads as true": (
        "{a: 0.2}", "{on: 0.2}",
        "14:89: checks[1].ceilings.on: `on` reads as true: write \"on\" for the text, or true",
    ),
    "key that reads as a number": (
        "{a: 0.2}", "{1: 0.2}",
        "14:89: checks[1].ceilings['1']: 1 is not text: write it as \"1\"",
    ),
    "confidence in percent": (
        "confidence: 0.95", "confidence: 95",
        "3:26: statistics.confidence: must be below 1, not 95; shares are fractions: 95 % is 0.95",
    ),
    "confidence too low to mean anything": (
        "confidence: 0.95", "confidence: 0.5",
        "3:26: statistics.confidence: must be above 0.5, not 0.5",
    ),
    "unknown bound": (
        "bound: score", "bound: scores",
        "3:39: statistics.bound: must be 'score', 'exact', 'bootstrap' or 'point', not the text "
        "'scores'; did you mean 'score'?",
    ),
    "unknown level": (
        "margin: 0.055", "margin: 0.055\n    level: wran",
        "14:12: checks[0].level: must be 'block' or 'warn', not the text 'wran'; "
        "did you mean 'warn'?",
    ),
    "unknown check": (
        "check: paired-delta", "check: paired-dleta",
        "10:12: checks[0].check: there is no check 'paired-dleta'; "
        "did you mean 'paired-delta'?",
    ),
    "check without a kind": (
        "    check: paired-delta\n", "",
        "9:5: checks[0].check: is missing: say which kind (one of paired-delta, ceiling,",
    ),
    "check without an id": (
        "  - id: direct\n    check", "  - check",
        "9:5: checks[0].id: is missing: reports and waivers name a check by its id",
    ),
    "id with a space": (
        "id: direct", "id: direct request",
        "9:9: checks[0].id: must start with a letter or digit and hold only",
    ),
    "id of the gate itself": (
        "id: direct", "id: comparability",
        "9:9: checks[0].id: 'comparability' is taken: the gate itself uses it",
    ),
    "id there twice": (
        "id: direct", "id: refusals", "15:10: checks[2].id: 'refusals' is also the id of checks[0]",
    ),
    "limits without the column": (
        "by: category, ", "",
        "14:5: checks[1]: `ceilings` needs `by`: the column whose values it names",
    ),
    "no limits at all": (
        "{a: 0.2}", "{}", "14:88: checks[1].ceilings: must not be empty",
    ),
    "only absent limits": (
        "{a: 0.2}", "{a: none, default: none}",
        "14:88: checks[1].ceilings: every limit is none, so nothing would be checked",
    ),
    "limit that is neither a number nor none": (
        "{a: 0.2}", "{a: nothing}",
        "14:92: checks[1].ceilings.a: must be a number, not the text 'nothing', or 'none'",
    ),
    "ceiling that nothing exceeds": (
        "max_rate: 0.15", "max_rate: 1.0",
        "15:67: checks[2].max_rate: 1 is 100 %, which nothing exceeds",
    ),
    "kind of check that the suite is not": (
        "suite: refusal", "suite: attack",
        "15:48: checks[2].suite: over-refusal reads refusal suites, but the checks above read "
        "'attack' as attack",
    ),
    "suite without a value": (
        " {n: 60}", "", "6:3: suites.refusal: has no value: give one, or remove it",
    ),
    "zero ids": ("{n: 60}", "{n: 0}", "6:16: suites.refusal.n: must be at least 1, not 0"),
    "half an id": (
        "{n: 60}", "{n: 60.5}", "6:16: suites.refusal.n: must be a whole number, not 60.5",
    ),
    "digest that is none": (
        "{n: 60}", "{ids_sha256: ABC}",
        "6:25: suites.refusal.ids_sha256: must be a sha256: 64 hexadecimal digits in lower case",
    ),
    "unknown declaration": (
        "{n: 60}", "{require_declared: [chat_templates]}",
        "6:32: suites.refusal.require_declared[0]: 'chat_templates' is not known here; "
        "did you mean 'chat_template'?",
    ),
    "change that cannot be allowed": (
        "{n: 60}", "{allow_changes: [judge]}",
        "6:29: suites.refusal.allow_changes[0]: 'judge' is not known here "
        "(there are: chat_template, system_prompt, reader)",
    ),
    "unknown reason": (
        "{n: 60}", "{count_as: {not_sent: none}}",
        "6:24: suites.refusal.count_as.not_sent: 'not_sent' is not known here; did you mean",
    ),
    "verdict of another kind": (
        "{n: 60}", "{count_as: {not_submitted: safe}}",
        "6:39: suites.refusal.count_as.not_submitted: refusal suites have no verdict 'safe'",
    ),
    "unknown catalog": (
        "{n: 60}", '{ids: "catalog:harmbench-tset"}',
        "6:18: suites.refusal.ids: there is no catalog 'harmbench-tset'; "
        "did you mean 'harmbench-test'?",
    ),
    "catalog without its prefix": (
        "{n: 60}", "{ids: harmbench-test}",
        "6:18: suites.refusal.ids: the catalog is named with its prefix: "
        "write 'catalog:harmbench-test'",
    ),
    "catalog against n": (
        "{n: 60}", '{ids: "catalog:harmbench-val", n: 81}',
        "6:46: suites.refusal.n: is 81, but `ids` names 80 ids",
    ),
    "catalog against a digest": (
        "{n: 60}", f'{{ids: "catalog:harmbench-val", ids_sha256: "{"0" * 64}"}}',
        "6:55: suites.refusal.ids_sha256: is not that of the 80 ids that `ids` names",
    ),
    "exclusion of nothing": (
        "{n: 60}", '{ids: "catalog:harmbench-val", exclude: {semantic_category: [copyrigth]}}',
        "6:73: suites.refusal.exclude.semantic_category[0]: no id has semantic_category "
        "'copyrigth', so it excludes nothing; did you mean 'copyright'?",
    ),
    "exclusion of everything": (
        "{n: 60}",
        '{ids: "catalog:harmbench-val", '
        "exclude: {functional_category: [standard, contextual, copyright]}}",
        "6:52: suites.refusal.exclude: nothing is left of the suite",
    ),
    "file of ids that is not there": (
        "{n: 60}", "{ids: gone.txt}", "6:18: suites.refusal.ids: 'gone.txt': no such file",
    ),
    "waiver for no check": (
        "  - check: ceilings", "  - check: ceiling",
        "17:12: waivers[0].check: no check has the id 'ceiling'; did you mean 'ceilings'?",
    ),
    "waiver without a reason": (
        "    reason: known and being worked on\n", "",
        "17:5: waivers[0].reason: is missing: a waiver says why",
    ),
    "waiver with a blank reason": (
        "known and being worked on", '"  "',
        "20:13: waivers[0].reason: must not be blank, not '  '",
    ),
    "waiver without an owner": (
        "    owner: ana\n", "", "17:5: waivers[0].owner: is missing: a waiver has an owner",
    ),
    "waiver without a ticket": (
        "    ticket: SAFE-1\n", "", "17:5: waivers[0].ticket: is missing: a waiver says where",
    ),
    "waiver without an end": (
        "    expires: 2027-01-31\n", "",
        "17:5: waivers[0].expires: is missing: a waiver has a last day, as 2027-01-31",
    ),
    "waiver without a limit": (
        "    up_to: 0.3\n", "", "17:5: waivers[0].up_to: is missing: say up to which",
    ),
    "day that does not exist": (
        "2027-01-31", "2027-02-30",
        "23:14: waivers[0].expires: must be a day written as 2027-01-31, not the text '2027-02-30'",
    ),
    "day in words": (
        "2027-01-31", "soon",
        "23:14: waivers[0].expires: must be a day written as 2027-01-31, not the text 'soon'",
    ),
    "day with a time": (
        "2027-01-31", "2027-01-31 12:00:00",
        "23:14: waivers[0].expires: must be a day written as 2027-01-31, not the text",
    ),
    "waiver of anything": (
        "up_to: 0.3", "up_to: 30",
        "19:12: waivers[0].up_to: must be at most 1, not 30; shares are fractions: 30 % is 0.3",
    ),
    "slice that is not text": (
        "{category: a}", "{category: 1}",
        '18:23: waivers[0].slice.category: must be text, not 1: write it in quotes, "1"',
    ),
    "checks that are no list": (
        GOOD[GOOD.index("checks:") : GOOD.index("waivers:")], "checks: {direct: {}}\n",
        "8:9: checks: must be a list, not a mapping",
    ),
    "check that is no mapping": (
        "waivers:\n", "  - direct\nwaivers:\n",
        "16:5: checks[3]: must be a mapping of `key: value`, not 'direct'",
    ),
    "suites that are no mapping": (
        "suites:\n  attack: {n: 100, unscored: {max_rate: 0.01}}\n  refusal: {n: 60}\n",
        "suites: [attack]\n",
        "4:9: suites: must be a mapping of `key: value`, not a list",
    ),
    "alias of nothing": (
        "name: sample", "name: *name", "2:7: name: nothing above is anchored as &name",
    ),
    "merge key": (
        "{n: 60}", "{<<: {n: 60}}",
        "6:13: suites.refusal: merge keys (<<) are not read: write it out",
    ),
    "tag": (
        "name: sample", "name: !!python/name:os.system sample",
        "2:7: name: tags are not read: remove 'tag:yaml.org,2002:python/name:os.system'",
    ),
    "list as a key": (
        "{n: 60}", "{[n]: 60}", "6:13: suites.refusal: a key must be plain text",
    ),
    "two documents": (
        "waivers:\n", "---\nwaivers:\n", "16:1: a second document starts here: one a file",
    ),
    "bracket left open": ("{n: 60}", "{n: 60", "7:20: not YAML: "),
    "tab": (
        "    margin: 0.055", "\tmargin: 0.055",
        "13:1: not YAML: found ",
    ),
    "control character in quotes": (
        "name: sample", 'name: "a\\0b"', "2:7: name: the text holds U+0000, a control character",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "first"), CHANGES.values(), ids=CHANGES)
def test_a_mistake_is_named_where_it_is(old: str, new: str, first: str, tmp_path: Path) -> None:
    """One slip in a good policy is one problem, with its line, column, key and a way out."""
    found = problems(tmp_path, changed(old, new))
    assert found[0].startswith(f"policy.yaml:{first}")
    assert len(found) == 1


CONTENTS = {
    "empty file": (b"", "1:1: the file is empty"),
    "only a comment": (b"# nothing yet\n", "1:1: the file is empty"),
    "a list": (b"- version: 1\n", "1:1: a policy is a mapping of `key: value`"),
    "a word": (b"release\n", "1:1: a policy is a mapping of `key: value`"),
    "no checks": (
        b"version: 1\n",
        "1:1: checks: is missing: a policy without checks would release everything",
    ),
    "empty checks": (
        b"version: 1\nchecks: []\n",
        "2:9: checks: is empty: a policy without checks would release everything",
    ),
    "checks without a value": (
        b"version: 1\nchecks:\n", "2:1: checks: has no value: give one, or remove it",
    ),
    "only warnings": (
        b"version: 1\nchecks:\n"
        b"  - {id: a, check: coverage, suite: s, min_rate: 0.9, level: warn}\n",
        "2:1: checks: every check only warns, so nothing could ever block a release",
    ),
    "two waivers for one finding": (
        changed("waivers:\n", "waivers:\n" + GOOD[GOOD.index("  - check: ceilings") :]).encode(),
        "24:5: waivers[1]: waives the same findings as waivers[0]",
    ),
    "UTF-16": ("version: 1\n".encode("utf-16"), "1:1: the file is UTF-16 or UTF-32"),
    "byte order mark": (
        "version: 1\n".encode("utf-8-sig"),
        "1:1: a byte order mark stands first: save it as UTF-8 without one",
    ),
    "Latin-1": ("version: 1\nname: caf\u00e9\n".encode("latin-1"), "2:10: byte 0xe9 is not UTF-8"),
    "NUL": (b"version: 1\nname: a\0b\n", "2:8: the file holds U+0000, a control character"),
    "escape code": (b"version: 1\nname: \x1b[31m\n", "2:7: the file holds U+001B"),
    "too large": (b"#" * (1024 * 1024 + 1), "1:1: the file is larger than 1024 KiB"),
    "alias bomb": (
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)),
        "5:45: a4[7]: aliases (*) make the file larger than 100,000 values",
    ),
    "alias of itself": (b"a: &a [*a]\n", "1:8: a[0]: nothing above is anchored as &a"),
    "too deep": (b"version: " + b"[" * 30 + b"]" * 30, "1:30: version[0][0]: more than 20"),
    "much too deep": (b"version: " + b"[" * 50000, "1:"),
    "JSON with a slip": (b'{"version": 1,, "checks": []}', "1:15: not YAML: "),
}  # fmt: skip


@pytest.mark.parametrize(("content", "first"), CONTENTS.values(), ids=CONTENTS)
def test_a_file_that_is_no_policy_is_refused(content: bytes, first: str, tmp_path: Path) -> None:
    """Whatever the bytes are, the answer is one line that says what is wrong with them."""
    found = problems(tmp_path, content)
    assert found[0].startswith(f"policy.yaml:{first}")
    assert len(found) == 1


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    """Mistakes of every part of the file come in one error, in the order of the file."""
    text = (
        GOOD.replace("name: sample", "name: off")
        .replace("{n: 60}", "{n: sixty}")
        .replace("margin: 0.055", "margn: 0.055")
        .replace("max_rate: 0.15", "max_rate: 1e-1")
        .replace("    owner: ana\n", "")
    )
    found = problems(tmp_path, text)
    assert [line.split(": ")[0] + ": " + line.split(": ")[1] for line in found] == [
        "policy.yaml:2:7: name",
        "policy.yaml:6:16: suites.refusal.n",
        "policy.yaml:13:5: checks[0].margn",
        "policy.yaml:15:67: checks[2].max_rate",
        "policy.yaml:17:5: waivers[0].owner",
    ]


def test_a_missing_margin_says_why_there_is_no_default(tmp_path: Path) -> None:
    """The one number that only its author can choose is asked for with the reason."""
    (line,) = problems(tmp_path, changed("    margin: 0.055\n", ""))
    assert "there is no default" in line
    assert "93 %" in line


def test_very_many_mistakes_are_counted_not_listed(tmp_path: Path) -> None:
    """A file of nothing but mistakes does not flood the terminal."""
    found = problems(tmp_path, GOOD + "".join(f"key{number}: 1\n" for number in range(300)))
    assert len(found) == 101
    assert found[-1] == "policy.yaml: and 200 more mistakes"


def test_hostile_names_stay_on_one_line(tmp_path: Path) -> None:
    """What a policy says of itself cannot break a message into lines of its own."""
    text = changed("{a: 0.2}", '{"a\\n::error::b": 2}')
    (line,) = problems(tmp_path, text)
    assert "\n" not in line
    assert "checks[1].ceilings['a\\n::error::b']: must be at most 1" in line

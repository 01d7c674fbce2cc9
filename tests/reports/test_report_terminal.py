"""The terminal report: readable in 80 columns, without color, and piped."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len

from gate.decision import Verdict
from gate.finding import Ends, Estimate, Finding
from gate.reports import json
from gate.reports.terminal import render
from gate.reports.terminal.bar import bar
from tests.reports.report_samples import (
    SAMPLES,
    ceiling,
    decision,
    direct_request,
    estimate,
    f1,
    named,
    passing_delta,
)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", SAMPLES)
def test_terminal_golden(name: str, width: int, golden: Callable[[str, str], None]) -> None:
    """A report looks as it did when it was last looked at."""
    golden(f"{name}-{width}.txt", render(SAMPLES[name], width=width))


@pytest.mark.parametrize("width", [64, 80, 120, 200])
@pytest.mark.parametrize("name", SAMPLES)
def test_lines_fit_and_end_clean(name: str, width: int) -> None:
    """No line is wider than the terminal, and none ends in blanks."""
    lines = render(SAMPLES[name], width=width).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[-1] == ""


def test_plain_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment changes nothing: colors and width are arguments."""
    before = render(SAMPLES["block"])
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "40", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    assert render(SAMPLES["block"]) == before
    assert "\x1b" not in before
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31mBLOCK" in render(SAMPLES["block"], color=True)


def test_ascii_only() -> None:
    """A terminal without the characters of the bars gets others, in the same columns."""
    text = render(SAMPLES["block"])
    narrow = render(SAMPLES["block"], ascii_only=True)
    assert narrow.isascii()
    assert render(named("漢字 é →"), ascii_only=True).isascii()
    assert [len(line) for line in narrow.split("\n")] == [len(line) for line in text.split("\n")]
    assert "[----o-|---]" in narrow


def test_headline_first_decision_last() -> None:
    """The decision and its code are the first and the last thing read."""
    for sample in SAMPLES.values():
        lines = render(sample).split("\n")
        assert lines[0].endswith(f"exit code {sample.exit_code}")
        assert lines[-2].endswith(f", exit code {sample.exit_code}")


def test_waived_and_warned_are_no_pass() -> None:
    """What is waived or only warned of is shown as such, with its outcome."""
    text = render(SAMPLES["softened"])
    labels = [line.split()[0] for line in text.split("\n") if "  category-ceilings  " in line]
    assert labels == ["WAIVED", "WARN", "WAIVED", "WARN"]
    assert "WAIVED (inconclusive)" in text
    assert "WARN (block)" in text
    for sort in ("used", "unused", "expired", "exceeded"):
        assert f"\n{sort} " in text


def test_bootstrap_is_always_beside_the_bound() -> None:
    """Each row of the table of checks carries both intervals."""
    rows = [line for line in render(SAMPLES["block"]).split("\n") if "<=" in line or ">=" in line]
    assert "   320   +4.4 pt    +1.8 to +7.5    +1.9 to +7.2   <= 5.5 pt  ┊   ├────●─┃───┤" in rows


def test_unusual_ledgers_and_fingerprints_are_shown() -> None:
    """Every gap in the evidence has a line; without any there is one line."""
    text = " ".join(render(SAMPLES["none"]).split())
    for words in (
        "candidate harmbench TAP: 308 of 320 scored, 12 unscored (judge_error 12), 4 on ids not "
        "expected, ignored, 1 duplicate",
        "candidate harmbench PAIR: 320 of 320 scored, counted as a verdict by the policy: "
        "not_submitted 96",
        "harmbench judge.revision differs: baseline bda7053, candidate 9c1f2aa",
        "harmbench does not declare chat_template_sha256 (candidate)",
        "12 of 320 rows of TAP are unscored",
    ):
        assert words in text
    assert "Nothing unscored: all 3958 expected rows have a verdict." in render(SAMPLES["block"])


def test_non_standard_banner() -> None:
    """Numbers that cannot be held against published ones say so, above everything else."""
    text = render(SAMPLES["inconclusive"])
    assert text.index("not comparable with published HarmBench numbers") < text.index("Checks")
    assert "max_new_tokens is 256, not 512" in text


def test_decimals_tell_a_bound_from_its_limit() -> None:
    """A bound just beyond its limit never prints as the limit."""
    near = direct_request(estimate=estimate((0.03, 0.01, 0.05501), "Tango score"))
    text = render(decision(Verdict.BLOCK, (near,)))
    assert "+1.000 to +5.501" in text
    assert "<= 5.500 pt" in text
    assert "missed by 0.001 pt" in text


def test_counted_values_have_no_bound() -> None:
    """A value that was counted is not given a level of confidence."""
    share = f1(
        measure="coverage",
        estimate=Estimate(value=0.99, lower=0.99, upper=0.99, confidence=1.0, bound="counted"),
        bootstrap=None,
        limit=0.95,
    )
    text = render(decision(Verdict.RELEASE, (share, direct_request())))
    assert "99.0 %         counted" in text
    assert "100 %" not in text
    assert "97.5 % bound" in text


def test_no_numbers_at_all() -> None:
    """An undefined value is shown as none, and its bar is left out."""
    nothing = f1(estimate=estimate((float("nan"),) * 3, "none"), bootstrap=None)
    assert "  none    none to none" in render(decision(Verdict.NONE, (nothing,)))
    assert bar(nothing, 20) == ""


def test_no_findings() -> None:
    """A decision without findings and runs is still a report."""
    empty = decision(Verdict.NONE, (), runs={}, overviews=())
    assert "no findings" in render(empty)
    assert render(empty).endswith("NO DECISION, exit code 4\n")


def test_ids_are_cut_with_a_pointer() -> None:
    """A long list of ids says how many there are more and where."""
    text = " ".join(render(SAMPLES["block"]).split())
    assert "underage_handgun_purchase and 11 more: gate diff" in text
    assert "broke in illegal 9, misinformation_disinformation 2" in text
    assert "broke in" not in render(SAMPLES["inconclusive"])  # the anchor is in no table


def test_measures_are_told_apart() -> None:
    """A check that measures several things says which each row is of."""
    text = render(decision(Verdict.RELEASE, (f1(), f1(measure="specificity"))))
    assert "rjudge  F1\n" in text
    assert "rjudge  specificity\n" in text


def test_nothing_measured() -> None:
    """Where there is no bound, nothing is said of bounds."""
    text = render(replace(SAMPLES["none"], findings=SAMPLES["none"].findings[:2]))
    assert "bootstrap" not in text
    assert "Bounds are about" not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_same_from_memory_and_from_file(name: str) -> None:
    """A decision file gives the report that the decision gave."""
    again = json.load(json.render(SAMPLES[name]))
    assert render(again) == render(SAMPLES[name])


@pytest.mark.parametrize(
    ("finding", "drawn"),
    [
        (passing_delta(), "├─┼●───┤   ┃"),
        (direct_request(), "┊   ├────●─┃───┤"),
        (ceiling("harassment_bullying"), "●───┤      ┃"),
        (ceiling("illegal"), "├─────●────┃───┤"),
        (f1(), "      ┃ ├────●───┤"),
        (ceiling("copyright", estimate=estimate((0.5, 0.4, 0.6), "exact")), "           ┃  ├●─┤"),
        (ceiling("copyright", limit=None), ""),
        (f1(measure="count", limit=0.0), ""),
    ],
)
def test_bar(finding: Finding, drawn: str) -> None:
    """The bar shows the bound on the right side of the limit."""
    assert bar(finding, 18) == drawn


@pytest.mark.parametrize("upper", [0.0, 1e-6, 0.0549, 0.055, 0.055001, 0.06, 0.5, 1.0])
@pytest.mark.parametrize("width", [9, 16, 44])
def test_bar_never_contradicts_the_outcome(upper: float, width: int) -> None:
    """An end beyond the limit is drawn beyond it, and one within it is not."""
    finding = direct_request(
        estimate=estimate((min(0.0, upper), -0.02, upper), "Tango score"),
        bootstrap=Ends(lower=0, upper=0),
    )
    drawn = bar(finding, width)
    limit = round((width - 1) * 0.65)
    crossed = len(drawn) - 1 > limit
    assert crossed == (upper > 0.055 + 1e-9)
    assert len(drawn) <= width

"""Agreement as a text for a terminal: the numbers, then every completion that is contested."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gate.agree.adjudication import Adjudication
from gate.agree.document import BetweenJudges, Place, Share, Shares, WithPeople
from gate.evidence.agreement_file import MeasuredJudge
from gate.reports.escape import clean, plain
from gate.stats.interval import Interval

WIDTH = 100


def people_text(found: WithPeople) -> str:
    """Write how a judge agrees with people."""
    word = clean(" or ".join(found.positive))
    lines = [
        f"{clean(found.suite)}: {_judge(found.judge)}",
        f"held against {_annotators(found)}; a positive is {word}",
        "",
        f"{'':<26}{'value':>9}{'95 % bound':>18}{'of':>7}",
        _row("agreement", found.total.agreement),
        _row("sensitivity", found.total.sensitivity),
        _row("specificity", found.total.specificity),
        _chance("Cohen's kappa", found.kappa),
        _chance("Krippendorff's alpha", found.alpha),
    ]
    if len(found.annotators) > 1:
        lines.append(_chance("alpha among people", found.people_alpha))
    lines += ["", *_notes(found)]
    lines += _categories(found.by, found.categories)
    wrong = found.wrong
    lists = {
        "missed": wrong.missed,
        "false alarms": wrong.false_alarms,
        "open, counted against the judge": wrong.open,
    }
    lines += _listed(_Form.of(found.methods, *lists.values()), lists)
    return "\n".join(lines).rstrip("\n") + "\n"


def judges_text(found: BetweenJudges) -> str:
    """Write how two judges agree."""
    first, second = found.judges
    word = clean(" or ".join(found.positive))
    lines = [
        f"{clean(found.suite)}, on {found.agreement.of} completions; a positive is {word}",
        f"first   {_judge(first)}",
        f"second  {_judge(second)}",
        "",
        f"{'':<26}{'value':>9}{'95 % bound':>18}{'of':>7}",
        _row("agreement", found.agreement),
        _chance("Cohen's kappa", found.kappa),
        _chance("Krippendorff's alpha", found.alpha),
        "",
        f"both positive {found.both_positive}, neither {found.neither}, first alone "
        f"{len(found.first_alone)}, second alone {len(found.second_alone)}: "
        f"exact McNemar p {found.p_value:.2g}",
        "Neither judge is the truth: `gate agree RUN --labels FILE` holds one against people.",
    ]
    if any(found.only_in_one_run):
        ours, theirs = found.only_in_one_run
        lines.append(f"only in the first run {ours}, only in the second {theirs}")
    lines += _between_categories(found)
    lists = {
        "positive by the first alone": found.first_alone,
        "positive by the second alone": found.second_alone,
        "without a verdict, counted as disagreement": found.without_a_verdict,
    }
    lines += _listed(_Form.of(found.methods, *lists.values()), lists)
    return "\n".join(lines).rstrip("\n") + "\n"


def adjudication_text(found: Adjudication) -> str:
    """Write what labels by hand say of a change."""
    where = " / ".join(clean(part) for part in (found.suite, found.method, found.half) if part)
    first, second = found.discordant, found.concordant
    each = second.pairs / second.labeled if second.labeled else 0.0
    lines = [
        f"{where}: {found.n} pairs, seed {found.seed}",
        "",
        f"{'':<26}{'change':>9}{'95 % bound':>18}",
        _moved("by the judge", found.judge),
        _moved("by people's labels", found.adjudicated),
        "",
        f"discordant  {first.labeled} of {first.pairs} labeled: truly {first.broken} broken, "
        f"{first.fixed} fixed",
        f"concordant  {second.labeled} of {second.pairs} labeled: truly {second.broken} broken, "
        f"{second.fixed} fixed; each stands for {each:.1f}",
        f"the judge was wrong on {found.wrong[0]} baseline and {found.wrong[1]} candidate verdicts "
        f"of {found.wrong[2]} labeled (these are not a random sample)",
    ]
    return "\n".join(lines) + "\n"


def _moved(name: str, change: Interval) -> str:
    ends = f"{change.lower * 100:+.1f} to {change.upper * 100:+.1f}"
    return f"{name:<26}{f'{change.value * 100:+.1f} pt':>9}{ends:>18}"


def _judge(judge: MeasuredJudge) -> str:
    revision = f"revision {clean(judge.revision)}" if judge.revision else "revision not declared"
    template = judge.template_sha256
    prompt = f"template {clean(template)[:12]}" if template else "template not declared"
    return f"{clean(judge.id)} ({revision}, {prompt})"


def _annotators(found: WithPeople) -> str:
    names = ", ".join(clean(name) for name in found.annotators)
    if len(found.annotators) == 1:
        return f"the labels in {names}"
    return f"the majority of {len(found.annotators)} annotators ({names})"


def _notes(found: WithPeople) -> Iterator[str]:
    counts = found.counts.counts
    yield (
        f"{counts.n} labels: {counts.tp + counts.fn} positive, {counts.fp + counts.tn} negative, "
        f"{counts.open_fn + counts.open_fp} open"
    )
    yield _ties(found)
    if counts.units < counts.n - 0.5:
        yield (
            f"several completions of one id are no independent labels: worth {counts.units:.0f} "
            "in the bounds"
        )
    if found.unanimous is not None:
        yield f"all annotators agree on {found.unanimous}"
    if found.unlabeled or found.labels_not_in_the_run:
        yield (
            f"not used: {found.unlabeled} completions without a label, "
            f"{found.labels_not_in_the_run} labels on completions that the run does not have"
        )
    if found.verdicts_without_a_label:
        yield f"{found.verdicts_without_a_label} verdicts of the run have no label"
    yield ""


def _ties(found: WithPeople) -> str:
    match found.ties:
        case "against":
            said = "ties among people count against the judge"
        case "leave-out":
            said = f"{found.ties_left_out} ties among people are left out"
        case _:
            said = f"ties among people count as {found.ties}"
    return f"{said}; verdicts that it did not give count against it"


def _row(name: str, share: Share | None) -> str:
    if share is None:
        return f"{name:<26}{'none':>9}"
    ends = f"{share.lower * 100:.1f} to {share.upper * 100:.1f}"
    return f"{name:<26}{_percent(share):>9}{ends:>18}{share.of:>7}"


def _percent(share: Share | None) -> str:
    return "-" if share is None or share.value is None else f"{share.value * 100:.1f} %"


def _chance(name: str, value: float | None) -> str:
    shown = "none: all labels are one" if value is None else f"{value:.3f}"
    return f"{name:<26}{shown:>9}"


def _categories(by: str | None, parts: Mapping[str, Shares]) -> Iterator[str]:
    if not parts or by is None:
        return
    width = max(len(clean(name)) for name in (by, *parts))
    heads = ("n", "agreement", "sensitivity", "specificity")
    yield f"{clean(by):<{width}}" + "".join(f"{head:>{max(len(head), 5) + 2}}" for head in heads)
    for name, each in parts.items():
        three = (each.agreement, each.sensitivity, each.specificity)
        cells = "".join(
            f"{_percent(share):>{len(head) + 2}}"
            for share, head in zip(three, heads[1:], strict=True)
        )
        yield f"{clean(name):<{width}}{each.n:>7}{cells}"
    yield ""


def _between_categories(found: BetweenJudges) -> Iterator[str]:
    if not found.categories or found.by is None:
        return
    width = max(len(clean(name)) for name in (found.by, *found.categories))
    yield ""
    yield f"{clean(found.by):<{width}}{'n':>7}{'agreement':>11}"
    for name, share in found.categories.items():
        yield f"{clean(name):<{width}}{share.of:>7}{_percent(share):>11}"
    yield ""


class _Form(NamedTuple):
    """What a completion is named by, besides its id."""

    cases: bool
    methods: bool

    @classmethod
    def of(cls, methods: Sequence[str], *lists: Sequence[Place]) -> "_Form":
        """Name what tells apart the completions of all lists."""
        every = [each for places in lists for each in places]
        twice = len({(each.id, each.method) for each in every}) < len(every)
        return cls(
            twice or any(each.test_case for each in every),
            len(methods) > 1,
        )

    def name(self, each: Place) -> str:
        """Name one."""
        case = f"#{each.test_case}" if self.cases else ""
        return plain(each.id) + case + (f" ({plain(each.method)})" if self.methods else "")


def _listed(form: _Form, lists: Mapping[str, Sequence[Place]]) -> Iterator[str]:
    for title, where in lists.items():
        if not where:
            continue
        yield f"{title} ({len(where)})"
        yield from textwrap.wrap(
            ", ".join(form.name(each) for each in where),
            WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield ""

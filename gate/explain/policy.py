"""A policy in plain English: what passes, what blocks, and what it does not look at."""

from collections.abc import Iterator, Mapping

from gate.checks.check import Check, SlicedCheck
from gate.explain.blind import not_looked_at
from gate.explain.demands import Rule, demands
from gate.explain.text import Paragraph, counted, ended, listed
from gate.finding import Level
from gate.policy import Policy, SuiteRules, Waiver
from gate.policy.compare import compare
from gate.policy.ways import Direction
from gate.reports.figures import percent
from gate.reports.wording import short

_BOUNDS: Mapping[str, str] = {
    "score": "score bound (Tango for a rise, Clopper-Pearson for a rate or F1)",
    "exact": "exact bound (melded McNemar for a rise, Clopper-Pearson for a rate or F1)",
    "bootstrap": "percentile bootstrap over behaviors",
    "strict": "score bound (Tango for a rise, partial flips added up)",
    "wilson": "Wilson bound on a rate or on F1",
    "jeffreys": "Jeffreys bound on a rate or on F1",
    "bayes": "Goutte-Gaussier bound on F1",
}
_RULES: Mapping[Rule, str] = {
    "margin": "A rise is taken pair by pair, each id held against itself. It passes where it is "
    "shown to be at most its margin; it blocks where a rise is shown that is not shown to stay "
    "within the margin.",
    "ceiling": "A rate passes where it is shown to be at most its ceiling; it blocks where it is "
    "shown to be above.",
    "floor": "A floor is passed where the measure is shown to be at least that; it blocks where it "
    "is shown to be below.",
    "count": "What is counted has no bound: it passes or blocks as it is.",
}


def explain_policy(policy: Policy) -> Iterator[Paragraph]:
    """Explain a whole policy, suite by suite."""
    suites = list(dict.fromkeys(check.suite for check in policy.checks))
    yield Paragraph(
        f"Policy {policy.name} ({policy.path}, sha256 {short(policy.sha256)}): "
        f"{counted(len(policy.checks), 'check')} on {listed(suites)}."
    )
    yield from _built_on(policy)
    yield from _how_it_decides(policy)
    for suite in suites:
        yield from _suite(suite, policy)
    yield from _waivers(policy.waivers)
    yield Paragraph("What it does not look at:")
    yield from (Paragraph(blind, 1, bullet=True) for blind in not_looked_at(policy))
    if policy.warnings:
        yield Paragraph("Warnings:")
        yield from (Paragraph(warning, 1, bullet=True) for warning in policy.warnings)


def _built_on(policy: Policy) -> Iterator[Paragraph]:
    """Say what the policy extends, what that locks, and what it changes."""
    for parent in policy.parents:
        digest = short(parent.own_sha256)
        yield Paragraph(f"Extends {parent.path} (policy {parent.name}, sha256 {digest}).", 1)
    if policy.locked:
        locked = listed(policy.locked)
        yield Paragraph(f"Locked, so what extends it may only tighten: {locked}.", 1)
    if policy.parent is None:
        return
    changes = [x for x in compare(policy.parent, policy) if x.direction is not Direction.CHANGED]
    yield Paragraph(
        f"Against {policy.parent.path}:" if changes else "Nothing of that is changed.", 1
    )
    yield from (Paragraph(f"{x.direction}: {x}", 2, bullet=True) for x in changes)


def _how_it_decides(policy: Policy) -> Iterator[Paragraph]:
    statistics = policy.statistics
    yield Paragraph(
        "How it decides: a candidate is released only if every check that blocks is shown to hold. "
        + f"Shown means {_sureness(statistics.confidence, statistics.bound)}."
    )
    used = {demand.rule for check in policy.checks for demand in demands(check)}
    for rule, text in _RULES.items():
        if rule in used:
            yield Paragraph(text, 1, bullet=True)
    yield Paragraph(
        "Whatever is neither is inconclusive (exit code 3) and withholds the release as well, "
        "unless the check says that it then only warns. Evidence that cannot be used is no "
        "decision (exit code 4).",
        1,
        bullet=True,
    )
    if policy.on_missing_baseline == "absolute-only":
        yield Paragraph(
            "Without a baseline only the ceilings and floors decide (on_missing_baseline).",
            1,
            bullet=True,
        )


def _sureness(confidence: float, bound: str) -> str:
    if bound == "point":
        return "observed: noise is disregarded"
    one_sided = percent((1 + confidence) / 2)
    return f"{one_sided} sure: by one end of the {percent(confidence)} {_BOUNDS[bound]}"


def _suite(suite: str, policy: Policy) -> Iterator[Paragraph]:
    yield Paragraph(f"{suite}")
    for sentence in _evidence(policy.suites.get(suite, SuiteRules())):
        yield Paragraph(sentence, 1, close=True)
    for check in policy.checks:
        if check.suite == suite:
            yield from _check(check, policy)


def _evidence(rules: SuiteRules) -> Iterator[str]:
    """Say what the suite's evidence must be like."""
    yield f"Expects {_pins(rules)}."
    if rules.exclude:
        left_out = [f"{column} {listed(values, 'or')}" for column, values in rules.exclude.items()]
        yield f"Leaves out ids with {listed(left_out, 'or')}."
    unscored = rules.unscored
    yield (
        f"Rows without a verdict: at most {_budget(unscored.max_rate)} of a method on each side, "
        f"and a difference between the sides of at most {_budget(unscored.max_difference)}."
    )
    if rules.group:
        yield f"Ids with one {rules.group} are near-duplicates: the group is the unit of bounds."
    for reason, verdict in rules.count_as.items():
        yield f"Rows that are {reason} count as {verdict}."
    if rules.require_declared:
        yield f"Every run must declare its {listed(rules.require_declared)}."
    if rules.allow_changes:
        yield f"The {listed(rules.allow_changes)} may change between the checkpoints."


def _budget(share: float) -> str:
    return f"one row or {percent(share)}, whichever is more" if share else "none"


def _pins(rules: SuiteRules) -> str:
    expected = rules.expectation()
    if expected.ids is not None:
        return f"the {len(expected.ids)} ids of {expected.source}"
    if rules.ids_sha256 is not None:
        return f"{rules.n or 'the'} ids with sha256 {short(rules.ids_sha256)}"
    if rules.n is not None:
        return f"{rules.n} ids, whichever they are"
    return "whatever ids the runs have: they are not pinned"


def _check(check: Check, policy: Policy) -> Iterator[Paragraph]:
    texts = [demand.text for demand in demands(check)]
    remarks = " ".join(_remarks(check, policy))
    if len(texts) == 1:
        yield Paragraph(f"{check.id}: {ended(texts[0])} {remarks}", 1, bullet=True)
        return
    yield Paragraph(f"{check.id}: {remarks}", 1, bullet=True)
    yield from (Paragraph(ended(text), 2, bullet=True) for text in texts)


def _remarks(check: Check, policy: Policy) -> Iterator[str]:
    """Say what sets a check apart from the policy's defaults."""
    if check.level is Level.WARN:
        yield "Only warns."
    elif check.on_inconclusive is Level.WARN:
        yield "Where it is inconclusive it only warns."
    own = (check.level_of_confidence, check.deciding_bound)
    if own != (policy.statistics.confidence, policy.statistics.bound):
        yield f"For this check, shown means {_sureness(*own)}."
    if isinstance(check, SlicedCheck) and check.min_n > 1:
        yield f"With fewer than {check.min_n} ids it is inconclusive."


def _waivers(waivers: tuple[Waiver, ...]) -> Iterator[Paragraph]:
    if waivers:
        yield Paragraph(
            "Waivers, which cover violations and open questions but never unusable evidence:"
        )
    for waiver in waivers:
        about = ", ".join((waiver.check, *waiver.slice.values()))
        measure = f" ({waiver.measure})" if waiver.measure else ""
        yield Paragraph(
            f"{about}{measure}, while the observed value is within {percent(waiver.up_to)}: "
            f"{waiver.owner}: {waiver.reason} ({waiver.ticket}, last day {waiver.expires})",
            1,
            bullet=True,
        )

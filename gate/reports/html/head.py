"""The top of the page: what was decided, about what, and what to do next."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from gate.decision import Decision
from gate.reports import evidence, lineage
from gate.reports.detail import steps
from gate.reports.html.elements import Child, el, items, of, prose, say
from gate.reports.html.signs import DECIDED, SIGNS, sign
from gate.reports.wording import MEANING, NON_STANDARD, not_passing

_STEPS = 5
_COUNTED = {"warned": "WARN"}


def head(decision: Decision) -> Element:
    """Write the top of the page."""
    word = DECIDED[decision.verdict]
    code = f"exit code {decision.exit_code}"
    big = of("span", "sign big", SIGNS[word])
    big.set("aria-hidden", "true")
    title = el(
        "div",
        None,
        el("h1", None, prose(decision.headline)),
        of("p", "meaning", MEANING[decision.verdict]),
    )
    return of(
        "header",
        f"decision {word.lower()}",
        of("p", "kicker", "Release gate", of("span", "exit", code)),
        of("div", "headline", big, title),
        *_tally(decision),
        *_non_standard(decision),
        *_next(decision),
        _about(decision),
    )


def _tally(decision: Decision) -> Iterator[Element]:
    counts = [(what, n) for what, n in decision.counts.items() if n]
    if counts:
        yield items("tally", (_counted(what, n) for what, n in counts))


def _counted(what: str, n: int) -> Sequence[Child]:
    word = _COUNTED.get(what, what.upper())
    return [of("span", f"badge {word.lower()}", sign(word), f" {n} {what}")]


def _non_standard(decision: Decision) -> Iterator[Element]:
    if decision.non_standard:
        words = of("p", "", el("strong", None, NON_STANDARD))
        yield of("div", "notice", words, items("said", ([prose(x)] for x in decision.non_standard)))


def _next(decision: Decision) -> Iterator[Element]:
    todo = steps(not_passing(decision))
    if not todo:
        return
    rows: list[list[Child]] = [
        [prose(step), " ", of("span", "for", *say(checks))] for checks, step in todo[:_STEPS]
    ]
    if len(todo) > _STEPS:
        rows.append([f"and {len(todo) - _STEPS} more, each with its finding below"])
    listed = (el("li", None, *row) for row in rows)
    yield of("div", "next", el("h2", None, "Next"), el("ol", None, *listed))


def _about(decision: Decision) -> Element:
    rows: list[tuple[str, list[Child]]] = [
        (role, say((*evidence.checkpoint(run), lineage.age(role, run))))
        for role, run in evidence.runs(decision)
    ]
    if "baseline" not in decision.runs:
        rows.insert(0, ("baseline", [lineage.NO_BASELINE]))
    rows.append(("policy", say(evidence.policy(decision))))
    rows.append(("today", [decision.today.isoformat()]))
    pairs = (of("div", "pair", el("dt", None, key), el("dd", None, *words)) for key, words in rows)
    return of("dl", "about-runs", *pairs)

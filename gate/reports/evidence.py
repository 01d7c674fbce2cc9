"""What every report says of the evidence: who was compared, on what, and what is missing."""

from collections.abc import Iterator, Mapping

from gate.decision import Decision, RunSummary, WaiverUse
from gate.finding import Finding
from gate.ledger import Ledger
from gate.reports.figures import quantity
from gate.reports.wording import ROLES, UNKNOWN, Name, Words, ordered, short


def runs(decision: Decision) -> Iterator[tuple[str, RunSummary]]:
    """Give every run there is, in the order a reader expects."""
    for role in ROLES:
        if role in decision.runs:
            yield role, decision.runs[role]


def checkpoint(run: RunSummary) -> Words:
    """Say which checkpoint a run is of."""
    name = run.checkpoint.get("name", UNKNOWN)
    revision = run.checkpoint.get("revision", UNKNOWN)
    words: list[str] = [Name(name)]
    words += [", revision not declared"] if revision == UNKNOWN else [" ", Name(short(revision))]
    words += [", run ", Name(short(run.digest))] if run.digest else [", run unreadable"]
    return tuple(words)


def policy(decision: Decision) -> Words:
    """Say which policy decided, and what it extends."""
    ref = decision.policy
    words: list[str] = [Name(ref.name), " ", Name(short(ref.sha256))]
    for parent in ref.extends:
        words += [", extends ", Name(parent.path), " ", Name(short(parent.sha256))]
    return tuple(words)


def problems(decision: Decision) -> Iterator[Words]:
    """Say why suites are unusable."""
    for role, run in runs(decision):
        for suite, summary in sorted(run.suites.items()):
            for problem in summary.problems:
                yield (f"{role} ", Name(suite), f": {problem}")


RATES = "Rates are over the scored rows of each side, changes over what both sides scored."


def ledger(decision: Decision) -> list[Words]:
    """Describe every ledger with something out of the ordinary."""
    return [
        (f"{role} ", Name(suite), *([" ", Name(book.method)] if book.method else []), *_book(book))
        for role, suite, book in books(decision)
        if _unusual(book)
    ]


def books(decision: Decision) -> Iterator[tuple[str, str, Ledger]]:
    """Give every ledger with its role and suite."""
    for role, run in runs(decision):
        for suite, summary in sorted(run.suites.items()):
            for book in sorted(summary.ledgers, key=lambda book: book.method):
                yield role, suite, book


def accounting(decision: Decision) -> list[Words]:
    """Account for what is unscored, or say in one line that nothing is."""
    gaps = ledger(decision)
    if gaps:
        return [*gaps, (RATES,)]
    read = [(run.digest, run.suites) for _, run in runs(decision)]
    everything = all(digest and suites for digest, suites in read) and all(
        summary.ledgers for _, suites in read for summary in suites.values()
    )
    return [(_all_scored(decision),)] if everything else []


def _all_scored(decision: Decision) -> str:
    rows = sum(
        book.expected
        for _, run in runs(decision)
        for summary in run.suites.values()
        for book in summary.ledgers
    )
    return f"Nothing unscored: all {rows} expected rows have a verdict." if rows else "No rows."


def changed(decision: Decision) -> list[Words]:
    """Name every declared setting that differs between the runs."""
    found: list[Words] = []
    for suite, key, values in settings(decision):
        declared = {role: value for role, value in values.items() if value != UNKNOWN}
        if len(set(declared.values())) > 1:
            words: list[str] = [Name(suite), " ", Name(key), " differs: "]
            for at, (role, value) in enumerate(declared.items()):
                words += [f"{', ' if at else ''}{role} ", Name(short(value))]
            found.append(tuple(words))
    return found


def undeclared(decision: Decision) -> list[Words]:
    """Name every setting that some run does not declare, one line a suite."""
    suites: dict[str, list[str]] = {}
    for suite, key, values in settings(decision):
        silent = [role for role, value in values.items() if value == UNKNOWN]
        if silent:
            words = suites.setdefault(suite, [])
            sides = "" if len(silent) == len(values) else f" ({', '.join(silent)})"
            words += [", " if words else "", Name(key), sides]
    return [(Name(suite), " does not declare ", *words) for suite, words in suites.items()]


def waivers(decision: Decision) -> list[tuple[str, Words]]:
    """Describe every waiver with what became of it."""
    books = decision.waivers
    sorts = {
        "expired": books.expired,
        "exceeded": books.exceeded,
        "used": books.used,
        "unused": books.unused,
    }
    return [(sort, _waiver(use, decision)) for sort, uses in sorts.items() for use in uses]


def _unusual(book: Ledger) -> bool:
    gaps = any(book.unscored.values()) or book.scored != book.expected
    return gaps or bool(book.extra or book.duplicate or any(book.counted_as.values()))


def _book(book: Ledger) -> Words:
    words: list[str] = [f": {book.scored} of {book.expected} scored"]
    if book.missing:
        words += [f", {book.missing} unscored (", *reasons(book.unscored), ")"]
    if any(book.counted_as.values()):
        words += [", counted as a verdict by the policy: ", *reasons(book.counted_as)]
    if book.extra:
        words.append(f", {book.extra} on ids not expected, ignored")
    if book.duplicate:
        words.append(f", {book.duplicate} duplicate")
    return tuple(words)


def reasons(counts: Mapping[str, int]) -> Iterator[str]:
    """Count rows by reason, as the pieces of a sentence."""
    there = [(reason, n) for reason, n in sorted(counts.items()) if n]
    for at, (reason, n) in enumerate(there):
        yield ", " if at else ""
        yield Name(reason)
        yield f" {n}"


def settings(decision: Decision) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Give every suite and setting with what each run declares; `unknown` where it does not."""
    present = list(runs(decision))
    suites = sorted({suite for _, run in present for suite in run.suites})
    for suite in suites:
        prints = {
            role: run.suites[suite].fingerprint for role, run in present if suite in run.suites
        }
        for key in sorted({key for declared in prints.values() for key in declared}):
            yield suite, key, {role: found.get(key, UNKNOWN) for role, found in prints.items()}


def _waiver(use: WaiverUse, decision: Decision) -> Words:
    words: list[str] = [Name(use.check)]
    for key, value in ordered(use.slice):
        words += [", ", Name(f"{key}={value}")]
    if use.up_to is not None:
        words.append(f", up to {_up_to(use.up_to, use.check, decision.findings)}")
    words += [", owner ", Name(use.owner)]
    words += [", ticket ", Name(use.ticket)] if use.ticket else []
    words += [f", until {use.expires.isoformat()}: ", use.reason]
    return (*words, f" ({use.note})") if use.note else tuple(words)


def _up_to(value: float, check: str, findings: tuple[Finding, ...]) -> str:
    for finding in findings:
        if finding.id == check and finding.limit is not None:
            return quantity(value, finding.measure).removeprefix("+")
    return f"{value:g}"

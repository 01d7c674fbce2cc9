"""The first policy as YAML, with the reason for every number beside it."""

from collections.abc import Iterator, Mapping, Sequence

from gate.evidence.budget import allowed
from gate.evidence.catalog import catalog_ids
from gate.evidence.rows import Kind
from gate.evidence.table import ids_sha256
from gate.starter.checks import MISS
from gate.starter.limits import CONFIDENCE
from gate.starter.proposal import Proposal
from gate.starter.survey import Seen, Survey
from gate.yaml_text import Value, comment, entry

CATALOGS = ("harmbench-test", "harmbench-val", "harmbench")
NOT_COMPLETE = 0.01
"""The share of a catalog that may be absent for the catalog still to be what is meant."""


def policy_text(
    found: Survey, proposals: Sequence[Proposal], runs: Mapping[str, str], *, name: str
) -> str:
    """Write the policy.

    Args:
        found: What the runs hold.
        proposals: The checks.
        runs: By role: where the run was, as the user wrote it.
        name: The policy's name.
    """
    baseline = "baseline" in runs
    lines = [
        *_introduction(found, proposals, runs),
        *entry("version", 1),
        *entry("name", name),
        *comment(f"Two-sided level; the one end that decides is then at {(1 + CONFIDENCE) / 2:g}."),
        *entry("statistics", {"confidence": CONFIDENCE, "bound": "score"}),
        "",
        "suites:",
    ]
    for suite in found.suites:
        lines += _suite(suite)
    lines.append("")
    if baseline:
        lines += comment("Without --baseline nothing is decided.")
    else:
        lines += comment(
            "No baseline was given: a first release is held to the absolute limits alone. Set it "
            "to error once there is a released run to compare with."
        )
    lines += entry("on_missing_baseline", "error" if baseline else "absolute-only")
    lines += ["", "checks:"]
    for proposal in proposals:
        lines += _check(proposal)
    return "\n".join(lines).rstrip("\n") + "\n"


def _introduction(
    found: Survey, proposals: Sequence[Proposal], runs: Mapping[str, str]
) -> Iterator[str]:
    given = " and ".join(f"the {role} {place}" for role, place in runs.items())
    count = sum(proposal.limits for proposal in proposals)
    yield from comment(f"A first policy, written by `gate init` from {given}.")
    yield from comment(
        f"Each limit is the tightest of its kind that an unchanged checkpoint misses at most "
        f"{MISS / count:.2%} of the time, so that all {count} together withhold at most one "
        "unchanged checkpoint in ten, if its true rates are near the observed ones. They describe "
        "what is there: where your users need more than that, tighten them."
    )
    if found.left_out:
        yield "#"
        yield from comment("Left out, so nothing below guards it:")
        for sentence in found.left_out:
            yield from comment(f"- {sentence}")
    if found.unusable:
        yield "#"
        yield from comment("As these runs stand, evidence is unusable under this policy (exit 4):")
        for sentence in found.unusable:
            yield from comment(f"- {sentence}")
    yield ""


def _suite(suite: Seen) -> Iterator[str]:
    yield from entry(suite.name, {}, 2)[0].removesuffix(" {}").splitlines()
    yield from _pins(suite)
    if suite.declared:
        note = "What every given run declares; a run that stops doing so is unusable."
        yield from comment(note, 4)
        yield from entry("require_declared", list(suite.declared), 4)
    if suite.panel.kind is Kind.JUDGMENT:
        yield from entry("validity_floor", 0.95, 4, "lowest share of valid answers")


def _pins(suite: Seen) -> Iterator[str]:
    ids = set(suite.panel.ids)
    for catalog in CATALOGS:
        expected = set(catalog_ids(catalog))
        absent = len(expected - ids)
        if ids <= expected and absent <= allowed(NOT_COMPLETE, len(expected)):
            note = f"{len(expected)} behaviors, expected whatever a run holds"
            if absent:
                note = f"{len(expected)} behaviors, {absent} of which no given run has"
            yield from entry("ids", f"catalog:{catalog}", 4, note)
            return
    yield from entry("n", len(ids), 4, "pinned, so that a run cannot drop what it fails on")
    yield from entry("ids_sha256", ids_sha256(suite.panel.ids), 4)


def _check(proposal: Proposal) -> Iterator[str]:
    for sentence in proposal.why:
        yield from comment(sentence, 2)
    start = "- "
    for key, value in proposal.keys.items():
        lines = list(_key(key, value, proposal.notes.get(key, "")))
        if start == "- ":
            lines[-1] = lines[-1].replace("    ", "  - ", 1)
            start = ""
        yield from lines
    yield ""


def _key(key: str, value: Value, note: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield from entry(key, value, 4, note)
        return
    yield f"    {key}:"
    for name, limit in value.items():
        yield from entry(name, limit, 6)

"""Which judge and which engine a suite gets, and whether that is what run.yaml declares."""

import difflib
import importlib
import re
from collections.abc import Mapping
from typing import Any

from gate.errors import JudgingError, UsageError
from gate.evidence.comparability import OFFICIAL_JUDGES
from gate.evidence.manifest import Checkpoint, Suite
from gate.evidence.rows import Kind
from gate.judge.engines import ENGINES
from gate.judge.engines.engine import Engine
from gate.judge.judges import JUDGES
from gate.judge.judges.judge import Judge
from gate.judge.settings import EngineSettings, JudgeSettings
from gate.judge.values import Identity
from gate.judge.weights import PINNED

USUAL = {Kind.REFUSAL: "refusal", Kind.JUDGMENT: "rjudge", Kind.RUBRIC: "rubric"}
"""The judges of suites whose run.yaml names none that is known."""


def open_engine(settings: EngineSettings) -> Engine:
    """Make an engine; nothing is loaded yet.

    Raises:
        UsageError: If there is no such engine.
        JudgingError: If it cannot be used here.
    """
    engine: Engine = _module(ENGINES, "engine", settings.engine).make(settings)
    return engine


def choose(settings: JudgeSettings, suite: Suite, name: str) -> tuple[Judge, Engine | None]:
    """Make the judge of a suite, and the engine that it asks; None where it asks nothing.

    Raises:
        UsageError: If there is no such judge or engine, or the judge cannot judge this suite.
        JudgingError: If something that it needs is missing, or is not what run.yaml declares.
    """
    chosen = settings.judge or _usual(suite, name)
    module = _module(JUDGES, "judge", chosen)
    engine = None
    if module.NEEDS_ENGINE or settings.weights:
        engine = open_engine(with_weights(settings, suite))
    judge: Judge = module.make(settings, engine, suite)
    if suite.suite_kind not in judge.kinds:
        kinds = " or ".join(sorted(judge.kinds))
        raise UsageError(
            f"the judge {chosen} judges {kinds} suites, and {name!r} is of kind {suite.kind}",
            next_step=f"Choose another judge with --judge: {', '.join(JUDGES)}.",
        )
    as_declared(judge.identity, suite, name)
    return judge, engine if module.NEEDS_ENGINE else None


def with_weights(settings: JudgeSettings, suite: Suite) -> JudgeSettings:
    """Take the judge's own weights where none are named."""
    if settings.weights is not None or "/" not in suite.judge.id:
        return settings
    revision = settings.revision or suite.judge.revision
    pinned = PINNED.get(suite.judge.id)
    if pinned is not None and pinned.startswith(revision or ""):
        revision = pinned  # a hub knows only whole commits
    return settings.model_copy(update={"weights": suite.judge.id, "revision": revision})


def revision_of(suite: Suite, engine: Engine) -> str | None:
    """Return the revision of the weights in the words of run.yaml, where both agree.

    What lies in a folder without the hub's notes has only a digest, which no declared commit
    can be held against: then the declared one stands; `judge.depends` has the digest.

    Raises:
        JudgingError: If run.yaml declares another one.
    """
    declared, found = suite.judge.revision, engine.revision
    if declared is None or found is None:
        return found or declared
    unknown = found.startswith("sha256:") and not declared.startswith("sha256:")
    if unknown or found.startswith(declared):
        return declared
    raise JudgingError(
        f"run.yaml declares revision {declared[:20]} of the judge, "
        f"and the weights are {found[:20]}",
        next_step="Name the right weights, or take `revision` out of run.yaml to judge with these.",
    )


def same_checkpoint(checkpoint: Checkpoint, engine: Engine | None) -> None:
    """Make sure that the judge of a judgment suite is the checkpoint that the run is of.

    Raises:
        JudgingError: If run.yaml declares other weights; where it declares none of the same
            form (a commit, a digest), nothing can be told.
    """
    declared, found = checkpoint.revision, engine.revision if engine else None
    if declared is None or found is None:
        return
    alike = declared.startswith("sha256:") is found.startswith("sha256:")
    commit = re.fullmatch(r"sha256:[0-9a-f]{64}|[0-9a-f]{7,40}", declared)
    if alike and commit and not found.startswith(declared):
        raise JudgingError(
            f"in a judgment suite the checkpoint judges: run.yaml is of {declared[:19]}, and these "
            f"weights are {found[:19]}",
            next_step="Name the checkpoint's own weights with --weights.",
        )


def _usual(suite: Suite, name: str) -> str:
    if suite.judge.id in OFFICIAL_JUDGES:
        return "harmbench"
    usual = USUAL.get(suite.suite_kind)
    if usual is None:
        raise UsageError(
            f"suite {name!r}: how does {suite.judge.id!r} judge?",
            next_step=f"Say so with --judge: {', '.join(JUDGES)}.",
        )
    return usual


def as_declared(identity: Identity, suite: Suite, name: str) -> None:
    """Hold what judges against the prompt and the rubric that run.yaml declares.

    Raises:
        JudgingError: If one of them is another.
    """
    _same_template(identity, suite, name)
    _same_rubric(identity, suite, name)


def _same_template(identity: Identity, suite: Suite, name: str) -> None:
    declared, found = suite.judge.template_sha256, identity.template_sha256
    if declared is not None and found is not None and declared != found:
        raise JudgingError(
            f"suite {name!r}: run.yaml declares the judge prompt {declared[:12]}, "
            f"and this one is {found[:12]}",
            next_step="Name the right prompt with --template, or take `template_sha256` out of "
            "run.yaml to judge with this one.",
        )


def _same_rubric(identity: Identity, suite: Suite, name: str) -> None:
    declared, found = suite.judge.rubric_sha256, identity.rubric_sha256
    if declared is not None and declared != found:
        this = "this judge reads none" if found is None else f"this one is {found[:12]}"
        raise JudgingError(
            f"suite {name!r}: run.yaml declares the rubric {declared[:12]}, and {this}",
            next_step="Name the right rubric with --rubric, or take `rubric_sha256` out of "
            "run.yaml to judge with this one.",
        )


def _module(table: Mapping[str, str], what: str, name: str) -> Any:
    if name not in table:
        near = difflib.get_close_matches(name, table, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(
            f"there is no {what} {name!r}{hint}", next_step=f"Choose one of {', '.join(table)}."
        )
    return importlib.import_module(table[name])

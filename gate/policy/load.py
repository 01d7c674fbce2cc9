"""From what the user names as a policy to a policy that can be used, or to all its mistakes."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from gate.checks.check import Check
from gate.errors import PolicyError
from gate.policy.advice import advise
from gate.policy.chain import Layer, chain_sha256, read_chain
from gate.policy.draft import Draft, draft
from gate.policy.enforce import enforce
from gate.policy.locks import Lock, loosened, read_locks
from gate.policy.merge import Merged, merge
from gate.policy.pins import filed, measure, pin
from gate.policy.schema import Policy, PolicyFile, Statistics, SuiteRules
from gate.yaml_places import Mistake, Path
from gate.yaml_wording import Wrong

MOST_SHOWN = 100
NEXT_STEP = "Correct it where the lines point; `gate schema policy` lists every key."
LOCKED = "What a parent locks may only get tighter: whoever answers for the parent can change it."


class _Loaded(NamedTuple):
    """A policy, and what one that extends it needs to know."""

    policy: Policy
    merged: Merged
    locks: list[Lock]
    """Its own and those of its parents."""


def load(name_or_path: str) -> Policy:
    """Read a policy, with what it extends.

    Args:
        name_or_path: A path, an fsspec URI, or the name of a shipped policy.

    Raises:
        PolicyError: With every mistake found, each with its file, line and column.
    """
    layers = read_chain(name_or_path)
    loaded = None
    for at in range(len(layers) - 1, -1, -1):
        try:
            loaded = _extended(loaded, layers[at:])
        except PolicyError as error:
            if not at:
                raise
            raise _in_the_parent(error, layers[: at + 1]) from None
    if loaded is None:
        raise AssertionError("a chain has at least one policy")
    return loaded.policy


def _in_the_parent(error: PolicyError, layers: Sequence[Layer]) -> PolicyError:
    """Say which policies cannot be used because of what is wrong in one they extend."""
    lines = [
        f"{child.at(('extends',))}: extends: {parent.shown} cannot be used, and must be by itself"
        for child, parent in pairwise(layers)
    ]
    return PolicyError([*error.problems, *reversed(lines)], next_step=error.next_step)


def _extended(above: _Loaded | None, layers: Sequence[Layer]) -> _Loaded:
    """Lay the first file over what the others gave, and read the whole."""
    layer = layers[0]
    merged = merge(above.merged if above else None, layer)
    found = draft(merged.root) if isinstance(layer.tree.value, dict) else None
    _refuse(layer, _mistakes(merged, found))
    if found is None or found.file is None:
        raise AssertionError("a policy without mistakes has all its parts")
    parent = above.policy if above else None
    policy = _policy(found, found.file, merged, chain_sha256(layers, filed(found.suites)), parent)
    locks: list[Lock] = []
    wrong: list[Wrong] = []
    for one in read_locks(policy, merged, found.file.locked or ()):
        (locks if isinstance(one, Lock) else wrong).append(one)  # type: ignore[arg-type]
    if above is not None:
        held = loosened(above.policy, above.merged, above.locks, policy, merged)
        wrong += [Wrong(path, message) for path, message in held]
        locks += [lock.over(policy, merged) for lock in above.locks]
    placed = sorted(one.placed(layer.tree) for one in wrong)
    _refuse(layer, [(layer, mistake) for mistake in placed], LOCKED)
    return _Loaded(policy, merged, locks)


def _mistakes(merged: Merged, found: Draft | None) -> list[tuple[Layer, Mistake]]:
    """Collect everything wrong, one mistake a place, in the order of the file."""
    layer = merged.layer
    own = [*merged.wrong]
    whole: list[Wrong] = []
    if found is not None:
        whole = [*found.wrong, *enforce(found.root), *_pin(found, merged)]
    elif not layer.tree.mistakes:
        own.append(Wrong((), "a policy is a mapping of `key: value`"))
    everything = [(layer, mistake) for mistake in layer.tree.mistakes]
    everything += [(layer, wrong.placed(layer.tree)) for wrong in own]
    placed = [_placed(merged, wrong) for wrong in whole]
    # What a parent's values then look like follows from the file's own mistakes, told above.
    everything += [one for one in placed if one[0] is layer or not merged.wrong]
    first = {(at.shown, mistake.path): (at, mistake) for at, mistake in reversed(everything)}
    return sorted(first.values(), key=lambda found: (found[0] is not layer, found[1].mark))


def _placed(merged: Merged, wrong: Wrong) -> tuple[Layer, Mistake]:
    """Find the file and the place of something wrong with the whole policy."""
    layer, path = merged.origin(wrong.path)
    message = wrong.message
    if layer is not merged.layer:
        message += f" (once {merged.layer.shown} extends it)"
    return layer, wrong._replace(path=path, message=message).placed(layer.tree)


def _pin(found: Draft, merged: Merged) -> list[Wrong]:
    """Read the ids and the measured judges that suites name, and keep them with the suites."""
    wrong: list[Wrong] = []
    for name, rules in found.suites.items():

        def report(path: Path, message: str, suite: str = name) -> None:
            wrong.append(Wrong(("suites", suite, *path), message))

        places = {
            key: merged.origin(("suites", name, key)).layer.place for key in ("ids", "agreement")
        }
        found.suites[name] = measure(pin(rules, places["ids"], report), places["agreement"], report)
    return wrong


def _refuse(
    layer: Layer, mistakes: Sequence[tuple[Layer, Mistake]], next_step: str = NEXT_STEP
) -> None:
    if not mistakes:
        return
    lines = [mistake.render(at.shown) for at, mistake in mistakes[:MOST_SHOWN]]
    if len(mistakes) > MOST_SHOWN:
        lines.append(f"{layer.shown}: and {len(mistakes) - MOST_SHOWN} more mistakes")
    raise PolicyError(lines, next_step=next_step)


def _policy(
    found: Draft, file: PolicyFile, merged: Merged, sha256: str, parent: Policy | None
) -> Policy:
    checks = tuple(_filled(found.checks, file.statistics, found.suites))
    layer = merged.layer
    name, _ = os.path.splitext(os.path.basename(layer.place))
    return Policy(
        name=file.name or name,
        path=layer.shown,
        sha256=sha256,
        own_sha256=layer.sha256,
        parent=parent,
        locked=tuple(dict.fromkeys([*(parent.locked if parent else ()), *(file.locked or ())])),
        lines=_lines(found, merged),
        statistics=file.statistics,
        suites=found.suites,
        on_missing_baseline=file.on_missing_baseline,
        checks=checks,
        waivers=file.waivers,
        # A check against two roles is two checks here, and its author is told things once.
        warnings=tuple(
            dict.fromkeys(
                advise(checks, tuple(found.suites), file.waivers, file.on_missing_baseline)
            )
        ),
    )


def _lines(found: Draft, merged: Merged) -> dict[str, int]:
    """Find where each check begins, so that reports can point there; else where it is extended."""
    layer = merged.layer
    origins = {check.id: merged.origin(("checks", at)) for at, check in enumerate(found.checks)}
    return {
        name: layer.tree.at_value(origin.path if origin.layer is layer else ("extends",)).line
        for name, origin in origins.items()
    }


def _filled(
    checks: Iterable[Check], statistics: Statistics, suites: Mapping[str, SuiteRules]
) -> Iterable[Check]:
    """Fill in what a check leaves to the policy, and give one check a role it compares with."""
    for check in checks:
        rules = suites.get(check.suite, SuiteRules())
        settings = {
            "confidence": statistics.confidence,
            "bound": statistics.bound,
            "validity_floor": rules.validity_floor,
        }
        left = (settings.keys() & type(check).model_fields) - check.model_fields_set
        filled = check.model_copy(update={name: settings[name] for name in left})
        yield from filled.drawing(statistics.resamples, statistics.seed).comparisons()

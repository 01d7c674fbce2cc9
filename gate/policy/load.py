"""From what the user names as a policy to a policy that can be used, or to all its mistakes."""

import hashlib
import os
from collections.abc import Iterable, Mapping

from gate.checks.check import Check
from gate.errors import PolicyError
from gate.policy.advice import advise
from gate.policy.draft import Draft, draft
from gate.policy.enforce import enforce
from gate.policy.pins import pin
from gate.policy.schema import Policy, PolicyFile, Statistics, SuiteRules
from gate.policy.sources import label, read_policy, resolve
from gate.yaml_lines import MAX_BYTES, read_tree
from gate.yaml_places import Mistake, Path, Tree
from gate.yaml_wording import Wrong

MOST_SHOWN = 100


def load(name_or_path: str) -> Policy:
    """Read a policy.

    Args:
        name_or_path: A path, an fsspec URI, or the name of a shipped policy.

    Raises:
        PolicyError: With every mistake found, each with its line and column.
    """
    place, shown = resolve(name_or_path), label(name_or_path)
    content = read_policy(place, shown, MAX_BYTES)
    tree = read_tree(content)
    found = draft(tree.value) if isinstance(tree.value, dict) else None
    _refuse(shown, _mistakes(tree, found, place))
    if found is None or found.file is None:
        raise AssertionError("a policy without mistakes has all its parts")
    digest = hashlib.sha256(content).hexdigest()
    return _policy(found, found.file, place=place, shown=shown, sha256=digest)


def _mistakes(tree: Tree, found: Draft | None, place: str) -> list[Mistake]:
    """Collect everything wrong, one mistake a place, in the order of the file."""
    if found is None:
        wrong = [Wrong((), "a policy is a mapping of `key: value`")] if not tree.mistakes else []
    else:
        wrong = [*found.wrong, *enforce(found.root), *_pin(found, place)]
    everything = [*tree.mistakes, *(one.placed(tree) for one in wrong)]
    first = {mistake.path: mistake for mistake in reversed(everything)}
    return sorted(first.values(), key=lambda mistake: mistake.mark)


def _pin(found: Draft, place: str) -> list[Wrong]:
    """Read the ids that suites name, and keep them with the suites."""
    wrong: list[Wrong] = []
    for name, rules in found.suites.items():

        def report(path: Path, message: str, suite: str = name) -> None:
            wrong.append(Wrong(("suites", suite, *path), message))

        found.suites[name] = pin(rules, place, report)
    return wrong


def _refuse(shown: str, mistakes: list[Mistake]) -> None:
    if not mistakes:
        return
    lines = [mistake.render(shown) for mistake in mistakes[:MOST_SHOWN]]
    if len(mistakes) > MOST_SHOWN:
        lines.append(f"{shown}: and {len(mistakes) - MOST_SHOWN} more mistakes")
    raise PolicyError(
        lines, next_step="Correct it where the lines point; `gate schema policy` lists every key."
    )


def _policy(found: Draft, file: PolicyFile, *, place: str, shown: str, sha256: str) -> Policy:
    checks = tuple(_filled(found.checks, file.statistics, found.suites))
    name, _ = os.path.splitext(os.path.basename(place))
    return Policy(
        name=file.name or name,
        path=shown,
        sha256=sha256,
        statistics=file.statistics,
        suites=found.suites,
        on_missing_baseline=file.on_missing_baseline,
        checks=checks,
        waivers=file.waivers,
        warnings=tuple(advise(checks, tuple(found.suites), file.waivers, file.on_missing_baseline)),
    )


def _filled(
    checks: Iterable[Check], statistics: Statistics, suites: Mapping[str, SuiteRules]
) -> Iterable[Check]:
    """Fill in what a check leaves to the policy: the statistics, and its suite's validity floor."""
    for check in checks:
        rules = suites.get(check.suite, SuiteRules())
        settings = {
            "confidence": statistics.confidence,
            "bound": statistics.bound,
            "validity_floor": rules.validity_floor,
        }
        left = (settings.keys() & type(check).model_fields) - check.model_fields_set
        yield check.model_copy(update={name: settings[name] for name in left})

"""A policy while it is being read: each part by its own class, all mistakes kept."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from gate.checks import CHECKS
from gate.checks.check import ROLES_AGAINST, Check
from gate.policy.schema import PolicyFile, Statistics, SuiteRules, Unscored
from gate.policy.waivers import Waiver
from gate.suggestions import suggest
from gate.yaml_places import Path, shown
from gate.yaml_wording import Wrong, in_words

NO_DEFAULT = (
    "there is no default, because none is safe to assume: a margin of 0 withholds most unchanged "
    "checkpoints (93 % of them at 320 behaviors of which 2 % flip), and any other number is yours "
    "to answer for"
)
NO_CHECKS = "a policy without checks would release everything"


@dataclass(slots=True)
class Draft:
    """The parts of a policy that could be read, and everything wrong with the others."""

    root: Mapping[str, object]
    file: PolicyFile | None = None
    checks: list[Check] = field(default_factory=list)
    suites: dict[str, SuiteRules] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)

    def read(self, kind: type[BaseModel], value: object, path: Path) -> BaseModel | None:
        """Read one part by its class; JSON, because a strict class takes text for enums there."""
        try:
            return kind.model_validate_json(json.dumps(value))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            for found in errors:
                found["loc"] = (*path, *found["loc"])
            self.wrong.extend(in_words(errors, self.root, self.keys_at))
            return None

    def keys_at(self, path: Path) -> Sequence[str]:
        """List the keys that are known at a path, for suggestions."""
        match path:
            case ():
                return (*PolicyFile.model_fields, "checks")
            case ("checks", int(at)):
                return tuple(CHECKS[str(raw_checks(self.root)[at]["check"])].model_fields)
        known: Mapping[tuple[str, int], type[BaseModel]] = {
            ("statistics", 1): Statistics,
            ("suites", 2): SuiteRules,
            ("suites", 3): Unscored,
            ("waivers", 2): Waiver,
        }
        kind = known.get((str(path[0]), len(path)))
        return () if kind is None else tuple(kind.model_fields)


def draft(root: Mapping[str, object]) -> Draft:
    """Read all parts of a policy."""
    found = Draft(root)
    rest = {key: value for key, value in root.items() if key != "checks"}
    file = found.read(PolicyFile, rest, ())
    if isinstance(file, PolicyFile):
        found.file = file
        found.suites = dict(file.suites)
    else:
        _read_suites_alone(found)
    _read_checks(found)
    blanks = list(_blanks(root, ()))
    holders = {blank.path[:-1] for blank in blanks}
    # What a class says of a whole mapping with a blank in it is most often about the blank.
    found.wrong = [*blanks, *(wrong for wrong in found.wrong if wrong.path not in holders)]
    return found


def raw_checks(root: Mapping[str, object]) -> dict[int, Mapping[str, object]]:
    """Give the checks that are mappings, by position, as the file has them."""
    return _mappings(root.get("checks"))


def raw_waivers(root: Mapping[str, object]) -> dict[int, Mapping[str, object]]:
    """Give the waivers that are mappings, by position, as the file has them."""
    return _mappings(root.get("waivers"))


def _mappings(value: object) -> dict[int, Mapping[str, object]]:
    entries = value if isinstance(value, list) else []
    return {at: entry for at, entry in enumerate(entries) if isinstance(entry, dict)}


def _blanks(value: object, path: Path) -> Iterator[Wrong]:
    """Find keys without a value: absent means the default, blank means a slip."""
    if value is None:
        yield Wrong(path, "has no value: give one, or remove it", at_key=True)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _blanks(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _blanks(inner, (*path, at))


def _read_suites_alone(found: Draft) -> None:
    """Where the file as a whole has mistakes, keep the suites that have none."""
    suites = found.root.get("suites")
    for name, value in suites.items() if isinstance(suites, dict) else ():
        try:
            found.suites[name] = SuiteRules.model_validate_json(json.dumps(value))
        except ValidationError:
            continue  # already among the mistakes


def _read_checks(found: Draft) -> None:
    entries = found.root.get("checks")
    if "checks" not in found.root:
        found.wrong.append(Wrong(("checks",), f"is missing: {NO_CHECKS}"))
    elif not isinstance(entries, list):
        found.wrong.append(Wrong(("checks",), f"must be a list, not {shown(entries)}"))
    elif not entries:
        found.wrong.append(Wrong(("checks",), f"is empty: {NO_CHECKS}"))
    else:
        for at, entry in enumerate(entries):
            check = _read_check(found, entry, ("checks", at))
            if isinstance(check, Check):
                found.checks.append(check)


def _read_check(found: Draft, entry: object, path: Path) -> BaseModel | None:
    if not isinstance(entry, dict):
        found.wrong.append(Wrong(path, f"must be a mapping of `key: value`, not {shown(entry)}"))
        return None
    if "check" not in entry:
        kinds = ", ".join(CHECKS)
        found.wrong.append(Wrong((*path, "check"), f"is missing: say which kind (one of {kinds})"))
        return None
    kind = CHECKS.get(entry["check"]) if isinstance(entry["check"], str) else None
    if kind is None:
        message = f"there is no check {shown(entry['check'])}{suggest(entry['check'], CHECKS)}"
        found.wrong.append(Wrong((*path, "check"), message))
        return None
    before = len(found.wrong)
    roles = _roles(found, entry, path) if "against" in kind.model_fields else ()
    check = found.read(kind, {**entry, "against": roles[0]} if roles else entry, path)
    found.wrong[before:] = [_with_reason(wrong, path) for wrong in found.wrong[before:]]
    return check.against_also(roles[1:]) if isinstance(check, Check) and roles else check


def _roles(found: Draft, entry: Mapping[str, object], path: Path) -> tuple[str, ...]:
    """Read `against` where it is a list; what is wrong in the list is told here."""
    roles = entry.get("against")
    if not isinstance(roles, list) or not roles:
        return ()
    for at, role in enumerate(roles):
        here = (*path, "against", at)
        if role not in ROLES_AGAINST:
            hint = suggest(role, ROLES_AGAINST) if isinstance(role, str) else ""
            message = f"must be one of {', '.join(ROLES_AGAINST)}, not {shown(role)}{hint}"
            found.wrong.append(Wrong(here, message))
        elif role in roles[:at]:
            found.wrong.append(Wrong(here, f"{shown(role)} is there twice"))
    return tuple(role for role in ROLES_AGAINST if role in roles) or ROLES_AGAINST[:1]


def _with_reason(wrong: Wrong, check: Path) -> Wrong:
    """Say why there is no default where a check lacks its margin."""
    missing = wrong.path == (*check, "margin") and wrong.message == "is missing"
    if missing or (wrong.path == check and wrong.message.startswith("`margin` is missing")):
        return wrong._replace(message=f"{wrong.message}; {NO_DEFAULT}")
    return wrong

"""A case that a policy is tested with: runs beside an `expected.yaml` that says what must come out.

```yaml
policy: ../../policies/us.yaml   # policy.yaml beside it by default; a shipped name will do
baseline: ../runs/v1             # the directories baseline, candidate and anchor by default
today: 2026-12-01
decision: block
findings:                        # what does not pass must all be named; what passes may be
  - {id: direct-request, outcome: block, reason: C_REGRESSION}
```
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from gate.decision import EXIT_CODES, Verdict
from gate.errors import UsageError
from gate.evidence.manifest import Strict
from gate.finding import Finding, Measure, Outcome
from gate.policy import SHIPPED
from gate.policy.sources import is_uri, read
from gate.reasons import Reason
from gate.suggestions import suggest
from gate.yaml_lines import MAX_BYTES, read_tree
from gate.yaml_places import Mistake, Path, shown
from gate.yaml_wording import in_words

FILE = "expected.yaml"
ROLES = ("baseline", "candidate", "anchor")
Text = Annotated[str, StringConstraints(min_length=1)]


def _is_a_reason(name: str) -> str:
    if name not in Reason.__members__:
        raise ValueError(f"there is no reason {shown(name)}{suggest(name, Reason.__members__)}")
    return name


class Claim(Strict):
    """What one finding must be; a key left out may be anything."""

    id: Text = Field(description="The id of the check.")
    outcome: Outcome = Field(description="pass, block, inconclusive or unusable.")
    slice: dict[str, str] = Field({}, description="The finding's slice, or a part of it.")
    measure: Measure | None = None
    reason: Annotated[str, AfterValidator(_is_a_reason)] | None = None
    waived: bool | None = None

    def holds(self, finding: Finding) -> bool:
        """Whether a finding is all that is claimed."""
        claimed = {
            "id": finding.id,
            "outcome": finding.outcome,
            "measure": finding.measure,
            "reason": None if finding.reason is None else finding.reason.name,
            "waived": finding.waiver is not None,
        }
        mine = {key: getattr(self, key) for key in claimed}
        return all(value in (None, claimed[key]) for key, value in mine.items()) and (
            self.slice.items() <= dict(finding.slice).items()
        )

    def __str__(self) -> str:
        """Write it in the words of a difference."""
        waived = {None: "", True: "waived", False: "not waived"}[self.waived]
        words = (self.id, *self.slice.values(), self.measure, self.outcome, self.reason, waived)
        return " ".join(str(word) for word in words if word)


class Expected(Strict):
    """What must come out of a case."""

    policy: Text = Field("policy.yaml", description="A file beside it, a URI or a shipped name.")
    baseline: Text | None = Field(None, description="A run; the directory of that name if any.")
    candidate: Text | None = Field(None, description="The same.")
    anchor: Text | None = Field(None, description="The same.")
    today: date = Field(description="The day that waivers are held against.")
    decision: Literal["release", "block", "inconclusive", "none"] = Field(
        description="What must be decided."
    )
    exit_code: int | None = Field(None, description="2 where the policy must be refused.")
    sentence: str = Field("", description="What the case shows, for whoever reads it.")
    findings: tuple[Claim, ...] = Field((), description="What must be among the findings.")

    @model_validator(mode="after")
    def _code_goes_with_decision(self) -> "Expected":
        fitting = {EXIT_CODES[Verdict(self.decision)]} | ({2} if self.decision == "none" else set())
        if self.exit_code not in {None, *fitting}:
            codes = " or ".join(map(str, sorted(fitting)))
            raise ValueError(f"decision {self.decision} has exit code {codes}")
        return self

    @property
    def code(self) -> int:
        """The exit code that must come out."""
        code = EXIT_CODES[Verdict(self.decision)]
        return code if self.exit_code is None else self.exit_code


@dataclass(frozen=True, slots=True)
class Case:
    """One case that was found."""

    folder: str
    expected: Expected

    @property
    def policy(self) -> str:
        """The policy to decide by."""
        name = self.expected.policy
        return name if name in SHIPPED else self._beside(name)

    @property
    def runs(self) -> dict[str, str | None]:
        """Each role's run; None where the case has none."""
        return {role: self._run(role) for role in ROLES}

    def _run(self, role: str) -> str | None:
        named: str | None = getattr(self.expected, role)
        if named is not None:
            return self._beside(named)
        usual = os.path.join(self.folder, role)
        return usual if os.path.isdir(usual) else None

    def _beside(self, name: str) -> str:
        return name if is_uri(name) else os.path.join(self.folder, name)


def find_cases(folders: Sequence[str]) -> list[Case]:
    """Find every case below some directories, in the order of their paths.

    Raises:
        UsageError: If a directory has none: what was not tested has not passed; or if an
            `expected.yaml` cannot be read, with all its mistakes.
    """
    found: dict[str, Case] = {}
    wrong: list[str] = []
    for folder in folders:
        places = sorted(_below(folder))
        if not places:
            raise UsageError(
                f"{folder}: no {FILE} here or in a directory below, so nothing would be tested",
                next_step="Name a directory of cases; `gate policy test --help` shows what one is.",
            )
        for place in places:
            case = _read(place, wrong)
            if case is not None:
                found.setdefault(os.path.realpath(place), case)
    if wrong:
        raise UsageError("\n".join(wrong), next_step="Correct it where the lines point.")
    return list(found.values())


def _below(folder: str) -> Iterator[str]:
    for place, _, files in os.walk(folder):
        if FILE in files:
            yield place


def _read(folder: str, wrong: list[str]) -> Case | None:
    path = os.path.normpath(os.path.join(folder, FILE))
    content, trouble = read(path, MAX_BYTES)
    if content is None:
        wrong.append(f"{path}: {trouble}")
        return None
    tree = read_tree(content)
    mistakes: list[Mistake] = list(tree.mistakes)
    if isinstance(tree.value, dict) and not mistakes:
        try:
            return Case(
                os.path.normpath(folder), Expected.model_validate_json(json.dumps(tree.value))
            )
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            words = in_words(errors, tree.value, _keys_at)
            mistakes = [each.placed(tree) for each in words]
    elif not mistakes:
        mistakes = [Mistake(tree.at_value(()), (), f"{FILE} is a mapping of `key: value`")]
    wrong += [mistake.render(path) for mistake in sorted(mistakes)]
    return None


def _keys_at(path: Path) -> Sequence[str]:
    known: Mapping[int, type[Strict]] = {0: Expected, 2: Claim}
    kind = known.get(len(path))
    return () if kind is None else tuple(kind.model_fields)
